//! Steps much longer than the fastest vibration: where Newton's iteration begins, and with which acceleration the first
//! step starts.
//!
//! Such a step does not follow the vibration. The method stays stable, but an extrapolation from accelerations that
//! change sign within a step may lie anywhere: a mass on a spring of 1e12 N/m that is stretched by a millimetre would
//! fly 500 m in a step of 1 ms, past the point that holds the spring, and Newton's method would find the solution on
//! the other side, which has another energy.
//!
//! So when the last prediction was worse than none, the iteration begins where the body is if, by the first increment
//! from there, a solution is much nearer than the prediction. And the first step of a member that damps begins with an
//! acceleration without the part that the step cannot follow: a_f with [S −Gᵀ; G 0] (a_f, ·) = (c_m M a, G a), S
//! Newton's matrix, is a up to O(h²ω² + hC) where the step is short and c_m a/(βh²ω²) where it is long. With a itself
//! the velocity of the first step would overshoot by hω.

use super::GenAlpha;
use super::matrix::Linearised;
use crate::failure::StepFailure;
use crate::integrator::first_guess::{MUCH_NEARER, NEAR_BY, first_increment, size};
use crate::integrator::newton::Step;
use crate::problem::{Problem, at, mass_mul_add};
use crate::state::State;

impl GenAlpha {
    /// Largest component relative to the scales.
    fn size(&self, x: impl Fn(usize) -> f64) -> f64 {
        size(&self.scale, x)
    }

    /// Staying would have been a better prediction than the one made.
    pub(super) fn is_astray(&self) -> bool {
        let miss = self.size(|i| self.xi[i] - self.xi_pred[i]);
        miss > NEAR_BY && self.size(|i| self.xi[i]) < miss
    }

    /// The prediction of a first step may lie anywhere.
    fn starts_far(&self, h: f64) -> bool {
        self.h_prev.is_none() && 0.5 * h * h * self.size(|i| self.base.a[i]) > NEAR_BY
    }

    /// Predicts, or stays where that is nearer to a solution.
    pub(super) fn guess<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let &mut Step { from, h, .. } = s;
        self.predict(from, h, s.to);
        self.xi_pred.copy_from_slice(&self.xi);
        if !self.astray && !self.starts_far(h) {
            return self.put_on_constraints(s);
        }
        let predicted = self.size(|i| self.xi_pred[i]);
        self.stay(from, h, s.to);
        let near = match self.put_on_constraints(s) {
            Ok(()) => first_increment(self, s, |m| m.size(|i| m.dx[i])),
            Err(_) => f64::INFINITY,
        };
        self.matrix.renew = true;
        if near < MUCH_NEARER * predicted {
            self.stay(from, h, s.to);
        } else {
            self.predict(from, h, s.to);
        }
        self.put_on_constraints(s)
    }

    /// Guess ξ = 0.
    fn stay(&mut self, from: &State, h: f64, to: &mut State) {
        let (beta, gamma) = (self.co.beta, self.co.gamma);
        let (alpha_m, alpha_f) = (self.co.alpha_m, self.co.alpha_f);
        self.end.copy_from(&self.base);
        for i in 0..self.dims.nv {
            let a0 = self.a0[i];
            let a1 = -(self.v0[i] / h + (0.5 - beta) * a0) / beta;
            self.xi[i] = 0.0;
            self.a1[i] = a1;
            to.v[i] = self.v0[i] + h * ((1.0 - gamma) * a0 + gamma * a1);
            self.end.a[i] =
                ((1.0 - alpha_m) * a1 + alpha_m * a0 - alpha_f * self.base.a[i]) / (1.0 - alpha_f);
        }
        to.z.copy_from_slice(&from.z);
    }

    /// Whether a first step has to begin without the part of v̇ that it cannot follow.
    pub(super) fn filters(&self, h: f64) -> bool {
        let damps = self.co.alpha_f != 0.0 || self.co.alpha_m != 0.0;
        damps && self.starts_far(h)
    }

    /// v̈ at the start would reverse v within the step: it belongs to a vibration that the step cannot follow, or to a
    /// motion that begins from rest.
    pub(super) fn outruns(&self, h: f64) -> bool {
        let damps = self.co.alpha_f != 0.0 || self.co.alpha_m != 0.0;
        let [v, a, j] = [&self.v0, &self.base.a, &self.jerk].map(|x| self.size(|i| x[i]));
        damps && h * h * j > v + h * a
    }

    /// The part of v̈ that a step of h can follow, into `dx`.
    pub(super) fn filter_jerk<P: Problem>(
        &mut self,
        s: &mut Step<'_, P>,
    ) -> Result<(), StepFailure> {
        let (a, jerk) = (std::mem::take(&mut self.base.a), std::mem::take(&mut self.jerk));
        let followed = self.follow(s, &a, &jerk);
        (self.base.a, self.jerk) = (a, jerk);
        followed
    }

    /// Removes from v̇ at the start what a step of h cannot follow, if that is much.
    pub(super) fn filter<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<bool, StepFailure> {
        let h = s.h;
        let a = std::mem::take(&mut self.base.a);
        let followed = self.follow(s, &a, &a);
        self.base.a = a;
        followed?;
        let lost = 0.5 * h * h * self.size(|i| self.base.a[i] - self.dx[i]);
        if !(lost > NEAR_BY) {
            return Ok(false);
        }
        self.base.a.copy_from_slice(&self.dx);
        Ok(true)
    }

    /// The part of x that a step of h can follow, into `dx`; a is v̇ at the start.
    fn follow<P: Problem>(
        &mut self,
        s: &mut Step<'_, P>,
        a: &[f64],
        x: &[f64],
    ) -> Result<(), StepFailure> {
        let &mut Step { p, from, h, .. } = s;
        let e = at(p, s.ws, from.t, &from.q, &from.z).velocity(&self.v0, &from.z);
        e.mass(&mut self.mass);
        e.jacobian(&mut self.jac);
        e.relaxation(&mut self.relaxation);
        self.xi.fill(0.0);
        let point = Linearised {
            h,
            xi: &self.xi,
            a,
            lambda: &self.base.lambda,
            mass: &self.mass,
            jac: &self.jac,
            jac_start: &self.jac,
            relaxation: &self.relaxation,
        };
        self.matrix.factor(p, s.ws, &point)?;
        self.matrix.renew = true;
        self.work.factorizations += 1;
        self.r.fill(0.0);
        mass_mul_add(&self.mass_blocks, &self.mass, x, &mut self.r);
        let c_m = self.co.c_m();
        for r in &mut self.r {
            *r *= c_m;
        }
        self.res.fill(0.0);
        self.matrix.jac_pattern().mul_add(&self.jac, 1.0, x, &mut self.res);
        self.matrix.solve(&self.r, &self.res, &mut self.dx, &mut self.dl)
    }
}
