//! Values recorded between two steps are as accurate as the steps.

use crate::support;

use delassus::math::max_abs;
use support::{assembled, parsed, run};

/// Five steps are enough for a disc that a growing force pulls; the work that it does up to a sample in the middle of
/// a step is a polynomial of higher degree.
#[test]
fn energy_that_is_fed_in_between_steps() {
    let text = r#"schema = 1
gravity = [0, -9.81]
body.disc = { type = "planar", mass = 2.7, inertia = 0.035, position = [0, 0.16], rate = -6 }
joint.roll = { type = "rolling", between = ["ground", "disc"], axis = [0, 1], radius = 0.16 }
force.pull = { type = "force", at = "disc", force = ["3.4*t^2", 0] }
analysis = { end = 1, sample = 0.025 }
"#;
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    assert!(out.summary.steps < 20, "{}", out.summary.steps);
    let balance = max_abs(out.results.get("energy.balance").unwrap());
    assert!(balance < 1e-12 * out.summary.energy.moved, "{balance}");
}

/// A box slides to rest: at the last instant friction has the direction of what the method left of its speed, and
/// that is no direction for the step before it.
#[test]
fn a_box_that_slides_to_rest_stays_in_its_plane() {
    let text = r#"schema = 1
gravity = [0, -9.81, 0]
shape.skin = { type = "box", size = [0.27, 0.16, 0.27], body = "block" }
shape.floor = { type = "half-space", normal = [0, 1, 0], body = "ground" }
contact.touch = { between = [["skin"], ["floor"]], friction = 0.8 }
[body.block]
type = "rigid"
mass = 1.5
inertia = [0.0121, 0.0121, 0.0121]
position = [0, 0.08, 0]
velocity = [1.5, 0, 0]
markers = { side = [0.09, 0, 0] }
[sensor]
x = { type = "position", of = "block", component = "x" }
z = { type = "position", of = "block.side", component = "z" }
[analysis]
end = 0.3
sample = "2 ms"
"#;
    let out = run(&assembled(&parsed(text), &[]), |_| {});
    let aside = max_abs(out.results.get("z").unwrap());
    assert!(aside < 1e-9, "{aside}");
    let balance = max_abs(out.results.get("energy.balance").unwrap());
    assert!(balance < 1e-8 * out.summary.energy.moved, "{balance}");
    let deceleration = 0.8 * 9.81;
    for (t, x) in out.results.t.iter().zip(out.results.get("x").unwrap()) {
        let t = t.min(1.5 / deceleration);
        assert!((x - (1.5 * t - 0.5 * deceleration * t * t)).abs() < 1e-9, "{t} {x}");
    }
}
