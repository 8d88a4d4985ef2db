//! Two mechanisms that do not interact, in one model.

use crate::families;
use crate::mechanism::{ContactKind, Kind, Mechanism, View, toml};
use crate::random::Random;
use crate::run::{BUDGET, Ended, run_within};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let m = &s.mechanism;
    let mut r = Random::of(m.salt, "beside", 0);
    let mut found = Vec::new();
    for (relation, mut other) in
        [("beside itself", itself(m, &mut r)), ("beside other", stranger(m, &mut r))]
    {
        other.end = m.end;
        other.samples = m.samples;
        let far = 5.0 * s.scale(Kind::Length);
        let both = m.beside(&other.prefixed("other_").moved([far, 0.0, 0.0]));
        let text = toml(&both, &View::plain());
        let v = match run_within(&text, &s.names, 3 * BUDGET) {
            Ended::Done(trace) => s.compare(relation, &View::plain(), &trace, s.accuracy(RTOL)),
            Ended::NotAble => None,
            ended => {
                // only a failure of the two together is significant
                let alone = run_within(&toml(&other, &View::plain()), &[], BUDGET);
                let fails = || Violation::new(relation, ended.kind(), ended.words(), f64::INFINITY);
                alone.trace().map(|_| fails())
            }
        };
        found.extend(v.map(|v| v.with_twin(text)));
    }
    found
}

/// A copy with other impact laws.
fn itself(m: &Mechanism, r: &mut Random) -> Mechanism {
    let mut copy = m.clone();
    for c in copy.contacts.iter_mut().filter(|c| c.cushion.is_none()) {
        if let ContactKind::Shapes { restitution, law, .. } = &mut c.kind {
            *law = r.pick(&["newton", "poisson", "energetic"]);
            *restitution = r.pick(&[0.0, 0.5, *restitution, *restitution]);
        }
    }
    copy
}

/// A different mechanism under the same gravity.
fn stranger(m: &Mechanism, r: &mut Random) -> Mechanism {
    for _ in 0..20 {
        let family = &families::FAMILIES[r.whole(0, families::FAMILIES.len() - 1)];
        let mut other = families::make(family, r.word());
        if other.space == m.space {
            other.gravity = m.gravity;
            return other;
        }
    }
    m.clone()
}
