//! Boxes that slide, stand, rock and are thrown on an incline or on a plate that moves.

use super::parts::{DOWN, late_ramp};
use crate::mechanism::{ContactKind, Form, JointKind, Law, Mechanism, Place, Turn, add};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = r.pick(&[0.3, 0.5, 1.0]);
    let mut m = Mechanism::new(r.chance(0.3), end);
    m.gravity = DOWN;
    let (wide, high) = (r.round(0.1, 0.4), r.round(0.05, 0.3));
    let slope = if r.chance(0.4) { 0.0 } else { r.round(-0.5, 0.5) };
    let on_plate = r.chance(0.4);
    let lift = if r.chance(0.6) || on_plate { 0.0 } else { r.round(0.01, 0.2) };
    let tilt = if lift > 0.0 { r.round(-0.5, 0.5) } else { 0.0 };
    let half = (wide / 2.0) * tilt.sin().abs() + (high / 2.0) * tilt.cos();
    let turn = Turn::Angle(if on_plate { 0.0 } else { slope });
    let at = turn.of([0.0, half + lift, 0.0]);
    let mass = r.round(0.2, 2.0);
    let moment = mass * (wide * wide + high * high) / 12.0;
    let block = m.body("block", mass, [moment; 3], [0.0; 3], at, turn.after(Turn::Angle(tilt)));
    if let Some(b) = m.bodies.last_mut()
        && !on_plate
        && r.chance(0.6)
    {
        let along = turn.of([r.round(-2.0, 2.0), 0.0, 0.0]);
        b.velocity =
            Some(if lift > 0.0 { add(along, [0.0, r.round(-1.0, 0.5), 0.0]) } else { along });
    }
    let skin = m.shape("skin", Place::on(&block, [0.0; 3]), Form::Block([wide, high, wide]));
    let floor = if on_plate {
        let beta: f64 = r.pick(&[0.0, 1.0, std::f64::consts::FRAC_PI_2]);
        let plate = m.body("plate", 1.0, [1.0; 3], [0.0; 3], [0.0; 3], Turn::NONE);
        let axis = [beta.cos(), beta.sin(), 0.0];
        m.pair(
            "guide",
            "prismatic",
            [Place::ground([0.0; 3]), Place::on(&plate, [0.0; 3])],
            Some(axis),
        );
        let law = match r.whole(0, 2) {
            0 => Law::Sway { a: r.round(0.002, 0.05), omega: r.round(5.0, 50.0) },
            1 => late_ramp(r, end, 0.2),
            _ => Law::Power(r.round(0.5, 3.0), 2),
        };
        m.joint("drive", JointKind::Motion { joint: "guide".into(), law, offset: 0.0 });
        m.shape("floor", Place::on(&plate, [0.0; 3]), Form::Floor)
    } else {
        m.shape("floor", Place::ground([0.0; 3]).turned(Turn::Angle(slope)), Form::Floor)
    };
    m.contact(
        "touch",
        ContactKind::Shapes {
            one: vec![skin],
            other: vec![floor],
            restitution: r.pick(&[0.0, 0.0, 0.0, 0.3]),
            law: "newton",
            friction: r.pick(&[0.0, 0.2, 0.4, 0.8]),
            static_friction: None,
        },
    );
    m
}
