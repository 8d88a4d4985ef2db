//! Schemes of contact against each other.

use crate::mechanism::{ContactKind, Kind, Method, View, toml};
use crate::run::{BUDGET, Ended, run_within};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

/// Steps of a run of time-stepping.
const STEPS: f64 = 4000.0;

pub fn check(s: &Subject) -> Vec<Violation> {
    if !s.mechanism.has_contacts() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let m = &s.mechanism;
    let view = View::with(Method { scheme: Some("event-driven"), ..Method::default() });
    let v = s.compare_view("schemes event-driven", m, &view, RTOL);
    // bounces that die out are the one thing this scheme does not claim to do
    found.extend(v.filter(|v| v.kind != "E_ZENO"));
    let newton = m.contacts.iter().all(|c| match &c.kind {
        ContactKind::Shapes { law, .. } => *law == "newton",
        _ => true,
    });
    if newton && !m.sequential {
        let step = m.end / STEPS;
        let view = View::with(Method {
            scheme: Some("time-stepping"),
            step: Some(step),
            ..Method::default()
        });
        let text = toml(m, &view);
        let v = match run_within(&text, &s.names, BUDGET) {
            Ended::Done(trace) => {
                let first_order = 10.0 * step * s.scale(Kind::Speed) / s.scale(Kind::Length);
                s.compare("schemes time-stepping", &view, &trace, first_order.max(2e-3))
            }
            Ended::NotAble => None,
            other => Some(Violation::new(
                "schemes time-stepping",
                other.kind(),
                other.words(),
                f64::INFINITY,
            )),
        };
        found.extend(v.map(|v| v.with_twin(text)));
    }
    found
}
