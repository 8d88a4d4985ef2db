//! Compares methods with each other.

use crate::mechanism::{Method, View};
use crate::run::BUDGET;
use crate::subject::Subject;
use crate::verdict::Violation;
use delassus::dae::integrator;

const SMOOTH: [&str; 9] =
    ["dop853", "rkf45", "hem5", "phem56", "radau5", "bdf", "gen-alpha-ggl", "mal", "mns"];
const WITH_EVENTS: [&str; 3] = ["phem56", "radau5", "dop853"];

pub fn check(s: &Subject) -> Vec<Violation> {
    let names: &[&'static str] = if s.mechanism.has_contacts() { &WITH_EVENTS } else { &SMOOTH };
    let mut found = Vec::new();
    for name in names {
        let view = View::with(Method { name: Some(name), ..Method::default() });
        let info = integrator::info(name);
        let rtol = 3.0 * info.map_or(1e-6, |m| m.default_rtol).max(1e-8);
        // fifty turns to six digits are a hundred thousand steps of a second-order method
        let budget = if info.is_some_and(|m| m.order[0] <= 2) { 10 * BUDGET } else { 2 * BUDGET };
        let relation = format!("methods {name}");
        let v = s.compare_view_within(&relation, &s.mechanism, &view, rtol, budget);
        // a method for mechanisms without singular positions reports when it meets one
        found.extend(v.filter(|v| !(*name == "mns" && v.kind == "E_SINGULAR")));
    }
    found
}
