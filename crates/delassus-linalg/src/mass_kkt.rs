//! `M a − Gᵀ λ = f`, `G a = b` by the Schur complement `W = G M⁻¹ Gᵀ`.

use crate::dense_ldl::{DenseLdl, Outcome, Regularization, Weakest};
use crate::error::{KktError, check_len, check_room};
use crate::inverse_blocks::InverseBlocks;
use crate::mass_shape::MassShape;
use crate::null_basis::NullBasis;
use crate::options::{Backend, Counts, FactorInfo, KktOptions, SolveInfo};
use crate::panels::{self, Panels};
use crate::pattern::Csr;
use crate::refinement::{Refined, check_finite, refine, worst_part};
use crate::small_kkt::SmallKkt;
use crate::sparse_ldl::SparseLdl;
use crate::vecops::{all_finite, first_non_finite};

/// A plain factorisation is accepted down to this relative pivot (relative
/// singular value 1e-5): its square is still above rounding, so one
/// refinement restores full accuracy.
pub(crate) const PIVOT_MIN: f64 = crate::rank_tol::PRODUCT;
/// Below this pivot a plain solve is refined once.
pub(crate) const PIVOT_REFINE: f64 = 1e-6;
/// Relative diagonal shift of the regularised factorisation. Two decades below
/// `PIVOT_MIN`, so that six refinements still solve exactly where the plain
/// factorisation gives up: with 1e-10 the acceleration jumped by 1 % there.
pub(crate) const SHIFT: f64 = 1e-12;
/// Shift when there are more free directions than can be projected out, whose
/// noise (rounding over shift) therefore stays in λ.
pub(crate) const SHIFT_MANY: f64 = 1e-9;
/// Scale of a row relative to the largest: a row whose coefficients vanish
/// (1e-11 of the others) counts as weak although it is its own scale.
pub(crate) const SCALE_FLOOR: f64 = 1e-12;
/// A direction is free when its Rayleigh quotient is below this.
pub(crate) const FREE: f64 = 1e-14;
/// Pivots that can belong to a free direction, relative.
pub(crate) const FREE_CANDIDATE: f64 = 1e3 * SHIFT;
/// Free directions a sparse system can hold.
pub(crate) const FREE_MAX_SPARSE: usize = 32;

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per solver; boxing would add a pointer to every step"
)]
enum Factor {
    Dense(DenseLdl),
    Sparse(SparseLdl),
}

/// Solver of the acceleration-level KKT system. See the crate documentation
/// for the equations and signs.
///
/// Redundant rows: `a` is exact for consistent `b`, and `λ` is the one of
/// least Euclidean norm, the same as the pseudo-inverse gives. (With more
/// than 32 free directions in the sparse backend, the norm minimised is the
/// one weighted by `diag(W)` instead, and its free part carries noise of
/// relative size 1e-7.) For inconsistent `b` the residual of `G a = b` is
/// least in the norm weighted by `diag(W)⁻¹`.
#[derive(Debug, Clone)]
pub struct MassKkt {
    jac: Csr,
    floor: Vec<f64>,
    redundant: bool,
    massless: bool,
    mass: Vec<f64>,
    inverse: InverseBlocks,
    panels: Panels,
    factor: Factor,
    scale: Vec<f64>,
    row_weight: Vec<f64>,
    row_terms: Vec<f64>,
    basis: NullBasis,
    /// Kernel for small regular systems with the slot of each entry of `G` in it, whether the mass matrix suits it, and
    /// whether it holds the present factorisation.
    small: Option<(SmallKkt, Vec<u32>)>,
    small_mass: bool,
    in_small: bool,
    mass_ready: bool,
    ready: bool,
    info: FactorInfo,
    counts: Counts,
    r1: Vec<f64>,
    r2: Vec<f64>,
    da: Vec<f64>,
}

