//! `E_STEP_MIN` blames the element that jumps, and nothing where none does.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod support;

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
