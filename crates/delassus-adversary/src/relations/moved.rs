//! The whole model at another place and turned, together with gravity.

use crate::mechanism::{Turn, View};
use crate::random::Random;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

/// A view from elsewhere.
pub fn elsewhere(s_space: bool, salt: u64) -> View {
    let mut r = Random::of(salt, "moved", 0);
    let right = std::f64::consts::FRAC_PI_2;
    let angle = r.pick(&[right, -right, 2.0 * right, 1.0, 2.5, -2.0, 3.0, -3.0, 5.0]);
    let turn = if s_space { Turn::about(r.direction(), angle) } else { Turn::Angle(angle) };
    let mut at = [r.round(-3.0, 3.0), r.round(-3.0, 3.0), 0.0];
    if s_space {
        at[2] = r.round(-3.0, 3.0);
    }
    View { at, turn, ..View::plain() }
}

pub fn check(s: &Subject) -> Vec<Violation> {
    let m = &s.mechanism;
    let view = elsewhere(m.space, m.salt);
    s.compare_view("moved", m, &view, RTOL).into_iter().collect()
}
