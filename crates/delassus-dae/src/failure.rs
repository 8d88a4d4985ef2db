//! Why an attempt at a step failed, and what steps cost.

use crate::unilateral::{Crowded, PointId};
use delassus_linalg::KktError;
use delassus_math::remember;
use thiserror::Error;

/// Why one attempt failed. All but [`StepFailure::Runaway`] may be cured by a smaller step; the driver decides.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepFailure {
    /// Newton's iteration did not converge.
    #[error(
        "Newton did not converge in {iterations} iterations (last increment {increment:.3e}, worst component {worst})"
    )]
    NewtonDiverged {
        /// Iterations made.
        iterations: usize,
        /// Weighted norm of the last increment.
        increment: f64,
        /// Tangent coordinate with the largest increment.
        worst: usize,
    },
    /// Projection onto the constraints did not converge.
    #[error("projection onto the constraints left a residual of {residual:.3e} in row {row}")]
    Projection {
        /// Worst row.
        row: usize,
        /// Its residual.
        residual: f64,
    },
    /// The constraints lose rank at or before the end of the attempt, so that no choice of independent coordinates is
    /// possible.
    #[error(
        "independent coordinates cannot be chosen: the constraints lose rank here, at row {row}"
    )]
    RankLost {
        /// Row that depends on the others.
        row: usize,
    },
    /// Something is NaN or infinite.
    #[error("not finite: component {index} of the {what}")]
    NonFinite {
        /// Which vector.
        what: &'static str,
        /// Which component.
        index: usize,
    },
    /// The motion has grown beyond all bounds: earlier steps were already unstable, so a smaller one comes too late.
    #[error("coordinate {index} would move by {sizes:.1e} times the size of the model in one step")]
    Runaway {
        /// Which coordinate.
        index: usize,
        /// How far, in typical sizes of the coordinate.
        sizes: f64,
    },
    /// The step turns something so far that its number of turns becomes ambiguous.
    #[error("the step turns coordinate {index} by {by:.2} rad or more, too far to tell the turns")]
    Turned {
        /// First velocity of the rotation.
        index: usize,
        /// How far at its speed, rad.
        by: f64,
    },
    /// The linear system could not be solved.
    #[error(transparent)]
    Kkt(#[from] KktError),
    /// There is not enough memory, or not enough is allowed, for the dependence of forces at so many points.
    #[error(
        "forces at {points} points that touch at once need about {:.0} MiB of memory, more than there is for it",
        bytes / f64::from(1 << 20)
    )]
    NoRoom {
        /// Points.
        points: usize,
        /// Memory that was requested.
        bytes: f64,
        /// One of the points.
        example: Option<PointId>,
    },
    /// More bodies are near each other than is allowed.
    #[error(transparent)]
    Crowded(#[from] Crowded),
}

impl StepFailure {
    /// The same with one of the points, where there are too many.
    pub fn with_example(self, example: Option<PointId>) -> StepFailure {
        match self {
            StepFailure::NoRoom { points, bytes, .. } => {
                StepFailure::NoRoom { points, bytes, example }
            }
            other => other,
        }
    }
}

/// Work done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// Factorisations of a KKT matrix.
    pub factorizations: u64,
    /// Newton iterations.
    pub newton: u64,
    /// Projections of positions.
    pub projections: u64,
}
remember!(Work { evaluations, factorizations, newton, projections });

impl std::ops::Add for Work {
    type Output = Work;

    fn add(self, o: Work) -> Work {
        Work {
            evaluations: self.evaluations + o.evaluations,
            factorizations: self.factorizations + o.factorizations,
            newton: self.newton + o.newton,
            projections: self.projections + o.projections,
        }
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, o: Work) {
        *self = *self + o;
    }
}

/// First component that is not finite, as a failure.
pub(crate) fn check_finite(what: &'static str, x: &[f64]) -> Result<(), StepFailure> {
    // The sum is not finite iff some component is not (or overflows, which is as bad).
    if x.iter().sum::<f64>().is_finite() {
        return Ok(());
    }
    let index = x.iter().position(|c| !c.is_finite()).unwrap_or(0);
    Err(StepFailure::NonFinite { what, index })
}
