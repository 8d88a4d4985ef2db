//! Accelerations and multipliers after a step that is a sliver of the one before.
//!
//! The rows of index 3 tell accelerations by g/(βh²), those of index 2 by (G v + g_t)/(βh). In a
//! step that was cut short (the last of a run) round-off in g, about ε of the size of the model,
//! may stand above the error of the method, (hω)² of the accelerations. The state is none the
//! worse, and the index-1 form tells from it what v̇ and λ are. They are reported in the place of
//! the method's own, which stay its history.
//!
//! Where the two differ by more than round-off explains, the method's own are right: very stiff
//! forces amplify errors of positions, which the method filters.

use super::GenAlpha;
use crate::failure::StepFailure;
use crate::problem::{AtVel, Problem};
use crate::state::State;

/// Part of the step before below which a step counts as cut short.
const SHORT: f64 = 0.5;
/// Differences that round-off explains, in what is expected of it.
const MARGIN: f64 = 100.0;

impl GenAlpha {
    /// Looks whether round-off spoiled v̇ and λ at the end of an attempt; if so, `told` has better
    /// ones.
    pub(super) fn tell<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        to: &State,
        h: f64,
    ) -> Result<(), StepFailure> {
        self.tells = false;
        if self.dims.n_vel == 0 || !self.h_prev.is_some_and(|hp| h < SHORT * hp) {
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
        p.realize_velocity(&to.v, &to.z, ws);
        let e = AtVel::realized(p, ws);
        let t = &mut self.told;
        self.acc.solve_at(&e, &mut t.a, &mut t.lambda, &mut t.zdot)?;
        let pairs = t.a.iter().zip(&self.end.a).zip(&self.scale);
        self.tells = pairs.into_iter().all(|((x, y), s)| (x - y).abs() <= MARGIN * noise * s);
        Ok(())
    }
}