impl MassKkt {
    /// Symbolic analysis and all allocation.
    pub fn new(blocks: MassShape, jac: Csr, opts: KktOptions) -> Result<MassKkt, KktError> {
        jac.validate()?;
        let (nv, m) = (blocks.dim(), jac.nrows);
        opts.check(nv, &jac)?;
        if !blocks.is_block_diagonal() {
            return Err(KktError::Pattern("blocks of the mass are coupled"));
        }
        let factor = choose(&blocks, &jac, opts.backend)?;
        let panels = match &factor {
            Factor::Dense(f) => Panels::new(&blocks, &jac, |i, j| f.slot(i, j)),
            Factor::Sparse(f) => Panels::new(&blocks, &jac, f.slots()),
        };
        let free_max = match &factor {
            Factor::Dense(_) => m,
            Factor::Sparse(_) => m.min(FREE_MAX_SPARSE),
        };
        let massless = opts.mass_floor.iter().any(|v| *v > 0.0);
        let small = match &factor {
            Factor::Dense(_) if !massless && !opts.redundant => SmallKkt::new(m, nv),
            _ => None,
        };
        let small = small.map(|kkt| {
            let place = |i: usize| jac.row(i).iter().map(move |j| (i, *j));
            let slots = (0..m).flat_map(place).map(|(i, j)| kkt.slot(i, j) as u32).collect();
            (kkt, slots)
        });
        Ok(MassKkt {
            small,
            small_mass: false,
            in_small: false,
            massless,
            floor: opts.mass_floor,
            redundant: opts.redundant,
            mass: vec![0.0; blocks.value_len()],
            inverse: InverseBlocks::new(blocks),
            panels,
            factor,
            scale: vec![0.0; m],
            row_weight: vec![0.0; m],
            row_terms: vec![0.0; m],
            basis: NullBasis::new(m, free_max),
            mass_ready: false,
            ready: false,
            info: FactorInfo {
                min_relative_pivot: 1.0,
                weakest_row: 0,
                regularized: false,
                free_directions: 0,
            },
            counts: Counts::default(),
            r1: vec![0.0; nv],
            r2: vec![0.0; m],
            da: vec![0.0; nv],
            jac,
        })
    }

    /// Number of coordinates.
    pub fn dofs(&self) -> usize {
        self.jac.ncols
    }

    /// Number of constraint rows.
    pub fn rows(&self) -> usize {
        self.jac.nrows
    }

    /// The backend in use (`Auto` resolved).
    pub fn backend(&self) -> Backend {
        match self.factor {
            Factor::Dense(_) => Backend::Dense,
            Factor::Sparse(_) => Backend::Sparse,
        }
    }

    /// Work counters since construction.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Take new mass blocks and invert them (plus floors). Invalidates the
    /// factorisation.
    pub fn set_mass(&mut self, values: &[f64]) -> Result<(), KktError> {
        check_len("mass values", values.len(), self.mass.len())?;
        self.mass_ready = false;
        self.ready = false;
        self.inverse.set(values, &self.floor)?;
        self.mass.copy_from_slice(values);
        self.small_mass = self.inverse.diagonal.iter().all(|d| *d);
        if let Some((small, _)) = &mut self.small
            && self.small_mass
        {
            small.set_inverse_mass(self.inverse.diagonal_entries());
        }
        self.mass_ready = true;
        Ok(())
    }

