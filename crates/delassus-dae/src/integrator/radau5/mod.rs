//! RADAU5: the Radau IIA method of three stages and order 5 on the index-2 form, projected.
//!
//! ```text
//! ξ_i = h Σ_j a_ij T(ξ_j)⁻¹ v_j ,   q_i = q₀ ∘ exp(ξ_i) ,   v_i = v₀ + h Σ_j a_ij v̇_j
//! M v̇_i = f + Gᵀλ_i ,   G v_i + g_t = 0 ,   z_i = z₀ + h Σ_j a_ij ż_j
//! ```
//!
//! The last stage, brought onto g = 0 and then G v + g_t = 0, is the new state; v̇ and λ there
//! come from one index-1 solve. The stages hold velocities alone: positions drift by the local
//! error within a step and no further.
//!
//! The three stages are solved together: unknowns are h δv_i and h² δλ_i, and the blocks of the
//! matrix are
//!
//! ```text
//! [ A⁻¹_ij M_i + δ_ij h C_i + h² a_ij K_i    −δ_ij G_iᵀ ]
//! [ δ_ij G_i + a_ij h Ġ_i                     0         ]
//! ```
//!
//! each stage with its own M, C, K and G. That is dearer than the transformation to one real and
//! one complex system with frozen Jacobians, but it is Newton's method proper, so it bears long
//! steps with large rotations of G, and a matrix lives long; the pattern is three times that of
//! one stage in each direction, so the cost stays proportional to the size of a sparse model.
//! Stages are predicted by the collocation polynomial of the step before.
//!
//! **Singular positions.** Let u be the velocity and x the position out of the branch, and s the
//! distance to the singular position. The row that gets weak is d(s x)/dt = s u + ṡ x = 0, both
//! terms of one size within a step; hence Ġ above. Over the stages this is (τ − τ*) x(τ) with a
//! derivative that vanishes at the nodes: a regular system wherever τ* lies, but for the end and
//! one point between, so round-off in x is not amplified to speak of and a step passes over. To
//! hold g = s x = 0 at the stages would divide round-off by s of the nearest of them, squared in
//! u. Where the end of a step is that close, it is not projected (g does not tell how far to go,
//! and the next steps make up for it), and v̇ and λ are those of the stages.
//!
//! The local error is Hairer's: a method of order 3 embedded with ẏ₀ as an extra stage,
//! filtered by the matrix of one implicit Euler step of hγ₀ so that stiff components do not
//! blow it up. Auxiliary states are iterated without their Jacobian.
//!
//! Use it for stiff systems to high accuracy, and where one-step robustness matters: impacts,
//! switching, singular positions. Reference: Hairer & Wanner, Solving Ordinary Differential
//! Equations II (1996), IV.8, VII.2 and VII.4.

mod blocks;
mod tableau;

use super::ggl::{Monitor, Verdict, larger, rate_of_motion, relative_z, serves};
use super::{Integrator, MethodInfo, Settings};
use crate::accel::Accel;
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{AtVel, Dims, Problem, at, mass_mul_add, mass_slots};
use crate::projection::Projector;
use crate::rows::RowSubset;
use crate::state::{Derived, State};
use blocks::{add_mass, all_blocks, fill_constraints, fill_rows};
use delassus_linalg::{Backend, BlockDiag, Csr, KktError, TangentKkt};
use tableau::{A, C, E, GAMMA, N, inverse, lagrange, slopes};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "radau5",
    summary: "Radau IIA of order 5 on index 2 with projection; stiff systems, adaptive or fixed step",
    order: [5, 5, 5],
    dense_order: 5,
    index: 2,
    stiff: true,
    error_order: 4,
    holds_step: true,
    default_rtol: 1e-6,
    citation: "Hairer & Wanner 1996",
    ..MethodInfo::BASE
};

