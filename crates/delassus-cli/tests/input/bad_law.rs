//! Faulty laws of compliant contact: each fault is rejected with its code, its place and advice.

use crate::support;
use support::Bench;

/// A ball on a guide above a floor; places are counted in this text.
const BALL: &str = "\
schema = 1
gravity = [0, -9.81]
[material.steel]
young = '207 GPa'
poisson = 0.3
[body.b]
type = 'planar'
mass = 1
inertia = 0.1
position = [0, 1]
[joint.g]
type = 'prismatic'
axis = [0, 1]
between = ['ground', 'b']
[shape.b]
type = 'circle'
body = 'b'
radius = 0.1
[shape.g]
type = 'half-plane'
body = 'ground'
[contact.c]
between = ['b', 'g']
law = 'gonthier'
stiffness = 1e8
restitution = 0.9
[sensor.y]
type = 'position'
of = 'b'
component = 'y'
[analysis]
end = '1 ms'
";

fn broken(from: &str, to: &str) -> Bench {
    assert!(BALL.contains(from), "{from}");
    Bench::new(&BALL.replace(from, to))
}

#[test]
fn as_it_is_it_runs() {
    let ran = Bench::new(BALL).run(&["run", "m.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn laws_that_divide_by_the_restitution() {
    for law in ["gonthier", "flores", "hu-guo", "exact", "kelvin-voigt"] {
        let to = format!("law = '{law}'\nstiffness = 1e8\nrestitution = 0\n[sensor.y]");
        let from = "law = 'gonthier'\nstiffness = 1e8\nrestitution = 0.9\n[sensor.y]";
        broken(from, &to).refuses("E_RESTITUTION", "m.toml:26:15", law);
    }
}

#[test]
fn stiffness_and_exponent() {
    for k in ["0", "-1e8"] {
        broken("1e8", k).refuses("E_RANGE", "m.toml:25:13", "`stiffness`");
    }
    broken("stiffness = 1e8\n", "").refuses("E_MISSING_FIELD", "m.toml:22", "`stiffness`");
    for n in ["0.9", "0", "-1"] {
        broken("1e8", &format!("1e8\nexponent = {n}")).refuses(
            "E_RANGE",
            "m.toml:26:12",
            "exponent",
        );
    }
}

#[test]
fn materials() {
    broken("young = '207 GPa'\n", "").refuses("E_MISSING_FIELD", "m.toml:3:11", "`young`");
    broken("'207 GPa'", "0").refuses("E_RANGE", "m.toml:4:9", "`young`");
    broken("poisson = 0.3", "poisson = 0.6").refuses("E_RANGE", "m.toml:5:11", "`poisson`");
    broken("stiffness = 1e8", "material = 'stel'").refuses(
        "E_UNKNOWN_NAME",
        "m.toml:25:12",
        "stel",
    );
}

/// Stops, friction of joints and clutches have no law.
#[test]
fn contacts_that_have_no_law() {
    let from = "between = ['b', 'g']\nlaw = 'gonthier'\nstiffness = 1e8\nrestitution = 0.9\n";
    let kinds = [
        ("type = 'limit'\njoint = 'g'\nlower = 0\n", "m.toml:26:7", "a limit"),
        ("type = 'dry-friction'\njoint = 'g'\nbound = 1\n", "m.toml:26:7", "dry friction"),
        ("type = 'one-way'\njoint = 'g'\n", "m.toml:25:7", "a one-way clutch"),
    ];
    for (kind, place, label) in kinds {
        broken(from, &format!("{kind}law = 'hertz'\n")).refuses("E_FIELD_UNUSED", place, label);
    }
}

#[test]
fn depth_at_the_start() {
    for depth in ["0", "'-1 um'"] {
        let to = format!("0.9\nstart = 'shrink'\nmax_start_depth = {depth}\n[sensor.y]");
        broken("0.9\n[sensor.y]", &to).refuses("E_RANGE", "m.toml:28:19", "`max_start_depth`");
    }
}
