//! A body cut into two halves that a fixed joint holds together.

use crate::mechanism::{ForceKind, Mechanism, Place, View};
use crate::random::Random;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let m = split(&s.mechanism);
    s.compare_view("split", &m, &View::plain(), RTOL).into_iter().collect()
}

fn split(m: &Mechanism) -> Mechanism {
    let mut r = Random::of(m.salt, "split", 0);
    let mut m = m.clone();
    let index = r.whole(0, m.bodies.len() - 1);
    let whole = &mut m.bodies[index];
    whole.mass /= 2.0;
    whole.inertia = whole.inertia.map(|i| i / 2.0);
    let mut half = whole.clone();
    half.name.push_str("_half");
    let (name, other) = (whole.name.clone(), half.name.clone());
    m.bodies.push(half);
    for place in m.places() {
        if place.is_on(&name) && r.chance(0.5) {
            place.body = Some(other.clone());
        }
    }
    for force in &mut m.forces {
        if let ForceKind::Twist { body, .. } = &mut force.kind
            && *body == name
            && r.chance(0.5)
        {
            *body = other.clone();
        }
    }
    let origin = [0.0; 3];
    m.pair("weld", "fixed", [Place::on(&name, origin), Place::on(&other, origin)], None);
    m
}
