//! Where Newton's iteration begins in steps much longer than the fastest vibration.
//!
//! The polynomial of the step before, continued over a step that does not resolve the vibration, may lie anywhere: a
//! mass on a spring of 1e6 N/m that is stretched by 5 cm was predicted, with steps of 10 ms, beyond the point that
//! holds the spring, and Newton's method found a solution there, with 400 times the energy. So a prediction that is far
//! away and has not proved better than none in the step before is used only if, by the first increment from there, no
//! solution is much nearer to where the body is.

use super::Radau5;
use super::tableau::{A, N};
use crate::failure::{StepFailure, check_finite};
use crate::integrator::first_guess::{MUCH_NEARER, NEAR_BY, first_increment, size};
use crate::integrator::newton::Step;
use crate::problem::{Dims, Problem};
use crate::state::State;

impl Radau5 {
    /// Largest component, over the stages, relative to the scales.
    fn size(&self, x: impl Fn(usize) -> f64) -> f64 {
        let nv = self.dims.nv;
        delassus_math::largest((0..N).map(|i| size(&self.scale, |k| x(i * nv + k))))
    }

    /// The polynomial of the step before was used, and was better than staying or did not lead far.
    pub(super) fn predicts_well(&self) -> bool {
        let miss = self.size(|i| self.now.xi[i] - self.xi_pred[i]);
        self.have_last && (miss <= NEAR_BY || miss <= self.size(|i| self.now.xi[i]))
    }

    /// Predicts the stages, or stays where that is nearer to a solution.
    pub(super) fn guess<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let &mut Step { p, from, h, .. } = s;
        self.predict(p, from, h);
        check_finite("prediction", &self.now.xi)?;
        self.positions(p, h);
        self.xi_pred.copy_from_slice(&self.now.xi);
        let way = self.size(|i| self.xi_pred[i]);
        if self.trusted || way <= NEAR_BY {
            return Ok(());
        }
        self.stay(from);
        let nv = self.dims.nv;
        let along = |m: &Radau5, i: usize| -> f64 {
            (0..N).map(|j| A[i / nv][j] * m.x[j * nv + i % nv]).sum()
        };
        if first_increment(self, s, |m| m.size(|i| along(m, i))) < MUCH_NEARER * way {
            self.renew = false;
            return Ok(());
        }
        self.renew = true;
        self.predict(p, from, h);
        self.positions(p, h);
        Ok(())
    }

    /// Guess ξ = 0.
    fn stay(&mut self, from: &State) {
        let Dims { nz, n_vel, .. } = self.dims;
        self.now.xi.fill(0.0);
        self.now.v.fill(0.0);
        for i in 0..N {
            self.now.z[i * nz..][..nz].copy_from_slice(&from.z);
            self.now.lambda[i * n_vel..][..n_vel].copy_from_slice(&self.start.lambda);
        }
    }
}
