//! Free bodies held by springs, dampers and bushings.

use super::parts::{DOWN, span};
use crate::mechanism::{ForceKind, Mechanism, Place, Turn, add, norm, sub};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    if r.chance(0.6) {
        m.gravity = DOWN;
    }
    let n = r.whole(1, 3);
    for i in 0..n {
        let mut at = [i as f64 + r.round(-0.3, 0.3), r.round(-0.5, 0.5), 0.0];
        let mut turn = Turn::Angle(if r.chance(0.5) { 0.0 } else { r.round(-3.0, 3.0) });
        if m.space {
            at[2] = r.round(-0.5, 0.5);
            turn = if r.chance(0.5) {
                Turn::NONE
            } else {
                Turn::about(r.direction(), r.round(-2.0, 2.0))
            };
        }
        let mass = r.round(0.2, 2.0);
        let inertia = [0.5, 0.7, 0.9].map(|i| i * mass * 0.02);
        m.body(&format!("mass{i}"), mass, inertia, [0.0; 3], at, turn);
        if r.chance(0.3)
            && let Some(b) = m.bodies.last_mut()
        {
            b.velocity = Some([r.round(-1.0, 1.0), r.round(-1.0, 1.0), 0.0]);
        }
    }
    for i in 0..n {
        let body = format!("mass{i}");
        let near = if i == 0 {
            Place::ground([-1.0, 0.5, 0.0])
        } else {
            Place::on(&format!("mass{}", i - 1), [0.05, 0.0, 0.0])
        };
        if r.chance(0.2) {
            let (at, _) = m.pose(&Place::on(&body, [0.0; 3]));
            let stiffness = [500.0, 400.0, 300.0, 5.0, 4.0, 3.0];
            let damping = stiffness.map(|k| k * r.pick(&[0.0, 0.01, 0.05]));
            let (parent, hub) = m.pose(&near);
            let local = hub.back().of(sub(at, parent));
            let there = Place { at: add(near.at, near.turn.of(local)), ..near };
            let there = if m.space {
                there.turned(hub.back().after(m.pose(&Place::on(&body, [0.0; 3])).1))
            } else {
                there
            };
            let here = Place::on(&body, [0.0; 3]);
            m.force(
                &format!("bush{i}"),
                ForceKind::Bushing { between: [there, here], stiffness, damping },
            );
            continue;
        }
        let here = Place::on(&body, [-0.05, r.pick(&[0.0, 0.05]), 0.0]);
        let distance = norm(sub(m.pose(&here).0, m.pose(&near).0));
        let length = if r.chance(0.5) { distance } else { distance * r.round(0.5, 1.2) };
        let stiffness = if r.chance(0.8) { r.round(10.0, 200.0) } else { r.round(1000.0, 9000.0) };
        let damping = if r.chance(0.5) { 0.0 } else { r.round(0.1, 2.0) };
        m.force(
            &format!("spring{i}"),
            ForceKind::Spring { between: [near, here], stiffness, damping, length },
        );
    }
    m
}
