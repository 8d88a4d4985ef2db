//! `M a − Gᵀ λ = f`, `G a = b` by LDLᵀ of the whole matrix, where `W = G M⁻¹ Gᵀ` would be full.
//!
//! This is so where blocks of `M` are coupled, and where very many joints meet in one body. Instead
//!
//! ```text
//! [ M   Gᵀ ] [  a ]   [ f ]
//! [ G   0  ] [ −λ ] = [ b ]
//! ```
//!
//! is eliminated in a fixed order that reduces fill and in which each row comes after all of its coordinates, or after
//! those of a body that hangs on nothing else ([`branch`]). Whatever has been eliminated at any time is then a regular
//! system of its own as long as the rows are independent, so no pivoting is needed: pivots of coordinates are positive,
//! those of rows are minus the remainder of a row after those before it, in the metric of the mass with the remaining
//! coordinates held. They reveal weak rows just as those of `W` do.

use crate::branch;
use crate::dense_ldl::{Pivots, Regularization, Weakest};
use crate::error::{KktError, check_len};
use crate::mass_kkt::{
    FREE, FREE_CANDIDATE, FREE_MAX_SPARSE, PIVOT_MIN, PIVOT_REFINE, SCALE_FLOOR, SHIFT, SHIFT_MANY,
};
use crate::mass_shape::MassShape;
use crate::null_basis::NullBasis;
use crate::options::{FactorInfo, KktOptions, SolveInfo};
use crate::ordering;
use crate::pattern::Csr;
use crate::refinement::{Refined, check_finite, refine, worst_part};
use crate::sparse_ldl::SparseLdl;

/// Difference of the two halves of `M`, relative to the diagonal, that is more than rounding.
const ASYMMETRY: f64 = 1e-10;

/// Solver with the calls and the answers of [`crate::MassKkt`], for coupled masses.
#[derive(Debug, Clone)]
pub(crate) struct CoupledKkt {
    shape: MassShape,
    jac: Csr,
    floor: Vec<f64>,
    redundant: bool,
    massless: bool,
    ldl: SparseLdl,
    /// Slots in the matrix of the values of M in its lower half, and of those of G.
    mass_slots: Vec<(u32, u32)>,
    jac_slots: Vec<u32>,
    /// For each value of G, whether its coordinate comes before its row.
    earlier: Vec<bool>,
    /// Each value above the diagonal with its slot, and that of its mirror image.
    mirror: Vec<(u32, u32, u32, u32)>,
    mass: Vec<f64>,
    values: Vec<f64>,
    /// Diagonal of M, with floors; the inverse of its root.
    inertia: Vec<f64>,
    weight: Vec<f64>,
    /// Size of each row in the metric of that diagonal, by the coordinates that come before it; the
    /// inverse of its root.
    scale: Vec<f64>,
    row_weight: Vec<f64>,
    row_terms: Vec<f64>,
    basis: NullBasis,
    mass_ready: bool,
    ready: bool,
    info: FactorInfo,
    x: Vec<f64>,
    r1: Vec<f64>,
    r2: Vec<f64>,
    da: Vec<f64>,
    dl: Vec<f64>,
}

