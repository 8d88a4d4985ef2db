//! Doors and beams held by more joints than needed, almost in line.

use super::parts::{DOWN, motion, span};
use crate::mechanism::{ForceKind, JointKind, Mechanism, Place, Turn, add, perpendicular, times};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(true, end);
    m.gravity = DOWN;
    let axis = r.direction();
    let turn = if r.chance(0.5) { Turn::NONE } else { Turn::about(axis, r.round(-2.0, 2.0)) };
    let mass = r.round(0.5, 3.0);
    let com = times(r.round(0.2, 0.6), perpendicular(axis));
    m.body("door", mass, [0.1, 0.15, 0.2].map(|i| i * mass), com, [0.0; 3], turn);
    let n = r.whole(2, 3);
    for i in 0..n {
        let at = times(0.5 * i as f64, axis);
        let there = Place::ground(turn.of(at)).turned(turn);
        // hinges placed by hand are not exactly in line; far below what assembly may correct
        let off = times(r.pick(&[0.0, 0.0, 1e-14, 1e-13]), perpendicular(axis));
        m.pair(
            &format!("hinge{i}"),
            "revolute",
            [there, Place::on("door", add(at, off))],
            Some(axis),
        );
    }
    match r.whole(0, 2) {
        0 => {
            let law = motion(r, end, 1.5);
            m.joint("drive", JointKind::Motion { joint: "hinge0".into(), law, offset: 0.0 });
        }
        1 => {
            let (stiffness, damping) = (r.pick(&[0.0, 5.0]), r.round(0.05, 0.5));
            m.force(
                "closer",
                ForceKind::Torsion { joint: "hinge0".into(), stiffness, damping, rest: 0.0 },
            );
        }
        _ => {
            if let Some(JointKind::Pair { initial_rate, .. }) =
                m.joints.first_mut().map(|j| &mut j.kind)
            {
                *initial_rate = Some(r.sign() * r.round(0.5, 5.0));
            }
        }
    }
    m
}
