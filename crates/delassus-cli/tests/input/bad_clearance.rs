//! Faulty play of joints: each fault is rejected with its code, its place and advice, and none silently makes the joint
//! ideal.

use crate::support;
use support::Bench;

/// A pendulum with play in its pin; places are counted in this text.
const PIN: &str = "\
schema = 1
gravity = [0, -9.81]
[material.steel]
young = '207 GPa'
poisson = 0.3
[body.b]
type = 'planar'
mass = 1
inertia = 0.1
com = [0.1, 0]
[joint.pin]
type = 'revolute'
between = ['ground', 'b']
clearance = '0.5 mm'
radius = '10 mm'
law = 'lankarani-nikravesh'
material = 'steel'
restitution = 0.9
[sensor.y]
type = 'position'
of = 'b'
component = 'y'
[analysis]
end = '1 ms'
";

fn broken(from: &str, to: &str) -> Bench {
    assert!(PIN.contains(from), "{from}");
    Bench::new(&PIN.replace(from, to))
}

#[test]
fn clearance_and_radius() {
    for c in ["0", "'-0.5 mm'"] {
        broken("'0.5 mm'", c).refuses("E_RANGE", "m.toml:14:13", "`clearance`");
    }
    for c in ["'10 mm'", "'11 mm'"] {
        let ran = broken("'0.5 mm'", c).refuses("E_CLEARANCE", "m.toml:14:13", "of the bearing");
        assert!(ran.stderr.contains("0.01 m"), "{}", ran.stderr);
    }
    broken("'10 mm'", "0").refuses("E_RANGE", "m.toml:15:10", "`radius`");
    broken("radius = '10 mm'\n", "").refuses("E_MISSING_FIELD", "m.toml:11", "`radius`");
    broken("'0.5 mm'", "'1 s'").refuses("E_DIMENSION", "m.toml:14:14", "clearance");
}

