//! The index-1 evaluator: accelerations and multipliers at a state.
//!
//! Owns the KKT solver and its buffers; used by explicit methods, projections, assembly and
//! output. After [`Accel::eval`] the factor of W(q) = G M⁻¹ Gᵀ remains available for projections.
//!
//! Redundant constraints: methods solve with the independent rows, which gives the same acceleration, costs less and
//! stays regular slightly off the constraints, where the dependent rows contradict the others. Where the chosen rows
//! become dependent (a singular position of theirs), all rows are used, with the rank that was decided at the start.
//! The same is done everywhere if rows are almost dependent, or almost independent: see [`RowRank`]. Output asks for
//! the multipliers of least norm over all rows: [`Accel::min_norm`].
//!
//! [`RowRank`]: crate::problem::RowRank

use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{AtVel, Dims, Problem, at};
use crate::rows::RowSubset;
use delassus_linalg::{
    Backend, CondensedKkt, Csr, FactorInfo, KktError, KktOptions, RankedKkt, RankedRows, grip,
    rank_tol,
};
use delassus_math::remember;

/// Number of velocities up to which all rows are solved densely, by rank, where the chosen rows become dependent;
/// beyond it, they are filtered.
const DENSE_MAX: usize = 150;
/// The same for systems that need it everywhere. Beyond, runs go on with the chosen rows, and nothing is gained by closing
/// joints by rank.
pub const SOLVED_BY_RANK: usize = 400;

/// Solver for all rows of a redundant or delicate system.
enum AllRows {
    Ranked(Box<RankedKkt>),
    Filtered(Box<CondensedKkt>),
}

impl AllRows {
    fn set_mass(&mut self, mass: &[f64]) -> Result<(), KktError> {
        match self {
            AllRows::Ranked(kkt) => kkt.set_mass(mass),
            AllRows::Filtered(kkt) => kkt.set_mass(mass),
        }
    }

    fn factor(&mut self, jac: &[f64]) -> Result<FactorInfo, KktError> {
        match self {
            AllRows::Ranked(kkt) => kkt.factor(jac),
            AllRows::Filtered(kkt) => kkt.factor(jac),
        }
    }

    fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), KktError> {
        match self {
            AllRows::Ranked(kkt) => kkt.solve(f, b, a, lambda),
            AllRows::Filtered(kkt) => kkt.solve(f, b, a, lambda).map(|_| ()),
        }
    }
}

/// Right-hand side of the constraint rows.
enum Rhs<'a> {
    /// The buffer of the evaluator.
    Own,
    /// Passed in by the caller.
    Given(&'a [f64]),
}

/// Gains of Baumgarte's stabilisation, 1/s: G a = −γ − 2α (G v + g_t) − β² g. Rows without a
/// position level have no g.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baumgarte {
    /// α, of the velocity drift.
    pub alpha: f64,
    /// β, of the position drift.
    pub beta: f64,
}

/// The matrices of the last factorisation, as they appear in M a − Gᵀλ = f, G a = b.
pub struct Factored<'a> {
    /// Values of M.
    pub mass: &'a [f64],
    /// Pattern of G.
    pub pattern: &'a Csr,
    /// Values of G.
    pub jac: &'a [f64],
    /// Rows that take part; `None` if all do.
    pub chosen: Option<&'a [usize]>,
}

/// Evaluates M a − Gᵀλ = f, G a = −γ.
pub struct Accel {
    kkt: CondensedKkt,
    subset: RowSubset,
    /// All rows of a redundant system, whether they are in use, and whether they always are.
    all: Option<AllRows>,
    use_all: bool,
    always_all: bool,
    dims: Dims,
    mass: Vec<f64>,
    jac: Vec<f64>,
    f: Vec<f64>,
    rhs: Vec<f64>,
    lambda: Vec<f64>,
    constant_mass: bool,
    mass_set: bool,
    /// Smallest relative pivot of W since it was last set to 1: a measure of how close a
    /// singular position is.
    pub weakest_pivot: f64,
    /// Work done so far.
    pub work: Work,
}
remember!(Accel { use_all, weakest_pivot, work } apart from {
    kkt, subset, all, always_all, dims, mass, jac, f, rhs, lambda, constant_mass, mass_set,
});

