//! Arms and sliders between stops.

use super::parts::{DOWN, chain, set_going, span};
use crate::mechanism::{ContactKind, JointKind, Mechanism, Place, Turn};
use crate::random::Random;

pub fn make(r: &mut Random) -> Mechanism {
    let end = span(r).min(1.0);
    let mut m = Mechanism::new(r.chance(0.4), end);
    m.gravity = DOWN;
    let restitution = r.pick(&[0.0, 0.2, 0.5, 0.8]);
    if r.chance(0.3) {
        let slope = r.round(-1.5, 1.5);
        let axis = Turn::Angle(slope).of([1.0, 0.0, 0.0]);
        let mass = r.round(0.2, 2.0);
        let slider = m.body("slider", mass, [0.01 * mass; 3], [0.0; 3], [0.0; 3], Turn::NONE);
        let between = [Place::ground([0.0; 3]), Place::on(&slider, [0.0; 3])];
        m.pair("rail", "prismatic", between, Some(axis));
        if let Some(JointKind::Pair { initial_rate, .. }) = m.joints.last_mut().map(|j| &mut j.kind)
            && r.chance(0.7)
        {
            *initial_rate = Some(r.round(-2.0, 2.0));
        }
        let (lower, upper) = (Some(-r.round(0.1, 0.5)), Some(r.round(0.1, 0.5)));
        m.contact("stop", ContactKind::Limit { joint: "rail".into(), lower, upper, restitution });
        return m;
    }
    let n = r.whole(1, 2);
    let made = chain(r, &mut m, n, [0.0; 3]);
    set_going(r, &mut m, &made.joints, 5.0);
    for (i, joint) in made.joints.iter().enumerate() {
        if i > 0 && r.chance(0.5) {
            continue;
        }
        let lower = Some(made.start[i] - r.round(0.1, 1.0));
        let upper = Some(made.start[i] + r.round(0.1, 1.0));
        let joint = joint.clone();
        m.contact(&format!("stop{i}"), ContactKind::Limit { joint, lower, upper, restitution });
    }
    m
}
