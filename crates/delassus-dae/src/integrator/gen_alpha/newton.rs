//! The equations of a step in all forms, for [`crate::integrator::newton`].
//!
//! Unknowns are δ = βh² Δa₁ and βh² Δλ; v₁ follows with γ/(βh) δ and v̇₁ with c_m/(βh²) δ.
//!
//! **Stabilised form.** Its unknowns are (a₁, λ, η) with q₁ = q₀ ∘ exp(ξ(a₁) + p), M p = Gᵀη. The iteration alternates
//! two solutions of ordinary size instead of one of size nv + 2m: the velocity rows give δ and λ, then the position
//! rows give p with δ already included. The second is a projection in the mass metric by the matrix of the index-1
//! form, factored once per attempt at the predicted point. The neglected effect of p on the velocity rows is (βh/γ) Ġ
//! p: p contracts by O(hω) per iteration, and a stiff K, through which p enters the balance of forces, does not change
//! that, because the part of δ along the constraints does not depend on it. So both residuals reach the tolerance of
//! the iteration. The direction of p is a function of the start and of h only, not of the matrix that happens to be
//! kept.

use super::GenAlpha;
use super::form::Form;
use super::matrix::Linearised;
use crate::failure::{StepFailure, check_finite};
use crate::integrator::eliminated::settled;
use crate::integrator::newton::{
    Equations, Increment, Limits, NOISE, Newton, SLOW, STALLED, Step, rate_of_motion,
};
use crate::problem::{Problem, at, mass_mul_add};

/// The allowed remainder (relative) is not less than this.
const NEWTON_FLOOR: f64 = 1e-17;
/// The remainder enters λ divided by βh², and nothing damps it when ρ∞ is near 1.
const NEWTON_CEILING: f64 = 1e-14;
/// The same for velocities where the constraints are at velocity level: they should hold to round-off.
const VELOCITY_FLOOR: f64 = 3e-16;
const VELOCITY_CEILING: f64 = 1e-13;
/// Position corrections must be this much smaller than the relative remainder of the velocities.
const CORRECTION: f64 = 10.0;
/// Smallest size of a step, in characteristic times of the motion, for the norm of velocities.
const AT_REST: f64 = 1e-8;

/// When the iteration may stop.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Target {
    /// Largest norm of an increment.
    tol: f64,
    /// Increment of ξ per scale that counts as 1.
    unit: f64,
}

impl GenAlpha {
    /// Rate ω of the motion at the start of the step, 1/s.
    pub(super) fn rate(&self) -> f64 {
        rate_of_motion(&self.v0, &self.base.a, &self.scale)
    }

    /// The remainder of ξ enters the velocity divided by h and adds up over the steps, so it must be small against the
    /// local error of the velocity, (hω)³ ω times h, where ω is the rate of the present motion. Where the constraints
    /// are at velocity level, increments are measured as velocities, δ γ/(βh), against ω.
    fn target(&self, h: f64) -> Target {
        let x = h * self.rate();
        if self.form.at_velocity() {
            let tol = (1e-4 * x.powi(3)).clamp(VELOCITY_FLOOR, VELOCITY_CEILING);
            Target { tol, unit: (x * self.co.beta / self.co.gamma).clamp(AT_REST, 1.0) }
        } else {
            Target { tol: (1e-4 * x.powi(4)).clamp(NEWTON_FLOOR, NEWTON_CEILING), unit: 1.0 }
        }
    }

    /// Puts the guessed positions onto the constraints in the form that holds both.
    pub(super) fn put_on_constraints<P: Problem>(
        &mut self,
        s: &mut Step<'_, P>,
    ) -> Result<(), StepFailure> {
        self.corrects = self.form == Form::Stabilized && self.dims.n_pos > 0;
        if self.corrects { self.close(s) } else { Ok(()) }
    }

    /// Stabilised form: puts the predicted positions onto g = 0 and keeps the factor there for [`GenAlpha::correct`].
    /// At a singular position g does not determine the correction, so the step does without one; the next ones make up
    /// for it.
    fn close<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        s.p.manifold().retract(&s.from.q, &self.xi, &mut s.to.q);
        self.acc.factor_at(s.p, s.ws, s.to.t, &s.to.q, &s.to.z)?;
        if self.near_singular() {
            self.corrects = false;
            return Ok(());
        }
        s.p.residual_pos(s.ws, &mut self.gap[..self.dims.n_pos]);
        for g in &mut self.gap {
            *g = -*g;
        }
        self.dx.fill(0.0);
        self.correct(s.p)?;
        for (x, c) in self.xi.iter_mut().zip(&self.tmp2) {
            *x += c;
        }
        Ok(())
    }

    /// Stabilised form: the correction p with G T(ξ)(δ + p) = −g, δ in `dx`. It is left in `tmp2`,
    /// T(ξ) p in `tmp`.
    fn correct<P: Problem>(&mut self, p: &P) -> Result<(), StepFailure> {
        let n_pos = self.dims.n_pos;
        let m = p.manifold();
        m.tangent(&self.xi, &self.dx, &mut self.tmp);
        self.rows.fill(0.0);
        self.matrix.jac_pattern().mul_add(&self.jac, -1.0, &self.tmp, &mut self.rows);
        for (r, g) in self.rows[..n_pos].iter_mut().zip(&self.gap) {
            *r += g;
        }
        // rolling rows take part as G p = 0: a wheel must not be slid into place
        self.rows[n_pos..].fill(0.0);
        self.acc.correct(&self.rows, &mut self.tmp)?;
        m.tangent_inv(&self.xi, &self.tmp, &mut self.tmp2);
        Ok(())
    }

    /// z₁ by the trapezoidal rule.
    fn auxiliary(&self, z0: &[f64], h: f64, z: &mut [f64]) {
        for (i, z) in z.iter_mut().enumerate() {
            let target = z0[i] + 0.5 * h * (self.base.zdot[i] + self.end.zdot[i]);
            *z = settled(*z, target, 0.5 * h * self.relaxation[i]);
        }
    }

    /// Solves the step from its first guess.
    pub(super) fn newton<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        self.target = self.target(s.h);
        let unit = self.target.unit;
        // Round-off of positions, seen as velocities, may be far above that of velocities (stiff springs amplify it). A
        // matrix of the last few steps is not blamed for it; but the error of an old one could be mistaken for it, and
        // accumulate.
        let noise = if self.matrix.is_young() { NOISE / unit } else { NOISE };
        // rows of positions contain the rounding errors of the positions
        self.rounding.look(&s.from.q);
        let far = match self.form {
            Form::Index3 => self.rounding.most(),
            Form::Stabilized => CORRECTION * self.rounding.most(),
            Form::Index2 => 0.0,
        };
        let limits = Limits { noise, stalled: STALLED / unit, far, slow: SLOW };
        let mut newton = Newton::new(limits, self.matrix.renew);
        let solved = newton.solve(self, s);
        self.matrix.renew = newton.renew;
        solved
    }
}

