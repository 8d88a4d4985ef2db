//! `S x − Gᵀ y = r`, `G x = b` with nonsymmetric `S`, by LU of the whole
//! saddle matrix: of large ones in a fixed order where its pivots are good, with pivoting where they are not.

use crate::dense_lu::DenseLu;
use crate::error::{KktError, check_len};
use crate::options::{Backend, FactorInfo};
use crate::pattern::Csr;
use crate::saddle::Saddle;
use crate::sparse_ldu::SparseLdu;
use crate::sparse_lu::SparseLu;
use crate::vecops::{all_finite, first_non_finite};
use delassus_math::memory::{Memory, Remember};
use delassus_math::remember;

/// Regularisation of the multiplier diagonal of the equilibrated matrix. A
/// Newton iteration that evaluates true residuals contracts the error by
/// about this much over the smallest regular eigenvalue in each sweep, and
/// rounding enters free multipliers divided by it.
const SHIFT: f64 = 1e-9;
/// Units of multipliers are powers of two to this power: they keep masses of 1e-15 from being mistaken for zero beside
/// the entries of G, and change nothing, not even the order of pivots, where masses are ordinary.
const UNIT_BITS: i32 = 40;
/// Number of unknowns up to which [`Backend::Auto`] takes the dense LU for any pattern: on planar chains factor + solve
/// cost the same at about 36.
const DENSE_MAX: usize = 36;
/// Number of unknowns up to which it does so for a matrix more than a quarter full.
const DENSE_MAX_FULL: usize = 400;

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per solver; boxing would add a pointer to every step"
)]
enum Factor {
    Dense(DenseLu),
    /// With pivoting; and in the fixed order, where there is one that fills no more.
    Sparse(SparseLu, Option<Fixed>),
}

/// Elimination in a fixed order, and whether it made the present factors.
#[derive(Debug, Clone)]
struct Fixed {
    ldu: SparseLdu,
    used: bool,
}
remember!(Fixed { ldu, used } apart from {});

impl Remember for Factor {
    fn remember(&mut self, m: &mut Memory<'_>) {
        match self {
            Factor::Dense(f) => f.remember(m),
            Factor::Sparse(f, fixed) => {
                f.remember(m);
                // whether there is one is decided by the structure alone
                if let Some(fixed) = fixed {
                    fixed.remember(m);
                }
            }
        }
    }
}

/// Solver of the linearised implicit step. See the crate documentation for
/// the equations and signs.
///
/// If the constraint rows are found dependent, `[[S, −Gᵀ], [G, ε]]` is
/// factorised instead: the solution then satisfies `G x = b` to about 1e-9
/// relative and `y` is close to, but not exactly, of minimum norm. An outer
/// iteration on true residuals removes both errors.
#[derive(Debug, Clone)]
pub struct TangentKkt {
    s: Csr,
    jac: Csr,
    factor: Factor,
    /// Unit of each multiplier, from the entries of S where its row of G acts; and the columns in these units.
    unit: Vec<f64>,
    in_units: Vec<f64>,
    /// Largest entry of each row of S.
    largest: Vec<f64>,
    redundant: bool,
    ready: bool,
}
remember!(TangentKkt { factor, unit, redundant, ready } apart from { s, jac, in_units, largest });

impl TangentKkt {
    /// Symbolic analysis and allocation. `s` must contain its diagonal.
    pub fn new(s: Csr, jac: Csr, backend: Backend) -> Result<TangentKkt, KktError> {
        s.validate()?;
        jac.validate()?;
        check_len("columns of S", s.ncols, s.nrows)?;
        check_len("columns of the constraint matrix", jac.ncols, s.nrows)?;
        if (0..s.nrows).any(|i| s.slot(i, i).is_none()) {
            return Err(KktError::Pattern("S lacks a diagonal entry"));
        }
        let saddle = Saddle::new(&s, &jac);
        let dense = match backend {
            Backend::Auto => {
                let full = 4 * saddle.entries.len() > saddle.n * saddle.n;
                saddle.n <= DENSE_MAX || (full && saddle.n <= DENSE_MAX_FULL)
            }
            Backend::Dense => true,
            Backend::Sparse => false,
        };
        let factor = if dense {
            Factor::Dense(DenseLu::new(&saddle))
        } else {
            let lu = SparseLu::new(&saddle)?;
            let ldu = SparseLdu::new(&saddle, lu.bound())?;
            Factor::Sparse(lu, ldu.map(|ldu| Fixed { ldu, used: false }))
        };
        Ok(TangentKkt {
            factor,
            unit: vec![1.0; jac.nrows],
            in_units: vec![0.0; jac.nnz()],
            largest: vec![0.0; s.nrows],
            s,
            jac,
            redundant: false,
            ready: false,
        })
    }

    /// Declare the constraints redundant (or not): with `true` the plain
    /// attempt, which would fail, is skipped.
    pub fn set_redundant(&mut self, redundant: bool) {
        self.redundant = redundant;
    }

    /// The backend in use (`Auto` resolved).
    pub fn backend(&self) -> Backend {
        match self.factor {
            Factor::Dense(_) => Backend::Dense,
            Factor::Sparse(..) => Backend::Sparse,
        }
    }

