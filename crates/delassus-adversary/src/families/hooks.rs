//! Spatial chains with all kinds of joints.

use super::parts::{DOWN, set_going, span};
use crate::mechanism::{JointKind, Mechanism, Place, Turn, add, perpendicular};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let mut m = Mechanism::new(true, span(r).min(1.0));
    m.gravity = DOWN;
    let mut origin = [0.0; 3];
    let mut last = Place::ground(origin);
    let turn =
        if r.chance(0.4) { Turn::NONE } else { Turn::about(r.direction(), r.round(-3.0, 3.0)) };
    if turn != Turn::NONE {
        last.turn = turn;
    }
    let mut joints = Vec::new();
    for i in 0..r.whole(1, 3) {
        let length = r.round(0.2, 0.6);
        let mass = r.round(0.2, 2.0);
        let j = mass * length * length / 12.0;
        let link = m.body(
            &format!("link{i}"),
            mass,
            [0.3 * j, j, j],
            [length / 2.0, 0.0, 0.0],
            origin,
            turn,
        );
        let axis = r.direction();
        let word = r.pick(&[
            "spherical",
            "universal",
            "cylindrical",
            "screw",
            "revolute",
            "planar",
            "distance",
        ]);
        let here = Place::on(&link, [0.0; 3]);
        let joint = format!("joint{i}");
        if word == "distance" {
            let start = Place { at: add(last.at, [0.0, 0.3, 0.0]), ..last.clone() };
            m.pair(&joint, word, [start, here], None);
        } else {
            m.pair(&joint, word, [last.clone(), here], (word != "spherical").then_some(axis));
        }
        if let Some(JointKind::Pair { axis2, number, .. }) =
            m.joints.last_mut().map(|j| &mut j.kind)
        {
            match word {
                "universal" => *axis2 = Some(perpendicular(axis)),
                "screw" => *number = Some(r.sign() * r.round(0.1, 0.5)),
                "distance" => *number = Some(0.3),
                _ => {}
            }
        }
        if matches!(word, "revolute" | "screw" | "cylindrical") {
            joints.push(joint);
        }
        origin = add(origin, turn.of([length, 0.0, 0.0]));
        last = Place::on(&link, [length, 0.0, 0.0]);
    }
    set_going(r, &mut m, &joints, 3.0);
    m
}
