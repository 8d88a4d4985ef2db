//! Balls that hit each other and walls, without gravity.

use super::parts::span;
use crate::mechanism::{ContactKind, Form, Mechanism, Place, Turn};
use crate::random::Random;
use std::f64::consts::FRAC_PI_2;

pub fn make(r: &mut Random) -> Mechanism {
    let mut m = Mechanism::new(r.chance(0.3), span(r));
    let radius = 0.1;
    let n = r.whole(2, 3);
    let friction = r.pick(&[0.0, 0.0, 0.2]);
    let restitution = r.pick(&[1.0, 0.8, 0.5]);
    let law = r.pick(&["newton", "poisson", "energetic"]);
    let mut skins = Vec::new();
    for i in 0..n {
        let at = [0.5 * i as f64, r.round(-0.1, 0.1), 0.0];
        let mass = r.round(0.2, 2.0);
        let ball = m.body(
            &format!("ball{i}"),
            mass,
            [0.4 * mass * radius * radius; 3],
            [0.0; 3],
            at,
            Turn::NONE,
        );
        if let Some(b) = m.bodies.last_mut() {
            b.reach = radius;
            let towards = if i == 0 { 1.0 } else { r.pick(&[0.0, -1.0]) };
            b.velocity = Some([towards * r.round(0.5, 2.0), 0.0, 0.0]);
        }
        skins.push(m.shape(&format!("skin{i}"), Place::on(&ball, [0.0; 3]), Form::Ball(radius)));
    }
    for i in 0..n {
        for j in 0..i {
            let kind = ContactKind::Shapes {
                one: vec![skins[i].clone()],
                other: vec![skins[j].clone()],
                restitution,
                law,
                friction,
                static_friction: None,
            };
            m.contact(&format!("click{i}{j}"), kind);
        }
    }
    if r.chance(0.5) {
        let wall = Place::ground([1.6, 0.0, 0.0]).turned(Turn::Angle(FRAC_PI_2));
        let wall = m.shape("wall", wall, Form::Floor);
        let kind = ContactKind::Shapes {
            one: skins,
            other: vec![wall],
            restitution,
            law,
            friction,
            static_friction: None,
        };
        m.contact("cushion", kind);
    }
    m
}
