//! Reduces a finding: parts are left out and numbers rounded as long as the relation stays violated.

use crate::judge::{Judged, judge};
use crate::mechanism::{JointKind, Law, Mechanism};
use crate::verdict::Violation;

/// The largest number of mechanisms tried.
const TRIALS: usize = 80;

/// The smallest mechanism that was found to violate the same relation in the same way.
pub fn shrink(m: &Mechanism, violation: &Violation) -> (Mechanism, Violation) {
    let mut best = (m.clone(), violation.clone());
    let mut trials = TRIALS;
    loop {
        let mut improved = false;
        for candidate in candidates(&best.0) {
            if trials == 0 {
                return best;
            }
            trials -= 1;
            if let Some(v) = violates(&candidate, violation) {
                best = (candidate, v);
                improved = true;
                break;
            }
        }
        if !improved {
            return best;
        }
    }
}

fn violates(m: &Mechanism, like: &Violation) -> Option<Violation> {
    let Judged::Tried(all) = judge(m, Some(&like.relation)) else { return None };
    all.into_iter().find(|v| v.relation == like.relation && v.kind == like.kind)
}

/// Smaller mechanisms, the much smaller ones first.
fn candidates(m: &Mechanism) -> Vec<Mechanism> {
    let mut all = Vec::new();
    if m.bodies.len() > 1 {
        all.extend(m.bodies.iter().map(|b| m.without_body(&b.name)));
    }
    all.extend(m.contacts.iter().map(|c| m.without_contact(&c.name)));
    all.extend(m.joints.iter().map(|j| m.without_joint(&j.name)));
    for i in 0..m.forces.len() {
        let mut less = m.clone();
        less.forces.remove(i);
        all.push(less);
    }
    let mut change = |edit: &dyn Fn(&mut Mechanism)| {
        let mut other = m.clone();
        edit(&mut other);
        if other != *m {
            all.push(other);
        }
    };
    change(&|m| m.gravity = [0.0; 3]);
    change(&|m| m.bodies.iter_mut().for_each(|b| b.velocity = None));
    change(&|m| m.bodies.iter_mut().for_each(|b| b.rate = None));
    change(&|m| {
        for j in &mut m.joints {
            if let JointKind::Pair { initial_rate, .. } = &mut j.kind {
                *initial_rate = None;
            }
        }
    });
    if m.end > 0.1 {
        change(&|m| {
            m.end = short(m.end / 2.0);
        });
    }
    change(&|m| m.bodies.iter_mut().for_each(|b| b.mass = 1.0));
    change(&|m| m.bodies.iter_mut().for_each(|b| b.inertia = b.inertia.map(short)));
    change(&|m| m.bodies.iter_mut().for_each(|b| b.mass = short(b.mass)));
    change(&|m| {
        for j in &mut m.joints {
            if let JointKind::Motion { law, .. } = &mut j.kind {
                round_law(law);
            }
        }
    });
    all
}

fn round_law(law: &mut Law) {
    match law {
        Law::Constant(y) => *y = short(*y),
        Law::Power(c, _) => *c = short(*c),
        Law::Ramp { t0, t1, y } => [t0, t1, y].into_iter().for_each(|x| *x = short(*x)),
        Law::Pulse { times, y } => times.iter_mut().chain([y]).for_each(|x| *x = short(*x)),
        Law::Sway { a, omega } => [a, omega].into_iter().for_each(|x| *x = short(*x)),
    }
}

/// Rounds to two digits.
fn short(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}
