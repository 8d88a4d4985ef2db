//! Arms whose joints move as functions of time, immediately or late, followed by free links.

use super::parts::{DOWN, chain, motion, span};
use crate::mechanism::{ForceKind, JointKind, Mechanism};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    if r.chance(0.5) {
        m.gravity = DOWN;
    }
    let n = r.whole(1, 3);
    let made = chain(r, &mut m, n, [0.0; 3]);
    let driven = r.whole(1, n);
    for (i, joint) in made.joints.iter().enumerate() {
        if i < driven {
            let size = if r.chance(0.3) { 15.0 } else { 1.5 };
            let kind = JointKind::Motion {
                joint: joint.clone(),
                law: motion(r, end, size),
                offset: made.start[i],
            };
            m.joint(&format!("drive{i}"), kind);
        } else if r.chance(0.5) {
            let damping = r.round(0.01, 0.2);
            let kind =
                ForceKind::Torsion { joint: joint.clone(), stiffness: 0.0, damping, rest: 0.0 };
            m.force(&format!("damper{i}"), kind);
        }
    }
    m
}
