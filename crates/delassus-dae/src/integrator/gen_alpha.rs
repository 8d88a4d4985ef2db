//! Generalized-α on the index-3 form, Lie-group version, fixed or varying step.
//!
//! ```text
//! (1−α_m) a₁ + α_m a₀ = (1−α_f) v̇₁ + α_f v̇₀
//! ξ  = h v₀ + h² [(½−β) a₀ + β a₁] ,   q₁ = q₀ ∘ exp(ξ)
//! v₁ = v₀ + h [(1−γ) a₀ + γ a₁]
//! M v̇₁ − f − Gᵀλ₁ = 0 ,   g(q₁, t₁) = 0
//! ```
//!
//! Unknowns of Newton's iteration are (ξ, βh²λ), which keeps the matrix free of powers of h.
//! The algorithmic acceleration a approximates v̇ at t + δh, δ = α_m − α_f, and the index-3
//! form carries an offset C_q h² P v̈ in the velocity constraint; both belong to one step size.
//! So at the start and whenever h changes the method starts afresh: velocity projected onto
//! the constraints, index-1 acceleration, then both offsets for the new h. Without them λ, and
//! with it the error estimate, is only first order; carrying the old ones over with a rescaling
//! lets errors of the offset grow as h shrinks. Velocity-only (rolling) rows are imposed at
//! velocity level. Auxiliary states follow the trapezoidal rule.
//!
//! Use it for stiff systems and where a smooth, dissipative answer is wanted; v and λ carry
//! an O(h²) offset, the price of index 3. References: Chung & Hulbert, J. Appl. Mech. 60
//! (1993); Arnold & Brüls, Multibody Syst. Dyn. 18 (2007); Brüls, Cardona & Arnold, Mech.
//! Mach. Theory 48 (2012); Arnold, Brüls & Cardona, Numer. Math. 129 (2015).

use super::{Integrator, MethodInfo, OptionInfo, OptionKind, Settings};
use crate::accel::Accel;
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{Dims, Problem, at, mass_mul_add, mass_slots};
use crate::rows::RowSubset;
use crate::state::{Derived, State};
use delassus_linalg::{Backend, BlockDiag, Csr, KktError, TangentKkt};

/// Spectral radius at infinity, an option of the whole family.
const RHO_INF: OptionInfo = OptionInfo {
    name: "rho_inf",
    summary: "spectral radius at infinity: 1 no numerical damping, 0 the strongest",
    kind: OptionKind::Number { default: 0.9, min: 0.0, max: 1.0 },
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "gen-alpha",
    aliases: &["gen-alpha-index3"],
    summary: "generalized-alpha on index 3, Lie group; stiff systems, adaptive or fixed step",
    order: [2, 2, 2],
    dense_order: 2,
    index: 3,
    stiff: true,
    error_order: 3,
    per_unit_step: true,
    holds_step: true,
    default_rtol: 1e-6,
    options: &[RHO_INF],
    citation: "Chung & Hulbert 1993; Arnold & Brüls 2007; Brüls, Cardona & Arnold 2012",
    ..MethodInfo::BASE
};

/// Newton iterations before an attempt is given up.
const MAX_ITERATIONS: usize = 12;
/// No need to predict a remaining error below this (relative).
const NEWTON_FLOOR: f64 = 1e-17;
/// What is left enters λ divided by βh², and nothing damps it when ρ∞ is near 1.
const NEWTON_CEILING: f64 = 1e-14;
/// Increments below this (relative) may be round-off.
const ROUND_OFF: f64 = 3e-16;
/// Below this (relative) slow contraction says nothing about the matrix.
const NOISE: f64 = 2e-15;
/// Near a singular position round-off is amplified: increments of this size that do not get
/// smaller any more are as good as it gets.
const STALLED: f64 = 1e-9;
/// Contraction beyond which the matrix is renewed.
const SLOW: f64 = 0.1;

/// Parameters of the family for a spectral radius ρ at infinity.
#[derive(Debug, Clone, Copy)]
struct Coefficients {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    delta: f64,
    /// Local position error is C_q h³ v̈.
    c_q: f64,
}

impl Coefficients {
    fn new(rho: f64) -> Coefficients {
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        let beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
        let delta = alpha_m - alpha_f;
        Coefficients { alpha_m, alpha_f, beta, gamma, delta, c_q: 1.0 / 6.0 - beta - 0.5 * delta }
    }
}

