//! Balls that fall on a floor or an incline, bounce and roll; several at once.

use super::parts::{DOWN, span};
use crate::mechanism::{ContactKind, Form, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r).min(1.0);
    let mut m = Mechanism::new(r.chance(0.4), end);
    m.gravity = DOWN;
    let slope = if r.chance(0.5) { 0.0 } else { r.round(-0.3, 0.3) };
    let floor = m.shape("floor", Place::ground([0.0; 3]).turned(Turn::Angle(slope)), Form::Floor);
    let n = r.whole(1, 3);
    let radius = r.round(0.02, 0.2);
    let height = if r.chance(0.3) { 0.0 } else { r.round(0.05, 1.0) };
    for i in 0..n {
        let along = i as f64 * 4.0 * radius;
        let lift = radius + height * if r.chance(0.5) { 1.0 } else { r.round(0.5, 1.5) };
        let at = Turn::Angle(slope).of([along, lift, 0.0]);
        let mass = r.round(0.1, 2.0);
        let inertia = [0.4 * mass * radius * radius; 3];
        let ball = m.body(&format!("ball{i}"), mass, inertia, [0.0; 3], at, Turn::NONE);
        if let Some(b) = m.bodies.last_mut() {
            b.reach = radius;
            if r.chance(0.7) {
                b.velocity = Some([
                    r.round(-2.0, 2.0),
                    if height > 0.0 { r.round(-2.0, 0.0) } else { 0.0 },
                    0.0,
                ]);
            }
            if r.chance(0.4) {
                b.rate = Some([0.0, 0.0, r.round(-20.0, 20.0)]);
            }
        }
        let shape = m.shape(&format!("skin{i}"), Place::on(&ball, [0.0; 3]), Form::Ball(radius));
        m.contact(
            &format!("bounce{i}"),
            ContactKind::Shapes {
                one: vec![shape],
                other: vec![floor.clone()],
                restitution: r.pick(&[0.0, 0.3, 0.5, 0.8, 1.0]),
                law: r.pick(&["newton", "newton", "poisson", "energetic"]),
                friction: r.pick(&[0.0, 0.1, 0.3, 0.6]),
                static_friction: None,
            },
        );
    }
    m
}
