//! Arms with servos: PID control towards a target that moves immediately, late, or not at all.

use super::parts::{DOWN, chain, motion, set_going, span};
use crate::mechanism::{ForceKind, Law, Mechanism};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    if r.chance(0.4) {
        m.gravity = DOWN;
    }
    let n = r.whole(1, 2);
    let made = chain(r, &mut m, n, [0.0; 3]);
    if r.chance(0.3) {
        set_going(r, &mut m, &made.joints, 2.0);
    }
    for (i, joint) in made.joints.iter().enumerate() {
        let rate = r.chance(0.2);
        let target = if r.chance(0.2) { Law::Constant(0.0) } else { motion(r, end, 1.0) };
        let inertia = m.bodies[i].mass * made.lengths[i].powi(2);
        let omega = r.round(5.0, 20.0);
        let (kp, kd, ki) = if rate {
            (inertia * omega, 0.0, inertia * omega * omega)
        } else {
            (inertia * omega * omega, 2.0 * inertia * omega, inertia * omega.powi(3) / 4.0)
        };
        m.force(
            &format!("servo{i}"),
            ForceKind::Actuator {
                joint: joint.clone(),
                target,
                offset: if rate { 0.0 } else { made.start[i] },
                kp: short(kp),
                ki: if r.chance(0.5) { short(ki) } else { 0.0 },
                kd: if r.chance(0.8) { short(kd) } else { 0.0 },
                rate,
            },
        );
    }
    m
}

/// Rounds to two digits.
fn short(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}