    /// Factorise for new values. `jac_rows` are the coefficients of the
    /// constraint equations, `jac_cols` those of the multiplier columns;
    /// pass the same slice twice when they coincide.
    ///
    /// In the result, `weakest_row` and the row of a `Singular` error count
    /// unknowns: coordinates first, then constraint rows.
    pub fn factor(
        &mut self,
        s_values: &[f64],
        jac_rows: &[f64],
        jac_cols: &[f64],
    ) -> Result<FactorInfo, KktError> {
        check_len("S values", s_values.len(), self.s.nnz())?;
        check_len("constraint values", jac_rows.len(), self.jac.nnz())?;
        check_len("multiplier values", jac_cols.len(), self.jac.nnz())?;
        self.ready = false;
        if let Some(at) = find_non_finite(s_values) {
            let dof = row_of(&self.s, at);
            return Err(KktError::NonFiniteDof { dof });
        }
        if let Some(at) = find_non_finite(jac_rows).or_else(|| find_non_finite(jac_cols)) {
            let row = row_of(&self.jac, at);
            return Err(KktError::NonFinite { row });
        }
        self.choose_units(s_values, jac_cols);
        let mut found = self.eliminate(s_values, jac_rows);
        if found.is_none() && (!self.redundant || self.jac.nrows == 0) {
            found = self.attempt(s_values, jac_rows, None)?;
        }
        let regularized = found.is_none();
        if regularized {
            found = self.attempt(s_values, jac_rows, Some(SHIFT))?;
        }
        let (pivot, row) = found.unwrap_or((0.0, 0));
        self.ready = true;
        Ok(FactorInfo {
            min_relative_pivot: pivot,
            weakest_row: row,
            regularized,
            free_directions: 0,
        })
    }

    /// Solve with the current factorisation; `x` and `y` are overwritten.
    pub fn solve(
        &mut self,
        r: &[f64],
        b: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        let (nv, m) = (self.s.nrows, self.jac.nrows);
        check_len("r", r.len(), nv)?;
        check_len("b", b.len(), m)?;
        check_len("x", x.len(), nv)?;
        check_len("y", y.len(), m)?;
        if !self.ready {
            return Err(KktError::NotReady("factor"));
        }
        match &mut self.factor {
            Factor::Dense(f) => f.solve(r, b, x, y),
            Factor::Sparse(_, Some(Fixed { ldu, used: true })) => ldu.solve(r, b, x, y),
            Factor::Sparse(f, _) => f.solve(r, b, x, y),
        }
        for (y, unit) in y.iter_mut().zip(&self.unit) {
            *y *= unit;
        }
        if all_finite(x) && all_finite(y) {
            return Ok(());
        }
        if let Some(row) = first_non_finite(b) {
            return Err(KktError::NonFinite { row });
        }
        if let Some(dof) = first_non_finite(r).or_else(|| first_non_finite(x)) {
            return Err(KktError::NonFiniteDof { dof });
        }
        Err(KktError::NonFinite { row: first_non_finite(y).unwrap_or(0) })
    }

    /// Units of the multipliers, and their columns in them.
    fn choose_units(&mut self, s: &[f64], cols: &[f64]) {
        for (i, most) in self.largest.iter_mut().enumerate() {
            let row = &s[self.s.row_ptr[i]..self.s.row_ptr[i + 1]];
            *most = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        }
        for (k, unit) in self.unit.iter_mut().enumerate() {
            let most = self.jac.row(k).iter().fold(0.0, |m: f64, &j| m.max(self.largest[j]));
            *unit = unit_near(most);
            let range = self.jac.row_ptr[k]..self.jac.row_ptr[k + 1];
            for (to, v) in self.in_units[range.clone()].iter_mut().zip(&cols[range]) {
                *to = *unit * v;
            }
        }
    }

    /// Factors in the fixed order; `None` if there is none, or if its pivots are weak.
    fn eliminate(&mut self, s: &[f64], rows: &[f64]) -> Option<(f64, usize)> {
        let Factor::Sparse(_, Some(fixed)) = &mut self.factor else {
            return None;
        };
        fixed.used = false;
        if self.redundant {
            return None;
        }
        let found = fixed.ldu.factor(s, rows, &self.in_units);
        fixed.used = found.is_some();
        found
    }

    fn attempt(
        &mut self,
        s: &[f64],
        rows: &[f64],
        shift: Option<f64>,
    ) -> Result<Option<(f64, usize)>, KktError> {
        let (nv, cols) = (self.s.nrows, &self.in_units);
        match &mut self.factor {
            Factor::Dense(f) => {
                f.load(s, rows, cols);
                if let Some(shift) = shift {
                    f.shift_diagonal(nv, shift);
                }
                f.factor(shift.is_none())
            }
            Factor::Sparse(f, _) => {
                f.load(s, rows, cols);
                if let Some(shift) = shift {
                    f.shift_diagonal(nv, shift);
                }
                f.factor(shift.is_none())
            }
        }
    }
}

/// The unit of a multiplier that acts on entries of S of this size.
fn unit_near(most: f64) -> f64 {
    if !(most > 0.0 && most < 1.0) {
        return 1.0;
    }
    let steps = (most.log2() / f64::from(UNIT_BITS)).round() as i32;
    2f64.powi((steps * UNIT_BITS).max(f64::MIN_EXP))
}

fn find_non_finite(values: &[f64]) -> Option<usize> {
    if all_finite(values) { None } else { first_non_finite(values) }
}

fn row_of(pattern: &Csr, slot: usize) -> usize {
    pattern.row_ptr.partition_point(|&p| p <= slot) - 1
}
