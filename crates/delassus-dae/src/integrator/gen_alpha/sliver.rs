//! What is reported after a very short step: one cut short at the end of a run or at an event, or the first one after
//! an event.
//!
//! The rows of index 3 determine accelerations by g/(βh²), those of index 2 by (G v + g_t)/(βh). In a short step
//! round-off in g, about ε of the size of the model, may exceed the error of the method, (hω)² of the accelerations.
//! Positions are not affected, and the index-1 form gives v̇ and λ from them. These are reported in place of the
//! method's own values, which remain its history. Index 3 lets the same round-off into the velocities, by g/h: they are
//! put back onto the constraints.
//!
//! Where the two differ by more than round-off explains, the method's own values are right: very stiff forces amplify
//! errors of positions, which the method filters.

use super::GenAlpha;
use crate::failure::StepFailure;
use crate::integrator::newton::Step;
use crate::problem::{AtVel, Problem};

/// A step below this fraction of the step before counts as cut short.
const SHORT: f64 = 0.5;
/// Differences that round-off explains, in multiples of the expected round-off.
const MARGIN: f64 = 100.0;

impl GenAlpha {
    /// Checks whether round-off spoiled v̇ and λ at the end of an attempt; if so, `told` holds better ones, and v is on
    /// the constraints.
    pub(super) fn correct_rounded<P: Problem>(
        &mut self,
        s: &mut Step<'_, P>,
    ) -> Result<(), StepFailure> {
        let &mut Step { p, h, .. } = s;
        let (ws, to) = (&mut *s.ws, &mut *s.to);
        self.tells = false;
        if self.dims.n_vel == 0 || self.h_prev.is_some_and(|hp| h >= SHORT * hp) {
            return Ok(());
        }
        let omega = self.rate();
        let by_h = if self.form.at_velocity() { omega / h } else { 1.0 / (h * h) };
        let noise = f64::EPSILON * by_h / self.co.beta;
        // both in scales per second squared
        if noise < (h * omega * omega).powi(2) {
            return Ok(());
        }
        self.acc.factor_at(p, ws, to.t, &to.q, &to.z)?;
        if self.near_singular() {
            return Ok(());
        }
        let held = self.form.at_velocity();
        self.tmp.copy_from_slice(&to.v);
        if !held {
            p.realize_velocity(&to.v, &to.z, ws);
            p.residual_vel(ws, &mut self.rows);
            self.acc.correct(&self.rows, &mut self.tmp2)?;
            for (v, dv) in self.tmp.iter_mut().zip(&self.tmp2) {
                *v -= dv;
            }
        }
        p.realize_velocity(&self.tmp, &to.z, ws);
        let e = AtVel::realized(p, ws);
        let t = &mut self.told;
        self.acc.solve_at(&e, &mut t.a, &mut t.lambda, &mut t.zdot)?;
        let pairs = t.a.iter().zip(&self.end.a).zip(&self.scale);
        self.tells = pairs.into_iter().all(|((x, y), s)| (x - y).abs() <= MARGIN * noise * s);
        if self.tells && !held {
            to.v.copy_from_slice(&self.tmp);
            self.carry_next.fill(0.0);
        }
        Ok(())
    }
}
