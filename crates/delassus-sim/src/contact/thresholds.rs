//! What counts as touching, at rest, or too dense, in parts of the model's own length and rate.

use delassus_nonsmooth::release::Rest;

/// Thresholds of the event-driven method. L is the length of the model, ω the characteristic rate
/// of the motion so far, or of what the applied forces would do to bodies that nothing holds, τ the
/// relative tolerance of the run, at least 1e-10: what errors of the motion may bring about must not
/// open a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Gap below which a point belongs to an event that another one caused, m: 1e-10 L. Larger
    /// ones would make impacts in quick succession simultaneous, which is another law.
    pub touching: f64,
    /// Gap that cannot be told from zero, m: 1e-14 L. A point that opened is watched only after
    /// its gap was larger.
    pub zero: f64,
    /// Normal speed that cannot be told from rest, m/s: 1e-10 L ω.
    pub rest: f64,
    /// Sliding speed that cannot be told from sticking, m/s: 1e-10 L ω.
    pub slow: f64,
    /// Normal acceleration that cannot be told from none, m/s²: τ L ω².
    pub still: f64,
    /// Time between impacts of one point below which they are taken to accumulate, s: 1e-7 / ω.
    pub dense: f64,
    /// Time within which hundreds of events of several points are a crowd, s: 1e-2 / ω.
    pub crowded: f64,
}

impl Thresholds {
    /// For a length, m, a rate, 1/s, and a relative tolerance.
    pub fn new(length: f64, rate: f64, rtol: f64) -> Thresholds {
        let tau = rtol.max(1e-10);
        Thresholds {
            touching: 1e-10 * length,
            zero: 1e-14 * length,
            rest: 1e-10 * length * rate,
            slow: 1e-10 * length * rate,
            still: tau * length * rate * rate,
            dense: 1e-7 / rate,
            crowded: 1e-2 / rate,
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
            still: per_metre * self.still,
            ..*self
        }
    }

    /// What does not move, for the choice of a mode.
    pub fn at_rest(&self) -> Rest {
        Rest { speed: self.slow, acceleration: self.still }
    }
}
