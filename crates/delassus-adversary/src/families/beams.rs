//! Masses on elements of beams: cantilevers, whips on a hinge that is driven, free beams; loaded, hit or let go.

use super::parts::{DOWN, late_ramp, span};
use crate::mechanism::{ForceKind, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;

/// What holds the first frame.
#[derive(Clone, Copy, PartialEq)]
enum Root {
    Clamped,
    Driven,
    Free,
}

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r).min(1.0);
    let mut m = Mechanism::new(r.chance(0.5), end);
    if r.chance(0.5) {
        m.gravity = DOWN;
    }
    let o = [0.0; 3];
    let root = r.pick(&[Root::Clamped, Root::Clamped, Root::Driven, Root::Free]);
    let mut last = match root {
        Root::Clamped => Place::ground(o),
        Root::Driven | Root::Free => {
            let hub = m.body("hub", r.round(0.5, 2.0), [0.02; 3], o, o, Turn::NONE);
            Place::on(&hub, o)
        }
    };
    if root == Root::Driven {
        m.pair("axle", "revolute", [Place::ground(o), last.clone()], None);
        let law = late_ramp(r, end, 1.0);
        m.joint("drive", JointKind::Motion { joint: "axle".into(), law, offset: 0.0 });
    }
    let length = r.round(0.1, 0.4);
    // stiff enough to bear its own weight, slow enough for explicit methods
    let mass = r.round(0.2, 2.0);
    let bend = mass * 9.81 * length.powi(2) * r.round(50.0, 500.0);
    let stretch = bend / length.powi(2) * r.round(20.0, 200.0);
    let damping = r.pick(&[0.0, 0.0, 1e-3, 1e-2]);
    let n = r.whole(1, 3);
    for i in 0..n {
        let at = [(i + 1) as f64 * length, 0.0, 0.0];
        let inertia = [0.1 * mass * length * length; 3];
        let node = m.body(&format!("node{i}"), mass, inertia, o, at, Turn::NONE);
        let place = Place::on(&node, o);
        let between = [last, place.clone()];
        m.force(&format!("beam{i}"), ForceKind::Beam { between, length, stretch, bend, damping });
        last = place;
    }
    match r.whole(0, 2) {
        0 => {
            let (t0, wide) = (r.round(0.1, 0.5) * end, r.round(0.02, 0.2) * end);
            let times = [t0, t0 + 0.3 * wide, t0 + 0.7 * wide, t0 + wide];
            let y = mass * r.round(1.0, 10.0);
            let law = Law::Pulse { times, y };
            m.force("push", ForceKind::Push { at: last, along: [0.0, 1.0, 0.0], law });
        }
        1 => {
            let up = if m.space && r.chance(0.5) { 0.5 } else { 0.0 };
            if let Some(b) = m.bodies.last_mut() {
                b.velocity = Some([0.0, r.round(-2.0, 2.0), up]);
            }
        }
        _ => {}
    }
    m
}
