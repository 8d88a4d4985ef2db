//! Shafts with one-way clutches and dry friction, driven by torques and springs.

use super::parts::{late_ramp, motion, span};
use crate::mechanism::{ContactKind, ForceKind, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.4), end);
    let o = [0.0; 3];
    let sliding = r.chance(0.3);
    let (word, axis) =
        if sliding { ("prismatic", Some([1.0, 0.0, 0.0])) } else { ("revolute", None) };
    let n = r.whole(1, 2);
    for i in 0..n {
        let mass = r.round(0.2, 2.0);
        let inertia = r.round(0.1, 1.0);
        m.body(&format!("shaft{i}"), mass, [inertia; 3], o, o, Turn::NONE);
        m.pair(
            &format!("bearing{i}"),
            word,
            [Place::ground(o), Place::on(&format!("shaft{i}"), o)],
            axis,
        );
        if let Some(JointKind::Pair { initial_rate, .. }) = m.joints.last_mut().map(|j| &mut j.kind)
            && r.chance(0.4)
        {
            *initial_rate = Some(r.round(0.5, 5.0));
        }
    }
    let joint = if n == 2 {
        // between the shafts, where the bearings make it redundant
        m.pair("between", word, [Place::on("shaft0", o), Place::on("shaft1", o)], axis);
        "between"
    } else {
        "bearing0"
    };
    if r.chance(0.5) {
        // the rate at the start must be one that the clutch allows
        for j in &mut m.joints {
            if let JointKind::Pair { initial_rate, .. } = &mut j.kind {
                *initial_rate = None;
            }
        }
        m.contact(
            "clutch",
            ContactKind::OneWay { joint: joint.into(), direction: r.pick(&[1, -1]) },
        );
    } else {
        let bound = r.round(0.2, 2.0);
        let static_bound = r.chance(0.4).then_some(1.5 * bound);
        m.contact("rub", ContactKind::Dry { joint: joint.into(), bound, static_bound });
    }
    let law = match r.whole(0, 3) {
        0 => Law::Constant(r.sign() * r.round(0.5, 5.0)),
        1 => Law::Sway { a: r.sign() * r.round(1.0, 3.0), omega: r.round(2.0, 10.0) },
        2 => late_ramp(r, end, 3.0),
        _ => Law::Power(r.sign() * r.round(1.0, 5.0), 1),
    };
    if sliding {
        m.force(
            "pull",
            ForceKind::Push { at: Place::on("shaft0", o), along: [1.0, 0.0, 0.0], law },
        );
    } else if r.chance(0.3) && n == 2 {
        for j in &mut m.joints {
            if let JointKind::Pair { initial_rate, .. } = &mut j.kind {
                *initial_rate = None;
            }
        }
        let law = motion(r, end, 3.0);
        m.joint("drive", JointKind::Motion { joint: "bearing0".into(), law, offset: 0.0 });
    } else {
        m.force("motor", ForceKind::Twist { body: "shaft0".into(), along: [0.0, 0.0, 1.0], law });
    }
    if r.chance(0.4) {
        let stiffness = r.round(1.0, 20.0);
        let joint = format!("bearing{}", n - 1);
        m.force("spring", ForceKind::Torsion { joint, stiffness, damping: 0.0, rest: 0.0 });
    }
    m
}
