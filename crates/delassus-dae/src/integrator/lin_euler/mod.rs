//! Linear-implicit Euler (a W-method of one stage) for real time: one matrix and a fixed number
//! of solutions per step, no iteration, no rejected step.
//!
//! ```text
//! [ M + h C + h² K   −Gᵀ ] [ dv  ]   [ h f − h² K v₀                          ]
//! [ G                 0  ] [ h λ ] = [ −(h γ + c_v (G v₀ + g_t) + (c_g/h) g)  ]
//! v₁ = v₀ + dv ,   q₁ = q₀ ∘ exp(h v₁) ,   z₁ = z₀ + h φ(t₁, q₁, v₁, z₀)
//! ```
//!
//! Everything on the right is taken at the start of the step; K = −∂f/∂q and C = −∂f/∂v. The
//! order is 1 whatever K and C are, so they may be chosen for cost (a *partitioned* method):
//!
//! ```text
//! exact  K, C with the terms of Gᵀλ and M a of the step before    no limit of h from forces
//! j2     K, C of the forces                                       the same
//! j1     C                          h² k ≤ 4 + 2 h c     for q̈ = −k q − c q̇
//! j3     nothing                    h c ≤ 2 and h² k ≤ 4 − 2 h c
//! ```
//!
//! `exact` and `j2` differ only by the geometric stiffness of the constraints and by ∂(M a)/∂q. In body coordinates
//! that is much: constraint forces turn with the bodies, and taking them as fixed over a step feeds energy into every
//! fast rotation and every taut chain. `j1` to `j3` are for stiffness in forces and slow motion of the joints, and save
//! evaluations of K and C.
//!
//! Rows: c_v = c_g = 0 is the acceleration constraint (index 1), c_v = 1 the velocity constraint
//! at the end of the step to O(h²) (index 2). Drift |g| is O(h) and grows with time. Against it:
//! Baumgarte's terms, g̈ + (α/h) ġ + (β/h²) g = 0 or ġ + (α/h) g = 0, give O(h²); one Newton
//! step for q and then v with the matrix of the step at hand gives O(h³), for all times, and each further
//! one for q a power more;
//! so does `ggl`, q₁ = q₀ ∘ exp(h v₁ + δ) with S δ = Gᵀμ, G δ = −(g + h (G v₁ + g_t) + ½ h² γ),
//! without any evaluation at the end of the step.
//!
//! Burgermeister et al. take positions first, with the old velocity, and add h² K v₀ to all
//! right sides; Arnold et al. and vehicle codes go the other way round, as here. For linear
//! forces these are the same steps, cut at another place, and have the same limits of stability.
//!
//! Use it where a step must finish in a fixed time; not for accuracy. Accelerations and multipliers are those of the
//! step, one step old. Forces that depend on t explicitly are taken at t₀; controllers are explicit in their own
//! states. References: Burgermeister, Arnold & Esterl, ZAMM 86 (2006); Arnold, Burgermeister & Eichberger, Multibody
//! Syst. Dyn. 17 (2007); Hairer & Wanner, Solving ODEs II, IV.7 and VII.2; Gear, Gupta & Leimkuhler, J. Comput. Appl.
//! Math. 12&13 (1985).

mod between;
mod choices;
mod matrix;

pub use between::{Between, FreeStep, Nothing};

use super::{Abilities, Integrator, MethodInfo, Settings};
use crate::accel::Accel;
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{AtVel, Dims, Problem, mass_slots};
use crate::rows::RowSubset;
use crate::state::{Derived, State};
use choices::{Choices, Stabilization};
use delassus_linalg::{Csr, KktError};
use delassus_math::remember;
use matrix::Matrix;

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "lin-euler",
    summary: "linear-implicit Euler for real time; stiff, fixed step, fixed work per step",
    order: [1, 1, 1],
    dense_order: 1,
    index: 2,
    stiff: true,
    adaptive: false,
    error_order: 2,
    default_rtol: 1e-3,
    options: &[
        choices::JACOBIAN,
        choices::FORM,
        choices::STABILIZATION,
        choices::MATRIX,
        choices::PROJECTIONS,
        choices::ALPHA,
        choices::BETA,
    ],
    citation: "Burgermeister, Arnold & Esterl 2006; Arnold, Burgermeister & Eichberger 2007",
    can: Abilities::NOT_DELICATE,
    ..MethodInfo::BASE
};

/// A step that moves a coordinate by this many sizes of the model is no longer a motion but the growth of an
/// instability; no model that is resolved at all comes near it.
const RUNAWAY: f64 = 1e6;

/// Velocities below this are rest, in steps of fixed cost: what decays for ever would end among numbers whose arithmetic
/// takes a hundred times as long on some processors.
const STILL: f64 = 1e-200;

