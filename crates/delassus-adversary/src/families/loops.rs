//! Closed loops: four-bar linkages and parallelograms with redundant bars, from rest, in motion or driven.

use super::parts::{DOWN, motion, span};
use crate::mechanism::{ForceKind, JointKind, Mechanism, Place, Turn, V3, add, norm, sub};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.3), end);
    if r.chance(0.8) {
        m.gravity = DOWN;
    }
    let (crank, angle) = (r.round(0.1, 0.5), r.round(0.4, 2.4));
    let parallel = r.chance(0.4);
    let tip = [crank * angle.cos(), crank * angle.sin(), 0.0];
    let base = r.round(0.6, 1.5);
    let far = if parallel {
        add(tip, [base, 0.0, 0.0])
    } else {
        add(tip, [base, r.round(0.1, 0.3), 0.0])
    };
    let feet: Vec<V3> = if parallel && r.chance(0.6) {
        vec![[0.0; 3], [base, 0.0, 0.0], [base / 2.0, 0.0, 0.0]]
    } else {
        vec![[0.0; 3], [base, 0.0, 0.0]]
    };
    let coupler_turn = bearing(sub(far, tip));
    let coupler = rod(r, &mut m, "coupler", tip, far, coupler_turn);
    for (i, foot) in feet.iter().enumerate() {
        let (top, at) = match i {
            0 => (tip, [0.0; 3]),
            1 => (far, [norm(sub(far, tip)), 0.0, 0.0]),
            _ => (add(tip, *foot), *foot),
        };
        let bar = rod(r, &mut m, &format!("bar{i}"), *foot, top, bearing(sub(top, *foot)));
        let length = norm(sub(top, *foot));
        m.pair(
            &format!("foot{i}"),
            "revolute",
            [Place::ground(*foot), Place::on(&bar, [0.0; 3])],
            None,
        );
        m.pair(
            &format!("top{i}"),
            "revolute",
            [Place::on(&bar, [length, 0.0, 0.0]), Place::on(&coupler, at)],
            None,
        );
    }
    match r.whole(0, 3) {
        0 => {
            // no further than the linkage can turn
            let law = motion(r, end, 0.2);
            m.joint("drive", JointKind::Motion { joint: "foot0".into(), law, offset: angle });
        }
        1 => m.force(
            "damper",
            ForceKind::Torsion {
                joint: "foot0".into(),
                stiffness: 0.0,
                damping: r.round(0.01, 0.2),
                rest: 0.0,
            },
        ),
        2 => {
            if let Some(JointKind::Pair { initial_rate, .. }) =
                m.joints.iter_mut().find(|j| j.name == "foot0").map(|j| &mut j.kind)
            {
                *initial_rate = Some(r.sign() * r.round(0.5, 5.0));
            }
        }
        _ => {}
    }
    m
}

fn bearing(v: V3) -> f64 {
    v[1].atan2(v[0])
}

fn rod(r: &mut Random, m: &mut Mechanism, name: &str, from: V3, to: V3, angle: f64) -> String {
    let length = norm(sub(to, from));
    let mass = r.round(0.2, 3.0);
    let inertia = mass * length * length / 12.0;
    let com = [length / 2.0, 0.0, 0.0];
    m.body(name, mass, [0.1 * inertia, inertia, inertia], com, from, Turn::Angle(angle))
}
