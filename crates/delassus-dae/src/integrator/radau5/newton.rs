//! The three stages together: prediction, and the equations for [`crate::integrator::newton`].

use super::Radau5;
use super::blocks::{add_block, add_mass, fill_constraints, fill_rows};
use super::tableau::{A, C, GAMMA, N, forgetting, lagrange, product};
use crate::failure::{StepFailure, check_finite};
use crate::integrator::eliminated::weigh;
use crate::integrator::ggl::{GroupRates, limits, relative_z, serves};
use crate::integrator::newton::{Equations, Increment, Limits, Newton, Step};
use crate::problem::{Dims, Problem, at, mass_mul_add};
use crate::state::State;
use std::array::from_fn;

/// Longest step, relative to the step before, whose stages are predicted by the last polynomial.
const EXTRAPOLATE: f64 = 3.0;
/// Sweeps of ξ = hΣ a T(ξ)⁻¹v in each iteration; each gains a factor of about hΩ/4.
const SWEEPS: usize = 3;
/// Remainder that the iteration may leave, in (hω)⁶: far below the local error (hω)⁶/7200, because local errors may
/// cancel over a turn of a spinning body and the remainder of an old matrix does not.
const LEFT: f64 = 1e-9;
/// Bounds of this remainder: relative to the scales, and to the tolerance.
const LEFT_MIN: f64 = 1e-15;
const LEFT_RTOL: f64 = 1e-2;
/// Remainder allowed in the time in which a group moves by its size, relative to the tolerance.
const LEFT_ADDS_UP: f64 = 1e-3;

impl Radau5 {
    /// Stages are predicted by the last polynomial.
    fn goes_on(&self, h: f64) -> bool {
        self.have_last && h <= EXTRAPOLATE * self.last.h
    }

    /// Velocities and auxiliary states of the stages: by the last polynomial, or unchanged.
    pub(super) fn predict<P: Problem>(&mut self, p: &P, from: &State, h: f64) {
        let Dims { nv, nz, n_vel, .. } = self.dims;
        let goes_on = self.goes_on(h);
        let now = &mut self.now;
        now.h = h;
        now.q0.copy_from_slice(&from.q);
        now.v0.copy_from_slice(&from.v);
        now.z0.copy_from_slice(&from.z);
        now.lambda0.copy_from_slice(&self.start.lambda);
        for i in 0..N {
            let lambda = &mut now.lambda[i * n_vel..][..n_vel];
            let (v, z) = (&mut now.v[i * nv..][..nv], &mut now.z[i * nz..][..nz]);
            let xi = &mut now.xi[i * nv..][..nv];
            if goes_on {
                let l = lagrange(1.0 + C[i] * h / self.last.h);
                extend(&l, &self.last.v0, &self.last.v, v);
                extend(&l, &self.last.z0, &self.last.z, z);
                extend(&l, &self.last.lambda0, &self.last.lambda, lambda);
                self.tmp2.fill(0.0);
                extend(&l, &self.tmp2, &self.last.xi, &mut self.tmp);
                p.manifold().retract(&self.last.q0, &self.tmp, &mut self.q);
                p.manifold().local(&from.q, &self.q, xi);
            } else {
                v.copy_from_slice(&from.v);
                z.copy_from_slice(&from.z);
                lambda.copy_from_slice(&self.start.lambda);
                for (x, v) in xi.iter_mut().zip(&from.v) {
                    *x = C[i] * h * v;
                }
            }
        }
    }

    /// ξ_i from v_i.
    pub(super) fn positions<P: Problem>(&mut self, p: &P, h: f64) {
        let nv = self.dims.nv;
        let m = p.manifold();
        for _ in 0..if m.is_vector() { 1 } else { SWEEPS } {
            for j in 0..N {
                let of = j * nv..(j + 1) * nv;
                let (xi, v) = (&self.now.xi[of.clone()], &self.now.v[of.clone()]);
                m.tangent_inv(xi, v, &mut self.rates[of]);
            }
            for i in 0..N {
                for k in 0..nv {
                    let sum: f64 = (0..N).map(|j| A[i][j] * self.rates[j * nv + k]).sum();
                    self.now.xi[i * nv + k] = h * sum;
                }
            }
        }
    }

    /// z of the stages from ż, which follows q and v: the matrix includes how forces depend on those through z.
    fn follow<P: Problem>(&mut self, s: &mut Step<'_, P>) {
        let Dims { nv, nz, .. } = self.dims;
        let &mut Step { p, from, h, .. } = s;
        for i in 0..N {
            let (of, zs) = (i * nv..(i + 1) * nv, i * nz..(i + 1) * nz);
            p.manifold().retract(&from.q, &self.now.xi[of.clone()], &mut self.q);
            let z = &self.now.z[zs.clone()];
            let e = at(p, s.ws, from.t + C[i] * h, &self.q, z).velocity(&self.now.v[of], z);
            e.z_dot(&mut self.zdot[zs.clone()]);
            e.relaxation(&mut self.relaxation[zs]);
        }
        for k in 0..nz {
            let z = self.settled(from, h, k);
            (0..N).for_each(|i| self.now.z[i * nz + k] = z[i]);
        }
    }

