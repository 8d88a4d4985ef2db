//! Models that start at rest: nothing has moved yet against which errors could be measured. They run with every
//! adaptive method, in the plane and in space, without an absolute tolerance.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::able_methods;
use support::{assembled, parsed, run, try_run};

/// A rod on a hinge, in the plane or in space, that hangs down; `more` acts on it.
fn rod(spatial: bool, gravity: f64, more: &str) -> Assembled {
    let (kind, inertia, com, g) = if spatial {
        ("rigid", "[0.05, 0.05, 0.05]", "[0, -0.25, 0]", format!("[0, {}, 0]", -gravity))
    } else {
        ("planar", "0.05", "[0, -0.25]", format!("[0, {}]", -gravity))
    };
    let text = format!(
        r#"schema = 1
title = "rod"
gravity = {g}
[body.arm]
type = "{kind}"
mass = 2
inertia = {inertia}
com = {com}
[joint.axle]
type = "revolute"
between = ["ground", "arm"]
{more}
[sensor]
angle = {{ type = "joint", joint = "axle" }}
[analysis]
end = 1.5
sample = 0.05
"#
    );
    assembled(&parsed(&text), &[])
}

/// Runs with every adaptive method and compares with an accurate run.
fn agree(m: &Assembled, what: &str) {
    let accurate = run(m, |o| {
        o.method = "radau5".to_owned();
        o.rtol = Some(1e-11);
    });
    let accurate = accurate.results.get("angle").unwrap();
    for method in able_methods(&m.system).iter().filter(|m| m.adaptive) {
        let out = try_run(m, |o| {
            o.method = method.name.to_owned();
            o.max_steps = Some(20_000);
        });
        assert!(out.error.is_none(), "{what} {}: {:?}", method.name, out.error);
        let angle = out.results.get("angle").unwrap();
        assert_eq!(angle.len(), accurate.len());
        for (a, b) in angle.iter().zip(accurate) {
            assert!((a - b).abs() < 2e-4, "{what} {}: {a} instead of {b}", method.name);
        }
    }
}

/// Targets and motions that begin with zero rate, and with zero acceleration.
#[test]
fn forces_and_motions_that_begin_slowly() {
    for spatial in [false, true] {
        for (k, value) in ["t^2", "t^3", "0.3*t^5", "step(t, 0.3, 0, 1, 1)"].iter().enumerate() {
            let more = format!(
                "[force.motor]\ntype = \"actuator\"\njoint = \"axle\"\ntarget = \"{value}\"\nkp = 10\nkd = 1"
            );
            agree(&rod(spatial, 0.0, &more), &format!("actuator {value}, spatial: {spatial}"));
            if k < 3 {
                let more = format!(
                    "drive = {{ type = \"motion\", joint = \"axle\", value = \"{value}\" }}"
                );
                let more = format!("[joint]\n{more}");
                agree(&rod(spatial, 9.81, &more), &format!("motion {value}, spatial: {spatial}"));
            }
        }
    }
}

/// A controller whose error, and so its integral, is zero at the start; with every part and with
/// the integral alone.
#[test]
fn controllers_without_an_error_at_the_start() {
    for spatial in [false, true] {
        for gains in ["kp = 40\nki = 60\nkd = 6", "ki = 6", "control = \"rate\"\nkp = 4\nki = 60"] {
            let more = format!(
                "[force.motor]\ntype = \"actuator\"\njoint = \"axle\"\ntarget = \"step(t, 0.2, 0, 1, 1)\"\n{gains}\n\
                 [force.bearing]\ntype = \"torsion\"\njoint = \"axle\"\nstiffness = 5\ndamping = 1"
            );
            agree(&rod(spatial, 9.81, &more), &format!("{gains}, spatial: {spatial}"));
        }
    }
}

/// What hangs at rest stays there, in a few steps, however stiff it is and wherever it is.
#[test]
fn a_model_at_rest_stays_there_in_a_few_steps() {
    for spatial in [false, true] {
        for stiffness in [0.0, 1e4, 1e8] {
            let more = format!(
                "[force.bearing]\ntype = \"torsion\"\njoint = \"axle\"\nstiffness = {stiffness}\ndamping = 0.1"
            );
            let m = rod(spatial, 9.81, &more);
            for method in able_methods(&m.system).iter().filter(|m| m.adaptive) {
                let out = run(&m, |o| {
                    o.method = method.name.to_owned();
                    o.t_end = 100.0;
                });
                let angle = out.results.get("angle").unwrap();
                assert!(angle.iter().all(|a| a.abs() < 1e-9), "{}", method.name);
                assert!(out.summary.steps < 200, "{}: {}", method.name, out.summary.steps);
            }
        }
    }
}

/// The same mechanism in other units of length, mass and time takes the same steps.
#[test]
fn units_do_not_matter_from_rest() {
    let steps = |length: f64, mass: f64, time: f64| {
        let torque = mass * length * length / (time * time);
        let text = format!(
            r#"schema = 1
title = "rod in other units"
gravity = [0, 0, 0]
[body.arm]
type = "rigid"
mass = {}
inertia = [{i}, {i}, {i}]
com = [0, {}, 0]
[joint.axle]
type = "revolute"
between = ["ground", "arm"]
[force.motor]
type = "actuator"
joint = "axle"
target = "(t/{time})^3"
kp = {}
ki = {}
kd = {}
[sensor]
angle = {{ type = "joint", joint = "axle" }}
[analysis]
end = {}
sample = {}
"#,
            2.0 * mass,
            -0.25 * length,
            10.0 * torque,
            5.0 * torque / time,
            torque * time,
            1.5 * time,
            0.05 * time,
            i = 0.05 * mass * length * length,
        );
        let out = run(&assembled(&parsed(&text), &[]), |_| ());
        (out.summary.steps, *out.results.get("angle").unwrap().last().unwrap())
    };
    let (n, angle) = steps(1.0, 1.0, 1.0);
    for (length, mass, time) in [(1e3, 1.0, 1.0), (1.0, 1e-3, 60.0), (1e-3, 1e3, 1.0 / 60.0)] {
        let (other, a) = steps(length, mass, time);
        assert_eq!(n, other, "{length} {mass} {time}");
        assert!((a - angle).abs() < 1e-9, "{a} {angle}");
    }
}