impl<P: Problem> Equations<P> for GenAlpha {
    /// Residuals −βh² r, −g (`gap`) and −(βh/γ)(G v + g_t) at the present iterate; `res` gets
    /// those that belong to the rows of the matrix.
    fn evaluate(&mut self, s: &mut Step<'_, P>, renew: bool) -> Result<(), StepFailure> {
        let n_pos = self.dims.n_pos;
        let &mut Step { p, from, h, .. } = s;
        let to = &mut *s.to;
        let ck = self.co.beta * h * h;
        p.manifold().retract(&from.q, &self.xi, &mut to.q);
        {
            let mut e = at(p, s.ws, to.t, &to.q, &to.z).velocity(&to.v, &to.z);
            if p.feeds_back() {
                // z follows q and v, so that the matrix includes how forces depend on them through z
                e.z_dot(&mut self.end.zdot);
                e.relaxation(&mut self.relaxation);
                self.auxiliary(&from.z, h, &mut to.z);
                e = e.with_z(&to.v, &to.z);
            }
            e.mass(&mut self.mass);
            e.jacobian(&mut self.jac);
            e.force(&mut self.r);
            e.residual_vel(&mut self.res);
            e.residual_pos(&mut self.gap[..n_pos]);
            e.z_dot(&mut self.end.zdot);
        }
        for r in &mut self.r {
            *r = -*r;
        }
        mass_mul_add(&self.mass_blocks, &self.mass, &self.end.a, &mut self.r);
        self.matrix.jac_pattern().mul_t_add(&self.jac, -1.0, &self.end.lambda, &mut self.r);
        for r in &mut self.r {
            *r *= -ck;
        }
        let cv = self.co.beta * h / self.co.gamma;
        for g in &mut self.res {
            *g *= -cv;
        }
        for g in &mut self.gap[..n_pos] {
            *g = -*g;
        }
        if self.form == Form::Index3 {
            self.res[..n_pos].copy_from_slice(&self.gap[..n_pos]);
        }
        self.work.evaluations += 1;
        check_finite("residual", &self.r)?;
        check_finite("constraint residual", &self.res)?;
        check_finite("constraint residual", &self.gap[..n_pos])?;
        if renew {
            let point = Linearised {
                h,
                xi: &self.xi,
                a: &self.end.a,
                lambda: &self.end.lambda,
                mass: &self.mass,
                jac: &self.jac,
                jac_start: &self.jac_start,
                relaxation: &self.relaxation,
            };
            self.matrix.factor(p, s.ws, &point)?;
            self.work.factorizations += 1;
        }
        Ok(())
    }

    fn solve(&mut self) -> Result<(), StepFailure> {
        self.matrix.solve(&self.r, &self.res, &mut self.dx, &mut self.dl)
    }

    fn update(&mut self, s: &mut Step<'_, P>) -> Result<Increment, StepFailure> {
        let (h, to) = (s.h, &mut *s.to);
        let b1 = 1.0 / (self.co.beta * h * h);
        let bv = self.co.gamma / (self.co.beta * h);
        let ba = b1 * self.co.c_m();
        self.work.newton += 1;
        let Target { tol, unit } = self.target;
        let mut increment = Increment::new(tol);
        if self.corrects {
            self.correct(s.p)?;
            for (xi, p) in self.xi.iter_mut().zip(&self.tmp2) {
                *xi += p;
            }
            increment.add_rounded(CORRECTION, &self.tmp, &self.scale, CORRECTION, &self.rounding);
        }
        for (i, d) in self.dx.iter().enumerate() {
            self.xi[i] += d;
            self.a1[i] += b1 * d;
            to.v[i] += bv * d;
            self.end.a[i] += ba * d;
        }
        match self.form {
            Form::Index3 => increment.add_rounded(1.0, &self.dx, &self.scale, 1.0, &self.rounding),
            Form::Stabilized => {
                increment.add_rounded(1.0 / unit, &self.dx, &self.scale, 1.0, &self.rounding);
            }
            Form::Index2 => increment.add(1.0 / unit, &self.dx, &self.scale),
        }
        for (l, d) in self.end.lambda.iter_mut().zip(&self.dl) {
            *l += b1 * d;
        }
        self.auxiliary(&s.from.z, h, &mut to.z);
        Ok(increment)
    }
}
