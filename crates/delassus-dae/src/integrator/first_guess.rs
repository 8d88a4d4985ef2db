//! What counts as far for the first guess of Newton's iteration, for all methods that may have to stay where they are
//! instead of predicting.

use super::newton::{Equations, Step};
use crate::problem::Problem;

/// Distances below this fraction of the model's size lead to no other solution.
pub(super) const NEAR_BY: f64 = 1e-3;
/// If the first increment is below this fraction of the predicted distance, the motion stays.
pub(super) const MUCH_NEARER: f64 = 0.5;

/// Largest of the components x(i) relative to their scales; NaN if one is.
pub(super) fn size(scale: &[f64], x: impl Fn(usize) -> f64) -> f64 {
    delassus_math::largest(scale.iter().enumerate().map(|(i, s)| x(i).abs() / s))
}

/// Size of the first increment from the present iterate; infinite where there is none.
pub(super) fn first_increment<P: Problem, E: Equations<P>>(
    equations: &mut E,
    s: &mut Step<'_, P>,
    size: impl Fn(&E) -> f64,
) -> f64 {
    let made = equations.evaluate(s, true).and_then(|()| equations.solve());
    let size = size(equations);
    if made.is_ok() && size.is_finite() { size } else { f64::INFINITY }
}
