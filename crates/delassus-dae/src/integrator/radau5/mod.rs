//! RADAU5: the Radau IIA method of three stages and order 5 on the index-2 form, projected.
//!
//! ```text
//! ξ_i = h Σ_j a_ij T(ξ_j)⁻¹ v_j ,   q_i = q₀ ∘ exp(ξ_i) ,   v_i = v₀ + h Σ_j a_ij v̇_j
//! M v̇_i = f + Gᵀλ_i ,   G v_i + g_t = 0 ,   z_i = z₀ + h Σ_j a_ij ż_j
//! ```
//!
//! The last stage, brought onto g = 0 and then G v + g_t = 0 in the metric of the error filter below, so that stiff
//! elements are not strained by it, is the new state; v̇ and λ there come from one index-1 solve. The stages satisfy only the velocity constraints: positions drift by the local error within a step and no
//! further.
//!
//! The three stages are solved together: unknowns are h δv_i and h² δλ_i, and the blocks of the
//! matrix are
//!
//! ```text
//! [ A⁻¹_ij M_i + δ_ij h C_i + h² a_ij K_i    −δ_ij G_iᵀ ]
//! [ δ_ij G_i + a_ij h Ġ_i                     0         ]
//! ```
//!
//! each stage with its own M, C, K and G. That is more expensive than the transformation to one real and one complex
//! system with frozen Jacobians. But it is a true Newton method, so it tolerates long steps with large rotations of G,
//! and a matrix lives long; the pattern is three times that of one stage in each direction, so the cost stays
//! proportional to the size of a sparse model. Stages are predicted by the collocation polynomial of the step before,
//! or stay ([`guess`]).
//!
//! **Singular positions.** Let u be the velocity and x the position off the branch, and s the distance to the singular
//! position. The row that becomes weak is d(s x)/dt = s u + ṡ x = 0, with both terms of the same size within a step;
//! hence Ġ above. Over the stages this is (τ − τ*) x(τ) with a derivative that vanishes at the nodes: a regular system
//! wherever τ* lies, except at the end and at one point in between, so round-off in x is hardly amplified and a step
//! passes over. To hold g = s x = 0 at the stages would divide round-off by s of the nearest of them, squared in u.
//! Where the end of a step is that close, v̇ and λ are those of the stages. If it is so close that velocities would be
//! round-off, it is not projected either (g does not determine the correction, and the next steps make up for it).
//!
//! The local error is Hairer's: a method of order 3 embedded with ẏ₀ as an extra stage, filtered by the matrix of one
//! implicit Euler step of hγ₀ so that stiff components do not blow it up. Auxiliary states follow positions and
//! velocities, and the matrix includes their effect on the forces ([`Problem::feedback`]) and the rate at which each
//! relaxes.
//!
//! Use it for stiff systems to high accuracy, and where one-step robustness matters: impacts,
//! switching, singular positions. Reference: Hairer & Wanner, Solving Ordinary Differential
//! Equations II (1996), IV.8, VII.2 and VII.4.

mod blocks;
mod guess;
mod newton;
mod tableau;

use super::ggl::GroupRates;
use super::newton::Step;
use super::rounding::Rounding;
use super::{Abilities, Integrator, MethodInfo, Settings};
use crate::accel::Accel;
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::pivots::BestPivot;
use crate::problem::{AtVel, Dims, Problem, mass_mul_add, mass_slots};
use crate::projection::Projector;
use crate::rows::RowSubset;
use crate::state::{Derived, State};
use blocks::all_blocks;
use delassus_linalg::{Backend, Csr, KktError, MassShape, TangentKkt};
use delassus_math::remember;
use tableau::{A, C, E, GAMMA, N, inverse, slopes};

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
    can: Abilities::NOT_DELICATE,
    ..MethodInfo::BASE
};

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
remember!(Stages { h, q0, v0, z0, xi, v, z, a, lambda0, lambda });

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
    mass_blocks: MassShape,
    mass_slots: Vec<usize>,
    tangent: Csr,
    scale: Vec<f64>,
    rounding: Rounding,
    scale_z: Vec<f64>,
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
    /// Contribution of auxiliary states in one block.
    z_part: Vec<f64>,
    jac: Vec<f64>,
    /// Constraint rows and multiplier columns of the stages together.
    jac_rows: Vec<f64>,
    jac_cols: Vec<f64>,
    // the attempt, stage by stage
    now: Stages,
    last: Stages,
    have_last: bool,
    /// Positions of the stages as predicted by the polynomial of the step before, and whether such a prediction may
    /// lead far ([`guess`]).
    xi_pred: Vec<f64>,
    trusted: bool,
    best_pivot: BestPivot,
    motion_rates: GroupRates,
    zdot: Vec<f64>,
    /// Rates at which auxiliary states of the stages relax, 1/s, and weights of their feedback.
    relaxation: Vec<f64>,
    by: Vec<[f64; 2]>,
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
remember!(Radau5 {
    acc, stages, filter, made_for, renew, k_end, mass_end, last, have_last, trusted,
    best_pivot, start, work,
} apart from {
    dims, a_inv, slope, rtol, proj, mass_blocks, mass_slots, tangent, scale, rounding, scale_z, one_rows,
    all_rows, mass, kc, s, s_one, z_part, jac, jac_rows, jac_cols, now, xi_pred, motion_rates, zdot, relaxation, by, a, r, g_vel, x,
    y, rates, xi_before, q, tmp, tmp2, rows, err_xi, err_v, err_z, end,
});

