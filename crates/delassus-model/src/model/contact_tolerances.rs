//! What counts as touching, at rest or solved, where contacts are concerned.

use serde::Serialize;

/// Tolerances of contact, impact and friction: the one place where they are kept. All are pure numbers, relative to the
/// length L of the model and the rate ω of its motion, so they do not depend on units.
///
/// Those of gaps, speeds and times belong to the event-driven method (and to the log of
/// time-stepping); residuals and penetrations to time-stepping, which the hybrid uses where events
/// are too dense.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContactTolerances {
    /// Gap below which a point belongs to an event that another one caused, in L. Larger values make impacts in quick
    /// succession simultaneous, which is another law.
    pub touching: f64,
    /// Gap that is indistinguishable from zero, in L: a point that opened is watched only after its gap was larger.
    pub zero: f64,
    /// Normal speed that is indistinguishable from rest, in L ω.
    pub rest: f64,
    /// Sliding speed that is indistinguishable from sticking, in L ω.
    pub slow: f64,
    /// Acceleration of a closed point that is indistinguishable from none, as a fraction of what the forces on its
    /// bodies would cause one by one.
    pub still: f64,
    /// Time between impacts of one point below which they are assumed to accumulate, in 1/ω.
    pub dense: f64,
    /// Time within which many events of several points are a crowd, in 1/ω.
    pub crowded: f64,
    /// Residual of the contact problem of a step, a pure number.
    pub residual: f64,
    /// The same for problems of more than a hundred rows without joints, which are solved by
    /// sweeps.
    pub large_residual: f64,
    /// Allowed penetration at the end of a step, in L.
    pub penetration: f64,
    /// The same for problems that are solved by sweeps.
    pub large_penetration: f64,
}

impl Default for ContactTolerances {
    fn default() -> ContactTolerances {
        ContactTolerances {
            touching: 1e-10,
            zero: 1e-14,
            rest: 1e-10,
            slow: 1e-10,
            still: 2e-9,
            dense: 1e-7,
            crowded: 1e-2,
            residual: 1e-10,
            large_residual: 1e-3,
            penetration: 1e-9,
            large_penetration: 5e-6,
        }
    }
}
