//! What counts as touching, at rest, or too dense, in parts of the model's own length and rate.

use delassus_model::ContactTolerances;
use delassus_nonsmooth::release::Rest;

/// Speed of a closed point along what holds it, in L ω, that errors do not explain.
const STRAY: f64 = 1e-6;

/// Thresholds of the event-driven method: [`ContactTolerances`] in the units of the model. L is
/// its length, ω the characteristic rate of the motion so far, or of what the applied forces would
/// do to bodies that nothing holds, τ the relative tolerance of the run, at least
/// [`ContactTolerances::still`]: what errors of the motion may bring about must not open a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Gap below which a point belongs to an event that another one caused, m.
    pub touching: f64,
    /// Gap that cannot be told from zero, m.
    pub zero: f64,
    /// Normal speed that cannot be told from rest, m/s: in L ω.
    pub rest: f64,
    /// Sliding speed that cannot be told from sticking, m/s: in L ω.
    pub slow: f64,
    /// Speed of a closed point, along what holds it, that is not explained by errors, m/s.
    pub stray: f64,
    /// Normal acceleration that cannot be told from none, m/s²: τ L ω².
    pub still: f64,
    /// Time between impacts of one point below which they are taken to accumulate, s: in 1/ω.
    pub dense: f64,
    /// Time within which hundreds of events of several points are a crowd, s: in 1/ω.
    pub crowded: f64,
}

impl Thresholds {
    /// For a length, m, a rate, 1/s, and a relative tolerance.
    pub fn new(tol: &ContactTolerances, length: f64, rate: f64, rtol: f64) -> Thresholds {
        Thresholds {
            touching: tol.touching * length,
            zero: tol.zero * length,
            rest: tol.rest * length * rate,
            slow: tol.slow * length * rate,
            stray: STRAY * length * rate,
            still: rtol.max(tol.still) * length * rate * rate,
            dense: tol.dense / rate,
            crowded: tol.crowded / rate,
        }
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
            still: per_metre * self.still,
            ..*self
        }
    }

    /// What does not move, for the choice of a mode.
    pub fn at_rest(&self) -> Rest {
        Rest { speed: self.slow, acceleration: self.still }
    }
}
