//! The equations of one step for [`crate::integrator::newton`], and the correction of positions.

use super::weights::error_constant;
use super::{Bdf, add, difference};
use crate::failure::{StepFailure, check_finite};
use crate::integrator::eliminated::{Eliminated, settled, weigh};
use crate::integrator::first_guess::size;
use crate::integrator::ggl::{limits, relative_z, serves};
use crate::integrator::newton::{Equations, Increment, Limits, Newton, Step};
use crate::manifold::Manifold;
use crate::problem::{Dims, Problem, at, mass_mul_add};

/// Remainder that the iteration may leave, in local errors and relative to the scales. It is far below the local error,
/// because local errors may cancel over a turn of a spinning body and the remainder of an old matrix does not.
const LEFT: f64 = 1e-6;
const LEFT_MIN: f64 = 1e-16;
const LEFT_MAX: f64 = 1e-11;
/// Sweeps of ξ = ξ_h + c T(ξ)⁻¹v + w in each iteration; each gains a factor of about cΩ/2.
const SWEEPS: usize = 4;

impl Bdf {
    /// ξ from v and w.
    pub(super) fn positions(&mut self, m: &Manifold) {
        for _ in 0..if m.is_vector() { 1 } else { SWEEPS } {
            m.tangent_inv(&self.xi, &self.v, &mut self.tmp);
            for k in 0..self.dims.nv {
                self.xi[k] = self.xi_known[k] + self.c * self.tmp[k] + self.w[k];
            }
        }
    }

    /// Moves q onto g = 0 along M★⁻¹G★ᵀ, ★ the predicted point.
    fn correct(&mut self, m: &Manifold) -> Result<(), StepFailure> {
        let Dims { nv, n_pos, .. } = self.dims;
        difference(1.0, &self.xi, &self.xi_before, &mut self.tmp);
        m.tangent(&self.xi_before, &self.tmp, &mut self.tmp2);
        self.rows.fill(0.0);
        self.subset.full().mul_add(&self.jac, -1.0, &self.tmp2, &mut self.rows);
        for k in 0..n_pos {
            self.rows[k] -= self.g[k];
        }
        // a rolling wheel must not be slid into place
        self.rows[n_pos..].fill(0.0);
        self.acc.correct(&self.rows, &mut self.tmp2)?;
        m.tangent_inv(&self.xi_pred, &self.tmp2, &mut self.tmp);
        for k in 0..nv {
            self.w[k] += self.tmp[k];
            self.xi[k] += self.tmp[k];
        }
        Ok(())
    }

    /// Solves the step from its prediction.
    pub(super) fn newton<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        self.motion_rates.look(&self.from.v, &self.start.a, &self.scale, self.c);
        let renew = self.renew || !serves(self.made_for, self.c);
        self.rounding.look(&self.from.q);
        let far = self.rounding.most();
        let limits = Limits { far, ..limits(self.c, self.motion_rates.slowest) };
        let mut newton = Newton::new(limits, renew);
        let solved = newton.solve(self, s);
        self.renew = newton.renew;
        solved
    }
}

impl<P: Problem> Equations<P> for Bdf {
    /// Residuals −c² r, g and −c (G v + g_t).
    fn evaluate(&mut self, s: &mut Step<'_, P>, renew: bool) -> Result<(), StepFailure> {
        let Dims { n_pos, nv, .. } = self.dims;
        let (p, c, to) = (s.p, self.c, &mut *s.to);
        p.manifold().retract(&self.from.q, &self.xi, &mut to.q);
        for k in 0..nv {
            self.a[k] = (self.v[k] - self.v_known[k]) / c;
        }
        let mut e = at(p, s.ws, to.t, &to.q, &self.z).velocity(&self.v, &self.z);
        if p.feeds_back() {
            // z follows q and v, so that the matrix includes how forces depend on them through z
            e.z_dot(&mut self.zdot);
            e.relaxation(&mut self.eliminated.relaxation);
            for (k, z) in self.z.iter_mut().enumerate() {
                let target = self.z_known[k] + c * self.zdot[k];
                *z = settled(*z, target, c * self.eliminated.relaxation[k]);
            }
            e = e.with_z(&self.v, &self.z);
        }
        e.mass(&mut self.mass);
        e.jacobian(&mut self.jac);
        e.force(&mut self.r);
        e.residual_vel(&mut self.g_vel);
        e.residual_pos(&mut self.g[..n_pos]);
        e.z_dot(&mut self.zdot);
        if renew {
            self.s.fill(0.0);
            e.tangent(&self.a, &self.lambda, c * c, c, &mut self.s);
            let Eliminated { relaxation, by } = &mut self.eliminated;
            weigh([c * c * c, c * c], c, relaxation, by);
            e.feedback(by, &mut self.s);
            for (slot, x) in self.mass_slots.iter().zip(&self.mass) {
                self.s[*slot] += x;
            }
            self.made_for = None;
            let rows = self.subset.values(&self.jac);
            self.kkt.factor(&self.s, rows, rows)?;
            self.work.factorizations += 1;
            self.made_for = Some(c);
        }
        for r in &mut self.r {
            *r = -*r;
        }
        mass_mul_add(&self.mass_blocks, &self.mass, &self.a, &mut self.r);
        self.subset.full().mul_t_add(&self.jac, -1.0, &self.lambda, &mut self.r);
        for r in &mut self.r {
            *r *= -c * c;
        }
        for g in &mut self.g_vel {
            *g *= -c;
        }
        self.work.evaluations += 1;
        check_finite("residual", &self.r)?;
        check_finite("constraint residual", &self.g_vel)?;
        check_finite("controller rates", &self.zdot)
    }

    fn solve(&mut self) -> Result<(), StepFailure> {
        let (kkt, r, x) = (&mut self.kkt, &self.r, &mut self.x);
        Ok(self.subset.with_vectors(&self.g_vel, &mut self.y, |b, y| kkt.solve(r, b, x, y))?)
    }

    fn update(&mut self, s: &mut Step<'_, P>) -> Result<Increment, StepFailure> {
        let (m, c) = (s.p.manifold(), self.c);
        self.work.newton += 1;
        add(1.0 / c, &self.x, &mut self.v);
        add(1.0 / (c * c), &self.y, &mut self.lambda);
        self.xi_before.copy_from_slice(&self.xi);
        self.positions(m);
        if self.dims.n_pos > 0 {
            self.correct(m)?;
        }
        // the remainder must be small against the local error
        let of_xi = size(&self.scale, |i| self.xi[i] - self.xi_pred[i]);
        let of_v = size(&self.motion_rates.speed, |i| c * (self.v[i] - self.v_pred[i]));
        let error = error_constant(&self.tau, self.k) * of_xi.max(of_v);
        let mut increment = Increment::new((LEFT * error).clamp(LEFT_MIN, LEFT_MAX));
        difference(1.0, &self.xi, &self.xi_before, &mut self.tmp);
        increment.add_rounded(1.0, &self.tmp, &self.scale, 1.0, &self.rounding);
        increment.add_rounded(1.0, &self.x, &self.motion_rates.speed, 1.0, &self.rounding);
        for k in 0..self.dims.nz {
            let target = self.z_known[k] + c * self.zdot[k];
            let z = settled(self.z[k], target, c * self.eliminated.relaxation[k]);
            let old = std::mem::replace(&mut self.z[k], z);
            let dz = relative_z(z - old, z, self.from.z[k], self.scale_z[k]);
            increment.also(dz);
        }
        Ok(increment)
    }
}