    /// Form and factorise `W` for new values of `G`.
    pub fn factor(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        check_len("constraint values", jac_values.len(), self.jac.nnz())?;
        self.ready = false;
        if !self.mass_ready {
            return Err(KktError::NotReady("set_mass"));
        }
        self.in_small = false;
        if self.small_mass
            && let Some((small, slots)) = &mut self.small
        {
            let g = small.values();
            for (slot, x) in slots.iter().zip(jac_values) {
                g[*slot as usize] = *x;
            }
            if let Some(weakest) = small.factor(PIVOT_REFINE, SCALE_FLOOR) {
                self.info = FactorInfo {
                    min_relative_pivot: weakest.pivot,
                    weakest_row: weakest.row,
                    regularized: false,
                    free_directions: 0,
                };
                self.counts.factorizations += 1;
                self.in_small = true;
                self.ready = true;
                return Ok(self.info);
            }
        }
        self.basis.clear();
        let plain = if self.redundant {
            None
        } else {
            self.assemble(jac_values)?;
            match self.factor_with(Regularization { shift: 0.0, threshold: PIVOT_MIN })? {
                Outcome::Done(weakest) => Some(weakest),
                Outcome::TooSmall(_) => None,
            }
        };
        let (weakest, regularized) = match plain {
            Some(weakest) => (weakest, false),
            None => (self.factor_regularized(jac_values)?, true),
        };
        self.info = FactorInfo {
            min_relative_pivot: weakest.pivot,
            weakest_row: weakest.row,
            regularized,
            free_directions: self.basis.count(),
        };
        if self.refines() {
            for (w, s) in self.row_weight.iter_mut().zip(&self.scale) {
                *w = if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 };
            }
        }
        self.counts.factorizations += 1;
        self.counts.regularized += u64::from(regularized);
        self.ready = true;
        Ok(self.info)
    }

    /// Solve with the current factorisation; `a` and `lambda` are overwritten.
    pub fn solve(
        &mut self,
        f: &[f64],
        b: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<SolveInfo, KktError> {
        self.jac.check_sides((f, b), (a, lambda))?;
        if !self.ready {
            return Err(KktError::NotReady("factor"));
        }
        if self.in_small
            && let Some((small, _)) = &self.small
            && small.solve(f, b, a, lambda).is_some()
        {
            check_finite(f, b, a, lambda)?;
            self.counts.solves += 1;
            return Ok(SolveInfo { refinements: 0, residual: None });
        }
        self.inverse.apply(f, a);
        lambda.copy_from_slice(b);
        self.panels.sub_mul(a, lambda);
        match &mut self.factor {
            Factor::Dense(w) => w.solve(lambda),
            Factor::Sparse(w) => w.solve(lambda),
        }
        self.panels.add_inverse_transposed(lambda, a);
        check_finite(f, b, a, lambda)?;
        let info = if self.refines() {
            refine(self, f, b, a, lambda)?
        } else {
            SolveInfo { refinements: 0, residual: None }
        };
        self.counts.refinements += u64::from(info.refinements);
        self.counts.solves += 1;
        Ok(info)
    }

    /// `out = M̃⁻¹ f`, the unconstrained acceleration with floored mass.
    pub fn solve_mass(&self, f: &[f64], out: &mut [f64]) -> Result<(), KktError> {
        check_len("f", f.len(), self.jac.ncols)?;
        check_len("out", out.len(), self.jac.ncols)?;
        if !self.mass_ready {
            return Err(KktError::NotReady("set_mass"));
        }
        self.inverse.apply(f, out);
        match first_non_finite(out) {
            Some(dof) => Err(KktError::NonFiniteDof { dof }),
            None => Ok(()),
        }
    }

    fn refines(&self) -> bool {
        self.massless || self.info.regularized || self.info.min_relative_pivot < PIVOT_REFINE
    }

    fn assemble(&mut self, jac_values: &[f64]) -> Result<(), KktError> {
        let w = match &mut self.factor {
            Factor::Dense(f) => f.cleared(),
            Factor::Sparse(f) => f.cleared(),
        };
        self.panels.assemble(jac_values, &self.inverse, w);
        match &self.factor {
            Factor::Dense(f) => f.diagonal(&mut self.scale),
            Factor::Sparse(f) => f.diagonal(&mut self.scale),
        }
        // Every coefficient enters the diagonal squared, so this one test
        // covers all of G.
        if !all_finite(&self.scale) {
            let row = first_non_finite(&self.scale).unwrap_or(0);
            return Err(KktError::NonFinite { row });
        }
        let largest = self.scale.iter().fold(0.0, |x: f64, y| x.max(*y));
        for s in &mut self.scale {
            *s += SCALE_FLOOR * largest;
        }
        Ok(())
    }

    fn factor_with(&mut self, reg: Regularization) -> Result<Outcome, KktError> {
        match &mut self.factor {
            Factor::Dense(f) => f.factor(&self.scale, reg),
            Factor::Sparse(f) => f.factor(&self.scale, reg),
        }
    }

    fn factor_regularized(&mut self, jac_values: &[f64]) -> Result<Weakest, KktError> {
        let weakest = self.factor_shifted(jac_values, SHIFT)?;
        if self.free_candidates().count() > self.basis.capacity() {
            return self.factor_shifted(jac_values, SHIFT_MANY);
        }
        Ok(self.find_free_directions(weakest))
    }

    fn factor_shifted(&mut self, jac_values: &[f64], shift: f64) -> Result<Weakest, KktError> {
        // An earlier attempt may have overwritten W, so it is formed again; this affects only redundant systems, which
        // should set `redundant`.
        self.assemble(jac_values)?;
        let outcome = self.factor_with(Regularization { shift, threshold: 0.0 })?;
        match outcome {
            Outcome::Done(w) | Outcome::TooSmall(w) => {
                Ok(Weakest { pivot: (w.pivot - shift).max(0.0), row: w.row })
            }
        }
    }

    /// Elimination steps whose pivot is near the shift.
    fn free_candidates(&self) -> impl Iterator<Item = usize> {
        let (pivots, order) = self.pivots();
        let scale = &self.scale;
        (0..pivots.len()).filter(move |&j| {
            let row = order.map_or(j, |order| order[j] as usize);
            pivots[j] <= FREE_CANDIDATE * scale[row]
        })
    }

    fn pivots(&self) -> (&[f64], Option<&[u32]>) {
        match &self.factor {
            Factor::Dense(f) => (f.pivots(), None),
            Factor::Sparse(f) => (f.pivots(), Some(f.order())),
        }
    }

    /// Collect the null vectors of `W` behind the collapsed pivots; returns
    /// the weakest direction with the regularisation discounted.
    fn find_free_directions(&mut self, mut weakest: Weakest) -> Weakest {
        let (pivots, order) = match &self.factor {
            Factor::Dense(f) => (f.pivots(), None),
            Factor::Sparse(f) => (f.pivots(), Some(f.order())),
        };
        let row_at = |j: usize| order.map_or(j, |order| order[j] as usize);
        let candidate = |j: usize| pivots[j] <= FREE_CANDIDATE * self.scale[row_at(j)];
        for j in (0..pivots.len()).filter(|&j| candidate(j)) {
            let seed = self.basis.seed(j);
            match &self.factor {
                Factor::Dense(f) => f.back_substitute(seed),
                Factor::Sparse(f) => f.back_substitute(seed),
            }
            // nᵀ(W + εS)n is the pivot, so this is the Rayleigh quotient of W.
            let square = self.basis.weighted_square(&self.scale, order);
            let quotient = if square > 0.0 { (pivots[j] / square - SHIFT).max(0.0) } else { 0.0 };
            if quotient < weakest.pivot {
                weakest = Weakest { pivot: quotient, row: row_at(j) };
            }
            if quotient > FREE {
                continue;
            }
            if square > 0.0 {
                // One inverse iteration: n was off by ε over the smallest
                // regular eigenvalue, which showed as 1e-9 in λ; now squared.
                let n = self.basis.weighted(&self.scale, order);
                match &self.factor {
                    Factor::Dense(f) => f.solve(n),
                    Factor::Sparse(f) => f.solve_ordered(n),
                }
            }
            self.basis.accept(order);
        }
        weakest
    }
}

