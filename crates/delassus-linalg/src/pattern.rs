//! Sparsity patterns; values live with the caller, in the same order.

use crate::error::{KktError, check_len};

/// Compressed-row sparsity pattern, columns sorted within each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr {
    /// Number of rows.
    pub nrows: usize,
    /// Number of columns.
    pub ncols: usize,
    /// `row_ptr[i]..row_ptr[i + 1]` are the slots of row `i`.
    pub row_ptr: Vec<usize>,
    /// Column of every slot.
    pub col: Vec<usize>,
}

impl Csr {
    /// Pattern from (row, column) pairs in any order; duplicates collapse.
    pub fn from_pairs(
        nrows: usize,
        ncols: usize,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Csr, KktError> {
        let mut pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut row_ptr = vec![0usize; nrows + 1];
        let mut col = Vec::with_capacity(pairs.len());
        for (i, j) in pairs {
            if i >= nrows || j >= ncols {
                return Err(KktError::Pattern("index out of range"));
            }
            row_ptr[i + 1] += 1;
            col.push(j);
        }
        for i in 0..nrows {
            row_ptr[i + 1] += row_ptr[i];
        }
        Ok(Csr { nrows, ncols, row_ptr, col })
    }

    /// Pattern with every entry present, row by row.
    pub fn dense(nrows: usize, ncols: usize) -> Csr {
        Csr {
            nrows,
            ncols,
            row_ptr: (0..=nrows).map(|i| i * ncols).collect(),
            col: (0..nrows).flat_map(|_| 0..ncols).collect(),
        }
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.col.len()
    }

    /// Columns of row `i`.
    pub fn row(&self, i: usize) -> &[usize] {
        &self.col[self.row_ptr[i]..self.row_ptr[i + 1]]
    }

    /// Position of entry `(i, j)` in the value array.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        if i >= self.nrows {
            return None;
        }
        let k = self.row(i).binary_search(&j).ok()?;
        Some(self.row_ptr[i] + k)
    }

    /// Checks that right-hand sides (f, b) and unknowns (a, λ) have the lengths that these rows require.
    pub(crate) fn check_sides(
        &self,
        (f, b): (&[f64], &[f64]),
        (a, lambda): (&[f64], &[f64]),
    ) -> Result<(), KktError> {
        check_len("f", f.len(), self.ncols)?;
        check_len("b", b.len(), self.nrows)?;
        check_len("a", a.len(), self.ncols)?;
        check_len("lambda", lambda.len(), self.nrows)
    }

    /// `y += c · A x`.
    pub fn mul_add(&self, values: &[f64], c: f64, x: &[f64], y: &mut [f64]) {
        for (i, yi) in y.iter_mut().enumerate().take(self.nrows) {
            let range = self.row_ptr[i]..self.row_ptr[i + 1];
            let mut sum = 0.0;
            for (&j, v) in self.col[range.clone()].iter().zip(&values[range]) {
                sum += v * x[j];
            }
            *yi += c * sum;
        }
    }

    /// `y += c · Aᵀ x`.
    pub fn mul_t_add(&self, values: &[f64], c: f64, x: &[f64], y: &mut [f64]) {
        for (i, xi) in x.iter().enumerate().take(self.nrows) {
            let range = self.row_ptr[i]..self.row_ptr[i + 1];
            let scaled = c * xi;
            for (&j, v) in self.col[range.clone()].iter().zip(&values[range]) {
                y[j] += v * scaled;
            }
        }
    }

    /// Fields are public, so a pattern made by hand is checked before use.
    pub(crate) fn validate(&self) -> Result<(), KktError> {
        if self.row_ptr.len() != self.nrows + 1
            || self.row_ptr[0] != 0
            || self.row_ptr[self.nrows] != self.col.len()
        {
            return Err(KktError::Pattern("row_ptr does not span the columns"));
        }
        for i in 0..self.nrows {
            if self.row_ptr[i] > self.row_ptr[i + 1] {
                return Err(KktError::Pattern("row_ptr decreases"));
            }
            let row = self.row(i);
            if row.iter().any(|&j| j >= self.ncols) {
                return Err(KktError::Pattern("column out of range"));
            }
            if row.windows(2).any(|w| w[0] >= w[1]) {
                return Err(KktError::Pattern("columns unsorted or repeated"));
            }
        }
        if self.col.len() >= u32::MAX as usize {
            return Err(KktError::Pattern("more entries than a 32-bit index holds"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_and_deduplicated() {
        let p = Csr::from_pairs(3, 4, [(2, 1), (0, 3), (0, 0), (2, 1)]).unwrap();
        assert_eq!(p.row_ptr, [0, 2, 2, 3]);
        assert_eq!(p.col, [0, 3, 1]);
        assert_eq!(p.slot(0, 3), Some(1));
        assert_eq!(p.slot(1, 0), None);
        assert_eq!(p.slot(9, 0), None);
        assert!(p.validate().is_ok());
        assert!(Csr::from_pairs(1, 1, [(0, 1)]).is_err());
    }

    #[test]
    fn products_match_the_dense_definition() {
        let p = Csr::from_pairs(2, 3, [(0, 0), (0, 2), (1, 1)]).unwrap();
        let v = [2.0, 3.0, 5.0];
        let mut y = [1.0, 1.0];
        p.mul_add(&v, 2.0, &[1.0, 10.0, 100.0], &mut y);
        assert_eq!(y, [605.0, 101.0]);
        let mut x = [0.0; 3];
        p.mul_t_add(&v, -1.0, &[1.0, 2.0], &mut x);
        assert_eq!(x, [-2.0, -10.0, -3.0]);
        assert_eq!(Csr::dense(2, 2).col, [0, 1, 0, 1]);
    }
}
