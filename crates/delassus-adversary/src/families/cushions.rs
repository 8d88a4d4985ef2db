//! Balls on floors, plates and springs that yield: compliant contact of several laws, from rest, in flight and driven.

use super::parts::{DOWN, late_ramp, span};
use crate::mechanism::{ContactKind, Cushion, ForceKind, Form, JointKind, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r).min(1.0);
    let mut m = Mechanism::new(r.chance(0.4), end);
    if r.chance(0.7) {
        m.gravity = DOWN;
    }
    let o = [0.0; 3];
    let slope = if r.chance(0.6) { 0.0 } else { r.round(-0.3, 0.3) };
    let floor = match r.chance(0.4) {
        true => {
            let plate = m.body("plate", r.round(0.5, 2.0), [0.1; 3], o, o, Turn::NONE);
            let guide = [Place::ground(o), Place::on(&plate, o)];
            m.pair("guide", "prismatic", guide, Some([0.0, 1.0, 0.0]));
            match r.chance(0.6) {
                true => {
                    let law = late_ramp(r, end, 0.2);
                    m.joint("drive", JointKind::Motion { joint: "guide".into(), law, offset: 0.0 });
                }
                false => m.force(
                    "seat",
                    ForceKind::Torsion {
                        joint: "guide".into(),
                        stiffness: r.round(50.0, 1000.0),
                        damping: r.pick(&[0.0, 2.0]),
                        rest: 0.0,
                    },
                ),
            }
            Place::on(&plate, o)
        }
        false => Place::ground(o),
    };
    let floor = m.shape("floor", floor.turned(Turn::Angle(slope)), Form::Floor);
    for i in 0..r.whole(1, 2) {
        let radius = r.round(0.02, 0.2);
        let gap = if r.chance(0.2) { 0.0 } else { r.round(0.01, 0.5) };
        let mass = r.round(0.1, 2.0);
        let inertia = [0.4 * mass * radius * radius; 3];
        let at = Turn::Angle(slope).of([f64::from(i as u32) - 0.5, radius + gap, 0.0]);
        let ball = m.body(&format!("ball{i}"), mass, inertia, o, at, Turn::NONE);
        if let Some(b) = m.bodies.last_mut() {
            b.reach = radius;
            if gap > 0.0 && r.chance(0.5) {
                b.velocity = Some([r.round(-2.0, 2.0), r.round(-2.0, 0.0), 0.0]);
            }
            if r.chance(0.3) {
                b.rate = Some([0.0, 0.0, r.round(-20.0, 20.0)]);
            }
        }
        let skin = m.shape(&format!("skin{i}"), Place::on(&ball, o), Form::Ball(radius));
        let law =
            r.pick(&["kelvin-voigt", "hunt-crossley", "lankarani-nikravesh", "flores", "gonthier"]);
        let exponent = if law == "kelvin-voigt" { 1 } else { r.pick(&[1, 2]) };
        // depths of about a hundredth of the radius under impacts at a few metres per second
        let depth = 0.01 * radius;
        let stiffness = mass * r.round(1.0, 10.0) / depth.powi(i32::from(exponent) + 1);
        let kind = ContactKind::Shapes {
            one: vec![skin],
            other: vec![floor.clone()],
            restitution: r.pick(&[0.3, 0.6, 0.8, 0.95]),
            law: "newton",
            friction: r.pick(&[0.0, 0.0, 0.2]),
            static_friction: None,
        };
        let cushion = Cushion { law, stiffness, exponent, least_speed: 1e-3, creep_speed: 0.05 };
        m.yielding(&format!("bounce{i}"), kind, cushion);
    }
    m
}
