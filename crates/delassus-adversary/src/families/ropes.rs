//! Loads on ropes: slack, taut, thrown.

use super::parts::{DOWN, chain, span};
use crate::mechanism::{ContactKind, Mechanism, Place, Turn, norm, sub};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let mut m = Mechanism::new(r.chance(0.4), span(r).min(1.0));
    m.gravity = DOWN;
    let hook = if r.chance(0.3) {
        let made = chain(r, &mut m, 1, [0.0; 3]);
        Place::on(&made.links[0], [made.lengths[0], 0.0, 0.0])
    } else {
        Place::ground([0.0; 3])
    };
    let at = [r.round(-0.5, 0.5), r.round(-1.0, 0.3), 0.0];
    let mass = r.round(0.2, 2.0);
    let load = m.body("load", mass, [0.01 * mass; 3], [0.0; 3], at, Turn::NONE);
    if let Some(b) = m.bodies.last_mut()
        && r.chance(0.6)
    {
        b.velocity = Some([r.round(-2.0, 2.0), r.round(-1.0, 2.0), 0.0]);
    }
    let eye = Place::on(&load, if r.chance(0.5) { [0.0; 3] } else { [0.0, 0.1, 0.0] });
    let distance = norm(sub(m.pose(&hook).0, m.pose(&eye).0));
    let length = distance + if r.chance(0.2) { 0.0 } else { r.round(0.05, 0.5) };
    let restitution = r.pick(&[0.0, 0.0, 0.3, 0.7]);
    m.contact("rope", ContactKind::Rope { between: [hook, eye], length, restitution });
    m
}
