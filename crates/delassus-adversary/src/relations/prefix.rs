//! Another end and another number of samples: bitwise equal results at the same times.

use crate::mechanism::{View, toml};
use crate::run::{BUDGET, Ended, Trace, run_within};
use crate::subject::Subject;
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let m = &s.mechanism;
    let variants = [
        ("prefix end", View { span: Some((m.end / 2.0, m.samples / 2)), ..View::plain() }, 1),
        ("prefix samples", View { span: Some((m.end, m.samples / 4)), ..View::plain() }, 4),
    ];
    let mut found = Vec::new();
    for (relation, view, every) in variants {
        let text = toml(m, &view);
        let v = match run_within(&text, &s.names, BUDGET) {
            Ended::Done(trace) => differs(s, relation, &trace, every),
            other => Some(Violation::new(relation, other.kind(), other.words(), f64::INFINITY)),
        };
        found.extend(v.map(|v| v.with_twin(text)));
    }
    found
}

fn differs(s: &Subject, relation: &str, trace: &Trace, every: usize) -> Option<Violation> {
    let mut rows = 0;
    let mut worst = (0.0_f64, 0, 0.0);
    for i in 0..trace.t.len() {
        let Some(t) = s.base.t.get(i * every) else { break };
        if trace.t[i] != *t {
            continue;
        }
        let mut same = true;
        for (c, column) in trace.data.iter().enumerate() {
            let (x, y) = (column[i], s.base.data[c][i * every]);
            if x != y {
                same = false;
                let off = (x - y).abs() / s.scale(s.columns[c].kind);
                if !(off <= worst.0) {
                    worst = (off, c, *t);
                }
            }
        }
        rows += usize::from(!same);
    }
    if rows == 0 {
        return None;
    }
    let (off, c, t) = worst;
    let text = format!(
        "{rows} of {} rows differ, most in {} at t = {t}: by {off:.1e} of its scale",
        trace.t.len(),
        s.columns[c].name
    );
    Some(Violation::new(relation, "bits".into(), text, off / 1e-16))
}
