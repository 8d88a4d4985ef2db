//! Pendulums: rods on hinges, with or without dampers and springs at the hinges.

use super::parts::{DOWN, chain, set_going, span};
use crate::mechanism::{ForceKind, Mechanism};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    if r.chance(0.8) {
        m.gravity = DOWN;
    }
    let n = r.whole(1, 3);
    let made = chain(r, &mut m, n, [0.0; 3]);
    set_going(r, &mut m, &made.joints, 5.0);
    for (i, joint) in made.joints.iter().enumerate() {
        if r.chance(0.5) {
            let stiffness = if r.chance(0.5) { r.round(1.0, 20.0) } else { 0.0 };
            let damping = if stiffness == 0.0 || r.chance(0.5) { r.round(0.01, 0.2) } else { 0.0 };
            let rest = if r.chance(0.5) { made.start[i] } else { 0.0 };
            let joint = joint.clone();
            m.force(&format!("spring{i}"), ForceKind::Torsion { joint, stiffness, damping, rest });
        }
    }
    m
}