/// The method with its memory.
pub struct GenAlpha {
    co: Coefficients,
    dims: Dims,
    acc: Accel,
    kkt: TangentKkt,
    // structure
    mass_blocks: BlockDiag,
    mass_slots: Vec<usize>,
    subset: RowSubset,
    tangent_pattern: Csr,
    scale: Vec<f64>,
    newton_tol: f64,
    // values on the patterns
    mass: Vec<f64>,
    jac: Vec<f64>,
    jac_rows: Vec<f64>,
    s: Vec<f64>,
    // history: algorithmic acceleration at the present state, v̇ and λ one step before, how many
    // steps of this size in a row, the step that led here
    a_alg: Vec<f64>,
    before: Derived,
    in_a_row: u32,
    extrapolate: bool,
    h_prev: Option<f64>,
    have_factor: bool,
    renew: bool,
    // the attempt: what it starts from
    base: Derived,
    jerk: Vec<f64>,
    a0: Vec<f64>,
    a1: Vec<f64>,
    v0: Vec<f64>,
    xi: Vec<f64>,
    r: Vec<f64>,
    res: Vec<f64>,
    dx: Vec<f64>,
    dl: Vec<f64>,
    tmp: Vec<f64>,
    tmp2: Vec<f64>,
    rows: Vec<f64>,
    q_tmp: Vec<f64>,
    err: Vec<f64>,
    h: f64,
    start: Derived,
    end: Derived,
    work: Work,
}

