//! What counts as touching, at rest, or too dense, relative to the model's own length and rate.

use delassus_model::ContactTolerances;

/// Speed of a closed point along a held direction, in L ω, that errors do not explain.
const STRAY: f64 = 1e-6;

/// Sliding speed, in [`Thresholds::slow`], that may remain where sliding stops and friction holds, which is of second
/// order in positions.
const STOPPED: f64 = 1e4;

/// Thresholds of the event-driven method: [`ContactTolerances`] in the units of the model. L is its length, ω the
/// characteristic rate of the motion so far, or that which the applied forces would give to bodies that nothing holds.
/// The rate is that of the bodies of a point for questions about one, of the model otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Gap below which a point belongs to an event that another one caused, m.
    pub touching: f64,
    /// Gap that is indistinguishable from zero, m.
    pub zero: f64,
    /// Normal speed that is indistinguishable from rest, m/s: in L ω.
    pub rest: f64,
    /// Sliding speed that is indistinguishable from sticking, m/s: in L ω.
    pub slow: f64,
    /// Speed of a closed point, along a held direction, that errors do not explain, m/s.
    pub stray: f64,
    /// Acceleration of a point that is indistinguishable from none, as a fraction of the terms that add up to it.
    pub still: f64,
    /// Time between impacts of one point below which they are assumed to accumulate, s: in 1/ω.
    pub dense: f64,
    /// Time within which hundreds of events of several points are a crowd, s: in 1/ω.
    pub crowded: f64,
}

impl Thresholds {
    /// For a length, m, and a rate, 1/s.
    pub fn new(tol: &ContactTolerances, length: f64, rate: f64) -> Thresholds {
        Thresholds {
            touching: tol.touching * length,
            zero: tol.zero * length,
            rest: tol.rest * length * rate,
            slow: tol.slow * length * rate,
            stray: STRAY * length * rate,
            still: tol.still,
            dense: tol.dense / rate,
            crowded: tol.crowded / rate,
        }
    }

    /// Sliding speed that may remain where sliding stops, m/s: the error of the motion, which its tolerance bounds.
    pub fn stopped(&self, tol: &ContactTolerances, rtol: f64) -> f64 {
        (rtol * self.slow / tol.slow).clamp(self.slow, self.held())
    }

    /// The same where friction holds the point from then on.
    pub fn held(&self) -> f64 {
        STOPPED * self.slow
    }

    /// The same for gaps and rates of another unit, see
    /// [`delassus_dae::Unilateral::gap_per_metre`].
    pub fn of_gap(&self, per_metre: f64) -> Thresholds {
        Thresholds {
            touching: per_metre * self.touching,
            zero: per_metre * self.zero,
            rest: per_metre * self.rest,
            slow: per_metre * self.slow,
            stray: per_metre * self.stray,
            ..*self
        }
    }
}