/// Longest step, in steps before, whose stages are predicted by the last polynomial.
const EXTRAPOLATE: f64 = 3.0;
/// Sweeps of ξ = hΣ a T(ξ)⁻¹v in each iteration; each gains a factor of about hΩ/4.
const SWEEPS: usize = 3;
/// Relative pivot of G M⁻¹ Gᵀ (the square of the distance to a singular position, in radians or
/// so), as a part of the largest met, below which g does not tell how far to go and index-1
/// accelerations are dominated by what little the state is off the constraints.
const NEAR_SINGULAR: f64 = 2e-6;
/// What the iteration may leave, in (hω)⁶: far below the local error (hω)⁶/7200, because local
/// errors may cancel over a turn of a spinning body and what an old matrix leaves does not.
const LEFT: f64 = 1e-9;
/// Bounds of what the iteration may leave: relative to the scales, and to the tolerance.
const LEFT_MIN: f64 = 1e-15;
const LEFT_RTOL: f64 = 1e-2;

/// Stages of a step, for the prediction of the next.
#[derive(Debug, Clone, Default)]
struct Stages {
    h: f64,
    q0: Vec<f64>,
    v0: Vec<f64>,
    z0: Vec<f64>,
    xi: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    /// v̇ of the last stage.
    a: Vec<f64>,
    /// Multipliers at the start and of the stages.
    lambda0: Vec<f64>,
    lambda: Vec<f64>,
}

/// The method with its memory.
pub struct Radau5 {
    dims: Dims,
    a_inv: [[f64; N]; N],
    /// h d/dt at the nodes, from values at the nodes.
    slope: [[f64; N]; N],
    rtol: f64,
    acc: Accel,
    proj: Projector,
    // structure
    mass_blocks: BlockDiag,
    mass_slots: Vec<usize>,
    tangent: Csr,
    scale: Vec<f64>,
    /// Rows of one stage and of all stages.
    one_rows: RowSubset,
    all_rows: RowSubset,
    /// The three stages together, and one implicit Euler step for the error.
    stages: TangentKkt,
    filter: TangentKkt,
    made_for: Option<f64>,
    renew: bool,
    // values on patterns
    mass: Vec<f64>,
    kc: Vec<f64>,
    k_end: Vec<f64>,
    mass_end: Vec<f64>,
    s: Vec<f64>,
    s_one: Vec<f64>,
    jac: Vec<f64>,
    /// Constraint rows and multiplier columns of the stages together.
    jac_rows: Vec<f64>,
    jac_cols: Vec<f64>,
    // the attempt, stage by stage
    now: Stages,
    last: Stages,
    have_last: bool,
    /// Largest relative pivot of G M⁻¹Gᵀ at the end of a step.
    best_pivot: f64,
    zdot: Vec<f64>,
    a: Vec<f64>,
    r: Vec<f64>,
    g_vel: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    rates: Vec<f64>,
    xi_before: Vec<f64>,
    q: Vec<f64>,
    tmp: Vec<f64>,
    tmp2: Vec<f64>,
    rows: Vec<f64>,
    err_xi: Vec<f64>,
    err_v: Vec<f64>,
    err_z: Vec<f64>,
    start: Derived,
    end: Derived,
    work: Work,
}

