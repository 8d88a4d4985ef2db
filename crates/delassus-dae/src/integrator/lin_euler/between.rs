//! What may act between the free motion of a step and its positions: contacts of fixed cost.

use super::matrix::Matrix;
use crate::failure::StepFailure;
use crate::problem::Problem;
use crate::rows::RowSubset;
use crate::state::State;

/// Something that acts on the velocities, and on the positions, of a step.
pub trait Between<P: Problem> {
    /// Changes what the free motion has found. The workspace is realised at the start of the step.
    fn act(&mut self, p: &P, ws: &P::Ws, step: &mut FreeStep<'_>) -> Result<(), StepFailure>;
}

/// Nothing acts.
pub struct Nothing;

impl<P: Problem> Between<P> for Nothing {
    fn act(&mut self, _p: &P, _ws: &P::Ws, _step: &mut FreeStep<'_>) -> Result<(), StepFailure> {
        Ok(())
    }
}

/// The free motion of a step.
pub struct FreeStep<'a> {
    /// State at its start.
    pub from: &'a State,
    /// Its length, s.
    pub h: f64,
    /// Change of the velocity by everything else, S dv = … (nv).
    pub dv: &'a [f64],
    /// Change of the velocity by what acts here, to be set (nv).
    pub by: &'a mut [f64],
    /// Impulses of the joints that come with it, to be set (n_vel).
    pub rows: &'a mut [f64],
    /// Displacement beside that of the velocity, to be set (nv).
    pub shift: &'a mut [f64],
    pub(super) matrix: &'a mut Matrix,
    pub(super) subset: &'a mut RowSubset,
    pub(super) zeros: &'a [f64],
}

impl FreeStep<'_> {
    /// Change of the velocity by a generalised impulse, and the impulses of the joints, which hold: S dv − Gᵀ dl = impulse,
    /// G dv = 0.
    pub fn respond(
        &mut self,
        impulse: &[f64],
        dv: &mut [f64],
        dl: &mut [f64],
    ) -> Result<(), StepFailure> {
        let (matrix, subset) = (&mut *self.matrix, &mut *self.subset);
        subset.with_vectors(self.zeros, dl, |b, y| matrix.solve(impulse, b, dv, y))?;
        Ok(())
    }
}
