//! Wheels and arms at rest on which a force or torque acts briefly, some time later.

use super::parts::{chain, span};
use crate::mechanism::{ForceKind, Law, Mechanism, Place, Turn, norm};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r);
    let mut m = Mechanism::new(r.chance(0.5), end);
    let body = if r.chance(0.5) {
        let turn = if m.space {
            Turn::about(r.direction(), r.round(-3.0, 3.0))
        } else {
            Turn::Angle(r.round(-3.0, 3.0))
        };
        let mass = r.round(0.5, 3.0);
        let wheel = m.body(
            "wheel",
            mass,
            [0.6, 0.5, 0.8].map(|i| i * mass * 0.1),
            [0.0; 3],
            [0.0; 3],
            turn,
        );
        if r.chance(0.7) {
            let place = if m.space {
                Place::ground([0.0; 3]).turned(turn)
            } else {
                Place::ground([0.0; 3])
            };
            m.pair("axle", "revolute", [place, Place::on(&wheel, [0.0; 3])], None);
        }
        wheel
    } else {
        let n = r.whole(1, 3);
        let made = chain(r, &mut m, n, [0.0; 3]);
        r.pick(&made.links)
    };
    let t = r.round(0.1, 0.7) * end;
    let d = r.pick(&[0.005, 0.01, 0.02, 0.1]) * end;
    let law = Law::Pulse {
        times: [t, t + d, t + 2.0 * d, t + 3.0 * d],
        y: r.sign() * r.round(1.0, 10.0),
    };
    let along = if m.space { r.direction() } else { [0.0, 0.0, 1.0] };
    if r.chance(0.6) {
        m.force("pulse", ForceKind::Twist { body, along, law });
    } else {
        let along = if m.space { along } else { [0.6, 0.8, 0.0] };
        debug_assert!(norm(along) > 0.9);
        let reach = m.find(&body).map_or(0.1, |b| b.reach);
        m.force("pulse", ForceKind::Push { at: Place::on(&body, [reach, 0.0, 0.0]), along, law });
    }
    m
}