impl Radau5 {
    /// Sizes everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Radau5, KktError> {
        let d = p.dims();
        let st = p.structure();
        let n_jac = st.jac.nnz();
        let one_rows = RowSubset::new(st.jac.clone(), st.independent_rows.clone())?;
        let all_rows = RowSubset::new(
            all_blocks(&st.jac)?,
            st.independent_rows.map(|rows| {
                (0..N).flat_map(|i| rows.iter().map(move |r| i * d.n_vel + r)).collect()
            }),
        )?;
        let stages =
            TangentKkt::new(all_blocks(&st.tangent)?, all_rows.pattern().clone(), Backend::Auto)?;
        let filter =
            TangentKkt::new(st.tangent.clone(), one_rows.pattern().clone(), Backend::Auto)?;
        let mass_slots = mass_slots(&st.mass, &st.tangent);
        let nnz = st.tangent.nnz();
        let n_mass = st.mass.value_len();
        let n = |n: usize| vec![0.0; n];
        let memory = Stages {
            h: 0.0,
            q0: n(d.nq),
            v0: n(d.nv),
            z0: n(d.nz),
            xi: n(N * d.nv),
            v: n(N * d.nv),
            z: n(N * d.nz),
            a: n(d.nv),
            lambda0: n(d.n_vel),
            lambda: n(N * d.n_vel),
        };
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(Radau5 {
            dims: d,
            a_inv: inverse(&A),
            slope: slopes(),
            rtol: s.tol.rtol,
            acc: Accel::new(p)?,
            proj: Projector::new(p, s.constraint_tol),
            mass_blocks: st.mass,
            mass_slots,
            tangent: st.tangent,
            scale: p.scales().q,
            one_rows,
            all_rows,
            stages,
            filter,
            made_for: None,
            renew: false,
            mass: n(n_mass),
            kc: n(nnz),
            k_end: n(nnz),
            mass_end: n(n_mass),
            s: n(N * N * nnz),
            s_one: n(nnz),
            jac: n(N * n_jac),
            jac_rows: n(N * N * n_jac),
            jac_cols: n(N * N * n_jac),
            now: memory.clone(),
            last: memory,
            have_last: false,
            best_pivot: 0.0,
            zdot: n(N * d.nz),
            a: n(d.nv),
            r: n(N * d.nv),
            g_vel: n(N * d.n_vel),
            x: n(N * d.nv),
            y: n(N * d.n_vel),
            rates: n(N * d.nv),
            xi_before: n(N * d.nv),
            q: n(d.nq),
            tmp: n(d.nv),
            tmp2: n(d.nv),
            rows: n(d.n_vel),
            err_xi: n(d.nv),
            err_v: n(d.nv),
            err_z: n(d.nz),
            start: derived.clone(),
            end: derived,
            work: Work::default(),
        })
    }

    /// Goes on from a state that another method has reached: what follows from it is given.
    pub(super) fn adopt(&mut self, d: &Derived) {
        self.start.copy_from(d);
        self.have_last = false;
    }

    /// Velocities and auxiliary states of the stages: by the last polynomial, or as they are.
    fn predict<P: Problem>(&mut self, p: &P, from: &State, h: f64) {
        let Dims { nv, nz, n_vel, .. } = self.dims;
        let now = &mut self.now;
        now.h = h;
        now.q0.copy_from_slice(&from.q);
        now.v0.copy_from_slice(&from.v);
        now.z0.copy_from_slice(&from.z);
        now.lambda0.copy_from_slice(&self.start.lambda);
        let goes_on = self.have_last && h <= EXTRAPOLATE * self.last.h;
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
    fn positions<P: Problem>(&mut self, p: &P, h: f64) {
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

    /// Residuals of all stages; with `fill` the values of the matrix too.
    fn evaluate<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        fill: bool,
    ) -> Result<(), StepFailure> {
        let Dims { nv, nz, n_vel, .. } = self.dims;
        let n_jac = self.one_rows.full().nnz();
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
            let e = at(p, ws, from.t + C[i] * h, &self.q, z).velocity(v, z);
            e.mass(&mut self.mass);
            e.jacobian(jac);
            e.force(r);
            e.residual_vel(&mut self.g_vel[rows.clone()]);
            e.z_dot(&mut self.zdot[zs]);
            if fill {
                // row block i: A⁻¹_ij M + δ_ij h C + h² a_ij K
                self.kc.fill(0.0);
                e.tangent(&self.a, lambda, 1.0, 0.0, &mut self.kc);
                self.s_one.fill(0.0);
                e.tangent(&self.a, lambda, 0.0, h, &mut self.s_one);
                fill_rows(&self.tangent, i, h, &self.kc, &self.s_one, &mut self.s);
                add_mass(&self.tangent, i, &self.a_inv, &self.mass_slots, &self.mass, &mut self.s);
                if i == N - 1 {
                    // the filter: M + c C + c² K, c = hγ₀
                    self.k_end.copy_from_slice(&self.kc);
                    self.mass_end.copy_from_slice(&self.mass);
                    let c = h * GAMMA;
                    for (s, k) in self.s_one.iter_mut().zip(&self.kc) {
                        *s = GAMMA * *s + c * c * k;
                    }
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
        check_finite("controller rates", &self.zdot)
    }

    /// Factors what [`Radau5::evaluate`] has filled.
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

    fn newton<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
    ) -> Result<(), StepFailure> {
        let Dims { nv, nz, .. } = self.dims;
        let omega = rate_of_motion(&from.v, &self.start.a, &self.scale, h);
        let most = (LEFT_RTOL * self.rtol).max(LEFT_MIN);
        let tol = (LEFT * (h * omega).powi(6)).clamp(LEFT_MIN, most);
        let mut monitor = Monitor::new(h, omega, self.renew);
        loop {
            let fill = monitor.renew || !serves(self.made_for, h);
            self.evaluate(p, ws, from, h, fill)?;
            if fill {
                self.factor(h)?;
                monitor.renewed();
            }
            let (kkt, r, x) = (&mut self.stages, &self.r, &mut self.x);
            self.all_rows.with_vectors(&self.g_vel, &mut self.y, |b, y| kkt.solve(r, b, x, y))?;
            self.work.newton += 1;
            for (v, x) in self.now.v.iter_mut().zip(&self.x) {
                *v += x / h;
            }
            for (l, y) in self.now.lambda.iter_mut().zip(&self.y) {
                *l += y / (h * h);
            }
            self.xi_before.copy_from_slice(&self.now.xi);
            self.positions(p, h);
            let (mut norm, mut worst) = (0.0, 0);
            for i in 0..N {
                let of = i * nv..(i + 1) * nv;
                for k in 0..nv {
                    self.tmp[k] = self.now.xi[i * nv + k] - self.xi_before[i * nv + k];
                }
                larger(&mut norm, &mut worst, 1.0, &self.tmp, &self.scale);
                larger(&mut norm, &mut worst, 1.0 / (h * omega), &self.x[of], &self.scale);
            }
            for i in 0..N {
                for k in 0..nz {
                    let sum: f64 = (0..N).map(|j| A[i][j] * self.zdot[j * nz + k]).sum();
                    let z = from.z[k] + h * sum;
                    let old = std::mem::replace(&mut self.now.z[i * nz + k], z);
                    norm = norm.max(relative_z(z - old, z, from.z[k]));
                }
            }
            match monitor.judge(norm, tol) {
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

    /// After a failure: notes the pivots of W within the step, for the driver to tell a singular
    /// position. What fails here fails for the reason that is already known.
    fn look_for_singular<P: Problem>(&mut self, p: &P, ws: &mut P::Ws, from: &State, h: f64) {
        self.predict(p, from, h);
        for i in 0..N {
            let xi = &self.now.xi[i * self.dims.nv..(i + 1) * self.dims.nv];
            p.manifold().retract(&from.q, xi, &mut self.q);
            if self.acc.factor_at(p, ws, from.t + C[i] * h, &self.q, &from.z).is_err() {
                return;
            }
        }
    }

    /// Whether the end of the attempt is close to a singular position.
    fn near_singular(&self) -> bool {
        self.acc.weakest_pivot < NEAR_SINGULAR * self.best_pivot
    }

    /// Brings the end of the step onto the constraints; v̇, λ and ż there.
    fn finish<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        check_finite("coordinates", &to.q)?;
        check_finite("velocities", &to.v)?;
        self.acc.factor_at(p, ws, to.t, &to.q, &to.z)?;
        let singular = self.near_singular();
        let drift = self.proj.drift(p, ws);
        if !singular || drift > self.proj.limit {
            self.proj.position_from(p, ws, &mut self.acc, to.t, &mut to.q, &to.z)?;
            self.proj.velocity(p, ws, &mut self.acc, &mut to.v, &to.z)?;
        } else {
            p.realize_velocity(&to.v, &to.z, ws);
        }
        let e = AtVel::realized(p, ws);
        let Derived { a, lambda, zdot } = &mut self.end;
        if !singular {
            return self.acc.solve_at(&e, a, lambda, zdot);
        }
        e.z_dot(zdot);
        a.copy_from_slice(&self.now.a);
        lambda.copy_from_slice(&self.now.lambda[(N - 1) * self.dims.n_vel..]);
        check_finite("controller rates", zdot)
    }

    /// Local error, filtered.
    fn estimate(&mut self, from: &State, h: f64) -> Result<(), StepFailure> {
        let Dims { nv, nz, n_vel, .. } = self.dims;
        let c = h * GAMMA;
        for k in 0..nv {
            let sum: f64 =
                (0..N).map(|j| self.a_inv[N - 1][j] * (self.now.v[j * nv + k] - from.v[k])).sum();
            self.now.a[k] = sum / h;
        }
        // v̇₀ as the step before has it: the multipliers do not count here, and close to a
        // singular position those of the index-1 solve carry what is left of the constraints
        let a0 = if self.have_last { &self.last.a } else { &self.start.a };
        for k in 0..nv {
            let (mut x, mut v) = (h * from.v[k], h * a0[k]);
            for i in 0..N {
                x += E[i] * self.now.xi[i * nv + k];
                v += E[i] * (self.now.v[i * nv + k] - from.v[k]);
            }
            self.err_xi[k] = GAMMA * x;
            self.tmp[k] = GAMMA * v;
        }
        for k in 0..nz {
            let mut z = h * self.start.zdot[k];
            for i in 0..N {
                z += E[i] * (self.now.z[i * nz + k] - from.z[k]);
            }
            self.err_z[k] = GAMMA * z;
        }
        // S ε_v − Gᵀν = M e_v − c K e_ξ ,  G ε_v = 0 ,  ε_ξ = e_ξ + c ε_v
        let r = &mut self.r[..nv];
        r.fill(0.0);
        mass_mul_add(&self.mass_blocks, &self.mass_end, &self.tmp, r);
        self.tangent.mul_add(&self.k_end, -c, &self.err_xi, r);
        self.rows.fill(0.0);
        let (kkt, x) = (&mut self.filter, &mut self.err_v);
        let y = &mut self.y[..n_vel];
        self.one_rows.with_vectors(&self.rows, y, |b, y| kkt.solve(r, b, x, y))?;
        for k in 0..nv {
            self.err_xi[k] += c * self.err_v[k];
        }
        Ok(())
    }
}

/// out = l₀ y₀ + Σ l_{i+1} y_i.
fn extend(l: &[f64; N + 1], y0: &[f64], y: &[f64], out: &mut [f64]) {
    let n = out.len();
    for (k, o) in out.iter_mut().enumerate() {
        *o = l[0] * y0[k] + (0..N).map(|i| l[i + 1] * y[i * n + k]).sum::<f64>();
    }
}

impl<P: Problem> Integrator<P> for Radau5 {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let d = &mut self.start;
        self.acc.weakest_pivot = 1.0;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        self.best_pivot = self.acc.weakest_pivot;
        self.have_last = false;
        self.made_for = None;
        Ok(())
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let Dims { nv, nz, .. } = self.dims;
        let m = p.manifold();
        let tail = (N - 1) * nv..N * nv;
        self.acc.weakest_pivot = 1.0;
        self.predict(p, from, h);
        to.t = from.t + h;
        check_finite("prediction", &self.now.xi)?;
        self.positions(p, h);
        if let Err(e) = self.newton(p, ws, from, h) {
            self.look_for_singular(p, ws, from, h);
            return Err(e);
        }
        m.retract(&from.q, &self.now.xi[tail.clone()], &mut to.q);
        to.v.copy_from_slice(&self.now.v[tail]);
        to.z.copy_from_slice(&self.now.z[(N - 1) * nz..]);
        self.estimate(from, h)?;
        self.finish(p, ws, to)
    }

    fn commit(&mut self) {
        self.best_pivot = self.best_pivot.max(self.acc.weakest_pivot);
        std::mem::swap(&mut self.now, &mut self.last);
        self.have_last = true;
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        ErrorView { xi: &self.err_xi, v: &self.err_v, z: &self.err_z, second: None }
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        self.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        let mut w = self.work;
        w += self.acc.work;
        w
    }
}
