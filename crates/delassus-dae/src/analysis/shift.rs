//! The shift with which the slowest vibrations are looked for before anything is known of them.

use super::matrices::Sparse;

/// Part of the largest stiffness over mass of a coordinate.
const PART: f64 = 1e-8;

/// A shift that is small beside most stiffnesses over masses and large beside their rounding, 1/s².
pub(super) fn first(mass: &Sparse, stiffness: &Sparse) -> f64 {
    let mut own = vec![0.0; mass.pattern.nrows];
    for (i, j, x) in mass.entries() {
        if i == j {
            own[i] = x;
        }
    }
    let mut most: f64 = 0.0;
    for (i, j, x) in stiffness.entries() {
        if i == j && own[i] > 0.0 {
            most = most.max(x.abs() / own[i]);
        }
    }
    if most > 0.0 && most.is_finite() { PART * most } else { 1.0 }
}
