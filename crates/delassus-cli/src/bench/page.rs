//! The page of a benchmark: one file with its data and the script that draws them, without anything from elsewhere.

use super::sheet::TAUS;
use super::text::View;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");
/// Where the data go.
const SLOT: &str = "/*DATA*/null";

/// The page.
pub fn page(v: &View<'_>) -> String {
    // a number that is not finite is `null` for the script
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let runs: Vec<Value> = v
        .runs
        .iter()
        .map(|r| {
            let place = |list: &[String], name: &str| list.iter().position(|x| x == name);
            let c = r.cost.as_ref().filter(|_| r.done);
            let cost =
                |f: &dyn Fn(&super::record::Work) -> f64| c.map_or(Value::Null, |c| number(f(c)));
            json!([
                place(&v.sheet.mechanisms, &r.mechanism),
                place(&v.sheet.methods, &r.method),
                v.sheet.rtols.iter().position(|x| *x == r.rtol),
                cost(&|c| c.mean_step),
                cost(&|c| c.steps as f64),
                cost(&|c| c.rejected as f64),
                cost(&|c| c.cpu_s),
                r.error.as_ref().map_or(Value::Null, |e| number(e.relative)),
                if r.done { "" } else { r.code.as_deref().unwrap_or("?") },
                v.sheet.is_off(r),
                r.message.as_deref().filter(|_| !r.done).unwrap_or(""),
            ])
        })
        .collect();
    let profiles: Vec<Value> = v
        .rankings
        .iter()
        .filter(|r| r.mechanisms > 0)
        .map(|r| {
            let jumps: Vec<_> = r.profiles.iter().map(|p| json!(p.jumps)).collect();
            json!({ "by": r.by, "level": r.level, "mechanisms": r.mechanisms, "jumps": jumps })
        })
        .collect();
    let data = json!({
        "set": v.asked.set,
        "version": env!("CARGO_PKG_VERSION"),
        "mechanisms": v.sheet.mechanisms,
        "methods": v.sheet.methods,
        "rtols": v.sheet.rtols,
        "runs": runs,
        "profiles": profiles,
        "own": v.found.own,
        "none": v.found.none,
        "stiffest": v.stiffest,
        "interrupted": v.interrupted,
        "taus": TAUS,
        "off": v.asked.off,
    });
    // the text of a script must not end it
    PAGE.replace(SLOT, &data.to_string().replace('<', "\\u003c"))
}
