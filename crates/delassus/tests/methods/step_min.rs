//! `E_STEP_MIN` blames the element that jumps, and nothing if none does.

use crate::support;

use delassus::model::Assembled;
use support::{assembled, parsed, try_run};

fn arm(more: &str) -> Assembled {
    let text = format!(
        r#"schema = 1
title = "arm"
gravity = [0, -9.81]
[body.arm]
type = "planar"
mass = 2
inertia = 0.05
com = [0.25, 0]
[joint.axle]
type = "revolute"
between = ["ground", "arm"]
{more}
[sensor]
a = {{ type = "joint", joint = "axle" }}
r = {{ type = "joint-rate", joint = "axle" }}
[analysis]
end = 1
"#
    );
    assembled(&parsed(&text), &[])
}

/// What jumps right after a state, by name.
fn jumps(m: &Assembled, t: f64) -> Vec<(String, &'static str)> {
    let mut s = m.state.clone();
    s.t = t;
    let found = m.system.jumps(&s, &m.derived.a, 1e-8);
    found.into_iter().map(|j| (j.element, j.quantity)).collect()
}

#[test]
fn what_jumps_is_found_and_what_is_steep_is_not() {
    let torque = |law: &str| {
        arm(&format!("[force.kick]\ntype = \"torque\"\nat = \"arm\"\ntorque = \"{law}\""))
    };
    let before = 0.5 - 1e-12;
    let kick = [("force \"kick\"".to_owned(), "torque")];
    assert_eq!(jumps(&torque("if(t > 0.5, 5, 0)"), before), kick);
    // the arm falls: its rate is negative a moment later
    assert_eq!(jumps(&torque("if(r < -1e-12, 5, 0)"), 0.0), kick);
    assert_eq!(jumps(&torque("5*tanh((t - 0.5)/1e-7)"), before), []);
    assert_eq!(jumps(&torque("sin(t)"), before), []);

    let target = "if(t > 0.5, 1, 0)";
    let motor = format!(
        "[force.motor]\ntype = \"actuator\"\njoint = \"axle\"\ntarget = \"{target}\"\nkp = 100\nkd = 1"
    );
    assert_eq!(jumps(&arm(&motor), before), [("actuator \"motor\"".to_owned(), "force")]);

    for (law, quantity) in [(target, "value"), ("max(0, t - 0.5)", "rate")] {
        let drive =
            format!("[joint.drive]\ntype = \"motion\"\njoint = \"axle\"\nvalue = \"{law}\"");
        assert_eq!(jumps(&arm(&drive), before), [("motion \"drive\"".to_owned(), quantity)]);
    }
}

/// Where nothing jumps, nothing is said to.
#[test]
fn no_jump_is_made_up() {
    let m = arm("[force.pole]\ntype = \"torque\"\nat = \"arm\"\ntorque = \"1/(a + 0.3)\"");
    for method in ["mdop5", "radau5"] {
        let out = try_run(&m, |o| {
            o.method = method.to_owned();
            o.max_steps = Some(20_000);
        });
        if let Some(e) = out.error {
            assert!(
                !e.help.contains("discontinuous") && !e.help.contains("jump"),
                "{e} {}",
                e.help
            );
        }
    }
}

/// A disc that rolls and falls flat: there its point of contact is not defined, whatever the step.
#[test]
fn a_disc_that_falls_flat_is_named() {
    let text = r#"schema = 1
gravity = [0, -9.81, 0]
body.disc = { type = "rigid", mass = 2.6, inertia = [0.028665, 0.028665, 0.05733], position = [0, 0.20581398134666073, 0], orientation = [0.9950041652780258, 0.09983341664682815, 0.0, 0.0] }
joint.roll = { type = "rolling", between = ["ground", "disc"], axis = [0, 1, 0], radius = 0.21 }
analysis = { end = 1 }
"#;
    let e = try_run(&assembled(&parsed(text), &[]), |_| {}).error.unwrap();
    assert_eq!(e.kind.code(), "E_DISC_FLAT", "{e}");
    assert!(e.detail.contains("joint \"roll\"") && e.detail.contains("flat"), "{e}");
    assert!((e.t - 0.45968).abs() < 1e-5, "{e}");
}

/// A four-bar whose crank is driven past its dead point, and two links that are pulled past their length.
#[test]
fn a_motion_past_the_reach_of_a_mechanism_is_named() {
    let four_bar = r#"schema = 1
gravity = [0, -9.81]
ground.markers.s = [1.5, 0]
body.a = { type = "planar", mass = 1, inertia = 0.1, position = [0, 0.5], angle = "90 deg", markers = { p = [-0.5, 0], q = [0.5, 0] } }
body.b = { type = "planar", mass = 1, inertia = 0.1, position = [0.4951, 0.93015], angle = "-8.03 deg", markers = { p = [-0.5, 0], q = [0.5, 0] } }
body.c = { type = "planar", mass = 1, inertia = 0.1, position = [1.2451, 0.43015], angle = "120.65 deg", markers = { p = [-0.5, 0], q = [0.5, 0] } }
joint.a = { type = "revolute", between = ["ground", "a.p"] }
joint.b = { type = "revolute", between = ["a.q", "b.p"] }
joint.c = { type = "revolute", between = ["b.q", "c.q"] }
joint.d = { type = "revolute", between = ["ground.s", "c.p"] }
joint.drive = { type = "motion", joint = "a", value = "90 deg + t*30 deg/s" }
analysis = { end = 10 }
"#;
    let links = r#"schema = 1
body.a = { type = "planar", mass = 1, inertia = 0.1, position = [0.375, 0.330719], angle = "41.4096 deg", markers = { p = [-0.5, 0], q = [0.5, 0] } }
body.b = { type = "planar", mass = 1, inertia = 0.1, position = [1.125, 0.330719], angle = "-41.4096 deg", markers = { p = [-0.5, 0], q = [0.5, 0] } }
joint.a = { type = "revolute", between = ["ground", "a.p"] }
joint.b = { type = "revolute", between = ["a.q", "b.p"] }
joint.c = { type = "point-on-line", between = ["ground", "b.q"], axis = [1, 0] }
joint.drive = { type = "motion", between = ["ground", "b.q"], axis = [1, 0], coordinate = "position", value = "1.5 + 0.3*t" }
analysis = { end = 3 }
"#;
    // 1 + 1.5² − 3 cos φ = 2²; 1.5 + 0.3 t = 2
    let dead = ((-0.25_f64).acos().to_degrees() - 90.0) / 30.0;
    for (text, when) in [(four_bar, dead), (links, 0.5 / 0.3)] {
        let m = assembled(&parsed(text), &[]);
        for method in ["mdop5", "hem5", "phem56", "dop853", "gen-alpha", "radau5", "bdf"] {
            let e = try_run(&m, |o| o.method = method.to_owned()).error.unwrap();
            assert_eq!(e.kind.code(), "E_STEP_MIN", "{method}: {e}");
            assert_eq!(e.blame, ["motion \"drive\""], "{method}: {e}");
            assert!(e.detail.contains("reach") && (e.t - when).abs() < 1e-5, "{method}: {e}");
        }
    }
}
