//! Play as a single option of a joint, compared with closed forms and with twins: bodies with explicit shapes and
//! contacts.

use crate::support;

use delassus::math::max_difference;
use delassus::sim::RunOutcome;
use delassus::sim::contact::EventKind;
use support::{assembled, parsed, run};

const COMPLIANT: &str = "law = 'lankarani-nikravesh'\nstiffness = 1e9\nrestitution = 0.5\n";

/// A pendulum on a pin with some play, and more lines for joint and model.
fn pendulum(joint: &str, more: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, -9.81]\n\
         [body.b]\ntype = 'planar'\nmass = 2\ninertia = 0.01\ncom = [0.3, 0]\n\
         [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b']\n{joint}\
         [sensor.e]\ntype = 'eccentricity'\njoint = 'pin'\n\
         [sensor.a]\ntype = 'angle'\nof = 'b'\n\
         [analysis]\nend = 0.2\nsample = 0.002\n[method]\nrtol = 1e-9\n{more}"
    )
}

fn ran(text: &str) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |_| {})
}

/// One model, three readings.
#[test]
fn ideal_rigid_and_compliant_are_one_word_apart() {
    let size = |out: &RunOutcome| out.results.get("e.size").unwrap().to_vec();
    let ideal = ran(&pendulum("", ""));
    assert!(size(&ideal).iter().all(|e| *e < 1e-9) && ideal.events.is_empty());
    let play = "clearance = '0.5 mm'\nradius = '10 mm'\n";
    let rigid = ran(&pendulum(&format!("{play}restitution = 0.5\n"), ""));
    let compliant = ran(&pendulum(&format!("{play}{COMPLIANT}"), ""));
    for (out, kind, deepest) in
        [(&rigid, EventKind::Impact, 1e-9), (&compliant, EventKind::Touch, 2e-5)]
    {
        // it falls freely to the bottom of the bearing
        let first = &out.events[0];
        assert_eq!((first.kind, first.contact.as_str()), (kind, "pin"));
        assert!((first.t - (2.0 * 0.5e-3 / 9.81f64).sqrt()).abs() < 1e-9, "{first:?}");
        assert!((first.speed_before + (2.0 * 9.81 * 0.5e-3f64).sqrt()).abs() < 1e-8, "{first:?}");
        assert!(size(out).iter().all(|e| *e < 0.5e-3 + deepest), "{:?}", out.events.len());
        assert!(size(out).iter().any(|e| *e > 0.49e-3));
        let angle = |out: &RunOutcome| out.results.get("a").unwrap().to_vec();
        assert!(max_difference(&angle(out), &angle(&ideal)) < 0.05);
        // where the journal is, by place and by direction
        let column = |name: &str| out.results.get(name).unwrap();
        for k in 0..out.results.t.len() {
            let (x, y) = (column("e.x")[k], column("e.y")[k]);
            assert_eq!(column("e.angle")[k], y.atan2(x));
        }
    }
}

/// A pin that lies in its bearing is as deep as its weight asks for.
#[test]
fn rests_by_its_weight() {
    let text = "schema = 1\ngravity = [0, -9.81]\n[material.steel]\nyoung = '207 GPa'\npoisson = 0.3\n\
         [body.b]\ntype = 'planar'\nmass = 100\ninertia = 0.01\nposition = [0, '-0.5 mm']\n\
         [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b']\nclearance = '0.5 mm'\nradius = '10 mm'\n\
         law = 'lankarani-nikravesh'\nmaterial = 'steel'\nrestitution = 0.1\n\
         [sensor.e]\ntype = 'eccentricity'\njoint = 'pin'\n[analysis]\nend = 0.4\n[method]\nname = 'radau5'\nrtol = 1e-9\n";
    let out = ran(text);
    let depth = out.results.get("e.size").unwrap().last().unwrap() - 0.5e-3;
    let wanted = (100.0 * 9.81 / 6.6101984e10f64).powf(2.0 / 3.0);
    assert!((depth / wanted - 1.0).abs() < 1e-3, "{depth} instead of {wanted}");
    let force = *out.results.get("pin.normal").unwrap().last().unwrap();
    assert!((force / 981.0 - 1.0).abs() < 1e-2, "{force}");
}

/// The joint is the contact of a disc in a hole, and a turned mechanism moves as the turned motion.
#[test]
fn twins_move_alike() {
    let play = "clearance = '0.5 mm'\nradius = '10 mm'\n";
    let shapes = "[shape.disc]\ntype = 'circle'\nbody = 'b'\nradius = '9.5 mm'\n\
         [shape.hole]\ntype = 'arc'\nbody = 'ground'\nradius = '10 mm'\nhollow = true\n\
         [contact.pin]\nbetween = ['disc', 'hole']\n";
    for law in [COMPLIANT, "restitution = 0.4\n", "restitution = 0.4\nfriction = 0.2\n"] {
        let joint = ran(&pendulum(&format!("{play}{law}"), ""));
        // the sensors need a joint: one that holds nothing but a coordinate
        let free = pendulum("", "")
            .replace("[joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'b']\n", "")
            .replace(
                "[sensor.e]\ntype = 'eccentricity'\njoint = 'pin'\n",
                "[sensor.e]\ntype = 'position'\nof = 'b'\n",
            );
        let twin = ran(&format!("{free}{shapes}{law}"));
        for name in ["e.x", "e.y", "a"] {
            let (x, y) = (joint.results.get(name).unwrap(), twin.results.get(name).unwrap());
            assert!(max_difference(x, y) < 1e-9, "{law}: {name} {}", max_difference(x, y));
        }
        let text = pendulum(&format!("{play}{law}"), "");
        let turned =
            text.replace("[0, -9.81]", "[9.81, 0]").replace("com = ", "angle = '90 deg'\ncom = ");
        let turned = ran(&turned);
        for (name, same, sign) in [("e.x", "e.y", 1.0), ("e.y", "e.x", -1.0)] {
            let of = joint.results.get(name).unwrap();
            let other: Vec<f64> =
                turned.results.get(same).unwrap().iter().map(|x| sign * x).collect();
            assert!(
                max_difference(of, &other) < 1e-8,
                "{law}: {name} {}",
                max_difference(of, &other)
            );
        }
    }
}

