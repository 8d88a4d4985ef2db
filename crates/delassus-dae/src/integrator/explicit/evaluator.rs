//! How accelerations are computed at the points of a step.

use crate::failure::{StepFailure, Work};
use crate::problem::{Dims, Problem};
use crate::state::{Derived, State};
use delassus_math::memory::Remember;

/// A point of a step as the tableau proposes it; an evaluator may move it onto the constraints.
pub struct StagePoint {
    /// Time.
    pub t: f64,
    /// Increment from the start of the step.
    pub xi: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Auxiliary states.
    pub z: Vec<f64>,
    /// Configuration; the evaluator sets it to q₀ ∘ exp(ξ).
    pub q: Vec<f64>,
}

impl StagePoint {
    pub(super) fn new(d: Dims) -> StagePoint {
        StagePoint {
            t: 0.0,
            xi: vec![0.0; d.nv],
            v: vec![0.0; d.nv],
            z: vec![0.0; d.nz],
            q: vec![0.0; d.nq],
        }
    }
}

/// Destination of a, λ and ż.
pub struct Rates<'a> {
    /// Accelerations.
    pub a: &'a mut [f64],
    /// Multipliers.
    pub lambda: &'a mut [f64],
    /// Rates of the auxiliary states.
    pub zdot: &'a mut [f64],
}

impl Rates<'_> {
    /// Into `d`.
    pub fn of(d: &mut Derived) -> Rates<'_> {
        Rates { a: &mut d.a, lambda: &mut d.lambda, zdot: &mut d.zdot }
    }
}

/// Computes accelerations at the points of a step.
pub trait Evaluator<P: Problem>: Send + Remember {
    /// Starts at a consistent state; gives a, λ and ż there.
    fn restart(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        out: Rates<'_>,
    ) -> Result<(), StepFailure>;
    /// Begins a step.
    fn begin(&mut self, p: &P, ws: &mut P::Ws, from: &State) -> Result<(), StepFailure>;
    /// a, λ and ż at a point of the step that began at q₀; the last one is its end.
    fn stage(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        q0: &[f64],
        x: &mut StagePoint,
        last: bool,
        out: Rates<'_>,
    ) -> Result<(), StepFailure>;
    /// Smallest relative pivot since the step began.
    fn weakest_pivot(&self) -> f64;
    /// Work done so far.
    fn work(&self) -> Work;
    /// Whether the last stage leaves the workspace realised at the end of the step.
    fn leaves_realized(&self) -> bool {
        false
    }
}