impl CoupledKkt {
    /// Symbolic analysis and all allocation.
    pub(crate) fn new(
        shape: MassShape,
        jac: Csr,
        opts: KktOptions,
    ) -> Result<CoupledKkt, KktError> {
        jac.validate()?;
        let (nv, m) = (shape.dim(), jac.nrows);
        opts.check(nv, &jac)?;
        let lower = lower_half(&shape, &jac);
        let order = order(nv, &lower, &branch::rows_to_wait_for(&shape, &jac))?;
        let earlier = earlier(&order, &jac);
        let ldl = SparseLdl::with_order(nv + m, &lower, order)?;
        let (mass_slots, jac_slots) = slots(&ldl, &shape, &jac);
        let mirror = mirror(&shape);
        Ok(CoupledKkt {
            massless: opts.mass_floor.iter().any(|v| *v > 0.0),
            floor: opts.mass_floor,
            redundant: opts.redundant,
            ldl,
            mass_slots,
            jac_slots,
            earlier,
            mirror,
            mass: vec![0.0; shape.value_len()],
            values: vec![0.0; jac.nnz()],
            inertia: vec![0.0; nv],
            weight: vec![0.0; nv],
            scale: vec![0.0; m],
            row_weight: vec![0.0; m],
            row_terms: vec![0.0; m],
            basis: NullBasis::new(m, m.min(FREE_MAX_SPARSE)),
            mass_ready: false,
            ready: false,
            info: FactorInfo {
                min_relative_pivot: 1.0,
                weakest_row: 0,
                regularized: false,
                free_directions: 0,
            },
            x: vec![0.0; nv + m],
            r1: vec![0.0; nv],
            r2: vec![0.0; m],
            da: vec![0.0; nv],
            dl: vec![0.0; m],
            shape,
            jac,
        })
    }

    /// Takes a new mass matrix. Invalidates the factorisation.
    pub(crate) fn set_mass(&mut self, values: &[f64]) -> Result<(), KktError> {
        check_len("mass values", values.len(), self.mass.len())?;
        self.mass_ready = false;
        self.ready = false;
        self.mass.copy_from_slice(values);
        for (i, m) in self.shape.diagonal(&self.mass).enumerate() {
            let inertia = m + self.floor.get(i).copied().unwrap_or(0.0);
            if !inertia.is_finite() {
                return Err(KktError::NonFiniteDof { dof: i });
            }
            self.inertia[i] = inertia;
            self.weight[i] = if inertia > 0.0 { 1.0 / inertia.sqrt() } else { 0.0 };
        }
        // Elimination reads one half, products both: a difference would affect only some of them.
        for &(above, below, i, j) in &self.mirror {
            let (row, col) = (i as usize, j as usize);
            let difference = (values[above as usize] - values[below as usize]).abs();
            if !(difference * self.weight[row] * self.weight[col] <= ASYMMETRY) {
                return Err(match difference.is_finite() {
                    true => KktError::MassNotSymmetric { row, col },
                    false => KktError::NonFiniteDof { dof: row },
                });
            }
        }
        self.mass_ready = true;
        Ok(())
    }

    /// Factorises for new values of `G`.
    pub(crate) fn factor(&mut self, jac_values: &[f64]) -> Result<FactorInfo, KktError> {
        check_len("constraint values", jac_values.len(), self.jac.nnz())?;
        self.ready = false;
        if !self.mass_ready {
            return Err(KktError::NotReady("set_mass"));
        }
        self.values.copy_from_slice(jac_values);
        self.measure_rows()?;
        self.basis.clear();
        let plain = if self.redundant && self.jac.nrows > 0 {
            None
        } else {
            self.eliminate(Regularization { shift: 0.0, threshold: PIVOT_MIN })?
        };
        let (weakest, regularized) = match plain {
            Some(weakest) => (weakest, false),
            None => (self.factor_regularized()?, true),
        };
        self.info = FactorInfo {
            min_relative_pivot: weakest.pivot,
            weakest_row: weakest.row,
            regularized,
            free_directions: self.basis.count(),
        };
        self.ready = true;
        Ok(self.info)
    }