/// How large play is drawn is a plain number from 1 on, and needs play.
#[test]
fn exaggerate() {
    let with = |x: &str| broken("radius", &format!("exaggerate = {x}\nradius"));
    for x in ["0", "-3", "0.5", "1.1e6", "'1/0.9e-6'"] {
        with(x).refuses("E_RANGE", "m.toml:15:14", "`exaggerate`");
    }
    with("'50 mm'").refuses("E_DIMENSION", "m.toml:15:15", "exaggerate");
    with("true").refuses("E_TYPE", "m.toml:15:14", "exaggerate");
    let fixed = PIN.split("clearance").next().unwrap().replace("'revolute'", "'fixed'");
    Bench::new(&format!("{fixed}exaggerate = 50\n")).refuses(
        "E_FIELD_UNUSED",
        "m.toml:14:14",
        "a fixed joint",
    );
    let ideal = format!("{}exaggerate = 50\n", PIN.split("clearance").next().unwrap());
    for kind in ["revolute", "prismatic", "spherical"] {
        Bench::new(&ideal.replace("revolute", kind)).refuses(
            "E_FIELD_UNUSED",
            "m.toml:14:14",
            "without `clearance`",
        );
    }
    for x in ["1", "'2*25'", "1e6"] {
        let ran = with(x).run(&["check", "m.toml"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

#[test]
fn laws() {
    let stiffness = |k: &str| broken("material = 'steel'", &format!("stiffness = {k}"));
    for k in ["0", "-1e8"] {
        stiffness(k).refuses("E_RANGE", "m.toml:17:13", "`stiffness`");
    }
    broken("material = 'steel'\n", "").refuses("E_MISSING_FIELD", "m.toml:11", "`stiffness`");
    broken("'steel'\nres", "'brass'\nres").refuses("E_UNKNOWN_NAME", "m.toml:17:12", "brass");
    broken("restitution = 0.9", "restitution = 2").refuses("E_RESTITUTION", "m.toml:18:15", "2");
    for depth in ["0", "'-1 um'"] {
        broken("restitution", &format!("start = 'shrink'\nmax_start_depth = {depth}\nrestitution"))
            .refuses("E_RANGE", "m.toml:19:19", "`max_start_depth`");
    }
    // what only a law has
    broken("law = 'lankarani-nikravesh'\n", "").refuses("E_FIELD_UNUSED", "m.toml:16", "material");
}

/// Fields that play needs or does not use; where more is asked of the joint, the message says that contacts hold it.
#[test]
fn what_play_does_not_have() {
    let without = broken("clearance = '0.5 mm'\n", "");
    let ran = without.refuses("E_FIELD_UNUSED", "m.toml:14:10", "without `clearance`");
    assert!(ran.stderr.contains("`law`"), "{}", ran.stderr);
    broken("'revolute'", "'fixed'").refuses("E_FIELD_UNUSED", "m.toml:14:13", "a fixed joint");
    let spatial = PIN
        .replace("'planar'", "'rigid'")
        .replace("inertia = 0.1", "inertia = [0.1, 0.1, 0.1]")
        .replace("com = [0.1, 0]", "com = [0.1, 0, 0]")
        .replace("gravity = [0, -9.81]", "gravity = [0, -9.81, 0]");
    Bench::new(&spatial).refuses("E_MISSING_FIELD", "m.toml:11", "`length`");
    broken("radius", "length = '30 mm'\nradius").refuses(
        "E_FIELD_UNUSED",
        "m.toml:15:10",
        "planar bodies",
    );
    let block = spatial
        .replace("'revolute'", "'prismatic'")
        .replace("radius = '10 mm'", "length = '100 mm'\nwidth = '50 mm'")
        .replace("material = 'steel'", "stiffness = 1e8");
    Bench::new(&block).refuses("E_MISSING_FIELD", "m.toml:11", "`height`");
    let flat = block.replace("width = '50 mm'", "width = '50 mm'\nheight = 0");
    Bench::new(&flat).refuses("E_RANGE", "m.toml:17:10", "`height`");
    let point = spatial
        .replace("'rigid'", "'point'")
        .replace("inertia = [0.1, 0.1, 0.1]\ncom = [0.1, 0, 0]\n", "")
        .replace("radius", "length = '30 mm'\nradius");
    Bench::new(&point).refuses("E_CLEARANCE", "m.toml:12:13", "cannot turn");
    let ball = spatial.replace("'revolute'", "'spherical'").replace("'0.5 mm'", "'10 mm'");
    Bench::new(&ball).refuses("E_CLEARANCE", "m.toml:14:13", "of the bearing");
    let sensor = "[sensor.r]\ntype = 'reaction'\njoint = 'pin'\n[analysis]";
    broken("[analysis]", sensor).refuses("E_CLEARANCE", "m.toml:25:9", "pin.normal");
    let twin = "[shape.a]\ntype = 'point'\nbody = 'b'\n[shape.g]\ntype = 'half-plane'\nbody = 'ground'\n\
                at = [0, -1]\n[contact.pin]\nbetween = ['a', 'g']\n[analysis]";
    broken("[analysis]", twin).refuses("E_DUPLICATE", "m.toml:11", "another one");
}

#[test]
fn starts_outside() {
    let moved = broken("com = [0.1, 0]", "com = [0.1, 0]\nposition = [0, '1.5 mm']");
    let ran = moved.refuses("E_OVERLAP", "m.toml:12", "outside of its clearance");
    assert!(ran.stderr.contains("1.000e-3"), "{}", ran.stderr);
}

#[test]
fn blocks() {
    let block = PIN
        .replace("'revolute'", "'prismatic'")
        .replace("radius = '10 mm'", "length = '100 mm'\nwidth = '50 mm'");
    Bench::new(&block).refuses("E_MATERIAL", "m.toml:18:12", "corners");
    let stiff = block.replace("material = 'steel'", "stiffness = 1e8");
    Bench::new(&stiff.replace("width = '50 mm'\n", "")).refuses(
        "E_MISSING_FIELD",
        "m.toml:11",
        "`width`",
    );
    Bench::new(&stiff.replace("'100 mm'", "0")).refuses("E_RANGE", "m.toml:15:10", "`length`");
    let high = stiff.replace("width = '50 mm'", "width = '50 mm'\nheight = '20 mm'");
    Bench::new(&high).refuses("E_FIELD_UNUSED", "m.toml:17:10", "planar bodies");
    let tilted = stiff.replace("clearance", "axis = [0, 0, 1]\nclearance");
    Bench::new(&tilted).refuses("E_CLEARANCE", "m.toml:15:13", "leaves the x-y plane");
}
