//! Parts used by several families.

use crate::mechanism::{JointKind, Law, Mechanism, Place, Turn, V3, add};
use crate::random::Random;
use std::f64::consts::PI;

/// Down, in the plane and in space.
pub const DOWN: V3 = [0.0, -9.81, 0.0];

/// A random duration.
pub fn span(r: &mut Random) -> f64 {
    r.pick(&[0.5, 1.0, 1.0, 1.5, 2.0])
}

/// A law that leaves its start value with zero or non-zero speed, immediately or late.
pub fn motion(r: &mut Random, end: f64, size: f64) -> Law {
    match r.whole(0, 5) {
        0 => Law::Power(r.round(0.5, 3.0) * size / end.powi(2), 2),
        1 => Law::Power(r.round(0.5, 5.0) * size / end.powi(3), 3),
        2 => Law::Power(r.round(0.2, 2.0) * size / end, 1),
        3 => Law::Sway { a: r.round(0.1, 0.5) * size, omega: r.round(1.0, 10.0) },
        _ => late_ramp(r, end, size),
    }
}

/// A ramp that begins some time after the start and may be short.
pub fn late_ramp(r: &mut Random, end: f64, size: f64) -> Law {
    let t0 = r.round(0.1, 0.7) * end;
    let t1 = (t0 + r.pick(&[0.02, 0.05, 0.1, 0.2, 0.5]) * end).min(end);
    Law::Ramp { t0, t1, y: r.sign() * r.round(0.2, 2.0) * size }
}

/// A chain of links, each with its joint.
pub struct Chain {
    pub links: Vec<String>,
    pub joints: Vec<String>,
    /// Coordinates of the joints at the start.
    pub start: Vec<f64>,
    pub lengths: Vec<f64>,
}

/// Adds a chain of rods that hang on hinges, the first on the ground at `root`.
pub fn chain(r: &mut Random, m: &mut Mechanism, n: usize, root: V3) -> Chain {
    let mut made =
        Chain { links: Vec::new(), joints: Vec::new(), start: Vec::new(), lengths: Vec::new() };
    let mut origin = root;
    let mut turn = Turn::NONE;
    let mut last = Place::ground(root);
    let straight = r.chance(0.3);
    for i in 0..n {
        let length = r.round(0.1, 1.0);
        let mass = r.round(0.2, 3.0);
        let inertia = mass * length * length / 12.0;
        let angle = if straight { 0.0 } else { r.round(-PI, PI) };
        let axis = m.space.then(|| if r.chance(0.5) { [0.0, 0.0, 1.0] } else { r.direction() });
        turn = match axis {
            None => turn.after(Turn::Angle(angle)),
            Some(a) if angle != 0.0 => turn.after(Turn::about(a, angle)),
            Some(_) => turn,
        };
        let link = m.body(
            &format!("link{i}"),
            mass,
            [0.1 * inertia, inertia, inertia],
            [length / 2.0, 0.0, 0.0],
            origin,
            turn,
        );
        let mut child = Place::on(&link, [0.0; 3]);
        let mut start = angle;
        // frames that are turned relative to their bodies, as people take them from drawings
        if !m.space && r.chance(0.2) {
            let (a, b) = (r.pick(&[PI / 2.0, 2.5, -3.0]), r.pick(&[0.0, -2.0, 3.0]));
            last.turn = Turn::Angle(a);
            child.turn = Turn::Angle(b);
            start += b - a;
        }
        let name = m.pair(&format!("hinge{i}"), "revolute", [last.clone(), child], axis);
        made.start.push(principal(start));
        made.links.push(link.clone());
        made.joints.push(name);
        made.lengths.push(length);
        origin = add(origin, turn.of([length, 0.0, 0.0]));
        last = Place::on(&link, [length, 0.0, 0.0]);
    }
    made
}

/// The equivalent angle between −π and π.
pub fn principal(angle: f64) -> f64 {
    let turns = (angle / (2.0 * PI)).round();
    angle - 2.0 * PI * turns
}

/// Gives joints a rate at the start, or leaves all at rest.
pub fn set_going(r: &mut Random, m: &mut Mechanism, joints: &[String], size: f64) {
    if r.chance(0.5) {
        return;
    }
    for j in &mut m.joints {
        if let JointKind::Pair { initial_rate, .. } = &mut j.kind
            && joints.contains(&j.name)
            && r.chance(0.7)
        {
            *initial_rate = Some(r.sign() * r.round(0.1, 1.0) * size);
        }
    }
}
