//! What a model file prescribes must hold at every sample: motions, stops, ropes, joints.

use crate::mechanism::{ContactKind, JointKind, Kind, Law, V3, norm, sub};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let mut worst: Option<Violation> = None;
    let mut tell = |what: &str, t: f64, off: f64, allowed: f64| {
        let ratio = off / allowed;
        if !(ratio <= 1.0) && worst.as_ref().is_none_or(|w| !(ratio <= w.amount)) {
            let text =
                format!("{what} is off by {off:.2e} at t = {t} ({ratio:.1} × what is allowed)");
            worst = Some(Violation::new("promises", "broken".into(), text, ratio));
        }
    };
    let m = &s.mechanism;
    let accuracy = s.accuracy(RTOL);
    let column = |name: String| s.names.iter().position(|n| *n == name).map(|c| &s.base.data[c]);
    for j in &m.joints {
        match &j.kind {
            JointKind::Motion { joint, law, offset } => {
                let kind =
                    if m.is_position(joint) == Some(true) { Kind::Length } else { Kind::Angle };
                for (t, x) in
                    s.base.t.iter().zip(column(format!("{joint}_c")).into_iter().flatten())
                {
                    let off = (x - offset - law.at(*t)).abs();
                    tell(&format!("motion {}", j.name), *t, off, accuracy * s.scale(kind));
                }
                motion_rate(s, joint, law, &mut tell);
            }
            JointKind::Pair {
                word: "revolute" | "spherical" | "universal" | "fixed",
                between,
                ..
            } => {
                for i in 0..s.base.t.len() {
                    let (a, b) = (s.place(&between[0], i), s.place(&between[1], i));
                    let off = norm(sub(a, b));
                    tell(
                        &format!("joint {}", j.name),
                        s.base.t[i],
                        off,
                        accuracy * s.scale(Kind::Length),
                    );
                }
            }
            _ => {}
        }
    }
    for c in &m.contacts {
        match &c.kind {
            ContactKind::Limit { joint, lower, upper, .. } => {
                let kind =
                    if m.is_position(joint) == Some(true) { Kind::Length } else { Kind::Angle };
                for (t, x) in
                    s.base.t.iter().zip(column(format!("{joint}_c")).into_iter().flatten())
                {
                    let off = lower.map_or(0.0, |l| l - x).max(upper.map_or(0.0, |u| x - u));
                    tell(&format!("stop {}", c.name), *t, off.max(0.0), accuracy * s.scale(kind));
                }
            }
            ContactKind::Rope { between, length, .. } => {
                for i in 0..s.base.t.len() {
                    let off: V3 = sub(s.place(&between[0], i), s.place(&between[1], i));
                    let off = (norm(off) - length).max(0.0);
                    tell(
                        &format!("rope {}", c.name),
                        s.base.t[i],
                        off,
                        accuracy * s.scale(Kind::Length),
                    );
                }
            }
            _ => {}
        }
    }
    for (name, values) in &s.base.others {
        // shapes that yield press into each other
        if !name.ends_with(".gap") || m.has_cushions() {
            continue;
        }
        for (t, gap) in s.base.t.iter().zip(values) {
            // a gap may be unknown
            let off = if gap.is_nan() { 0.0 } else { (-gap).max(0.0) };
            tell(name, *t, off, accuracy * s.scale(Kind::Length));
        }
    }
    worst.into_iter().collect()
}

fn motion_rate(s: &Subject, joint: &str, law: &Law, tell: &mut impl FnMut(&str, f64, f64, f64)) {
    let Some(c) = s.names.iter().position(|n| *n == format!("{joint}_r")) else { return };
    let kind = s.columns[c].kind;
    for (t, x) in s.base.t.iter().zip(&s.base.data[c]) {
        let allowed = s.accuracy(RTOL) * s.scale(kind);
        tell(&format!("rate of motion of {joint}"), *t, (x - law.rate(*t)).abs(), allowed);
    }
}
