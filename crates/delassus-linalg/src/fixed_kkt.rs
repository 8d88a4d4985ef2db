//! `S x − Gᵀ y = r`, `G x = b` with nonsymmetric `S`, by the same operations whatever the values are.
//!
//! The matrix is eliminated in the order of [`crate::sparse_ldu`], without pivoting and without a second attempt. A pivot
//! that is lost is replaced by a small one of its sign: where rows depend on each other for a moment, their combination
//! is then held with a small compliance, and multipliers stay bounded. Coordinates without inertia get a small fictitious
//! one. Where the first matrix needs such help, every solution is refined against the true matrix, always equally often.
//!
//! What counts as lost is measured on the first matrix, and kept.

use crate::error::{KktError, check_len};
use crate::pattern::Csr;
use crate::saddle::Saddle;
use crate::sparse_ldu::SparseLdu;

/// Pivots below this part of their size are replaced. Half of the digits: what is then lost by elimination is no more
/// than what the replacement changes.
const FLOOR: f64 = 1e-8;
/// Coordinates below this part of the largest inertia have none.
const MASSLESS: f64 = 1e-14;
/// Size of a row between coordinates without inertia, as a part of what their fictitious one gives it: it must not count
/// as lost against that.
const BESIDE_NOTHING: f64 = 1e-5;
/// Weakest pivot of the first matrix from which on solutions are not refined.
const GOOD: f64 = 1e-6;
/// Refinements otherwise.
const REFINEMENTS: u32 = 2;

/// Solver of fixed cost of the linearised step.
#[derive(Debug, Clone)]
pub struct FixedKkt {
    s: Csr,
    jac: Csr,
    ldu: SparseLdu,
    sizes: Vec<f64>,
    measured: bool,
    refinements: u32,
    /// The true matrix, for refinements.
    s_values: Vec<f64>,
    jac_values: Vec<f64>,
    r: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl FixedKkt {
    /// Symbolic analysis and allocation. `s` must contain its diagonal.
    pub fn new(s: Csr, jac: Csr) -> Result<FixedKkt, KktError> {
        s.validate()?;
        jac.validate()?;
        check_len("columns of S", s.ncols, s.nrows)?;
        check_len("columns of the constraint matrix", jac.ncols, s.nrows)?;
        if (0..s.nrows).any(|i| s.slot(i, i).is_none()) {
            return Err(KktError::Pattern("S lacks a diagonal entry"));
        }
        let saddle = Saddle::new(&s, &jac);
        let Some(ldu) = SparseLdu::new(&saddle, usize::MAX)? else {
            return Err(KktError::Pattern("no order of elimination"));
        };
        Ok(FixedKkt {
            ldu,
            sizes: vec![0.0; saddle.n],
            measured: false,
            refinements: 0,
            s_values: vec![0.0; s.nnz()],
            jac_values: vec![0.0; jac.nnz()],
            r: vec![0.0; s.nrows],
            b: vec![0.0; jac.nrows],
            x: vec![0.0; s.nrows],
            y: vec![0.0; jac.nrows],
            s,
            jac,
        })
    }

    /// Number of entries of the factors, with the diagonal.
    pub fn entries(&self) -> usize {
        self.ldu.entries()
    }

    /// Multiplications of one factorisation by unknown: coordinates, then rows.
    pub fn multiplications(&self) -> Vec<u64> {
        self.ldu.multiplications()
    }

    /// Refinements of each solution.
    pub fn refinements(&self) -> u32 {
        self.refinements
    }

    /// Factorises for new values; returns the weakest pivot as a part of its size.
    pub fn factor(&mut self, s_values: &[f64], jac_values: &[f64]) -> f64 {
        if !self.measured {
            self.measure(s_values, jac_values);
            let (weakest, _) = self.ldu.factor_always(s_values, jac_values, jac_values, FLOOR);
            self.refinements = if weakest >= GOOD { 0 } else { REFINEMENTS };
            self.measured = true;
        }
        if self.refinements > 0 {
            self.s_values.copy_from_slice(s_values);
            self.jac_values.copy_from_slice(jac_values);
        }
        self.ldu.factor_always(s_values, jac_values, jac_values, FLOOR).0
    }

    /// Solves with the current factorisation; `x` and `y` are overwritten.
    pub fn solve(&mut self, r: &[f64], b: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.ldu.solve(r, b, x, y);
        for _ in 0..self.refinements {
            self.r.copy_from_slice(r);
            self.b.copy_from_slice(b);
            self.s.mul_add(&self.s_values, -1.0, x, &mut self.r);
            self.jac.mul_t_add(&self.jac_values, 1.0, y, &mut self.r);
            self.jac.mul_add(&self.jac_values, -1.0, x, &mut self.b);
            self.ldu.solve(&self.r, &self.b, &mut self.x, &mut self.y);
            x.iter_mut().zip(&self.x).for_each(|(x, d)| *x += d);
            y.iter_mut().zip(&self.y).for_each(|(y, d)| *y += d);
        }
    }

    /// Sizes that pivots are measured by: of a coordinate its entry, and what its neighbours in S would make of it; of a
    /// row |G| |diag S|⁻¹ |G|ᵀ.
    fn measure(&mut self, s: &[f64], jac: &[f64]) {
        let nv = self.s.nrows;
        let diagonal = |i: usize| self.s.slot(i, i).map_or(0.0, |at| s[at].abs());
        let own: Vec<f64> = (0..nv).map(diagonal).collect();
        let most = own.iter().fold(0.0, |m: f64, x| m.max(*x));
        let most = if most > 0.0 { most } else { 1.0 };
        let (sizes, rows) = self.sizes.split_at_mut(nv);
        for (i, size) in sizes.iter_mut().enumerate() {
            *size = if own[i] > MASSLESS * most { own[i] } else { most };
        }
        for i in 0..nv {
            for at in self.s.row_ptr[i]..self.s.row_ptr[i + 1] {
                let j = self.s.col[at];
                let mirror = self.s.slot(j, i).map_or(0.0, |at| s[at]);
                let product = (s[at] * mirror).abs();
                if i != j && product > 0.0 && own[i] > 0.0 {
                    sizes[j] = sizes[j].max(product / own[i]);
                }
            }
        }
        for (i, size) in rows.iter_mut().enumerate() {
            let (mut with, mut without) = (0.0, 0.0);
            for at in self.jac.row_ptr[i]..self.jac.row_ptr[i + 1] {
                let (j, square) = (self.jac.col[at], jac[at] * jac[at]);
                if own[j] > MASSLESS * most {
                    with += square / own[j];
                } else {
                    without += square / (FLOOR * sizes[j]);
                }
            }
            *size = if with > 0.0 { with } else { BESIDE_NOTHING * without };
        }
        self.ldu.set_sizes(&self.sizes);
    }
}
