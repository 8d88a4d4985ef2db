//! Bodies that fly and tumble, alone or connected by springs and rods; tops on a ball joint.

use super::parts::{DOWN, span};
use crate::mechanism::{ForceKind, Mechanism, Place, Turn, norm, sub};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let mut m = Mechanism::new(r.chance(0.7), span(r));
    if r.chance(0.3) {
        m.gravity = DOWN;
    }
    let n = r.whole(1, 3);
    for i in 0..n {
        let at = [i as f64, r.round(-0.2, 0.2), 0.0];
        let turn = if m.space && r.chance(0.6) {
            Turn::about(r.direction(), r.round(-3.0, 3.0))
        } else {
            Turn::NONE
        };
        let mass = r.round(0.2, 2.0);
        let moments = r.pick(&[[1.0, 1.0, 1.0], [1.0, 1.5, 2.0], [2.0, 1.2, 1.0], [1.0, 1.0, 1.8]]);
        let name = m.body(
            &format!("flyer{i}"),
            mass,
            moments.map(|i| 0.02 * mass * i),
            [0.0; 3],
            at,
            turn,
        );
        let space = m.space;
        if let Some(b) = m.bodies.last_mut() {
            let z = if space { r.round(-1.0, 1.0) } else { 0.0 };
            b.velocity = r.chance(0.7).then(|| [r.round(-1.0, 1.0), r.round(-1.0, 1.0), z]);
            let rate = [r.round(-5.0, 5.0), r.round(-5.0, 5.0), r.round(-5.0, 5.0)];
            b.rate = r.chance(0.8).then_some(if space { rate } else { [0.0, 0.0, rate[2]] });
        }
        if i > 0 {
            let near = Place::on(&format!("flyer{}", i - 1), [0.2, 0.0, 0.0]);
            let here = Place::on(&name, [-0.2, 0.05, 0.0]);
            let length = norm(sub(m.pose(&near).0, m.pose(&here).0));
            let kind = ForceKind::Spring {
                between: [near, here],
                stiffness: r.round(10.0, 100.0),
                damping: r.pick(&[0.0, 0.5]),
                length,
            };
            m.force(&format!("tie{i}"), kind);
        }
    }
    if r.chance(0.25) {
        // a top
        let b = &mut m.bodies[0];
        b.com = [0.1, 0.0, 0.0];
        b.velocity = None;
        let at = b.at;
        m.gravity = DOWN;
        m.pair("ball", "spherical", [Place::ground(at), Place::on("flyer0", [0.0; 3])], None);
    }
    m
}
