//! The energy balance of the user's run.

use crate::mechanism::Kind;
use crate::run::Trace;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;
use delassus::math::largest;

/// Relative energy that is regarded as round-off.
const ROUND_OFF: f64 = 1e-7;

pub fn check(s: &Subject) -> Vec<Violation> {
    let moved = moved(&s.base).max(moved(&s.careful));
    let Some(balance) = s.base.other("energy.balance") else { return Vec::new() };
    // energy that round-off may shift in a mechanism at rest
    let mass: f64 = s.mechanism.bodies.iter().map(|b| b.mass).sum();
    let speed = s.scale(Kind::Length) / s.mechanism.end;
    let allowed = s.accuracy(RTOL) * moved + ROUND_OFF * mass * speed * speed;
    let worst = balance.iter().enumerate().fold((0, 0.0_f64), |w, (i, x)| {
        // a NaN is the worst of all
        if x.abs() <= w.1 { w } else { (i, x.abs()) }
    });
    if worst.1 <= allowed {
        return Vec::new();
    }
    let text = format!(
        "the balance is {:.3e} J at t = {} where {moved:.3e} J move around ({:.1} × what is allowed)",
        worst.1,
        s.base.t[worst.0],
        worst.1 / allowed
    );
    vec![Violation::new("energy", "balance".into(), text, worst.1 / allowed)]
}

/// Energy that changes its form or place, also judged at the steps, because a movement may be over between two samples.
fn moved(trace: &Trace) -> f64 {
    let range = |name: &str| {
        let values = trace.other(name).unwrap_or_default();
        let (low, high) =
            values.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
        if values.is_empty() { 0.0 } else { high - low }
    };
    let kinetic = trace.other("energy.kinetic").unwrap_or_default();
    let at_samples = largest(kinetic.iter().copied())
        + range("energy.potential")
        + range("energy.dissipated")
        + range("energy.work");
    at_samples.max(trace.moved)
}