impl GenAlpha {
    /// Sizes everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<GenAlpha, KktError> {
        let d = p.dims();
        let st = p.structure();
        let n_jac = st.jac.nnz();
        let subset = RowSubset::new(st.jac, st.independent_rows)?;
        let kkt = TangentKkt::new(st.tangent.clone(), subset.pattern().clone(), Backend::Auto)?;
        let mass_slots = mass_slots(&st.mass, &st.tangent);
        let nv = || vec![0.0; d.nv];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(GenAlpha {
            co: Coefficients::new(s.options.number(&INFO, RHO_INF.name)),
            dims: d,
            acc: Accel::new(p)?,
            kkt,
            mass: vec![0.0; st.mass.value_len()],
            jac: vec![0.0; n_jac],
            jac_rows: vec![0.0; n_jac],
            s: vec![0.0; st.tangent.nnz()],
            mass_blocks: st.mass,
            mass_slots,
            subset,
            tangent_pattern: st.tangent,
            scale: p.scales().q,
            newton_tol: 0.0,
            a_alg: nv(),
            before: derived.clone(),
            in_a_row: 0,
            extrapolate: false,
            h_prev: None,
            have_factor: false,
            renew: false,
            base: derived.clone(),
            jerk: nv(),
            a0: nv(),
            a1: nv(),
            v0: nv(),
            xi: nv(),
            r: nv(),
            res: vec![0.0; d.n_vel],
            dx: nv(),
            dl: vec![0.0; d.n_vel],
            tmp: nv(),
            tmp2: nv(),
            rows: vec![0.0; d.n_vel],
            q_tmp: vec![0.0; d.nq],
            err: nv(),
            h: 0.0,
            start: derived.clone(),
            end: derived,
            work: Work::default(),
        })
    }

    /// Starts afresh from `from` for steps of size h: velocity on the constraints, index-1
    /// acceleration there, jerk by a central difference along the flow, then the offsets that
    /// the method expects of a and v.
    fn prepare<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
    ) -> Result<(), StepFailure> {
        let nv = self.dims.nv;
        self.v0.copy_from_slice(&from.v);
        self.acc.factor_at(p, ws, from.t, &from.q, &from.z)?;
        if self.dims.n_vel > 0 {
            p.realize_velocity(&from.v, &from.z, ws);
            p.residual_vel(ws, &mut self.rows);
            for r in &mut self.rows {
                *r = -*r;
            }
            self.acc.correct(&self.rows, &mut self.tmp)?;
            for i in 0..nv {
                self.v0[i] += self.tmp[i];
            }
        }
        let e = at(p, ws, from.t, &from.q, &from.z).velocity(&self.v0, &from.z);
        let b = &mut self.base;
        self.acc.solve_at(&e, &mut b.a, &mut b.lambda, &mut b.zdot)?;
        // jerk
        let tau = 0.05 * h;
        self.jerk.fill(0.0);
        for sign in [1.0, -1.0] {
            let k = sign * tau;
            for i in 0..nv {
                self.xi[i] = k * self.v0[i] + 0.5 * k * k * self.base.a[i];
                self.tmp2[i] = self.v0[i] + k * self.base.a[i];
            }
            p.manifold().retract(&from.q, &self.xi, &mut self.q_tmp);
            let (a, l, z) = (&mut self.tmp, &mut self.rows, &mut self.end.zdot);
            self.acc.eval(p, ws, from.t + k, &self.q_tmp, &self.tmp2, &from.z, a, l, z)?;
            for i in 0..nv {
                self.jerk[i] += sign * self.tmp[i] / (2.0 * tau);
            }
        }
        for i in 0..nv {
            self.a0[i] = self.base.a[i] + self.co.delta * h * self.jerk[i];
        }
        // v₀ ← v₀ + h² P (C_q v̈ + v̂v̇/12), P the projector on the constrained directions
        if self.dims.n_pos > 0 {
            p.manifold().bracket(&self.v0, &self.base.a, &mut self.tmp);
            for i in 0..nv {
                self.tmp[i] = h * h * (self.co.c_q * self.jerk[i] + self.tmp[i] / 12.0);
            }
            self.acc.factor_at(p, ws, from.t, &from.q, &from.z)?;
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

    /// Increment, relative to the scale of its coordinate, at which Newton's method may stop.
    /// What is left enters the velocity divided by h and adds up over the steps, so it must be
    /// small against the local error of the velocity, (hω)³ ω times h, where ω is the rate of
    /// the present motion.
    fn tolerance_for(&self, h: f64) -> f64 {
        let mut omega: f64 = 0.0;
        for i in 0..self.dims.nv {
            let s = self.scale[i];
            omega = omega.max(self.v0[i].abs() / s).max((self.base.a[i].abs() / s).sqrt());
        }
        (1e-4 * (h * omega).powi(4)).clamp(NEWTON_FLOOR, NEWTON_CEILING)
    }

    /// Matrix of Newton's method at the point realised in `ws`, factored.
    fn factor<P: Problem>(&mut self, p: &P, ws: &P::Ws, h: f64) -> Result<(), StepFailure> {
        let Coefficients { alpha_m, alpha_f, beta, gamma, .. } = self.co;
        let m = p.manifold();
        self.s.fill(0.0);
        let ck = beta * h * h;
        let cc = gamma * h;
        if m.is_vector() {
            p.tangent(ws, &self.end.a, &self.end.lambda, ck, cc, &mut self.s);
        } else {
            // K acts on increments at q₁, i.e. on T(ξ) dξ; C acts on dv
            p.tangent(ws, &self.end.a, &self.end.lambda, ck, 0.0, &mut self.s);
            m.right_multiply(&self.tangent_pattern, &mut self.s, &self.xi);
            p.tangent(ws, &self.end.a, &self.end.lambda, 0.0, cc, &mut self.s);
        }
        let cm = (1.0 - alpha_m) / (1.0 - alpha_f);
        for (slot, x) in self.mass_slots.iter().zip(&self.mass) {
            self.s[*slot] += cm * x;
        }
        self.jac_rows.copy_from_slice(&self.jac);
        m.right_multiply(self.subset.full(), &mut self.jac_rows, &self.xi);
        let (rows, cols) = self.subset.two(&self.jac_rows, &self.jac);
        self.kkt.factor(&self.s, rows, cols)?;
        self.work.factorizations += 1;
        self.have_factor = true;
        self.renew = false;
        Ok(())
    }

    /// Residuals −βh² r and −g at the present iterate.
    fn residual<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let Dims { n_pos, nv, .. } = self.dims;
        let ck = self.co.beta * h * h;
        p.manifold().retract(&from.q, &self.xi, &mut to.q);
        {
            let e = at(p, ws, to.t, &to.q, &to.z).velocity(&to.v, &to.z);
            e.mass(&mut self.mass);
            e.jacobian(&mut self.jac);
            e.force(&mut self.r);
            e.residual_vel(&mut self.res);
            e.residual_pos(&mut self.res[..n_pos]);
            e.z_dot(&mut self.end.zdot);
        }
        for r in &mut self.r {
            *r = -*r;
        }
        mass_mul_add(&self.mass_blocks, &self.mass, &self.end.a, &mut self.r);
        self.subset.full().mul_t_add(&self.jac, -1.0, &self.end.lambda, &mut self.r);
        for i in 0..nv {
            self.r[i] *= -ck;
        }
        // position rows as they are, velocity rows divided by ∂v/∂ξ = γ/(βh)
        let cv = self.co.beta * h / self.co.gamma;
        for (i, g) in self.res.iter_mut().enumerate() {
            *g *= if i < n_pos { -1.0 } else { -cv };
        }
        self.work.evaluations += 1;
        check_finite("residual", &self.r)?;
        check_finite("constraint residual", &self.res)
    }

    /// Newton's iteration with a matrix that is kept while it contracts well.
    fn newton<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let Coefficients { alpha_m, alpha_f, beta, gamma, .. } = self.co;
        let b1 = 1.0 / (beta * h * h);
        let bv = gamma / (beta * h);
        let ba = b1 * (1.0 - alpha_m) / (1.0 - alpha_f);
        let mut last = f64::INFINITY;
        let mut worst = 0;
        let mut fresh = false;
        for k in 0..MAX_ITERATIONS {
            self.residual(p, ws, from, h, to)?;
            if !self.have_factor || self.renew {
                self.factor(p, ws, h)?;
                fresh = true;
            }
            let (kkt, r, dx) = (&mut self.kkt, &self.r, &mut self.dx);
            self.subset.with_vectors(&self.res, &mut self.dl, |b, y| kkt.solve(r, b, dx, y))?;
            self.work.newton += 1;
            let mut norm: f64 = 0.0;
            for i in 0..self.dims.nv {
                let d = self.dx[i];
                self.xi[i] += d;
                self.a1[i] += b1 * d;
                to.v[i] += bv * d;
                self.end.a[i] += ba * d;
                let w = d.abs() / self.scale[i];
                if !(w <= norm) {
                    norm = w;
                    worst = i;
                }
            }
            for (l, d) in self.end.lambda.iter_mut().zip(&self.dl) {
                *l += b1 * d;
            }
            for i in 0..self.dims.nz {
                to.z[i] = from.z[i] + 0.5 * h * (self.base.zdot[i] + self.end.zdot[i]);
            }
            let theta = norm / last;
            if norm <= self.newton_tol
                || (k > 0 && theta < 0.5 && norm * theta / (1.0 - theta) <= self.newton_tol)
                || (k > 0 && norm <= ROUND_OFF && theta > 0.1)
                || (k > 3 && norm <= if fresh { STALLED } else { NOISE } && theta > 0.3)
            {
                // slow this time: renew before the next step, not in the middle of one
                if k > 1 && theta > SLOW && norm > NOISE {
                    self.renew = true;
                }
                return Ok(());
            }
            if !norm.is_finite() || (k > 0 && theta > 2.0 && fresh && norm > STALLED) {
                break;
            }
            if k > 0 && theta > SLOW && !fresh && norm > NOISE {
                self.renew = true;
            }
            // a fresh matrix may be renewed once more when it still contracts badly
            if fresh && k > 2 && theta > 0.5 && norm > NOISE {
                self.renew = true;
            }
            last = norm;
        }
        self.renew = true;
        if last <= STALLED {
            return Ok(());
        }
        Err(StepFailure::NewtonDiverged { iterations: MAX_ITERATIONS, increment: last, worst })
    }
}

