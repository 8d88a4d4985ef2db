//! The report of a step, and why it may fail.

use delassus_cone as cone;
use delassus_dae::{ContactPoint, Crowded, KktError, PointId, PointLaw, StepFailure};
use thiserror::Error;

/// A point that took part in the last step.
#[derive(Debug, Clone, PartialEq)]
pub struct PointImpulse {
    /// Which.
    pub id: PointId,
    /// Its law.
    pub law: PointLaw,
    /// Its kinematics where the contact problem was posed, inside the step.
    pub at: ContactPoint,
    /// Impulse along its rows: normal, then tangential; N s. Divided by the step it is the mean
    /// force.
    pub impulse: [f64; 3],
    /// Rates of its rows before.
    pub before: [f64; 3],
    /// Rates after.
    pub after: [f64; 3],
    /// It closes within the step, faster than forces make it: an impact, not a point at rest.
    pub hit: bool,
    /// Work of its impulse, J: P·(u⁻ + u⁺)/2.
    pub work: f64,
    /// Largest |P|·|change of rates by all impulses| of a point of its group, J: the residual of the contact problem is
    /// relative to it.
    pub effort: f64,
    /// Factor on its coefficient of restitution that kept its group from gaining energy; 1 if the law of the user was
    /// kept.
    pub softened: f64,
    /// It touches, and joints hold it: no impulse moves it.
    pub held: bool,
}

impl PointImpulse {
    /// Adds the effect of the point in the following part of the step.
    pub(super) fn join(&mut self, next: &PointImpulse) {
        for (p, q) in self.impulse.iter_mut().zip(next.impulse) {
            *p += q;
        }
        self.at.clone_from(&next.at);
        self.after = next.after;
        self.hit |= next.hit;
        self.work += next.work;
        self.effort = self.effort.max(next.effort);
        self.softened = self.softened.min(next.softened);
        self.held |= next.held;
    }
}

/// The report of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// How the contact problem ended; the worst of all parts of a halved step.
    pub status: cone::Status,
    /// Its natural residual, a pure number; the worst of all parts.
    pub residual: f64,
    /// Iterations of its solver.
    pub iterations: usize,
    /// Points that took part.
    pub contacts: usize,
    /// Points that carry an impulse.
    pub active: usize,
    /// Largest penetration at the end of the step, m; 0 if there is none.
    pub penetration: f64,
    /// Energy that points added, J: Σ P·(u⁻ + u⁺)/2. Impacts never add any for e ≤ 1; points that stay closed add at
    /// most the effect of forces on their rates within the step, ½ Σ |P| |Δu|, which is O(h²) and of either sign.
    pub energy: f64,
    /// Energy that compliant contacts lost, J.
    pub lost: f64,
    /// Smallest factor on the restitution of a group which would have gained energy or whose laws have no solution; 1
    /// if none was needed. Each point has its own in [`PointImpulse::softened`].
    pub softened: f64,
    /// The contact problem of some group was solved by sweeps, and only to `large_tolerance`.
    pub loosened: bool,
    /// Newton steps of the position correction.
    pub corrections: usize,
    /// How often the step was halved.
    pub halvings: u32,
    /// Forces were treated implicitly.
    pub implicit: bool,
}

impl Default for StepReport {
    fn default() -> StepReport {
        StepReport {
            status: cone::Status::Solved,
            residual: 0.0,
            iterations: 0,
            contacts: 0,
            active: 0,
            penetration: 0.0,
            energy: 0.0,
            lost: 0.0,
            softened: 1.0,
            loosened: false,
            corrections: 0,
            halvings: 0,
            implicit: false,
        }
    }
}

impl StepReport {
    /// Adds the report of the following part.
    pub(super) fn join(self, next: StepReport) -> StepReport {
        let worse = next.residual > self.residual;
        StepReport {
            status: if worse { next.status } else { self.status },
            residual: self.residual.max(next.residual),
            iterations: self.iterations + next.iterations,
            contacts: next.contacts,
            active: next.active,
            penetration: self.penetration.max(next.penetration),
            energy: self.energy + next.energy,
            lost: self.lost + next.lost,
            softened: self.softened.min(next.softened),
            loosened: self.loosened || next.loosened,
            corrections: self.corrections + next.corrections,
            halvings: self.halvings.max(next.halvings),
            implicit: self.implicit || next.implicit,
        }
    }
}

/// Why a step failed. The state is unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepperError {
    /// The step length is not a positive number.
    #[error("a step of {h} s is not possible")]
    BadStep {
        /// The requested step.
        h: f64,
    },
    /// Contact impulses were not found to the tolerance, even with smaller steps.
    #[error(
        "contact impulses at {} points were not found: {status:?}, residual {residual:.1e}, smallest step {h:.1e} s", points.len()
    )]
    Contact {
        /// Points that took part.
        points: Vec<PointId>,
        /// How the solver ended.
        status: cone::Status,
        /// Its residual.
        residual: f64,
        /// Length of the smallest step that was tried, s.
        h: f64,
    },
    /// The system itself could not be evaluated, or its joints could not be closed.
    #[error(transparent)]
    Step(#[from] StepFailure),
}

impl From<Crowded> for StepperError {
    fn from(e: Crowded) -> Self {
        StepperError::Step(e.into())
    }
}

impl From<KktError> for StepperError {
    fn from(e: KktError) -> Self {
        StepperError::Step(e.into())
    }
}
