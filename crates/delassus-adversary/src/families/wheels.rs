//! Balanced wheels on axles, turned far and fast: only the angle shows how far they have turned.

use super::parts::{late_ramp, motion, span};
use crate::mechanism::{ForceKind, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let usual = span(r);
    let end = r.pick(&[1.0, 2.4, usual]);
    let mut m = Mechanism::new(r.chance(0.7), end);
    let o = [0.0; 3];
    for i in 0..r.whole(1, 2) {
        let at = [i as f64, 0.0, 0.0];
        let (wheel, axle) = (format!("wheel{i}"), format!("axle{i}"));
        let inertia = r.round(0.1, 2.0);
        let mass = r.round(0.2, 2.0);
        m.body(&wheel, mass, [inertia; 3], o, at, Turn::NONE);
        let axis = (m.space && r.chance(0.5)).then(|| r.direction());
        m.pair(&axle, "revolute", [Place::ground(at), Place::on(&wheel, o)], axis);
        let drive = |law| JointKind::Motion { joint: axle.clone(), law, offset: 0.0 };
        let far = r.pick(&[1.0, 10.0, 40.0]);
        match r.whole(0, 5) {
            0 => m.joint(&format!("drive{i}"), drive(Law::Power(r.round(0.5, 3.0), 3))),
            1 => m.joint(&format!("drive{i}"), drive(Law::Power(far / end.powi(3), 3))),
            2 => m.joint(&format!("drive{i}"), drive(late_ramp(r, end, far))),
            3 => m.joint(&format!("drive{i}"), drive(motion(r, end, far))),
            4 => {
                if let Some(JointKind::Pair { initial_rate, .. }) =
                    m.joints.last_mut().map(|j| &mut j.kind)
                {
                    *initial_rate = Some(r.sign() * r.round(1.0, 50.0));
                }
                let damping = inertia * r.round(0.1, 3.0);
                m.force(
                    &format!("drag{i}"),
                    ForceKind::Torsion { joint: axle, stiffness: 0.0, damping, rest: 0.0 },
                );
            }
            _ => m.force(
                &format!("servo{i}"),
                ForceKind::Actuator {
                    joint: axle,
                    target: motion(r, end, far),
                    offset: 0.0,
                    kp: 100.0 * inertia,
                    ki: 0.0,
                    kd: 20.0 * inertia,
                    rate: false,
                },
            ),
        }
    }
    m
}
