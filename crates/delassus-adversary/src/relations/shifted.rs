//! The same model with another start time.

use crate::mechanism::View;
use crate::random::Random;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let mut r = Random::of(s.mechanism.salt, "shifted", 0);
    let view = View { shift: r.pick(&[-0.7, 1.0, 3.3, -2.0]), ..View::plain() };
    s.compare_view("shifted", &s.mechanism, &view, RTOL).into_iter().collect()
}
