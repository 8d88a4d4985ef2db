//! Every joint three times.

use crate::mechanism::{JointKind, View};
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let m = &s.mechanism;
    // a disc that rolls three times has dependent velocity rows: a different matter
    let rolls = |k: &JointKind| matches!(k, JointKind::Pair { word: "rolling", .. });
    if m.joints.is_empty() || m.joints.iter().any(|j| rolls(&j.kind)) {
        return Vec::new();
    }
    let view = View { copies: 3, ..View::plain() };
    s.compare_view("tripled", m, &view, RTOL).into_iter().collect()
}
