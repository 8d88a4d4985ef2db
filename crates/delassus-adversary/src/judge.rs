//! Checks all relations on one mechanism.

use crate::mechanism::{Mechanism, View, columns, toml};
use crate::relations::{RELATIONS, moved};
use crate::run::{Ended, run};
use crate::subject::{Hopeless, Subject};
use crate::verdict::Violation;

/// The result for one mechanism.
pub enum Judged {
    /// The relations that do not hold.
    Tried(Vec<Violation>),
    /// The file was rejected, in every view.
    Refused(String),
}

/// Checks a mechanism; `only` restricts it to relations whose names begin with this text.
pub fn judge(m: &Mechanism, only: Option<&str>) -> Judged {
    judge_aloud(m, only, &mut |_| {})
}

/// Like [`judge`], but reports the name of each relation before it is checked.
pub fn judge_aloud(m: &Mechanism, only: Option<&str>, tell: &mut dyn FnMut(&str)) -> Judged {
    let wanted = |name: &str| only.is_none_or(|o| o.starts_with(name) || name.starts_with(o));
    let subject = match Subject::new(m) {
        Ok(subject) => subject,
        Err(Hopeless::Refused(codes)) => return refused(m, codes),
        Err(Hopeless::Violated(v)) => {
            return Judged::Tried(if wanted(&v.relation) { vec![v] } else { Vec::new() });
        }
    };
    let mut all = Vec::new();
    for relation in RELATIONS {
        if wanted(relation.name) {
            tell(relation.name);
            all.extend((relation.check)(&subject));
        }
    }
    if let Some(only) = only {
        all.retain(|v| v.relation.starts_with(only));
    }
    Judged::Tried(all)
}

/// A model that is rejected here must be rejected elsewhere.
fn refused(m: &Mechanism, codes: String) -> Judged {
    let names: Vec<String> = columns(m).into_iter().map(|c| c.name).collect();
    let text = toml(m, &moved::elsewhere(m.space, m.salt));
    match run(&text, &names) {
        Ended::Refused(_) => Judged::Refused(codes),
        _ => {
            let words = format!("refused ({codes}), but not where it is moved as a whole");
            let v = Violation::new("default-run", format!("refused {codes}"), words, f64::INFINITY);
            Judged::Tried(vec![v.with_twin(toml(m, &View::plain()))])
        }
    }
}

/// The text of the model as a user would write it.
pub fn plain(m: &Mechanism) -> String {
    toml(m, &View::plain())
}
