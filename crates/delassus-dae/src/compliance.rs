//! [`Compliance`]: what a point of compliant contact has instead of a coefficient of restitution.

use crate::normal_law::NormalLaw;
use std::sync::Arc;

/// How the start of a contact is located when a step ends inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StartRule {
    /// The step is repeated until it ends where the gap is zero to round-off.
    #[default]
    Locate,
    /// The state where the gap is zero is taken from the interpolation of the step.
    Interpolate,
    /// The step is halved until it ends less deep than [`Compliance::max_start_depth`].
    Shrink,
}

/// A compliant contact: its law, and how it begins.
#[derive(Debug, Clone)]
pub struct Compliance {
    /// Normal force.
    pub law: Arc<dyn NormalLaw>,
    /// Smallest approach speed that is latched, m/s: laws divide by it, and a contact may begin at rest.
    pub least_speed: f64,
    /// How the start is located.
    pub start: StartRule,
    /// Depth at which a contact may begin, m, for [`StartRule::Shrink`].
    pub max_start_depth: f64,
    /// Shortest step tried for it, s; 0: down to round-off of the time.
    pub min_start_step: f64,
}
