//! Sparse orthogonal factorisation of `Gᵀ` that keeps the given row order of
//! `G`: only the triangular factor `R` with `Rᵀ R = G Gᵀ`.
//!
//! Givens rotations merge the columns of `G` into `R` (George–Heath), so the condition number is not squared as it
//! would be by factorising `G Gᵀ`. Rows of `R` are finished one after the other: the remainder of the columns that
//! begin with a row is compressed to a triangle as wide as that row and passed to the next row it takes part in, so
//! that the cost follows the fill and not the length of every column to the end. The diagonal of `R` is the distance of
//! each row from the span of the earlier ones, which is what rank diagnosis needs.

use crate::error::{KktError, check_room};
use crate::pattern::Csr;
use crate::sparse_ldl;

/// Upper triangular factor by rows; dropped rows contain zeros.
#[derive(Debug, Clone)]
pub(crate) struct RowQr {
    n: usize,
    ptr: Vec<u32>,
    col: Vec<u32>,
    value: Vec<f64>,
    diagonal: Vec<f64>,
    /// Rows that are not a combination of the earlier kept ones, within the tolerance.
    pub(crate) kept: Vec<bool>,
    /// Length of the combination of unit rows, with coefficients of unit norm, that comes closest to cancelling this
    /// row by the kept ones before it: an estimate from above of the smallest singular value of these rows, and the
    /// same whichever of them comes last.
    pub(crate) shortest: Vec<f64>,
}

/// Rows of a triangular factor over a few columns, each from its diagonal on; empty if there is none.
#[derive(Debug, Clone)]
struct Triangle {
    rows: Vec<Vec<f64>>,
    work: Vec<f64>,
}

impl Triangle {
    fn new(columns: usize) -> Triangle {
        Triangle { rows: vec![Vec::new(); columns], work: Vec::new() }
    }

    /// Rotates a vector, given by columns and values, into the factor.
    fn merge<'v>(&mut self, entries: impl Iterator<Item = (u32, &'v f64)>) {
        let n = self.rows.len();
        self.work.clear();
        self.work.resize(n, 0.0);
        for (at, v) in entries {
            self.work[at as usize] = *v;
        }
        for k in 0..n {
            let x = &mut self.work[k..];
            if x[0] == 0.0 {
                continue;
            }
            let row = &mut self.rows[k];
            if row.is_empty() {
                row.extend_from_slice(x);
                return;
            }
            let r = row[0].hypot(x[0]);
            let (c, s) = (row[0] / r, x[0] / r);
            for (v, x) in row.iter_mut().zip(x) {
                (*v, *x) = (c * *v + s * *x, c * *x - s * *v);
            }
            row[0] = r;
        }
    }
}

/// Distance of a row from the span of the earlier ones above which its combination need not be examined: the rows
/// before it were then kept by a margin.
const CLEAR: f64 = 1e-3;

/// Distance that is rounding: the row is dependent whatever its combination.
const EXACT: f64 = 1e-14;

impl RowQr {
    /// `values` are of rows already scaled to unit length (or zero).
    pub(crate) fn new(jac: &Csr, values: &[f64], tol: f64) -> Result<RowQr, KktError> {
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
        )?;
        check_room(n, col.len() as f64, size_of::<f64>() as f64)?;
        let mut qr = RowQr {
            n,
            value: vec![0.0; col.len()],
            ptr,
            col,
            diagonal: vec![0.0; n],
            kept: vec![false; n],
            shortest: vec![0.0; n],
        };
        let mut begin: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (j, column) in columns.iter().enumerate() {
            if let Some(&(first, _)) = column.first() {
                begin[first as usize].push(j);
            }
        }
        let mut passed: Vec<Vec<(usize, Triangle)>> = vec![Vec::new(); n];
        let mut place = vec![0u32; n];
        let mut work = vec![0.0; n];
        for k in 0..n {
            let range = qr.ptr[k] as usize..qr.ptr[k + 1] as usize;
            place[k] = 0;
            for (to, &j) in (1..).zip(&qr.col[range.clone()]) {
                place[j as usize] = to;
            }
            let mut triangle = Triangle::new(1 + range.len());
            for (child, from) in std::mem::take(&mut passed[k]) {
                let columns = &qr.col[qr.ptr[child] as usize..qr.ptr[child + 1] as usize];
                for (at, row) in from.rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
                    triangle.merge(columns[at..].iter().map(|j| place[*j as usize]).zip(row));
                }
            }
            for &j in &begin[k] {
                triangle.merge(columns[j].iter().map(|(i, v)| (place[*i as usize], v)));
            }
            qr.finish(k, &mut triangle, &mut work, tol);
            if let Some(&next) = qr.col[range].first() {
                passed[next as usize].push((k, triangle));
            }
        }
        Ok(qr)
    }

    /// Takes the first row of the triangle for row `k`, or judges it dependent; the triangle is left with what belongs
    /// to later rows.
    fn finish(&mut self, k: usize, triangle: &mut Triangle, work: &mut [f64], tol: f64) {
        let first = triangle.rows.remove(0);
        let (d, tail) = first.split_first().map_or((0.0, &[][..]), |(d, tail)| (*d, tail));
        self.diagonal[k] = d;
        // The distance alone depends on the order: a row with a small part in a dependency, last by chance, is far from
        // the others although they are practically dependent.
        let clear = d.abs() > CLEAR || d.abs() <= EXACT;
        let coefficients = if clear { 1.0 } else { self.coefficient_norm(k, work) };
        self.shortest[k] = d.abs() / coefficients;
        self.kept[k] = self.shortest[k] > tol;
        if self.kept[k] {
            self.value[self.ptr[k] as usize..][..tail.len()].copy_from_slice(tail);
        } else {
            // the remainder of this row still belongs to later ones
            self.diagonal[k] = 0.0;
            triangle.merge((0..).zip(tail));
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
