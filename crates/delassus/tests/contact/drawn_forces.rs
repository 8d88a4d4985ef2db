//! The data behind pictures: contact points with their forces, places of events, reactions and applied forces at the
//! rows of the motion.

use crate::support;

use delassus::model::spec::SchemeType;
use delassus::sim::contact::EventKind;
use delassus::sim::{RunOptions, RunOutcome, TouchPoint};
use support::{assembled, parsed, run};

const G: f64 = 9.81;

fn drawn(text: &str, change: impl Fn(&mut RunOptions)) -> RunOutcome {
    run(&assembled(&parsed(text), &[]), |o| {
        o.keep_motion = true;
        change(o);
    })
}

fn of_row(out: &RunOutcome, row: usize) -> Vec<TouchPoint> {
    out.touches.points().iter().filter(|(r, _)| *r == row).map(|(_, p)| *p).collect()
}

fn near(found: f64, want: f64, limit: f64) {
    assert!((found - want).abs() <= limit, "{found} instead of {want}");
}

/// A box of 2 kg, 1 m wide, whose mass centre is 0.2 m right of the middle, between floor and air.
const BOX: &str = r#"schema = 1
gravity = [0, -9.81]
body.box = { type = "planar", mass = 2, inertia = 0.3, com = [0.2, 0], position = [0.2, 0.3] }
shape.box = { type = "profile", body = "box", points = [[-0.5, -0.3], [0.5, -0.3], [0.5, 0.3], [-0.5, 0.3]] }
shape.floor = { type = "half-plane", body = "ground" }
contact.floor = { between = ["SIDES"], friction = 0.5 }
analysis = { end = 0.2, sample = 0.02 }
"#;

#[test]
fn the_force_of_a_contact_is_shared_by_statics() {
    for sides in [r#"floor", "box"#, r#"box", "floor"#] {
        let out = drawn(&BOX.replace("SIDES", sides), |_| {});
        let rows = out.motion.t().len();
        assert_eq!(rows, 11);
        for row in 0..rows {
            let mut points = of_row(&out, row);
            points.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
            let [left, right] = points[..] else { panic!("row {row}: {points:?}") };
            // position is that of the body frame or of the mass centre: corners are 1 m apart
            near(right.at[0] - left.at[0], 1.0, 1e-9);
            near(left.at[1], 0.0, 1e-9);
            for p in [left, right] {
                assert_eq!(p.contact, 0);
                near(p.normal[1], 1.0, 1e-12);
            }
            near(left.force, 2.0 * G * 0.3, 1e-6);
            near(right.force, 2.0 * G * 0.7, 1e-6);
            let sum = out.results.get("floor.normal").unwrap()[row];
            near(left.force + right.force, sum, 1e-9);
        }
    }
}

/// A box of 4 kg, 1 m wide, on a floor or above it.
const CRATE: &str = r#"schema = 1
gravity = [0, 0, -9.81]
body.box = { type = "rigid", mass = 4, inertia = [0.1, 0.1, 0.1], position = [0, 0, 0.2] }
shape.box = { type = "box", body = "box", size = [1, 1, 0.4] }
shape.floor = { type = "half-space", body = "ground" }
contact.floor = { between = ["floor", "box"], friction = 0.5 }
analysis = { end = 0.1, sample = 0.05 }
"#;

const SCHEMES: [SchemeType; 3] =
    [SchemeType::EventDriven, SchemeType::Hybrid, SchemeType::TimeStepping];

#[test]
fn forces_that_are_not_unique_are_the_smallest() {
    for scheme in SCHEMES {
        let out = drawn(CRATE, |o| o.scheme = scheme);
        let points = of_row(&out, 2);
        assert_eq!(points.len(), 4, "{points:?}");
        for p in points {
            near(p.force, G, 1e-5);
            near(p.normal[2], 1.0, 1e-12);
            near(p.at[0].abs(), 0.5, 1e-9);
        }
    }
}

/// What is drawn is what the contacts are solved with. The corners of a crate that slides to a stop press more
/// in front, by the torque of friction, and alike on both sides.
#[test]
fn drawn_forces_are_those_that_act() {
    let text = CRATE.replace("position", "velocity = [1, 0, 0], position");
    let (mu, lever) = (0.5, 0.2);
    for scheme in SCHEMES {
        let out = drawn(&text, |o| o.scheme = scheme);
        let normal = out.results.get("floor.normal").unwrap();
        let tangential = out.results.get("floor.tangential").unwrap();
        for row in 0..out.motion.t().len() {
            let points = of_row(&out, row);
            assert_eq!(points.len(), if row == 0 && normal[0] == 0.0 { 0 } else { 4 });
            // of time-stepping, nothing has acted before the first step
            if points.is_empty() {
                continue;
            }
            let sum: f64 = points.iter().map(|p| p.force).sum();
            near(sum, normal[row], 1e-12 * sum);
            near(sum, 4.0 * G, 1e-6);
            near(tangential[row], mu * sum, 1e-6);
            let centre = points.iter().map(|p| p.at[0]).sum::<f64>() / 4.0;
            for p in &points {
                // r = mg/4 (1 ± 2 μ h / b) with lever h and width b
                let more = 2.0 * mu * lever * (p.at[0] - centre).signum();
                near(p.force, G * (1.0 + more), 1e-5);
                near(p.at[1].abs(), 0.5, 1e-7);
            }
        }
    }
}