impl<P: Problem> Integrator<P> for GenAlpha {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let d = &mut self.end;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        self.start.copy_from(&self.end);
        self.h_prev = None;
        self.in_a_row = 0;
        self.have_factor = false;
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
        let Coefficients { alpha_m, alpha_f, beta, gamma, .. } = self.co;
        let nv = self.dims.nv;
        self.h = h;
        self.acc.weakest_pivot = 1.0;
        match self.h_prev {
            Some(hp) if (h - hp).abs() <= 1e-9 * h => {
                self.base.copy_from(&self.start);
                self.a0.copy_from_slice(&self.a_alg);
                self.v0.copy_from_slice(&from.v);
                self.extrapolate = self.in_a_row > 1;
            }
            _ => {
                self.prepare(p, ws, from, h)?;
                self.extrapolate = false;
            }
        }
        self.end.copy_from(&self.base);
        self.newton_tol = self.tolerance_for(h);
        // predict: v̇ and λ go on as in the last step where there was one of this size, else stay
        if self.extrapolate {
            for i in 0..nv {
                self.end.a[i] += self.base.a[i] - self.before.a[i];
            }
            for i in 0..self.dims.n_vel {
                self.end.lambda[i] += self.base.lambda[i] - self.before.lambda[i];
            }
        }
        to.t = from.t + h;
        to.z.copy_from_slice(&from.z);
        for i in 0..nv {
            self.a1[i] = ((1.0 - alpha_f) * self.end.a[i] + alpha_f * self.base.a[i]
                - alpha_m * self.a0[i])
                / (1.0 - alpha_m);
            self.xi[i] = h * self.v0[i] + h * h * ((0.5 - beta) * self.a0[i] + beta * self.a1[i]);
            to.v[i] = self.v0[i] + h * ((1.0 - gamma) * self.a0[i] + gamma * self.a1[i]);
        }
        for i in 0..self.dims.nz {
            to.z[i] += h * self.base.zdot[i];
        }
        self.newton(p, ws, from, h, to)?;
        p.manifold().retract(&from.q, &self.xi, &mut to.q);
        for i in 0..nv {
            self.err[i] = -self.co.c_q * h * h * (self.end.a[i] - self.base.a[i]);
        }
        Ok(())
    }

    fn commit(&mut self) {
        self.a_alg.copy_from_slice(&self.a1);
        let same = self.h_prev.is_some_and(|hp| (self.h - hp).abs() <= 1e-9 * self.h);
        self.in_a_row = if same { self.in_a_row + 1 } else { 1 };
        self.before.copy_from(&self.start);
        self.h_prev = Some(self.h);
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        ErrorView { xi: &self.err, v: &[], z: &[], second: None }
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
