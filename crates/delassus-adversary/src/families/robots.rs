//! Robots: a driven slide that carries an arm with servos, or the other way round.

use super::parts::{DOWN, late_ramp, motion, span};
use crate::mechanism::{ForceKind, JointKind, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    if r.chance(0.5) {
        m.gravity = DOWN;
    }
    let o = [0.0; 3];
    let axis = r.pick(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]]);
    let (mass, length) = (r.round(0.5, 3.0), r.round(0.2, 0.8));
    m.body("slide", mass, [0.05 * mass; 3], o, o, Turn::NONE);
    m.pair("rail", "prismatic", [Place::ground(o), Place::on("slide", o)], Some(axis));
    let angle = if r.chance(0.5) { 0.0 } else { r.round(-2.5, 2.5) };
    let inertia = mass * length * length / 12.0;
    m.body(
        "arm",
        mass,
        [0.1 * inertia, inertia, inertia],
        [length / 2.0, 0.0, 0.0],
        o,
        Turn::Angle(angle),
    );
    m.pair("shoulder", "revolute", [Place::on("slide", o), Place::on("arm", o)], None);
    let servo = |joint: &str, target, offset: f64, inertia: f64| ForceKind::Actuator {
        joint: joint.to_owned(),
        target,
        offset,
        kp: 100.0 * inertia,
        ki: 0.0,
        kd: 20.0 * inertia,
        rate: false,
    };
    match r.whole(0, 2) {
        0 => {
            m.joint(
                "drive",
                JointKind::Motion {
                    joint: "rail".into(),
                    law: late_ramp(r, end, 0.3),
                    offset: 0.0,
                },
            );
            m.joint(
                "turn",
                JointKind::Motion {
                    joint: "shoulder".into(),
                    law: motion(r, end, 1.5),
                    offset: angle,
                },
            );
        }
        1 => {
            m.joint(
                "drive",
                JointKind::Motion { joint: "rail".into(), law: motion(r, end, 0.3), offset: 0.0 },
            );
            m.force("servo", servo("shoulder", late_ramp(r, end, 1.0), angle, 4.0 * inertia));
        }
        _ => {
            m.force("push", servo("rail", motion(r, end, 0.3), 0.0, 2.0 * mass));
            m.joint(
                "turn",
                JointKind::Motion {
                    joint: "shoulder".into(),
                    law: late_ramp(r, end, 1.0),
                    offset: angle,
                },
            );
        }
    }
    m
}
