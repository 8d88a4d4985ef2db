//! Sparse orthogonal factorisation of `Gᵀ` that keeps the given row order of
//! `G`: only the triangular factor `R` with `Rᵀ R = G Gᵀ`.
//!
//! Givens rotations merge one column of `G` after the other into `R`
//! (George–Heath), so the condition number is not squared as it would be by
//! factorising `G Gᵀ`. The diagonal of `R` is the distance of each row from
//! the span of the earlier ones, which is what rank diagnosis asks for.

use crate::pattern::Csr;
use crate::sparse_ldl;

/// Upper triangular factor by rows; dropped rows hold zeros.
#[derive(Debug, Clone)]
pub(crate) struct RowQr {
    n: usize,
    ptr: Vec<u32>,
    col: Vec<u32>,
    value: Vec<f64>,
    diagonal: Vec<f64>,
    /// Rows that are no combination of the earlier kept ones, by the tolerance.
    pub(crate) kept: Vec<bool>,
    /// How much is left of the combination of unit rows, with coefficients of unit norm, that
    /// comes closest to cancelling this row by the kept ones before it: an estimate from above of
    /// the smallest singular value of these rows, and the same whichever of them comes last.
    pub(crate) shortest: Vec<f64>,
}

/// Distance of a row from the span of the earlier ones above which its combination is not worth
/// looking at: the rows before it were then kept by a margin.
const CLEAR: f64 = 1e-3;

/// Distance that is rounding: the row is dependent whatever its combination.
const EXACT: f64 = 1e-14;

impl RowQr {
    /// `values` are of rows already scaled to unit length (or zero).
    pub(crate) fn new(jac: &Csr, values: &[f64], tol: f64) -> RowQr {
        let n = jac.nrows;
        let mut columns: Vec<Vec<(u32, f64)>> = vec![Vec::new(); jac.ncols];
        for i in 0..n {
            for at in jac.row_ptr[i]..jac.row_ptr[i + 1] {
                columns[jac.col[at]].push((i as u32, values[at]));
            }
        }
        let (ptr, col) = sparse_ldl::clique_fill(
            n,
            columns.iter().map(|c| c.iter().map(|e| e.0).collect::<Vec<u32>>()),
        );
        let mut qr = RowQr {
            n,
            value: vec![0.0; col.len()],
            ptr,
            col,
            diagonal: vec![0.0; n],
            kept: vec![false; n],
            shortest: vec![0.0; n],
        };
        let mut work = vec![0.0; n];
        for column in &columns {
            if let Some(&(first, _)) = column.first() {
                for &(i, v) in column {
                    work[i as usize] = v;
                }
                qr.merge(&mut work, Some(first as usize));
            }
        }
        for k in 0..n {
            let d = qr.diagonal[k].abs();
            // The distance alone depends on the order: a row with a small part in a dependency,
            // last by chance, is far from the others though they are as good as dependent.
            let clear = d > CLEAR || d <= EXACT;
            qr.shortest[k] = if clear { d } else { d / qr.coefficient_norm(k, &mut work) };
            qr.kept[k] = qr.shortest[k] > tol;
            if !qr.kept[k] {
                // What was left in this row still belongs to later rows.
                let range = qr.ptr[k] as usize..qr.ptr[k + 1] as usize;
                for at in range.clone() {
                    work[qr.col[at] as usize] = qr.value[at];
                    qr.value[at] = 0.0;
                }
                qr.diagonal[k] = 0.0;
                let next = qr.col.get(range.start).copied();
                if !range.is_empty() {
                    qr.merge(&mut work, next.map(|c| c as usize));
                }
            }
        }
        qr
    }

    /// Rotate a row vector, first entry at `start`, into the factor; leaves
    /// `work` zero. Fill follows the elimination tree.
    fn merge(&mut self, work: &mut [f64], start: Option<usize>) {
        let mut next = start;
        while let Some(k) = next {
            let range = self.ptr[k] as usize..self.ptr[k + 1] as usize;
            next = self.col[range.clone()].first().map(|&c| c as usize);
            let w = std::mem::take(&mut work[k]);
            if w == 0.0 {
                continue;
            }
            let d = self.diagonal[k];
            let r = d.hypot(w);
            let (c, s) = (d / r, w / r);
            self.diagonal[k] = r;
            for (&j, v) in self.col[range.clone()].iter().zip(&mut self.value[range]) {
                let x = &mut work[j as usize];
                let (old, new) = (*v, *x);
                *v = c * old + s * new;
                *x = c * new - s * old;
            }
        }
    }

    /// √(1 + |c|²) for row `k` ≈ Σ c · (kept rows before it); leaves `work` zero.
    fn coefficient_norm(&self, k: usize, work: &mut [f64]) -> f64 {
        for i in (0..k).filter(|i| self.kept[*i]) {
            let range = self.ptr[i] as usize..self.ptr[i + 1] as usize;
            if let Ok(at) = self.col[range.clone()].binary_search(&(k as u32)) {
                work[i] = self.value[range.start + at];
            }
        }
        self.solve_upper(k, work);
        let square: f64 = work[..k].iter().map(|c| c * c).sum();
        work[..k].fill(0.0);
        (1.0 + square).sqrt()
    }

    /// Entries of column `j` above the diagonal, as `(row, value)`.
    pub(crate) fn columns(&self) -> Vec<Vec<(u32, f64)>> {
        let mut out = vec![Vec::new(); self.n];
        for k in 0..self.n {
            for at in self.ptr[k] as usize..self.ptr[k + 1] as usize {
                if self.value[at] != 0.0 {
                    out[self.col[at] as usize].push((k as u32, self.value[at]));
                }
            }
        }
        out
    }

    /// `x ← R⁻¹ x` over the kept rows below `end`; other entries become zero.
    pub(crate) fn solve_upper(&self, end: usize, x: &mut [f64]) {
        for k in (0..end).rev() {
            if !self.kept[k] {
                x[k] = 0.0;
                continue;
            }
            let range = self.ptr[k] as usize..self.ptr[k + 1] as usize;
            let mut sum = x[k];
            for (&j, v) in self.col[range.clone()].iter().zip(&self.value[range]) {
                if (j as usize) < end {
                    sum -= v * x[j as usize];
                }
            }
            x[k] = sum / self.diagonal[k];
        }
    }

    /// `x ← R⁻ᵀ x` over the kept rows; other entries become zero.
    pub(crate) fn solve_lower(&self, x: &mut [f64]) {
        for k in 0..self.n {
            if !self.kept[k] {
                x[k] = 0.0;
                continue;
            }
            x[k] /= self.diagonal[k];
            let xk = x[k];
            let range = self.ptr[k] as usize..self.ptr[k + 1] as usize;
            for (&j, v) in self.col[range.clone()].iter().zip(&self.value[range]) {
                x[j as usize] -= v * xk;
            }
        }
    }
}