    /// Sizes of the rows.
    fn measure_rows(&mut self) -> Result<(), KktError> {
        let mut largest = 0.0f64;
        for (i, s) in self.scale.iter_mut().enumerate() {
            let range = self.jac.row_ptr[i]..self.jac.row_ptr[i + 1];
            let row = self.jac.col[range.clone()].iter().zip(&self.values[range.clone()]);
            let row = row.zip(&self.earlier[range]).filter(|(_, earlier)| **earlier);
            *s = row.map(|((j, g), _)| (g * self.weight[*j]).powi(2)).sum();
            if !s.is_finite() {
                return Err(KktError::NonFinite { row: i });
            }
            largest = largest.max(*s);
        }
        for (s, w) in self.scale.iter_mut().zip(&mut self.row_weight) {
            *s += SCALE_FLOOR * largest;
            *w = if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 };
        }
        Ok(())
    }

    /// Loads and eliminates; `None` if a plain attempt met too weak a row.
    fn eliminate(&mut self, reg: Regularization) -> Result<Option<Weakest>, KktError> {
        let to = self.ldl.cleared();
        for &(from, slot) in &self.mass_slots {
            to[slot as usize] = self.mass[from as usize];
        }
        for (slot, g) in self.jac_slots.iter().zip(&self.values) {
            to[*slot as usize] = *g;
        }
        let nv = self.jac.ncols;
        let (shape, scale, inertia, floor) = (&self.shape, &self.scale, &self.inertia, &self.floor);
        let mut pivots = Pivots::new(reg);
        let done = self.ldl.eliminate(|i, diagonal| {
            if i >= nv {
                let row = i - nv;
                let pivot = pivots.take(row, -diagonal, scale[row])?;
                return Ok(pivot.map(|(d, inverse)| (-d, -inverse)));
            }
            let pivot = diagonal + floor.get(i).copied().unwrap_or(0.0);
            if !pivot.is_finite() {
                return Err(KktError::NonFiniteDof { dof: i });
            }
            // A pivot below rounding of its own diagonal carries no digit.
            if pivot <= 4.0 * f64::EPSILON * inertia[i].abs() {
                let block = (0..shape.count()).rfind(|k| shape.dof(*k) <= i).unwrap_or(0);
                return Err(KktError::MassNotPositive { block, dof: i, pivot });
            }
            Ok(Some((pivot, 1.0 / pivot)))
        })?;
        Ok(done.then(|| pivots.weakest()))
    }

    fn factor_regularized(&mut self) -> Result<Weakest, KktError> {
        let weakest = self.factor_shifted(SHIFT)?;
        let (order, pivots, nv) = (self.ldl.order(), self.ldl.pivots(), self.jac.ncols);
        let near = |j: &usize| is_candidate(order[*j] as usize, nv, pivots[*j], &self.scale);
        if (0..order.len()).filter(near).count() > self.basis.capacity() {
            return self.factor_shifted(SHIFT_MANY);
        }
        Ok(self.find_free_directions(weakest))
    }

    fn factor_shifted(&mut self, shift: f64) -> Result<Weakest, KktError> {
        let found = self.eliminate(Regularization { shift, threshold: 0.0 })?;
        let w = found.unwrap_or(Weakest { pivot: 0.0, row: 0 });
        Ok(Weakest { pivot: (w.pivot - shift).max(0.0), row: w.row })
    }

    /// Combinations of rows that vanish, found from the collapsed pivots: `x = L⁻ᵀ eⱼ` has `Gᵀ x = 0` in its part of
    /// the rows. Returns the weakest direction with the regularisation discounted.
    fn find_free_directions(&mut self, mut weakest: Weakest) -> Weakest {
        let nv = self.jac.ncols;
        for j in 0..self.x.len() {
            let i = self.ldl.order()[j] as usize;
            let pivot = self.ldl.pivots()[j];
            if !is_candidate(i, nv, pivot, &self.scale) {
                continue;
            }
            self.x.fill(0.0);
            self.x[j] = 1.0;
            self.ldl.back_substitute(&mut self.x);
            take_rows(self.ldl.order(), nv, &self.x, self.basis.candidate());
            // the Rayleigh quotient of G M⁻¹ Gᵀ in the metric of the scales
            let square = self.basis.weighted_square(&self.scale, None);
            let quotient = if square > 0.0 { (-pivot / square - SHIFT).max(0.0) } else { 0.0 };
            if quotient < weakest.pivot {
                weakest = Weakest { pivot: quotient, row: i - nv };
            }
            if quotient > FREE {
                continue;
            }
            if square > 0.0 {
                // one inverse iteration, as for W
                let n = self.basis.weighted(&self.scale, None);
                for (x, &old) in self.x.iter_mut().zip(self.ldl.order()) {
                    let old = old as usize;
                    *x = if old >= nv { n[old - nv] } else { 0.0 };
                }
                self.ldl.solve_ordered(&mut self.x);
                take_rows(self.ldl.order(), nv, &self.x, self.basis.candidate());
            }
            self.basis.accept(None);
        }
        weakest
    }

    /// Solves with the current factorisation; `a` and `lambda` are overwritten.
    pub(crate) fn solve(
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
        substitute(&mut self.ldl, &mut self.x, (f, b), (a, lambda));
        check_finite(f, b, a, lambda)?;
        let weak = self.info.regularized || self.info.min_relative_pivot < PIVOT_REFINE;
        if self.massless || weak {
            refine(self, f, b, a, lambda)
        } else {
            Ok(SolveInfo { refinements: 0, residual: None })
        }
    }
}

