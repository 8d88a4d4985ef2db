//! Lengths, masses and times in other units: powers of two, so that nothing is rounded and any difference comes from a
//! constant that has a unit.

use crate::mechanism::View;
use crate::random::Random;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let mut r = Random::of(s.mechanism.salt, "scaled", 0);
    let factors = [1.0 / 1024.0, 1.0, 64.0];
    let mut units = [r.pick(&factors), r.pick(&factors), r.pick(&factors)];
    if units == [1.0; 3] {
        units = [1.0 / 1024.0; 3];
    }
    let view = View { units, ..View::plain() };
    s.compare_view("scaled", &s.mechanism, &view, RTOL).into_iter().collect()
}
