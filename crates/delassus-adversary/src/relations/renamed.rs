//! The same model with other names, in another order.

use crate::mechanism::View;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let view = View { mixed: Some(s.mechanism.salt), ..View::plain() };
    s.compare_view("renamed", &s.mechanism, &view, RTOL).into_iter().collect()
}