impl Refined for CoupledKkt {
    fn weights(&self) -> (&[f64], &[f64]) {
        (&self.weight, &self.row_weight)
    }

    fn is_massless(&self) -> bool {
        self.massless
    }

    fn project(&mut self, lambda: &mut [f64]) {
        self.basis.project(lambda);
    }

    fn worst_row(&mut self, b: &[f64], a: &[f64]) -> f64 {
        let terms = &mut self.row_terms;
        for (i, (t, b)) in terms.iter_mut().zip(b).enumerate() {
            let row = self.jac.row_ptr[i]..self.jac.row_ptr[i + 1];
            let own = self.jac.col[row.clone()].iter().zip(&self.values[row]);
            *t = b.abs() + own.map(|(j, g)| (g * a[*j]).abs()).sum::<f64>();
        }
        worst_part(&self.r2, terms)
    }

    fn find_residuals(&mut self, (f, b): (&[f64], &[f64]), (a, lambda): (&[f64], &[f64])) {
        self.r1.copy_from_slice(f);
        self.shape.mul_sub(&self.mass, a, &mut self.r1);
        self.jac.mul_t_add(&self.values, 1.0, lambda, &mut self.r1);
        self.r2.copy_from_slice(b);
        self.jac.mul_add(&self.values, -1.0, a, &mut self.r2);
    }

    fn residuals(&self) -> (&[f64], &[f64]) {
        (&self.r1, &self.r2)
    }

    fn correct(&mut self, a: &mut [f64], lambda: &mut [f64]) {
        let to = (&mut self.da[..], &mut self.dl[..]);
        substitute(&mut self.ldl, &mut self.x, (&self.r1, &self.r2), to);
        a.iter_mut().zip(&self.da).for_each(|(a, d)| *a += d);
        lambda.iter_mut().zip(&self.dl).for_each(|(l, d)| *l += d);
    }
}

/// Whether the pivot of unknown `i` is that of a row, and near the shift.
fn is_candidate(i: usize, nv: usize, pivot: f64, scale: &[f64]) -> bool {
    i >= nv && -pivot <= FREE_CANDIDATE * scale[i - nv]
}

/// The part of the rows of a vector in elimination order.
fn take_rows(order: &[u32], nv: usize, x: &[f64], rows: &mut [f64]) {
    for (x, &old) in x.iter().zip(order) {
        if old as usize >= nv {
            rows[old as usize - nv] = *x;
        }
    }
}

/// (a, λ) from (f, b) by the present factors.
fn substitute(
    ldl: &mut SparseLdl,
    x: &mut [f64],
    (f, b): (&[f64], &[f64]),
    (a, lambda): (&mut [f64], &mut [f64]),
) {
    let nv = f.len();
    x[..nv].copy_from_slice(f);
    x[nv..].copy_from_slice(b);
    ldl.solve(x);
    a.copy_from_slice(&x[..nv]);
    for (l, x) in lambda.iter_mut().zip(&x[nv..]) {
        *l = -x;
    }
}

