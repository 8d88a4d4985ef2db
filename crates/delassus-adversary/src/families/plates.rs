//! A plate or wall at rest that is later driven against a ball.

use super::parts::{DOWN, late_ramp, motion, span};
use crate::mechanism::{ContactKind, Form, JointKind, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.4), end);
    let radius = r.round(0.02, 0.1);
    let gap = if r.chance(0.2) { 0.0 } else { r.round(0.01, 0.2) };
    let weighs = r.chance(0.3);
    if weighs {
        m.gravity = DOWN;
    }
    let gap = if weighs { 0.0 } else { gap };
    let o = [0.0; 3];
    let plate = m.body("plate", r.round(0.5, 2.0), [0.1; 3], o, o, Turn::NONE);
    m.pair("guide", "prismatic", [Place::ground(o), Place::on(&plate, o)], Some([0.0, 1.0, 0.0]));
    let law = if r.chance(0.7) { late_ramp(r, end, 0.5) } else { motion(r, end, 0.5) };
    m.joint("drive", JointKind::Motion { joint: "guide".into(), law, offset: 0.0 });
    let mass = r.round(0.1, 2.0);
    let ball = m.body(
        "ball",
        mass,
        [0.4 * mass * radius * radius; 3],
        o,
        [0.1, radius + gap, 0.0],
        Turn::NONE,
    );
    if let Some(b) = m.bodies.last_mut() {
        b.reach = radius;
    }
    if r.chance(0.5) {
        m.pair(
            "track",
            "prismatic",
            [Place::ground([0.1, 0.0, 0.0]), Place::on(&ball, o)],
            Some([0.0, 1.0, 0.0]),
        );
    }
    let top = m.shape("top", Place::on(&plate, o), Form::Floor);
    let skin = m.shape("skin", Place::on(&ball, o), Form::Ball(radius));
    m.contact(
        "hit",
        ContactKind::Shapes {
            one: vec![skin],
            other: vec![top],
            restitution: r.pick(&[0.0, 0.3, 0.8]),
            law: "newton",
            friction: r.pick(&[0.0, 0.3]),
            static_friction: None,
        },
    );
    m
}
