//! A planar model against the same one in space.

use crate::mechanism::{View, columns, toml};
use crate::run::{BUDGET, Ended, run_within};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    if s.mechanism.space {
        return Vec::new();
    }
    let mut twin = s.mechanism.clone();
    twin.space = true;
    let mut names = s.names.clone();
    let more = columns(&twin).into_iter().filter(|c| c.out_of_plane).map(|c| c.name);
    names.extend(more);
    let text = toml(&twin, &View::plain());
    let found = match run_within(&text, &names, 2 * BUDGET) {
        Ended::Done(trace) => {
            let accuracy = s.accuracy(RTOL);
            let aside = trace.data[s.names.len()..]
                .iter()
                .flatten()
                .fold(0.0_f64, |a, x| if x.abs() <= a { a } else { x.abs() });
            let growth = s.growth.last().copied().unwrap_or(1.0);
            let limit = accuracy
                * growth
                * s.scale(crate::mechanism::Kind::Length)
                    .max(s.scale(crate::mechanism::Kind::Speed));
            if !(aside <= limit) {
                let text = format!("the twin in space leaves its plane by {aside:.2e}");
                Some(Violation::new("twin", "leaves".into(), text, aside / limit))
            } else {
                s.compare("twin", &View::plain(), &trace, accuracy)
            }
        }
        Ended::NotAble => None,
        other => Some(Violation::new("twin", other.kind(), other.words(), f64::INFINITY)),
    };
    found.into_iter().map(|v| v.with_twin(text.clone())).collect()
}