    /// Improved values of auxiliary state k in the stages, from its rates there.
    fn settled(&self, from: &State, h: f64, k: usize) -> [f64; N] {
        let nz = self.dims.nz;
        let target: [f64; N] = from_fn(|i| self.auxiliary(from, h, i, k));
        let a: [f64; N] = from_fn(|i| self.relaxation[i * nz + k]);
        if a == [0.0; N] {
            return target;
        }
        let left: [f64; N] = from_fn(|i| target[i] - self.now.z[i * nz + k]);
        let forget = forgetting(h, a);
        from_fn(|i| self.now.z[i * nz + k] + (0..N).map(|j| forget[i][j] * left[j]).sum::<f64>())
    }

    /// Weights of the feedback of auxiliary states through each stage j to the forces of each stage i.
    fn weigh_feedback(&mut self, h: f64) {
        let nz = self.dims.nz;
        for k in 0..nz {
            let forget = forgetting(h, from_fn(|l| self.relaxation[l * nz + k]));
            // (1 + hAD)⁻¹ hA takes rates to states
            let to_state = product(&forget, &A).map(|row| row.map(|x| h * x));
            let through = product(&to_state, &A);
            for i in 0..N {
                for j in 0..N {
                    let by = [h * h * through[i][j], h * to_state[i][j]];
                    self.by[(i * N + j) * nz + k] = by;
                }
            }
        }
    }

    /// Auxiliary state k of stage i.
    fn auxiliary(&self, from: &State, h: f64, i: usize, k: usize) -> f64 {
        let sum: f64 = (0..N).map(|j| A[i][j] * self.zdot[j * self.dims.nz + k]).sum();
        from.z[k] + h * sum
    }

    /// Factors the matrices that the evaluation has filled.
    fn factor(&mut self, h: f64) -> Result<(), StepFailure> {
        self.made_for = None;
        let n_jac = self.one_rows.full().nnz();
        let (rows, cols) = (&mut self.jac_rows, &mut self.jac_cols);
        fill_constraints(self.one_rows.full(), self.dims.n_pos, &self.slope, &self.jac, rows, cols);
        let (rows, cols) = self.all_rows.two(&self.jac_rows, &self.jac_cols);
        self.stages.factor(&self.s, rows, cols)?;
        let rows = self.one_rows.values(&self.jac[(N - 1) * n_jac..]);
        self.filter.factor(&self.s_one, rows, rows)?;
        self.work.factorizations += 2;
        self.made_for = Some(h);
        Ok(())
    }

    /// Remainder that the iteration may leave, relative to the scales. A group whose steps are short because of others
    /// has almost no local error, and its remainder adds up over its own time.
    fn may_leave(&self, h: f64) -> f64 {
        let error = |rate: f64| LEFT * (h * rate).powi(6);
        let GroupRates { fastest, slowest, .. } = &self.motion_rates;
        let slow = error(*slowest).max(LEFT_ADDS_UP * self.rtol * h * slowest);
        error(*fastest).min(slow).clamp(LEFT_MIN, (LEFT_RTOL * self.rtol).max(LEFT_MIN))
    }

    /// Solves the stages from their first guess.
    pub(super) fn newton<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let h = s.h;
        self.motion_rates.look(&s.from.v, &self.start.a, &self.scale, h);
        let renew = self.renew || !serves(self.made_for, h);
        self.rounding.look(&s.from.q);
        let far = self.rounding.most();
        let limits = Limits { far, ..limits(h, self.motion_rates.slowest) };
        let mut newton = Newton::new(limits, renew).beginning(!self.goes_on(h));
        let solved = newton.solve(self, s);
        self.renew = newton.renew;
        solved
    }
}