/// A block with play in its guide is the model of four corners between two walls.
#[test]
fn a_guide_with_play_is_four_corners_between_walls() {
    let text =
        std::fs::read_to_string(support::model_path("benchmarks/G11_clearance_slider_crank.toml"));
    let text = text.unwrap();
    let (before, rest) = text.split_once("[shape.upper]").unwrap();
    let (_, after) = rest.split_once("[sensor.theta1]").unwrap();
    let joint = "[joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'slider']\nclearance = 'c'\n\
         length = '2*a'\nwidth = '2*b'\nrestitution = 'e'\n";
    let (shapes, joint) = (ran(&text), ran(&format!("{before}{joint}[sensor.theta1]{after}")));
    assert_eq!(shapes.events.len(), joint.events.len());
    for (x, y) in shapes.events.iter().zip(&joint.events) {
        assert!(x.kind == y.kind && (x.t - y.t).abs() < 1e-9, "{x:?} {y:?}");
        let side = if x.contact.starts_with("upper") { "guide.upper" } else { "guide.lower" };
        assert!(x.contact.is_empty() || y.contact.starts_with(side), "{x:?} {y:?}");
    }
    for name in ["theta1", "y_slider"] {
        let (x, y) = (shapes.results.get(name).unwrap(), joint.results.get(name).unwrap());
        assert!(max_difference(x, y) < 1e-9, "{name}");
    }
}

/// A start that the ideal joint would not allow is reported.
#[test]
fn a_speed_in_the_play_is_told() {
    let play = "clearance = '0.5 mm'\nradius = '10 mm'\n";
    let notes = |text: &str| -> Vec<String> {
        let notes = assembled(&parsed(text), &[]).report.notes;
        notes.iter().map(|n| format!("{} {} {}", n.code, n.path, n.message)).collect()
    };
    assert!(notes(&pendulum(play, "")).is_empty());
    assert!(
        notes(&pendulum(play, "").replace("com =", "rate = 7\nvelocity = [0, 0]\ncom ="))
            .is_empty()
    );
    let moving = pendulum(play, "").replace("com =", "velocity = [0.3, 0.4]\ncom =");
    let told = notes(&moving);
    assert!(
        told[0].starts_with("N_PLAY_SPEED joint.pin") && told[0].contains("5.000e-1"),
        "{told:?}"
    );
}

/// A wheel that spins on a loose pin climbs its bearing as far as friction allows, and is braked by the pressure there:
/// with every law as much as by rigid friction, except for the 95 % of Threlfall's.
#[test]
fn friction_brakes_a_loose_wheel() {
    let rate = |more: &str| {
        let text = format!(
            r#"
schema = 1
gravity = [0, -9.81]
[body.wheel]
type = "planar"
mass = 2
inertia = 1e-4
position = [0, "-0.5 mm"]
rate = 30
[joint.pin]
type = "revolute"
between = ["ground", "wheel"]
clearance = "0.5 mm"
radius = "10 mm"
friction = 0.1
{more}
[sensor]
rate = {{ type = "rate", of = "wheel" }}
[analysis]
end = 0.05
sample = 0.05
"#
        );
        let out = run(&assembled(&parsed(&text), &[]), |_| {});
        assert!(out.error.is_none(), "{:?}", out.error);
        *out.results.get("rate").unwrap().last().unwrap()
    };
    let lost = |law: &str| {
        30.0 - rate(&format!("law = \"exact\"\nrestitution = 0.3\nstiffness = 1e9\n{law}"))
    };
    let rigid = 30.0 - rate("");
    // μ m g r t/I where it hangs straight down, and a little less where it has climbed
    let most = 0.1 * 2.0 * 9.81 * 9.5e-3 / 1e-4 * 0.05;
    assert!(rigid < most && rigid > most / 1.01, "{rigid} {most}");
    let lugre = lost(
        "friction_law = \"lugre\"\nbristle_stiffness = 1e4\nbristle_damping = 60\nstribeck_speed = 0.01",
    );
    let threlfall = lost("friction_law = \"threlfall\"\ncreep_speed = 1e-3");
    assert!((lugre / rigid - 1.0).abs() < 2e-3, "{lugre} {rigid}");
    assert!((threlfall / rigid / (1.0 - (-3f64).exp()) - 1.0).abs() < 2e-3, "{threlfall} {rigid}");
}
