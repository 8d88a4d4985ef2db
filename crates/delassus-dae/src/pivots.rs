//! How close a singular position of the constraints is.
//!
//! The smallest relative pivot of G M⁻¹ Gᵀ falls with the square of the distance to such a
//! position (in radians or so). It is judged against the largest met in accepted steps, because
//! masses that differ by a factor of 1e6 give pivots of 1e-6 everywhere.

use delassus_math::memory::{Memory, Remember};

/// Fraction of the best pivot below which a position counts as singular: there g does not determine the correction, and
/// index-1 accelerations are dominated by the small distance of the state from the constraints.
const NEAR: f64 = 2e-6;
/// Typical distance of a state from its constraints, in units of rounding.
pub(crate) const ROUNDINGS: f64 = 30.0;
/// Fraction of it below which a singular position may be on the way.
const LOW: f64 = 1e-2;

/// The largest of the smallest pivots met.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestPivot(f64);

impl Remember for BestPivot {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.0.remember(m);
    }
}

impl BestPivot {
    /// Before anything was factored.
    pub fn new() -> BestPivot {
        BestPivot(1.0)
    }

    /// Restarts at a state with this smallest pivot.
    pub fn restart(&mut self, pivot: f64) {
        self.0 = pivot;
    }

    /// A step with this smallest pivot was accepted; 1 means that nothing was factored in it.
    pub fn accepted(&mut self, pivot: f64) {
        if pivot < 1.0 {
            self.0 = self.0.max(pivot);
        }
    }

    /// Whether a position with this pivot is close to a singular one.
    pub fn near_singular(&self, pivot: f64) -> bool {
        pivot < NEAR * self.0
    }

    /// Whether the pivot is low enough to watch how it continues.
    pub fn is_low(&self, pivot: f64) -> bool {
        pivot < LOW * self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judged_by_the_best_position_met() {
        let mut best = BestPivot::new();
        best.restart(1e-6);
        assert!(!best.near_singular(1e-6));
        best.accepted(0.1);
        best.accepted(1.0);
        assert!(!best.near_singular(1e-6));
        assert!(best.near_singular(1e-7));
        assert!(best.is_low(1e-6) && !best.is_low(1e-2));
    }
}