impl Accel {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P) -> Result<Accel, KktError> {
        Accel::with_rows(p, false, p.structure().rank.is_delicate())
    }

    /// For a method that solves the independent rows in equations of its own. What it projects onto must be what it
    /// solves, so all rows take part only where the chosen ones become dependent, or where none are left out.
    pub(crate) fn beside_rows<P: Problem>(p: &P) -> Result<Accel, KktError> {
        let rank = &p.structure().rank;
        Accel::with_rows(p, false, rank.is_delicate() && !rank.almost)
    }

    /// Like [`Accel::new`], but multipliers of redundant constraints are those of least norm.
    pub fn min_norm<P: Problem>(p: &P) -> Result<Accel, KktError> {
        Accel::with_rows(p, true, p.structure().rank.is_delicate())
    }

    fn with_rows<P: Problem>(p: &P, min_norm: bool, delicate: bool) -> Result<Accel, KktError> {
        let d = p.dims();
        let s = p.structure();
        let (n_mass, n_jac) = (s.mass.value_len(), s.jac.nnz());
        let redundant = s.independent_rows.is_some();
        let opts = |redundant| KktOptions {
            backend: Backend::Auto,
            mass_floor: s.mass_floor.clone(),
            redundant,
        };
        let chosen = if min_norm { None } else { s.independent_rows.clone() };
        let always_all = delicate && d.nv <= SOLVED_BY_RANK;
        let dense = d.nv <= DENSE_MAX;
        let all = if always_all || (dense && redundant && !min_norm) {
            let scales = p.scales();
            let rows = RankedRows {
                rank: s.held(),
                row_scale: scales.row,
                col_scale: scales.q,
                yielding: s.rank.yielding.clone(),
                grip: grip(s.rank.grip),
            };
            Some(AllRows::Ranked(Box::new(RankedKkt::new(s.mass.clone(), s.jac.clone(), rows)?)))
        } else if redundant && !min_norm {
            let kkt = CondensedKkt::new(s.mass.clone(), s.jac.clone(), opts(true))?;
            Some(AllRows::Filtered(Box::new(kkt)))
        } else {
            None
        };
        let subset = RowSubset::new(s.jac.clone(), chosen)?;
        let kkt = CondensedKkt::new(
            s.mass.clone(),
            subset.pattern().clone(),
            opts(redundant && min_norm),
        )?;
        Ok(Accel {
            kkt,
            subset,
            all,
            use_all: always_all,
            always_all,
            dims: d,
            mass: vec![0.0; n_mass],
            jac: vec![0.0; n_jac],
            f: vec![0.0; d.nv],
            rhs: vec![0.0; d.n_vel],
            lambda: vec![0.0; d.n_vel],
            constant_mass: s.constant_mass,
            mass_set: false,
            weakest_pivot: 1.0,
            work: Work::default(),
        })
    }

    /// Sizes it was created for.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// Factors at a position-level point whose values the caller reads with `mass`/`jac`.
    fn factor(
        &mut self,
        mass: impl FnOnce(&mut [f64]),
        jac: impl FnOnce(&mut [f64]),
    ) -> Result<(), StepFailure> {
        if !self.mass_set || !self.constant_mass {
            mass(&mut self.mass);
            if !self.always_all {
                self.kkt.set_mass(&self.mass)?;
            }
            if let Some(all) = &mut self.all {
                all.set_mass(&self.mass)?;
            }
            self.mass_set = true;
        }
        jac(&mut self.jac);
        if let Some(all) = &mut self.all
            && self.always_all
        {
            let info = all.factor(&self.jac)?;
            self.work.factorizations += 1;
            self.weakest_pivot = self.weakest_pivot.min(info.min_relative_pivot);
            return Ok(());
        }
        let info = self.kkt.factor(self.subset.values(&self.jac))?;
        self.work.factorizations += 1;
        self.weakest_pivot = self.weakest_pivot.min(info.min_relative_pivot);
        self.use_all = false;
        if let Some(all) = &mut self.all
            && info.min_relative_pivot < rank_tol::WEAK
        {
            all.factor(&self.jac)?;
            self.use_all = true;
        }
        Ok(())
    }

    /// Solves M a − Gᵀλ = f, G a = b with the present factor.
    fn kkt_solve(
        &mut self,
        b: Rhs<'_>,
        a: &mut [f64],
        lambda: Option<&mut [f64]>,
    ) -> Result<(), StepFailure> {
        let lambda = lambda.unwrap_or(&mut self.lambda);
        let b = match b {
            Rhs::Own => &self.rhs,
            Rhs::Given(b) => b,
        };
        match &mut self.all {
            Some(all) if self.use_all => {
                all.solve(&self.f, b, a, lambda)?;
            }
            _ => {
                let (kkt, f) = (&mut self.kkt, &self.f);
                self.subset.with_vectors(b, lambda, |b, l| kkt.solve(f, b, a, l).map(|_| ()))?;
            }
        }
        Ok(())
    }

    /// Factors W(q) at (t, q) without solving anything.
    pub fn factor_at<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        t: f64,
        q: &[f64],
        z: &[f64],
    ) -> Result<(), StepFailure> {
        p.realize_position(t, q, z, ws);
        self.factor_realized(p, ws)
    }

    /// Factors W at the position realised in `ws`.
    pub fn factor_realized<P: Problem>(&mut self, p: &P, ws: &P::Ws) -> Result<(), StepFailure> {
        self.factor(|m| p.mass(ws, m), |j| p.jacobian(ws, j))
    }

    /// a, λ and ż at the point `e`, factoring first.
    pub fn eval_at<P: Problem>(
        &mut self,
        e: &AtVel<'_, P>,
        a: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.factor(|m| e.mass(m), |j| e.jacobian(j))?;
        self.solve_at(e, a, lambda, zdot)
    }

    /// a, λ and ż at the point `e` with the present factor (same q).
    pub fn solve_at<P: Problem>(
        &mut self,
        e: &AtVel<'_, P>,
        a: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.solve_stabilized_at(e, None, a, lambda, zdot)
    }

    /// Like [`Accel::solve_at`], with feedback of the drift if gains are given.
    pub fn solve_stabilized_at<P: Problem>(
        &mut self,
        e: &AtVel<'_, P>,
        gains: Option<Baumgarte>,
        a: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.work.evaluations += 1;
        e.force(&mut self.f);
        e.bias(&mut self.rhs);
        for r in &mut self.rhs {
            *r = -*r;
        }
        if let Some(Baumgarte { alpha, beta }) = gains {
            // `self.lambda` is free until the solution
            let drift = &mut self.lambda;
            e.residual_vel(drift);
            for (r, d) in self.rhs.iter_mut().zip(drift.iter()) {
                *r -= 2.0 * alpha * d;
            }
            let drift = &mut self.lambda[..self.dims.n_pos];
            e.residual_pos(drift);
            for (r, d) in self.rhs.iter_mut().zip(drift.iter()) {
                *r -= beta * beta * d;
            }
        }
        e.z_dot(zdot);
        check_finite("forces", &self.f)?;
        check_finite("constraint bias", &self.rhs)?;
        check_finite("controller rates", zdot)?;
        self.kkt_solve(Rhs::Own, a, Some(lambda))?;
        check_finite("accelerations", a)
    }

    /// a, λ and ż at (t, q, v, z).
    #[allow(clippy::too_many_arguments)]
    pub fn eval<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), StepFailure> {
        let e = at(p, ws, t, q, z).velocity(v, z);
        self.eval_at(&e, a, lambda, zdot)
    }

    /// The smallest correction (in the mass metric) with G x = b, using the present factor. The multipliers of the
    /// correction are discarded.
    pub fn correct(&mut self, b: &[f64], x: &mut [f64]) -> Result<(), StepFailure> {
        self.f.fill(0.0);
        self.kkt_solve(Rhs::Given(b), x, None)?;
        check_finite("projection", x)
    }

    /// Solves M a − Gᵀλ = f, G a = b with the present factor, for any forces and right-hand sides.
    pub fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.f.copy_from_slice(f);
        self.kkt_solve(Rhs::Given(b), a, Some(lambda))?;
        check_finite("accelerations", a)
    }

    /// The acceleration that a force alone would cause, M a − Gᵀλ = f with G a = 0, using the present factor; for an
    /// impulse, the jump of the velocity.
    pub fn respond(
        &mut self,
        f: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), StepFailure> {
        self.f.copy_from_slice(f);
        self.rhs.fill(0.0);
        self.kkt_solve(Rhs::Own, a, Some(lambda))?;
        check_finite("response", a)
    }

    /// M, G and f as last evaluated. Solving with other forces overwrites f.
    pub fn terms(&self) -> (&[f64], &[f64], &[f64]) {
        (&self.mass, &self.jac, &self.f)
    }

    /// The matrices that were factored last; `None` where not all rows hold in full, so that they do not determine the
    /// solution.
    pub fn factored(&self) -> Option<Factored<'_>> {
        (!self.use_all).then(|| Factored {
            mass: &self.mass,
            pattern: self.subset.full(),
            jac: &self.jac,
            chosen: self.subset.chosen(),
        })
    }

    /// G x, with the Jacobian that was factored last.
    pub fn jac_mul(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.subset.full().mul_add(&self.jac, 1.0, x, out);
    }
}