impl Radau5 {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Radau5, KktError> {
        let d = p.dims();
        let st = p.structure();
        let n_jac = st.jac.nnz();
        let one_rows = RowSubset::new(st.jac.clone(), st.independent_rows.clone())?;
        let all_rows = RowSubset::new(
            all_blocks(&st.jac)?,
            st.independent_rows.as_ref().map(|rows| {
                (0..N).flat_map(|i| rows.iter().map(move |r| i * d.n_vel + r)).collect()
            }),
        )?;
        let stages =
            TangentKkt::new(all_blocks(&st.tangent)?, all_rows.pattern().clone(), Backend::Auto)?;
        let filter =
            TangentKkt::new(st.tangent.clone(), one_rows.pattern().clone(), Backend::Auto)?;
        let mass_slots = mass_slots(&st.mass, &st.tangent)?;
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
            acc: Accel::beside_rows(p)?,
            proj: Projector::new(p, s.constraint_tol),
            mass_blocks: st.mass.clone(),
            mass_slots,
            tangent: st.tangent.clone(),
            scale: p.scales().q,
            rounding: Rounding::new(p),
            scale_z: p.scales().z,
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
            z_part: n(nnz),
            jac: n(N * n_jac),
            jac_rows: n(N * N * n_jac),
            jac_cols: n(N * N * n_jac),
            now: memory.clone(),
            last: memory,
            have_last: false,
            xi_pred: n(N * d.nv),
            trusted: false,
            best_pivot: BestPivot::new(),
            motion_rates: GroupRates::new(p),
            zdot: n(N * d.nz),
            relaxation: n(N * d.nz),
            by: vec![[0.0; 2]; N * N * d.nz],
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

    /// Continues from a state that another method has reached, with the given derived values.
    pub(super) fn adopt(&mut self, d: &Derived) {
        self.start.copy_from(d);
        self.have_last = false;
        self.trusted = false;
    }

    /// After a failure: records the pivots of W within the step, so that the driver can recognise a singular position.
    /// A failure in here is ignored: its cause is already known.
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
        self.best_pivot.near_singular(self.acc.weakest_pivot)
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
        // the remaining g decides how the motion continues; g determines the correction while velocities exceed
        // round-off
        let told = self.acc.weakest_pivot > crate::pivots::ROUNDINGS * f64::EPSILON / self.rtol;
        if told || drift > self.proj.limit {
            if !singular {
                self.position_as_filtered(p, ws, to)?;
            }
            self.proj.position_from(p, ws, &mut self.acc, to.t, &mut to.q, &to.z)?;
            if !singular {
                self.velocity_as_filtered(p, ws, to)?;
            }
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

    /// Most of the projection of positions in the metric of the filter, which spares stiff elements.
    fn position_as_filtered<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let Radau5 { filter, one_rows, r, y, proj, .. } = self;
        let correct = |b: &[f64], x: &mut [f64]| in_metric(filter, one_rows, (r, y), b, x);
        if proj.position_in(p, ws, to.t, &mut to.q, &to.z, correct)? {
            self.acc.factor_realized(p, ws)?;
        }
        Ok(())
    }

    /// The same of velocities.
    fn velocity_as_filtered<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let Radau5 { filter, one_rows, r, y, proj, .. } = self;
        let correct = |b: &[f64], x: &mut [f64]| in_metric(filter, one_rows, (r, y), b, x);
        proj.velocity_in(p, ws, &mut to.v, &to.z, correct)
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
        // v̇₀ from the step before: the multipliers do not count here, and close to a singular position those of the
        // index-1 solve carry the residual of the constraints
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
            let forgets = self.relaxation[(N - 1) * nz + k];
            self.err_z[k] = GAMMA * z / (1.0 + c * forgets);
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

/// x with G x = b that is smallest in the metric of a factored matrix; `r` and `y` are overwritten.
fn in_metric(
    kkt: &mut TangentKkt,
    rows: &mut RowSubset,
    (r, y): (&mut [f64], &mut [f64]),
    b: &[f64],
    x: &mut [f64],
) -> Result<(), StepFailure> {
    let (r, y) = (&mut r[..x.len()], &mut y[..b.len()]);
    r.fill(0.0);
    rows.with_vectors(b, y, |b, y| kkt.solve(r, b, x, y))?;
    check_finite("projection", x)
}

impl<P: Problem> Integrator<P> for Radau5 {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let d = &mut self.start;
        self.acc.weakest_pivot = 1.0;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        self.best_pivot.restart(self.acc.weakest_pivot);
        self.have_last = false;
        self.trusted = false;
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
        to.t = from.t + h;
        let mut step = Step { p, ws, from, h, to };
        self.guess(&mut step)?;
        if let Err(e) = self.newton(&mut step) {
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
        self.best_pivot.accepted(self.acc.weakest_pivot);
        self.trusted = self.predicts_well();
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
        self.work + self.acc.work
    }
}
