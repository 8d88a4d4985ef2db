//! The iteration of one step: residuals, matrix, correction of positions.

use super::weights::error_constant;
use super::{Bdf, add, difference};
use crate::failure::{StepFailure, check_finite};
use crate::integrator::ggl::{Monitor, Verdict, larger, rate_of_motion, relative_z, serves};
use crate::manifold::Manifold;
use crate::problem::{Dims, Problem, at, mass_mul_add};
use crate::state::State;

/// What the iteration may leave, in local errors and relative to the scales. Far below the local
/// error, because local errors may cancel over a turn of a spinning body and what an old matrix
/// leaves does not.
const LEFT: f64 = 1e-6;
const LEFT_MIN: f64 = 1e-16;
const LEFT_MAX: f64 = 1e-11;
/// Sweeps of ξ = ξ_h + c T(ξ)⁻¹v + w in each iteration; each gains a factor of about cΩ/2.
const SWEEPS: usize = 4;

impl Bdf {
    /// ξ from v and w.
    pub(super) fn positions(&mut self, m: &Manifold, c: f64) {
        for _ in 0..if m.is_vector() { 1 } else { SWEEPS } {
            m.tangent_inv(&self.xi, &self.v, &mut self.tmp);
            for k in 0..self.dims.nv {
                self.xi[k] = self.xi_known[k] + c * self.tmp[k] + self.w[k];
            }
        }
    }

    /// Residuals −c² r, g and −c (G v + g_t) at the present iterate; the matrix where `fill`.
    fn evaluate<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        c: f64,
        to: &mut State,
        fill: bool,
    ) -> Result<(), StepFailure> {
        let Dims { n_pos, nv, .. } = self.dims;
        p.manifold().retract(&self.from.q, &self.xi, &mut to.q);
        for k in 0..nv {
            self.a[k] = (self.v[k] - self.v_known[k]) / c;
        }
        let mut e = at(p, ws, to.t, &to.q, &self.z).velocity(&self.v, &self.z);
        if p.feeds_back() {
            // z follows q and v, so that the matrix tells how forces follow them through z
            e.z_dot(&mut self.zdot);
            self.z.copy_from_slice(&self.z_known);
            add(c, &self.zdot, &mut self.z);
            e = e.with_z(&self.v, &self.z);
        }
        e.mass(&mut self.mass);
        e.jacobian(&mut self.jac);
        e.force(&mut self.r);
        e.residual_vel(&mut self.g_vel);
        e.residual_pos(&mut self.g[..n_pos]);
        e.z_dot(&mut self.zdot);
        if fill {
            self.s.fill(0.0);
            e.tangent(&self.a, &self.lambda, c * c, c, &mut self.s);
            e.feedback(c * c * c, c * c, &mut self.s);
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
        // a rolling wheel is not slid into place
        self.rows[n_pos..].fill(0.0);
        self.acc.correct(&self.rows, &mut self.tmp2)?;
        m.tangent_inv(&self.xi_pred, &self.tmp2, &mut self.tmp);
        for k in 0..nv {
            self.w[k] += self.tmp[k];
            self.xi[k] += self.tmp[k];
        }
        Ok(())
    }

    pub(super) fn newton<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        c: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let m = p.manifold();
        let constant = error_constant(&self.tau, self.k);
        let omega = rate_of_motion(&self.from.v, &self.start.a, &self.scale, c);
        let mut monitor = Monitor::new(c, omega, self.renew);
        loop {
            let fill = monitor.renew || !serves(self.made_for, c);
            self.evaluate(p, ws, c, to, fill)?;
            if fill {
                monitor.renewed();
            }
            let (kkt, r, x) = (&mut self.kkt, &self.r, &mut self.x);
            self.subset.with_vectors(&self.g_vel, &mut self.y, |b, y| kkt.solve(r, b, x, y))?;
            self.work.newton += 1;
            add(1.0 / c, &self.x, &mut self.v);
            add(1.0 / (c * c), &self.y, &mut self.lambda);
            self.xi_before.copy_from_slice(&self.xi);
            self.positions(m, c);
            if self.dims.n_pos > 0 {
                self.correct(m)?;
            }
            let (mut norm, mut worst) = (0.0, 0);
            difference(1.0, &self.xi, &self.xi_before, &mut self.tmp);
            larger(&mut norm, &mut worst, 1.0, &self.tmp, &self.scale);
            larger(&mut norm, &mut worst, 1.0 / (c * omega), &self.x, &self.scale);
            for k in 0..self.dims.nz {
                let z = self.z_known[k] + c * self.zdot[k];
                let old = std::mem::replace(&mut self.z[k], z);
                norm = norm.max(relative_z(z - old, z, self.from.z[k], self.scale_z[k]));
            }
            // what is left must be small against the local error
            let mut error = 0.0;
            difference(constant, &self.xi, &self.xi_pred, &mut self.tmp);
            larger(&mut error, &mut 0, 1.0, &self.tmp, &self.scale);
            difference(constant, &self.v, &self.v_pred, &mut self.tmp);
            larger(&mut error, &mut 0, 1.0 / omega, &self.tmp, &self.scale);
            match monitor.judge(norm, (LEFT * error).clamp(LEFT_MIN, LEFT_MAX)) {
                Verdict::GoOn => {}
                verdict => {
                    self.renew = monitor.renew;
                    return match verdict {
                        Verdict::Failed => Err(monitor.failure(worst)),
                        _ => Ok(()),
                    };
                }
            }
        }
    }
}
