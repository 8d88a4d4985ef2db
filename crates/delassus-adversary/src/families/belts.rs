//! Stick-slip: a block on a spring that a belt drags along by dry friction, with or without a redundant rail.

use crate::mechanism::{ContactKind, ForceKind, JointKind, Law, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let mut m = Mechanism::new(r.chance(0.4), r.pick(&[1.0, 2.0]));
    let o = [0.0; 3];
    let axis = Some([1.0, 0.0, 0.0]);
    let mass = r.round(0.5, 3.0);
    m.body("belt", 1.0, [1.0; 3], o, o, Turn::NONE);
    m.body("block", mass, [1.0; 3], o, o, Turn::NONE);
    m.pair("rail", "prismatic", [Place::ground(o), Place::on("belt", o)], axis);
    // with a guide of its own the block is constrained twice
    m.pair("rub", "prismatic", [Place::on("belt", o), Place::on("block", o)], axis);
    if r.chance(0.6) {
        m.pair("guide", "prismatic", [Place::ground(o), Place::on("block", o)], axis);
    }
    let speed = r.round(0.1, 0.5);
    if r.chance(0.5) {
        m.joint(
            "drive",
            JointKind::Motion { joint: "rail".into(), law: Law::Power(speed, 1), offset: 0.0 },
        );
    } else {
        let law = Law::Sway { a: r.round(0.05, 0.3), omega: r.round(2.0, 8.0) };
        m.joint("drive", JointKind::Motion { joint: "rail".into(), law, offset: 0.0 });
    }
    let stiffness = r.round(50.0, 300.0);
    let anchor = Place::ground([-1.0, 0.0, 0.0]);
    let kind = ForceKind::Spring {
        between: [anchor, Place::on("block", o)],
        stiffness,
        damping: r.pick(&[0.0, 1.0]),
        length: 1.0,
    };
    m.force("spring", kind);
    let bound = 3.0 * mass;
    let static_bound = r.chance(0.6).then_some(r.pick(&[1.3, 1.6]) * bound);
    m.contact("friction", ContactKind::Dry { joint: "rub".into(), bound, static_bound });
    m
}