/// Impulses of the first impact, from left to right.
fn first_impulses(text: &str, scheme: SchemeType) -> Vec<TouchPoint> {
    let out = drawn(text, |o| o.scheme = scheme);
    // time-stepping needs a few steps for the last of an impact
    let mut hits = out.events.iter().filter(|e| e.kind == EventKind::Impact).peekable();
    let first = hits.peek().unwrap().t;
    let place = |id: u64| out.touches.events().iter().find(|(other, _)| *other == id).unwrap().1;
    let mut points: Vec<TouchPoint> = hits.filter(|e| e.t == first).map(|e| place(e.id)).collect();
    points.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
    points
}

/// Points of one contact that hit together have their own impulses, at their own places; where they share them in many
/// ways, evenly.
#[test]
fn impulses_are_drawn_where_they_act() {
    let speed = (2.0 * G * 0.2f64).sqrt();
    let pair = BOX.replace("SIDES", r#"floor", "box"#).replace("[0.2, 0.3]", "[0.2, 0.5]");
    let four = CRATE.replace("[0, 0, 0.2]", "[0, 0, 0.4]");
    for scheme in SCHEMES {
        let close = if scheme == SchemeType::TimeStepping { 1e-2 } else { 1e-9 };
        let points = first_impulses(&pair.replace("end = 0.2", "end = 0.3"), scheme);
        let [left, right] = points[..] else { panic!("{scheme:?}: {points:?}") };
        near(right.at[0] - left.at[0], 1.0, 1e-6);
        near(left.force, 0.3 * 2.0 * speed, close);
        near(right.force, 0.7 * 2.0 * speed, close);
        let points = first_impulses(&four.replace("end = 0.1", "end = 0.3"), scheme);
        assert_eq!(points.len(), 4, "{scheme:?}: {points:?}");
        for p in points {
            near(p.force, speed, close);
        }
    }
}

#[test]
fn open_contacts_leave_nothing_and_impacts_have_a_place() {
    let text = r#"schema = 1
gravity = [0, -9.81]
body.ball = { type = "planar", mass = 1, inertia = 0.1, position = [0.7, 1.1], velocity = [0.5, 0] }
shape.ball = { type = "circle", body = "ball", radius = 0.1 }
shape.floor = { type = "half-plane", body = "ground" }
contact.bounce = { between = ["floor", "ball"], restitution = 0.8 }
analysis = { end = 0.6, sample = 0.01 }
"#;
    let out = drawn(text, |_| {});
    assert_eq!(out.touches.points(), []);
    let (id, place) = out.touches.events()[0];
    let e = out.events.iter().find(|e| e.id == id).unwrap();
    assert_eq!(e.kind, EventKind::Impact);
    let t = (2.0 / G).sqrt();
    near(e.t, t, 1e-9);
    near(place.at[0], 0.7 + 0.5 * t, 1e-8);
    near(place.at[1], 0.0, 1e-8);
    assert_eq!((place.force, place.normal[1]), (e.impulse, 1.0));
}

#[test]
fn reactions_and_applied_forces_are_those_of_sensors() {
    let text = r#"schema = 1
gravity = [0, -9.81]
body.arm = { type = "planar", mass = 1, inertia = 0.1, com = [0.5, 0], position = [0, 0] }
joint.pin = { type = "revolute", between = ["ground", "arm"] }
force.drive = { type = "torque", at = "arm", torque = "2*cos(3*t)" }
sensor.pin = { type = "reaction", joint = "pin" }
analysis = { end = 1, sample = 0.05 }
"#;
    let out = drawn(text, |_| {});
    assert_eq!((out.loads.count(), out.loads.stride()), (3, 1));
    let (x, y) = (out.results.get("pin.fx").unwrap(), out.results.get("pin.fy").unwrap());
    for (row, t) in out.motion.t().iter().enumerate() {
        let loads = out.loads.row(row).unwrap();
        assert_eq!((loads[0], loads[1]), (x[row], y[row]), "t = {t}");
        near(loads[8], 2.0 * (3.0 * t).cos(), 1e-12);
    }
    assert!(out.loads.row(out.motion.t().len()).is_none());
    // without the sensor they are the same
    let bare: String =
        text.lines().filter(|l| !l.starts_with("sensor")).map(|l| format!("{l}\n")).collect();
    let again = drawn(&bare, |_| {});
    assert_eq!(again.loads, out.loads);
    // and without pictures nothing is kept
    let plain = run(&assembled(&parsed(text), &[]), |_| {});
    assert_eq!((plain.loads.count(), plain.touches.points().len()), (0, 0));
}
