//! Symmetric sparse matrices.

use crate::FlexError;
use faer::Mat;
use faer::sparse::{SparseColMat, Triplet};

/// A symmetric matrix by columns, both halves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Symmetric {
    start: Vec<usize>,
    row: Vec<usize>,
    value: Vec<f64>,
}

impl Symmetric {
    /// From entries of both halves, none of them twice.
    pub fn new(n: usize, mut list: Vec<(usize, usize, f64)>) -> Symmetric {
        list.sort_unstable_by_key(|(i, j, _)| (*j, *i));
        let mut start = vec![0; n + 1];
        for (_, j, _) in &list {
            start[j + 1] += 1;
        }
        for j in 0..n {
            start[j + 1] += start[j];
        }
        let (row, value) = list.into_iter().map(|(i, _, x)| (i, x)).unzip();
        Symmetric { start, row, value }
    }

    pub fn size(&self) -> usize {
        self.start.len() - 1
    }

    /// Row and value of each entry of a column.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let part = self.start[j]..self.start[j + 1];
        self.row[part.clone()].iter().copied().zip(self.value[part].iter().copied())
    }

    /// The entry of a row and column.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let part = self.start[j]..self.start[j + 1];
        self.row[part.clone()].binary_search(&i).map_or(0.0, |k| self.value[part.start + k])
    }

    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.size()).map(|j| self.entry(j, j)).collect()
    }

    /// A X.
    pub fn times(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.size(), x.ncols());
        for c in 0..x.ncols() {
            let (x, mut y) = (x.col(c), out.col_mut(c));
            for j in 0..self.size() {
                let factor = x[j];
                if factor != 0.0 {
                    for (i, a) in self.column(j) {
                        y[i] += a * factor;
                    }
                }
            }
        }
        out
    }

    /// The same without these rows and columns, and by these.
    pub fn part(&self, keep: &[usize]) -> Symmetric {
        let mut new_of = vec![usize::MAX; self.size()];
        for (new, &old) in keep.iter().enumerate() {
            new_of[old] = new;
        }
        let mut list = Vec::new();
        for (new, &old) in keep.iter().enumerate() {
            let inside = self.column(old).filter(|(i, _)| new_of[*i] != usize::MAX);
            list.extend(inside.map(|(i, x)| (new_of[i], new, x)));
        }
        Symmetric::new(keep.len(), list)
    }

    /// Rows and columns as a full matrix.
    pub fn block(&self, rows: &[usize], cols: &[usize]) -> Mat<f64> {
        let mut new_of = vec![usize::MAX; self.size()];
        for (new, &old) in rows.iter().enumerate() {
            new_of[old] = new;
        }
        let mut out = Mat::zeros(rows.len(), cols.len());
        for (j, &col) in cols.iter().enumerate() {
            for (i, x) in self.column(col) {
                if new_of[i] != usize::MAX {
                    out[(new_of[i], j)] = x;
                }
            }
        }
        out
    }

    /// As a matrix of faer.
    pub fn sparse(&self) -> Result<SparseColMat<usize, f64>, FlexError> {
        let n = self.size();
        let entries = (0..n).flat_map(|j| self.column(j).map(move |(i, x)| Triplet::new(i, j, x)));
        let entries: Vec<_> = entries.collect();
        SparseColMat::try_new_from_triplets(n, n, &entries)
            .map_err(|_| FlexError::Eigenvalues { unknowns: n })
    }
}
