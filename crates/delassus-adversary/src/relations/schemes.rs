//! Compares contact schemes with each other.

use crate::mechanism::{ContactKind, Kind, Method, View, toml};
use crate::run::{BUDGET, Ended, run_within};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

/// Number of steps of a time-stepping run.
const STEPS: f64 = 4000.0;
/// Factor by which the steps are refined to see whether a difference becomes smaller, and the fraction of it that may
/// remain: a quarter at first order, more if it is of first order only on average.
const FINER: f64 = 4.0;
const SMALLER: f64 = 0.6;

pub fn check(s: &Subject) -> Vec<Violation> {
    if !s.mechanism.has_contacts() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let m = &s.mechanism;
    let view = View::with(Method { scheme: Some("event-driven"), ..Method::default() });
    let v = s.compare_view("schemes event-driven", m, &view, RTOL);
    // bounces that die out are the one thing that this scheme does not claim to handle
    found.extend(v.filter(|v| v.kind != "E_ZENO"));
    let newton = m.contacts.iter().all(|c| match &c.kind {
        ContactKind::Shapes { law, .. } => *law == "newton",
        _ => true,
    });
    if newton && !m.sequential {
        found.extend(stepping(s));
    }
    found
}

/// Time-stepping is of first order, with an unknown constant: a ball thrown by a plate leaves one step late, with the
/// speed of the plate at that moment. Therefore its difference must become smaller with the step, or be small.
fn stepping(s: &Subject) -> Option<Violation> {
    let coarse = stepped(s, STEPS)?;
    if coarse.kind != "differs" {
        return Some(coarse);
    }
    let fine = stepped(s, FINER * STEPS)?;
    (fine.kind != "differs" || !(fine.amount <= SMALLER * coarse.amount)).then_some(fine)
}

/// Compares a run with this many steps.
fn stepped(s: &Subject, steps: f64) -> Option<Violation> {
    let (m, step) = (&s.mechanism, s.mechanism.end / steps);
    let view =
        View::with(Method { scheme: Some("time-stepping"), step: Some(step), ..Method::default() });
    let text = toml(m, &view);
    let name = "schemes time-stepping";
    let v = match run_within(&text, &s.names, BUDGET) {
        Ended::Done(trace) => {
            let first_order = 10.0 * m.end / STEPS * s.scale(Kind::Speed) / s.scale(Kind::Length);
            s.compare(name, &view, &trace, first_order.max(2e-3))
        }
        Ended::NotAble => None,
        other => Some(Violation::new(name, other.kind(), other.words(), f64::INFINITY)),
    };
    v.map(|v| v.with_twin(text))
}