impl Refined for MassKkt {
    fn weights(&self) -> (&[f64], &[f64]) {
        (&self.inverse.weight, &self.row_weight)
    }

    fn is_massless(&self) -> bool {
        self.massless
    }

    fn project(&mut self, lambda: &mut [f64]) {
        self.basis.project(lambda);
    }

    fn worst_row(&mut self, b: &[f64], a: &[f64]) -> f64 {
        self.row_terms.iter_mut().zip(b).for_each(|(t, b)| *t = b.abs());
        self.panels.add_sizes(a, &mut self.row_terms);
        worst_part(&self.r2, &self.row_terms)
    }

    fn find_residuals(&mut self, (f, b): (&[f64], &[f64]), (a, lambda): (&[f64], &[f64])) {
        self.r1.copy_from_slice(f);
        self.panels.add_transposed(lambda, &mut self.r1);
        self.inverse.shape.mul_sub(&self.mass, a, &mut self.r1);
        self.r2.copy_from_slice(b);
        self.panels.sub_mul(a, &mut self.r2);
    }

    fn residuals(&self) -> (&[f64], &[f64]) {
        (&self.r1, &self.r2)
    }

    fn correct(&mut self, a: &mut [f64], lambda: &mut [f64]) {
        self.inverse.apply(&self.r1, &mut self.da);
        self.panels.sub_mul(&self.da, &mut self.r2);
        match &mut self.factor {
            Factor::Dense(w) => w.solve(&mut self.r2),
            Factor::Sparse(w) => w.solve(&mut self.r2),
        }
        self.panels.add_inverse_transposed(&self.r2, &mut self.da);
        for (a, d) in a.iter_mut().zip(&self.da) {
            *a += d;
        }
        for (l, d) in lambda.iter_mut().zip(&self.r2) {
            *l += d;
        }
    }
}

/// Cheaper backend by estimated cost.
fn choose(blocks: &MassShape, jac: &Csr, backend: Backend) -> Result<Factor, KktError> {
    let m = jac.nrows;
    if backend == Backend::Dense {
        return Ok(Factor::Dense(DenseLdl::new(m)));
    }
    check_room(m, panels::row_pairs(blocks, jac) as f64, size_of::<(u32, u32)>() as f64)?;
    let sparse = SparseLdl::new(m, &panels::coupling(blocks, jac), true)?;
    // Tenths of nanoseconds, fitted to factor + solve of planar chains (dense
    // 0.39 / 0.96 / 2.1 / 8.7 µs and sparse 0.40 / 0.73 / 1.0 / 2.3 µs at
    // 8 / 14 / 20 / 40 rows, Xeon 2.8 GHz, SSE2).
    let dense_cost = 150 * m + m * m * m;
    let sparse_cost = 200 * m + 15 * sparse.flops();
    Ok(if backend == Backend::Auto && dense_cost <= sparse_cost && m <= 256 {
        Factor::Dense(DenseLdl::new(m))
    } else {
        Factor::Sparse(sparse)
    })
}
