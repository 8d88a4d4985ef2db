//! Discs and spheres that roll without slipping, free or pulled.

use super::parts::{DOWN, motion, span};
use crate::mechanism::{ForceKind, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r).min(1.0);
    let mut m = Mechanism::new(r.chance(0.6), end);
    let slope = if r.chance(0.4) { 0.0 } else { r.round(-0.4, 0.4) };
    m.gravity = DOWN;
    let radius = r.round(0.1, 0.5);
    let up = Turn::Angle(slope).of([0.0, 1.0, 0.0]);
    let mass = r.round(0.5, 3.0);
    let i = mass * radius * radius;
    // slightly tilted, so that a disc in space turns
    let lean = if m.space { Turn::about([1.0, 0.0, 0.0], r.pick(&[0.0, 0.2])) } else { Turn::NONE };
    let height = match lean {
        Turn::Quat(q) => radius * (2.0 * q[1].asin()).cos(),
        Turn::Angle(_) => radius,
    };
    let turn = Turn::Angle(slope).after(lean);
    let at = Turn::Angle(slope).of([0.0, height, 0.0]);
    let disc = m.body("disc", mass, [0.25 * i, 0.25 * i, 0.5 * i], [0.0; 3], at, turn);
    m.pair("roll", "rolling", [Place::ground([0.0; 3]), Place::on(&disc, [0.0; 3])], Some(up));
    if let Some(JointKind::Pair { number, .. }) = m.joints.last_mut().map(|j| &mut j.kind) {
        *number = Some(radius);
    }
    if let Some(b) = m.bodies.last_mut()
        && r.chance(0.6)
    {
        b.rate = Some([0.0, 0.0, r.round(-8.0, 8.0)]);
    }
    if r.chance(0.4) {
        let law =
            if r.chance(0.5) { Law::Constant(r.round(-2.0, 2.0)) } else { motion(r, end, 2.0) };
        m.force(
            "pull",
            ForceKind::Push { at: Place::on(&disc, [0.0; 3]), along: [1.0, 0.0, 0.0], law },
        );
    }
    m
}
