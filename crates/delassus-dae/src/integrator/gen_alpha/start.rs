//! What a step starts from: the algorithmic acceleration and the velocity that belong to its size.
//!
//! The algorithmic acceleration a approximates v̇ at t + δh, and the index-3 form carries an
//! offset h² P (C_q v̈ + v̂v̇/12) in the velocity, P the projector on the constrained directions.
//! Both belong to one step size.
//!
//! - At the start: v̇ by the index-1 form, v̈ by differences along the flow, then the offsets. If the step is very
//!   long, without the offsets and without the part that the step cannot follow ([`super::guess`]).
//! - h as before: nothing to do.
//! - h changed, constraints at velocity level: a ← v̇ + δh v̈, with v̇ and λ of the index-1 form and v̈ from the
//!   difference of v̇ over the last step. The v̇ of the last step would do for q and v; but its error has a part that
//!   belongs to the old h, and its remainder alternates with the spectral radius at infinity: if that is near 1 it adds
//!   up to first order in λ. And (a − v̇)/(δh_prev) would do for v̈ where everything is smooth; but what a bump or a
//!   reversal left in a alternates by −α_m/(1 − α_m), and steps that double would double it each time: with ρ∞ = 0.9 it
//!   grows, unnoticed by the error estimate, which looks at v̇.
//! - h changed, index 3: restart as at the start, from the velocity projected onto the constraints. A rescaling would
//!   have to take v̈ from differences of v̇ that already carry the error of the old offset, and those errors grow as h
//!   shrinks. Without the offsets λ, and with it the error estimate, is of first order.

use super::GenAlpha;
use super::form::Form;
use crate::failure::StepFailure;
use crate::integrator::newton::Step;
use crate::problem::{Problem, at};
use crate::state::State;

/// Steps that differ by less than this (relative) count as equal.
const SAME: f64 = 1e-9;
/// Growth of the step up to which v̇ and λ are extrapolated as a first guess.
const FAR: f64 = 2.5;

pub(super) fn same(h: f64, other: f64) -> bool {
    (h - other).abs() <= SAME * h
}

impl GenAlpha {
    /// Whether the last factorisation was close to a singular position. The index-1 form is not used there.
    pub(super) fn near_singular(&self) -> bool {
        self.best_pivot.near_singular(self.acc.weakest_pivot)
    }

