//! A subset of constraint rows: the independent ones of a redundant system.

use delassus_linalg::{Csr, KktError};

/// Rows that take part in the solution; all of them for ordinary systems.
#[derive(Debug, Clone)]
pub(crate) struct RowSubset {
    rows: Option<Vec<usize>>,
    full: Csr,
    pattern: Csr,
    values: Vec<f64>,
    left: Vec<f64>,
    vector: Vec<f64>,
}

impl RowSubset {
    pub fn new(full: Csr, rows: Option<Vec<usize>>) -> Result<RowSubset, KktError> {
        let pattern = match &rows {
            None => full.clone(),
            Some(rows) => Csr::from_pairs(
                rows.len(),
                full.ncols,
                rows.iter()
                    .enumerate()
                    .flat_map(|(i, r)| full.row(*r).iter().map(move |c| (i, *c))),
            )?,
        };
        Ok(RowSubset {
            values: vec![0.0; pattern.nnz()],
            left: vec![0.0; pattern.nnz()],
            vector: vec![0.0; pattern.nrows],
            rows,
            full,
            pattern,
        })
    }

    /// Pattern of the chosen rows.
    pub fn pattern(&self) -> &Csr {
        &self.pattern
    }

    /// Numbers of the chosen rows; `None` for all.
    pub fn chosen(&self) -> Option<&[usize]> {
        self.rows.as_deref()
    }

    /// Pattern of all rows.
    pub fn full(&self) -> &Csr {
        &self.full
    }

    fn gather<'a>(rows: &[usize], full: &Csr, from: &[f64], to: &'a mut [f64]) -> &'a [f64] {
        let mut at = 0;
        for &r in rows {
            let (lo, hi) = (full.row_ptr[r], full.row_ptr[r + 1]);
            to[at..at + hi - lo].copy_from_slice(&from[lo..hi]);
            at += hi - lo;
        }
        to
    }

    /// Matrix values of the chosen rows.
    pub fn values<'a>(&'a mut self, from: &'a [f64]) -> &'a [f64] {
        match &self.rows {
            None => from,
            Some(rows) => Self::gather(rows, &self.full, from, &mut self.values),
        }
    }

    /// Values of two matrices on the same pattern.
    pub fn two<'a>(&'a mut self, a: &'a [f64], b: &'a [f64]) -> (&'a [f64], &'a [f64]) {
        match &self.rows {
            None => (a, b),
            Some(rows) => (
                Self::gather(rows, &self.full, a, &mut self.values),
                Self::gather(rows, &self.full, b, &mut self.left),
            ),
        }
    }

    /// Solves with a right-hand side over all rows and a result over all rows; rows that are not chosen are zero in the
    /// result.
    pub fn with_vectors<E>(
        &mut self,
        b: &[f64],
        out: &mut [f64],
        solve: impl FnOnce(&[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(rows) = &self.rows else {
            return solve(b, out);
        };
        let n = rows.len();
        for (x, r) in self.vector.iter_mut().zip(rows) {
            *x = b[*r];
        }
        // the tail of `out` is free until the result is spread over it
        out.fill(0.0);
        solve(&self.vector, &mut out[..n])?;
        self.vector.copy_from_slice(&out[..n]);
        out.fill(0.0);
        for (x, r) in self.vector.iter().zip(rows) {
            out[*r] = *x;
        }
        Ok(())
    }
}