/// The linear algebra of a step of fixed cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedWork {
    /// Multiplications of the factorisation that belong to each velocity, and to each row.
    pub of_velocities: Vec<u64>,
    /// See `of_velocities`.
    pub of_rows: Vec<u64>,
    /// Entries of the factors, with the diagonal.
    pub entries: usize,
    /// Solutions with them, without those of contacts.
    pub solutions: usize,
    /// Refinements of each.
    pub refinements: usize,
}

/// The method with its memory.
pub struct LinEuler {
    choices: Choices,
    dims: Dims,
    /// For the start, and for projection with fresh matrices.
    acc: Accel,
    kkt: Matrix,
    // structure
    mass_slots: Vec<usize>,
    subset: RowSubset,
    tangent_pattern: Csr,
    scale: Vec<f64>,
    // values on the patterns
    mass: Vec<f64>,
    jac: Vec<f64>,
    s: Vec<f64>,
    /// Stand-in for a and λ where their terms are left out.
    none: Derived,
    // the attempt
    r: Vec<f64>,
    rows: Vec<f64>,
    g: Vec<f64>,
    gamma: Vec<f64>,
    dv: Vec<f64>,
    dx: Vec<f64>,
    dl: Vec<f64>,
    xi: Vec<f64>,
    q: Vec<f64>,
    /// What acts between: see [`FreeStep`].
    by: Vec<f64>,
    by_rows: Vec<f64>,
    shift: Vec<f64>,
    zeros: Vec<f64>,
    weakest_pivot: f64,
    start: Derived,
    end: Derived,
    work: Work,
}
remember!(LinEuler { acc, weakest_pivot, start, work } apart from {
    choices, dims, kkt, mass_slots, subset, tangent_pattern, scale, mass, jac, s, none, r, rows,
    g, gamma, dv, dx, dl, xi, q, by, by_rows, shift, zeros, end,
});

impl LinEuler {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<LinEuler, KktError> {
        LinEuler::with_matrix(p, s, false)
    }

    /// The same with a matrix that is factored by the same operations in every step, for [`LinEuler::step`].
    pub fn of_fixed_cost<P: Problem>(p: &P, s: &Settings) -> Result<LinEuler, KktError> {
        LinEuler::with_matrix(p, s, true)
    }

    /// The work of a step that was made by [`LinEuler::of_fixed_cost`]; `None` otherwise.
    pub fn fixed_work(&self) -> Option<FixedWork> {
        let Matrix::Fixed(kkt) = &self.kkt else { return None };
        let nv = self.dims.nv;
        let mut of_unknown = kkt.multiplications();
        let of_rows = of_unknown.split_off(nv);
        let mut rows = vec![0; self.dims.n_vel];
        for (k, work) in of_rows.into_iter().enumerate() {
            rows[self.subset.chosen().map_or(k, |chosen| chosen[k])] = work;
        }
        let projects = !self.rows.is_empty() && self.choices.projects();
        let ggl = self.choices.stabilization == Stabilization::Ggl && self.dims.n_pos > 0;
        let again = self.choices.rows.c_g != 0.0;
        Some(FixedWork {
            of_velocities: of_unknown,
            of_rows: rows,
            entries: kkt.entries(),
            solutions: 1
                + usize::from(projects) * (self.choices.projections + 1)
                + usize::from(ggl)
                + usize::from(again),
            refinements: kkt.refinements() as usize,
        })
    }

    fn with_matrix<P: Problem>(p: &P, s: &Settings, fixed: bool) -> Result<LinEuler, KktError> {
        let d = p.dims();
        let st = p.structure();
        let n_jac = st.jac.nnz();
        let subset = RowSubset::new(st.jac.clone(), st.independent_rows.clone())?;
        let kkt = Matrix::new(st, subset.pattern(), fixed)?;
        let nv = || vec![0.0; d.nv];
        let rows = || vec![0.0; d.n_vel];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(LinEuler {
            choices: Choices::new(&s.options, &INFO),
            dims: d,
            acc: Accel::beside_rows(p)?,
            kkt,
            mass_slots: mass_slots(&st.mass, &st.tangent)?,
            subset,
            scale: p.scales().q,
            mass: vec![0.0; st.mass.value_len()],
            jac: vec![0.0; n_jac],
            s: vec![0.0; st.tangent.nnz()],
            tangent_pattern: st.tangent.clone(),
            none: derived.clone(),
            r: nv(),
            rows: rows(),
            g: rows(),
            gamma: rows(),
            dv: nv(),
            dx: nv(),
            dl: rows(),
            xi: nv(),
            q: vec![0.0; d.nq],
            by: nv(),
            by_rows: rows(),
            shift: nv(),
            zeros: rows(),
            weakest_pivot: 1.0,
            start: derived.clone(),
            end: derived,
            work: Work::default(),
        })
    }

