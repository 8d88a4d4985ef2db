//! Sparse matrices with their values, and full ones from them.

use delassus_linalg::{Csr, KktError};
use faer::Mat;

/// A sparse matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    /// Where its entries are.
    pub pattern: Csr,
    /// Their values.
    pub values: Vec<f64>,
}

impl Sparse {
    /// Sums entries (row, column, value) that come in any order.
    pub fn from_entries(
        nrows: usize,
        ncols: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Sparse, KktError> {
        let pattern = Csr::from_pairs(nrows, ncols, entries.iter().map(|e| (e.0, e.1)))?;
        let mut values = vec![0.0; pattern.nnz()];
        for &(i, j, x) in entries {
            if let Some(slot) = pattern.slot(i, j) {
                values[slot] += x;
            }
        }
        Ok(Sparse { pattern, values })
    }

    /// Without entries.
    pub fn zero(nrows: usize, ncols: usize) -> Sparse {
        let pattern = Csr { nrows, ncols, row_ptr: vec![0; nrows + 1], col: Vec::new() };
        Sparse { pattern, values: Vec::new() }
    }

    /// Its entries: row, column, value.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let p = &self.pattern;
        (0..p.nrows).flat_map(move |i| {
            (p.row_ptr[i]..p.row_ptr[i + 1]).map(move |s| (i, p.col[s], self.values[s]))
        })
    }

    /// A x.
    pub fn mul(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.pattern.nrows];
        self.pattern.mul_add(&self.values, 1.0, x, &mut y);
        y
    }

    /// y += c A x.
    pub fn mul_add(&self, c: f64, x: &[f64], y: &mut [f64]) {
        self.pattern.mul_add(&self.values, c, x, y);
    }

    /// A B.
    pub fn times(&self, other: &Sparse) -> Result<Sparse, KktError> {
        let mut out = Vec::new();
        for (i, k, a) in self.entries() {
            let row = other.pattern.row_ptr[k]..other.pattern.row_ptr[k + 1];
            out.extend(row.map(|s| (i, other.pattern.col[s], a * other.values[s])));
        }
        Sparse::from_entries(self.pattern.nrows, other.pattern.ncols, &out)
    }

    /// A X with a full matrix.
    pub(super) fn times_full(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.pattern.nrows, x.ncols());
        for (i, k, a) in self.entries() {
            for j in 0..x.ncols() {
                out[(i, j)] += a * x[(k, j)];
            }
        }
        out
    }

    /// The same with the size of each entry.
    pub(super) fn sizes(&self) -> Sparse {
        let values = self.values.iter().map(|x| x.abs()).collect();
        Sparse { pattern: self.pattern.clone(), values }
    }

    /// Its symmetric part.
    pub(super) fn symmetric(&self) -> Result<Sparse, KktError> {
        let half = self.entries().flat_map(|(i, j, x)| [(i, j, 0.5 * x), (j, i, 0.5 * x)]);
        let n = self.pattern.nrows;
        Sparse::from_entries(n, n, &half.collect::<Vec<_>>())
    }

    /// All entries are zero.
    pub fn is_zero(&self) -> bool {
        self.values.iter().all(|x| *x == 0.0)
    }

    /// Largest entry.
    pub fn largest(&self) -> f64 {
        delassus_math::largest(self.values.iter().map(|x| x.abs()))
    }
}

/// Largest entry of a full matrix.
pub(super) fn largest_entry(m: &Mat<f64>) -> f64 {
    let entry = |i: usize| (0..m.ncols()).map(move |j| m[(i, j)].abs());
    delassus_math::largest((0..m.nrows()).flat_map(entry))
}

/// Columns from..to.
pub(super) fn columns(m: &Mat<f64>, from: usize, to: usize) -> Mat<f64> {
    Mat::from_fn(m.nrows(), to - from, |i, j| m[(i, from + j)])
}

/// Full matrix times vector.
pub(super) fn full_mul(m: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; m.nrows()];
    for (j, xj) in x.iter().enumerate() {
        for (i, yi) in y.iter_mut().enumerate() {
            *yi += m[(i, j)] * xj;
        }
    }
    y
}

/// A full matrix with the size of each entry.
pub(super) fn entry_sizes(m: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].abs())
}
