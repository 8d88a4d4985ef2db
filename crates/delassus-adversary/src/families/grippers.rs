//! A jaw on a hand clamps a part by friction, and the hand lifts it by a motion that starts later.

use super::parts::DOWN;
use crate::mechanism::{ContactKind, ForceKind, Form, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;
use std::f64::consts::FRAC_PI_2;

pub fn make(r: &mut Random) -> Mechanism {
    let end = r.pick(&[1.0, 1.5, 2.0]);
    let mut m = Mechanism::new(r.chance(0.3), end);
    m.gravity = DOWN;
    let half = r.pick(&[0.05, 0.1]);
    let (hand_mass, jaw_mass, part_mass) =
        (r.round(0.5, 2.0), r.round(0.2, 1.0), r.round(0.2, 1.0));
    let body = |m: &mut Mechanism, name: &str, mass: f64, at| {
        m.body(name, mass, [0.01 * mass; 3], [0.0; 3], at, Turn::NONE)
    };
    let hand = body(&mut m, "hand", hand_mass, [-0.2, 0.5, 0.0]);
    let jaw = body(&mut m, "jaw", jaw_mass, [0.0, 0.5, 0.0]);
    let part = body(&mut m, "part", part_mass, [half, 0.5, 0.0]);
    let up = Some([0.0, 1.0, 0.0]);
    m.pair("lift", "prismatic", [Place::ground([-0.2, 0.0, 0.0]), Place::on(&hand, [0.0; 3])], up);
    m.pair(
        "press",
        "prismatic",
        [Place::on(&hand, [0.0; 3]), Place::on(&jaw, [0.0; 3])],
        Some([1.0, 0.0, 0.0]),
    );
    let start = r.round(0.1, 0.4) * end;
    let law =
        Law::Ramp { t0: start, t1: start + r.round(0.2, 0.5) * end, y: r.pick(&[0.1, 0.05, -0.1]) };
    m.joint("move", JointKind::Motion { joint: "lift".into(), law, offset: 0.5 });
    let friction = r.pick(&[0.3, 0.5, 0.8]);
    // firmly, so that the part neither slips nor comes loose
    let squeeze = (part_mass * 30.0 / friction).ceil();
    m.force(
        "squeeze",
        ForceKind::Push {
            at: Place::on(&jaw, [0.0; 3]),
            along: [1.0, 0.0, 0.0],
            law: Law::Constant(squeeze),
        },
    );
    m.shape(
        "tip",
        Place::on(&jaw, [0.0; 3]),
        if r.chance(0.5) { Form::Point } else { Form::Ball(0.0) },
    );
    if let Some(Form::Ball(_)) = m.shapes.last().map(|s| s.form.clone())
        && let Some(s) = m.shapes.last_mut()
    {
        s.form = Form::Ball(0.02);
        s.on.at = [-0.02, 0.0, 0.0];
    }
    let face = Place::on(&part, [-half, 0.0, 0.0]).turned(Turn::Angle(FRAC_PI_2));
    m.shape("face", face, Form::Floor);
    // the part is guided, rests on a table, or is pressed against a wall
    if r.chance(0.6) {
        m.pair(
            "guide",
            "prismatic",
            [Place::ground([half, 0.0, 0.0]), Place::on(&part, [0.0; 3])],
            up,
        );
        if r.chance(0.6) {
            m.shape("foot", Place::on(&part, [0.0, -half, 0.0]), Form::Point);
            m.shape("table", Place::ground([0.0, 0.5 - half, 0.0]), Form::Floor);
            m.contact("rest", pair("foot", "table", r.pick(&[0.0, 0.3])));
        }
    } else {
        m.shape("nose", Place::on(&part, [half, 0.0, 0.0]), Form::Point);
        let wall = Place::ground([2.0 * half, 0.0, 0.0]).turned(Turn::Angle(FRAC_PI_2));
        m.shape("wall", wall, Form::Floor);
        m.contact("slide", pair("nose", "wall", 0.0));
    }
    m.contact("grip", pair("tip", "face", friction));
    m
}

fn pair(one: &str, other: &str, friction: f64) -> ContactKind {
    ContactKind::Shapes {
        one: vec![one.to_owned()],
        other: vec![other.to_owned()],
        restitution: 0.0,
        law: "newton",
        friction,
        static_friction: None,
    }
}