    /// Forms and factors the matrix and right-hand side of the step at its start, which is realised.
    fn prepare<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
    ) -> Result<(), StepFailure> {
        let Choices { jacobian, rows, .. } = self.choices;
        let e = AtVel::realized(p, ws);
        e.mass(&mut self.mass);
        e.jacobian(&mut self.jac);
        e.force(&mut self.r);
        e.residual_vel(&mut self.rows);
        e.bias(&mut self.gamma);
        self.g.fill(0.0);
        e.residual_pos(&mut self.g[..self.dims.n_pos]);
        check_finite("forces", &self.r)?;
        check_finite("constraint bias", &self.gamma)?;
        for i in 0..self.dims.n_vel {
            self.rows[i] =
                -(h * self.gamma[i] + rows.c_v * self.rows[i] + rows.c_g / h * self.g[i]);
        }
        for r in &mut self.r {
            *r *= h;
        }
        let at = if jacobian.reactions { &self.start } else { &self.none };
        self.s.fill(0.0);
        if jacobian.stiffness {
            e.tangent(&at.a, &at.lambda, h * h, 0.0, &mut self.s);
            self.tangent_pattern.mul_add(&self.s, -1.0, &from.v, &mut self.r);
        }
        if jacobian.damping {
            e.tangent(&at.a, &at.lambda, 0.0, h, &mut self.s);
        }
        for (slot, x) in self.mass_slots.iter().zip(&self.mass) {
            self.s[*slot] += x;
        }
        let jac = self.subset.values(&self.jac);
        self.weakest_pivot = self.kkt.factor(&self.s, jac)?;
        self.work.factorizations += 1;
        self.work.evaluations += 1;
        Ok(())
    }

    /// A step from a state at which the workspace is realised, but for held auxiliary states that have changed, to the
    /// time that `to` has, with something that acts between. Leaves the workspace realised at its end.
    pub fn step<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
        acts: &mut dyn Between<P>,
    ) -> Result<(), StepFailure> {
        if p.held() < self.dims.nz {
            p.realize_velocity(&from.v, &from.z, ws);
        }
        let placed = self.make(p, ws, from, h, to, acts)?;
        check_finite("coordinates", &to.q)?;
        check_finite("velocities", &to.v)?;
        check_finite("auxiliary states", &to.z)?;
        for v in &mut to.v {
            *v = if v.abs() < STILL { 0.0 } else { *v };
        }
        if !placed {
            p.realize_position(to.t, &to.q, &to.z, ws);
        }
        p.realize_velocity(&to.v, &to.z, ws);
        Ok(())
    }

    /// A step from a state at which the workspace is realised to the time of `to`; whether its position is realised at
    /// the end, too.
    fn make<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
        acts: &mut dyn Between<P>,
    ) -> Result<bool, StepFailure> {
        let Dims { n_pos, nv, nz, .. } = self.dims;
        self.prepare(p, ws, from, h)?;
        let (kkt, r, dv) = (&mut self.kkt, &self.r, &mut self.dv);
        self.subset.with_vectors(&self.rows, &mut self.dl, |b, y| kkt.solve(r, b, dv, y))?;
        acts.act(
            p,
            ws,
            &mut FreeStep {
                from,
                h,
                dv: &self.dv,
                by: &mut self.by,
                rows: &mut self.by_rows,
                shift: &mut self.shift,
                matrix: &mut self.kkt,
                subset: &mut self.subset,
                zeros: &self.zeros,
            },
        )?;
        for i in 0..nv {
            to.v[i] = from.v[i] + self.dv[i] + self.by[i];
            self.xi[i] = h * to.v[i] + self.shift[i];
        }
        self.check_runaway(h, &to.v)?;
        self.derive(h)?;
        if self.choices.stabilization == Stabilization::Ggl && n_pos > 0 {
            // G v₁ + g_t is −h γ already
            for i in 0..n_pos {
                self.rows[i] = 0.5 * h * h * self.gamma[i] - self.g[i];
            }
            self.rows[n_pos..].fill(0.0);
            self.correct()?;
            for (x, d) in self.xi.iter_mut().zip(&self.dx) {
                *x += d;
            }
        }
        p.manifold().retract(&from.q, &self.xi, &mut self.q);
        let mut placed = !self.rows.is_empty() && self.choices.projects();
        match placed {
            true => {
                let fresh = self.choices.stabilization == Stabilization::Fresh;
                self.project(p, ws, from, to, fresh)?;
            }
            false => to.q.copy_from_slice(&self.q),
        }
        to.z.copy_from_slice(&from.z);
        let held = p.held();
        if held > 0 {
            if !placed {
                p.realize_position(to.t, &to.q, &from.z, ws);
                placed = true;
            }
            p.realize_velocity(&to.v, &from.z, ws);
            p.z_dot(ws, &mut self.end.zdot);
            check_finite("controller rates", &self.end.zdot)?;
            for i in 0..held.min(nz) {
                to.z[i] = from.z[i] + h * self.end.zdot[i];
            }
        }
        Ok(placed)
    }

    /// Acceleration and multipliers of the step. Those of Baumgarte's terms are left out: they are not forces of the
    /// model, and of order one whenever h changes.
    fn derive(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.choices.rows.c_g != 0.0 {
            for (row, gamma) in self.rows.iter_mut().zip(&self.gamma) {
                *row = -h * gamma;
            }
            let (kkt, r, dv) = (&mut self.kkt, &self.r, &mut self.dv);
            self.subset.with_vectors(&self.rows, &mut self.dl, |b, y| kkt.solve(r, b, dv, y))?;
        }
        let impulses = self.dl.iter().zip(&self.by_rows);
        for (l, (y, by)) in self.end.lambda.iter_mut().zip(impulses) {
            *l = (y + by) / h;
        }
        for (a, (d, by)) in self.end.a.iter_mut().zip(self.dv.iter().zip(&self.by)) {
            *a = (d + by) / h;
        }
        Ok(())
    }

    /// The correction with G dx = `rows` that is smallest in the metric of the matrix of the step.
    fn correct(&mut self) -> Result<(), StepFailure> {
        self.r.fill(0.0);
        let (kkt, r, dx) = (&mut self.kkt, &self.r, &mut self.dx);
        self.subset.with_vectors(&self.rows, &mut self.dl, |b, y| kkt.solve(r, b, dx, y))?;
        Ok(())
    }

    /// Newton steps onto g = 0 from q̃ in `self.q`, then one onto G v + g_t = 0.
    fn project<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        to: &mut State,
        fresh: bool,
    ) -> Result<(), StepFailure> {
        let n_pos = self.dims.n_pos;
        self.work.projections += 1;
        for k in 0..self.choices.projections {
            if k > 0 {
                self.q.copy_from_slice(&to.q);
            }
            match fresh {
                true => p.realize_position(to.t, &self.q, &from.z, ws),
                false => p.realize_places(to.t, &self.q, &from.z, ws),
            }
            // rolling rows take part as G x = 0: a wheel must not be slid into place
            self.rows.fill(0.0);
            p.residual_pos(ws, &mut self.rows[..n_pos]);
            self.solve_rows(p, ws, fresh)?;
            p.manifold().retract(&self.q, &self.dx, &mut to.q);
        }
        p.realize_position(to.t, &to.q, &from.z, ws);
        p.realize_rates(&to.v, &from.z, ws);
        p.residual_vel(ws, &mut self.rows);
        self.solve_rows(p, ws, fresh)?;
        for (v, d) in to.v.iter_mut().zip(&self.dx) {
            *v += d;
        }
        Ok(())
    }

    /// G dx = −`rows` with the matrix of the step, or with M and G of the point in `ws`.
    fn solve_rows<P: Problem>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        fresh: bool,
    ) -> Result<(), StepFailure> {
        for r in &mut self.rows {
            *r = -*r;
        }
        if fresh {
            self.acc.factor_realized(p, ws)?;
            self.acc.correct(&self.rows, &mut self.dx)
        } else {
            self.correct()
        }
    }

    /// Rejects a step that no motion can make.
    fn check_runaway(&self, h: f64, v: &[f64]) -> Result<(), StepFailure> {
        for (index, (v, s)) in v.iter().zip(&self.scale).enumerate() {
            let sizes = h * v.abs() / s;
            if !(sizes <= RUNAWAY) {
                return Err(StepFailure::Runaway { index, sizes });
            }
        }
        Ok(())
    }
}

impl<P: Problem> Integrator<P> for LinEuler {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let d = &mut self.start;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        p.realize_position(from.t, &from.q, &from.z, ws);
        p.realize_velocity(&from.v, &from.z, ws);
        to.t = from.t + h;
        self.make(p, ws, from, h, to, &mut Nothing)?;
        check_finite("coordinates", &to.q)?;
        check_finite("velocities", &to.v)
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        ErrorView { xi: &[], v: &[], z: &[], second: None }
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        self.weakest_pivot
    }

    fn pivot_is_of_rows(&self) -> bool {
        false
    }

    fn work(&self) -> Work {
        self.work + self.acc.work
    }
}