impl<P: Problem> Equations<P> for Radau5 {
    fn evaluate(&mut self, s: &mut Step<'_, P>, renew: bool) -> Result<(), StepFailure> {
        let Dims { nv, nz, n_vel, .. } = self.dims;
        let n_jac = self.one_rows.full().nnz();
        let &mut Step { p, from, h, .. } = s;
        if p.feeds_back() {
            self.follow(s);
            if renew {
                self.weigh_feedback(h);
            }
        }
        for i in 0..N {
            let (of, zs) = (i * nv..(i + 1) * nv, i * nz..(i + 1) * nz);
            let rows = i * n_vel..(i + 1) * n_vel;
            for k in 0..nv {
                let sum: f64 =
                    (0..N).map(|j| self.a_inv[i][j] * (self.now.v[j * nv + k] - from.v[k])).sum();
                self.a[k] = sum / h;
            }
            p.manifold().retract(&from.q, &self.now.xi[of.clone()], &mut self.q);
            let (v, z) = (&self.now.v[of.clone()], &self.now.z[zs.clone()]);
            let lambda = &self.now.lambda[rows.clone()];
            let jac = &mut self.jac[i * n_jac..(i + 1) * n_jac];
            let r = &mut self.r[of];
            let e = at(p, s.ws, from.t + C[i] * h, &self.q, z).velocity(v, z);
            e.mass(&mut self.mass);
            e.jacobian(jac);
            e.force(r);
            e.residual_vel(&mut self.g_vel[rows.clone()]);
            e.z_dot(&mut self.zdot[zs]);
            if renew {
                // row block i: A⁻¹_ij M + δ_ij h C + h² a_ij K
                self.kc.fill(0.0);
                e.tangent(&self.a, lambda, 1.0, 0.0, &mut self.kc);
                self.s_one.fill(0.0);
                e.tangent(&self.a, lambda, 0.0, h, &mut self.s_one);
                fill_rows(&self.tangent, i, h, &self.kc, &self.s_one, &mut self.s);
                add_mass(&self.tangent, i, &self.a_inv, &self.mass_slots, &self.mass, &mut self.s);
                if p.feeds_back() {
                    // with the derivatives of this stage
                    for j in 0..N {
                        self.z_part.fill(0.0);
                        e.feedback(&self.by[(i * N + j) * nz..][..nz], &mut self.z_part);
                        add_block(&self.tangent, (i, j), &self.z_part, &mut self.s);
                    }
                }
                if i == N - 1 {
                    // the filter: M + c C + c² K, c = hγ₀
                    self.k_end.copy_from_slice(&self.kc);
                    self.mass_end.copy_from_slice(&self.mass);
                    let c = h * GAMMA;
                    for (s, k) in self.s_one.iter_mut().zip(&self.kc) {
                        *s = GAMMA * *s + c * c * k;
                    }
                    let by = &mut self.by[..nz];
                    weigh([c * c * c, c * c], c, &self.relaxation[i * nz..], by);
                    e.feedback(by, &mut self.s_one);
                    for (slot, x) in self.mass_slots.iter().zip(&self.mass) {
                        self.s_one[*slot] += x;
                    }
                }
            }
            for r in r.iter_mut() {
                *r = -*r;
            }
            mass_mul_add(&self.mass_blocks, &self.mass, &self.a, r);
            self.one_rows.full().mul_t_add(jac, -1.0, lambda, r);
            for r in r.iter_mut() {
                *r *= -h * h;
            }
            for k in rows {
                self.g_vel[k] *= -h;
            }
            self.work.evaluations += 1;
        }
        check_finite("residual", &self.r)?;
        check_finite("constraint residual", &self.g_vel)?;
        check_finite("controller rates", &self.zdot)?;
        if renew { self.factor(h) } else { Ok(()) }
    }

    fn solve(&mut self) -> Result<(), StepFailure> {
        let (kkt, r, x) = (&mut self.stages, &self.r, &mut self.x);
        Ok(self.all_rows.with_vectors(&self.g_vel, &mut self.y, |b, y| kkt.solve(r, b, x, y))?)
    }

    fn update(&mut self, s: &mut Step<'_, P>) -> Result<Increment, StepFailure> {
        let Dims { nv, nz, .. } = self.dims;
        let (from, h) = (s.from, s.h);
        self.work.newton += 1;
        for (v, x) in self.now.v.iter_mut().zip(&self.x) {
            *v += x / h;
        }
        for (l, y) in self.now.lambda.iter_mut().zip(&self.y) {
            *l += y / (h * h);
        }
        self.xi_before.copy_from_slice(&self.now.xi);
        self.positions(s.p, h);
        let mut increment = Increment::new(self.may_leave(h));
        for i in 0..N {
            let of = i * nv..(i + 1) * nv;
            for k in 0..nv {
                self.tmp[k] = self.now.xi[i * nv + k] - self.xi_before[i * nv + k];
            }
            increment.add_rounded(1.0, &self.tmp, &self.scale, 1.0, &self.rounding);
            increment.add_rounded(1.0, &self.x[of], &self.motion_rates.speed, 1.0, &self.rounding);
        }
        for k in 0..nz {
            for (i, z) in self.settled(from, h, k).into_iter().enumerate() {
                let old = std::mem::replace(&mut self.now.z[i * nz + k], z);
                let dz = relative_z(z - old, z, from.z[k], self.scale_z[k]);
                increment.also(dz);
            }
        }
        Ok(increment)
    }
}

/// out = l₀ y₀ + Σ l_{i+1} y_i.
fn extend(l: &[f64; N + 1], y0: &[f64], y: &[f64], out: &mut [f64]) {
    let n = out.len();
    for (k, o) in out.iter_mut().enumerate() {
        *o = l[0] * y0[k] + (0..N).map(|i| l[i + 1] * y[i * n + k]).sum::<f64>();
    }
}
