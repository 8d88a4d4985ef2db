//! Wheels coupled by gears, and racks.

use super::parts::{motion, span};
use crate::mechanism::{ForceKind, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    let n = r.whole(2, 3);
    let o = [0.0; 3];
    for i in 0..n {
        let (name, axle) = (format!("wheel{i}"), format!("axle{i}"));
        let at = [0.5 * i as f64, 0.0, 0.0];
        let mass = r.round(0.2, 2.0);
        let turn = if m.space {
            Turn::NONE
        } else {
            Turn::Angle(if r.chance(0.5) { 0.0 } else { r.round(-3.0, 3.0) })
        };
        m.body(&name, mass, [0.02 * mass; 3], o, at, turn);
        m.pair(&axle, "revolute", [Place::ground(at), Place::on(&name, o)], None);
        if i > 0 {
            let joints = [axle, format!("axle{}", i - 1)];
            m.joint(
                &format!("mesh{i}"),
                JointKind::Gear { joints, ratio: r.sign() * r.round(0.5, 3.0) },
            );
        }
    }
    if r.chance(0.4) {
        let mass = r.round(0.2, 2.0);
        m.body("bar", mass, [0.01 * mass; 3], o, [0.0, -0.2, 0.0], Turn::NONE);
        m.pair(
            "rail",
            "prismatic",
            [Place::ground([0.0, -0.2, 0.0]), Place::on("bar", o)],
            Some([1.0, 0.0, 0.0]),
        );
        m.joint(
            "rack",
            JointKind::Rack { joints: ["axle0".into(), "rail".into()], pitch: r.round(0.1, 1.0) },
        );
        if r.chance(0.5) {
            let stiffness = r.round(10.0, 100.0);
            let rest = r.round(-0.2, 0.2);
            m.force(
                "spring",
                ForceKind::Torsion { joint: "rail".into(), stiffness, damping: 0.0, rest },
            );
        }
    }
    match r.whole(0, 2) {
        0 if m.bodies[0].turn == Turn::NONE => {
            let law = motion(r, end, 5.0);
            m.joint("drive", JointKind::Motion { joint: "axle0".into(), law, offset: 0.0 });
        }
        1 => {
            if let Some(JointKind::Pair { initial_rate, .. }) =
                m.joints.first_mut().map(|j| &mut j.kind)
            {
                *initial_rate = Some(r.sign() * r.round(1.0, 10.0));
            }
        }
        _ => {
            let law =
                if r.chance(0.5) { Law::Constant(r.round(0.5, 3.0)) } else { motion(r, end, 1.0) };
            m.force(
                "motor",
                ForceKind::Twist { body: "wheel0".into(), along: [0.0, 0.0, 1.0], law },
            );
        }
    }
    if r.chance(0.5) {
        let damping = r.round(0.01, 0.1);
        m.force(
            "bearing",
            ForceKind::Torsion { joint: "axle1".into(), stiffness: 0.0, damping, rest: 0.0 },
        );
    }
    m
}