/// Lower half of the pattern, coordinates first, with the whole diagonal.
fn lower_half(shape: &MassShape, jac: &Csr) -> Vec<(u32, u32)> {
    let (nv, m) = (shape.dim(), jac.nrows);
    let mass = shape.entries().filter(|(i, j)| i >= j).map(|(i, j)| (i as u32, j as u32));
    let rows = (0..m).flat_map(|i| jac.row(i).iter().map(move |j| ((nv + i) as u32, *j as u32)));
    let own = (nv..nv + m).map(|i| (i as u32, i as u32));
    mass.chain(rows).chain(own).collect()
}

/// Slots in the matrix of the values of M in its lower half, each with its index, and of those of G.
fn slots(ldl: &SparseLdl, shape: &MassShape, jac: &Csr) -> (Vec<(u32, u32)>, Vec<u32>) {
    let (slot, nv) = (ldl.slots(), shape.dim());
    let mass = shape.entries().enumerate().filter(|(_, (i, j))| i >= j);
    let mass = mass.map(|(k, (i, j))| (k as u32, slot(i, j))).collect();
    let row = |i: usize| jac.row(i).iter().map(move |j| (nv + i, *j));
    (mass, (0..jac.nrows).flat_map(row).map(|(i, j)| slot(i, j)).collect())
}

/// Fill-reducing order in which rows come after the coordinates they wait for, `order[new] = old`.
///
/// A row that the minimum degree would eliminate early waits for the last of them. The fill that its elimination would
/// have caused among them is then caused by the row itself, which is coupled with each: the factor grows by no more
/// than the entries of the waiting rows.
pub(crate) fn order(
    nv: usize,
    lower: &[(u32, u32)],
    waits: &[Vec<usize>],
) -> Result<Vec<u32>, KktError> {
    let m = waits.len();
    let free = ordering::minimum_degree(nv + m, lower)?;
    let mut place = vec![0usize; nv + m];
    for (new, &old) in free.iter().enumerate() {
        place[old as usize] = new;
    }
    let mut turn: Vec<(usize, bool, usize)> =
        (0..nv + m).map(|i| (place[i], i >= nv, place[i])).collect();
    for (turn, waits) in turn[nv..].iter_mut().zip(waits) {
        turn.0 = waits.iter().map(|j| place[*j]).fold(turn.0, usize::max);
    }
    turn.sort_unstable();
    Ok(turn.into_iter().map(|(_, _, place)| free[place]).collect())
}

/// For each value of G, whether its coordinate comes before its row in an order.
fn earlier(order: &[u32], jac: &Csr) -> Vec<bool> {
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old as usize] = new;
    }
    let rows = (0..jac.nrows).map(|i| (place[jac.ncols + i], jac.row(i)));
    rows.flat_map(|(row, cols)| cols.iter().map(move |j| (*j, row)))
        .map(|(j, row)| place[j] < row)
        .collect()
}

/// Values above the diagonal, each with its mirror image, row and column.
fn mirror(shape: &MassShape) -> Vec<(u32, u32, u32, u32)> {
    let mut all: Vec<(usize, usize, usize)> =
        shape.entries().enumerate().map(|(k, (i, j))| (i, j, k)).collect();
    all.sort_unstable();
    let at = |i: usize, j: usize| {
        let k = all.partition_point(|e| (e.0, e.1) < (i, j));
        all.get(k).filter(|e| (e.0, e.1) == (i, j)).map(|e| e.2)
    };
    all.iter()
        .filter(|e| e.0 < e.1)
        .filter_map(|&(i, j, k)| at(j, i).map(|l| (k as u32, l as u32, i as u32, j as u32)))
        .collect()
}