    /// Sets `base` (v̇, λ, ż), `a0` and `v0` for a step of size h from `from`, and how far v̇ and
    /// λ may be extrapolated.
    pub(super) fn begin<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let &mut Step { p, from, h, .. } = s;
        self.extrapolate = 0.0;
        self.keeps_v = false;
        match self.h_prev {
            Some(hp) if same(h, hp) => {
                self.continue_from(from, 1.0);
                if self.form == Form::Index3 && self.in_a_row < 2 {
                    // the first step of this size began from another v̇ than the last one ended with
                    self.extrapolate = 0.0;
                }
                if self.low_pivot {
                    // not needed here, but the step-size control must know how close a singular position is
                    self.acc.factor_at(p, s.ws, from.t, &from.q, &from.z)?;
                }
                Ok(())
            }
            Some(hp) if self.form.at_velocity() => {
                self.continue_from(from, h / hp);
                self.acc.factor_at(p, s.ws, from.t, &from.q, &from.z)?;
                if !self.near_singular() {
                    self.rebase(s)?;
                }
                Ok(())
            }
            Some(hp) => {
                self.acc.factor_at(p, s.ws, from.t, &from.q, &from.z)?;
                if !self.near_singular() {
                    self.afresh(s)
                } else {
                    self.continue_from(from, h / hp);
                    Ok(())
                }
            }
            None => self.afresh(s),
        }
    }

    /// From where the last step ended; `ratio` is h over the size of that step.
    fn continue_from(&mut self, from: &State, ratio: f64) {
        self.base.copy_from(&self.start);
        self.v0.copy_from_slice(&from.v);
        self.keeps_v = true;
        for i in 0..self.dims.nv {
            let v_dot = self.start.a[i];
            self.a0[i] = match ratio {
                1.0 => self.a_alg[i],
                // differences of the method's own v̇: the contributions of the old h cancel
                _ => v_dot + self.co.delta * ratio * (v_dot - self.before.a[i]),
            };
        }
        if ratio < FAR {
            self.extrapolate = ratio;
        }
    }

    /// Replaces v̇ and λ of the last step by those of the index-1 form; a is shifted with v̇.
    fn rebase<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let &mut Step { p, from, .. } = s;
        let e = at(p, s.ws, from.t, &from.q, &from.z).velocity(&from.v, &from.z);
        let b = &mut self.base;
        self.acc.solve_at(&e, &mut b.a, &mut b.lambda, &mut b.zdot)?;
        for i in 0..self.dims.nv {
            self.a0[i] += self.base.a[i] - self.start.a[i];
        }
        Ok(())
    }

    /// Starts from a state alone.
    fn afresh<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let &mut Step { p, from, h, .. } = s;
        let nv = self.dims.nv;
        self.v0.copy_from_slice(&from.v);
        self.acc.factor_at(p, s.ws, from.t, &from.q, &from.z)?;
        if self.dims.n_vel > 0 {
            p.realize_velocity(&from.v, &from.z, s.ws);
            p.residual_vel(s.ws, &mut self.rows);
            for r in &mut self.rows {
                *r = -*r;
            }
            self.acc.correct(&self.rows, &mut self.tmp)?;
            for i in 0..nv {
                self.v0[i] += self.tmp[i];
            }
        }
        let e = at(p, s.ws, from.t, &from.q, &from.z).velocity(&self.v0, &from.z);
        let b = &mut self.base;
        self.acc.solve_at(&e, &mut b.a, &mut b.lambda, &mut b.zdot)?;
        if self.filters(h) && self.filter(s)? {
            // differences over this step say nothing about v̈
            self.a0.copy_from_slice(&self.base.a);
            self.jerk.fill(0.0);
            return Ok(());
        }
        self.a0.copy_from_slice(&self.base.a);
        let offset = self.form == Form::Index3 && self.dims.n_pos > 0;
        // the error estimate of the first step always needs v̈
        if self.co.delta == 0.0 && !offset && self.h_prev.is_some() {
            return Ok(());
        }
        self.jerk(s)?;
        let filtered = self.outruns(h);
        if filtered {
            self.filter_jerk(s)?;
        }
        let jerk = if filtered { &self.dx } else { &self.jerk };
        for i in 0..nv {
            self.a0[i] += self.co.delta * h * jerk[i];
        }
        if offset {
            p.manifold().bracket(&self.v0, &self.base.a, &mut self.tmp);
            for i in 0..nv {
                self.tmp[i] = h * h * (self.co.c_q * jerk[i] + self.tmp[i] / 12.0);
            }
            self.acc.factor_at(p, s.ws, from.t, &from.q, &from.z)?;
            self.acc.jac_mul(&self.tmp, &mut self.rows);
            // rolling rows are held at velocity level and carry no offset
            self.rows[self.dims.n_pos..].fill(0.0);
            self.acc.correct(&self.rows, &mut self.tmp2)?;
            for i in 0..nv {
                self.v0[i] += self.tmp2[i];
            }
        }
        Ok(())
    }

    /// v̈ at `from` by differences of the index-1 acceleration along the flow, forwards: before `from` forces and
    /// motions may have been different.
    fn jerk<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let &mut Step { p, from, h, .. } = s;
        let tau = 0.05 * h;
        for i in 0..self.dims.nv {
            self.jerk[i] = -1.5 * self.base.a[i] / tau;
        }
        // of second order, also where forces depend on velocities: the terms neglected in v₀ + k v̇ cancel
        for (k, weight) in [(tau, 2.0), (2.0 * tau, -0.5)] {
            for i in 0..self.dims.nv {
                self.xi[i] = k * self.v0[i] + 0.5 * k * k * self.base.a[i];
                self.tmp2[i] = self.v0[i] + k * self.base.a[i];
            }
            p.manifold().retract(&from.q, &self.xi, &mut self.q_tmp);
            let (a, l, z) = (&mut self.tmp, &mut self.rows, &mut self.end.zdot);
            self.acc.eval(p, s.ws, from.t + k, &self.q_tmp, &self.tmp2, &from.z, a, l, z)?;
            for i in 0..self.dims.nv {
                self.jerk[i] += weight * self.tmp[i] / tau;
            }
        }
        Ok(())
    }
}
