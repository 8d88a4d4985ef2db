//! Dense LDLᵀ for small systems.

use crate::error::KktError;
use crate::vecops::{CHUNK, sub_scaled};
use std::cmp::Ordering;

/// Smallest pivot relative to its scale, and where it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weakest {
    pub(crate) pivot: f64,
    pub(crate) row: usize,
}

/// The result of a factorisation attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    Done(Weakest),
    /// Unregularised elimination met a pivot below the threshold.
    TooSmall(Weakest),
}

/// Diagonal treatment of one factorisation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Regularization {
    /// `shift · scale` is added to the diagonal; 0 for a plain attempt.
    pub(crate) shift: f64,
    /// A plain attempt stops at a relative pivot below this.
    pub(crate) threshold: f64,
}

/// Judges the pivots of one elimination, dense or sparse.
#[derive(Debug)]
pub(crate) struct Pivots {
    reg: Regularization,
    /// Pivot, scale and row of the weakest so far; stored separately to compare by products, since a division per row
    /// would be noticeable at 8 rows.
    pivot: f64,
    scale: f64,
    row: usize,
}

impl Pivots {
    pub(crate) fn new(reg: Regularization) -> Pivots {
        Pivots { reg, pivot: 1.0, scale: 1.0, row: 0 }
    }

    /// Pivot and its inverse, or `None` if a plain attempt must stop.
    pub(crate) fn take(
        &mut self,
        row: usize,
        diagonal: f64,
        s: f64,
    ) -> Result<Option<(f64, f64)>, KktError> {
        let mut d = diagonal + self.reg.shift * s;
        if d * self.scale < self.pivot * s {
            (self.pivot, self.scale, self.row) = (d, s, row);
        }
        // Not "less or equal": NaN must land here too.
        if d.partial_cmp(&(self.reg.threshold * s)) != Some(Ordering::Greater) {
            if !d.is_finite() || !s.is_finite() {
                return Err(KktError::NonFinite { row });
            }
            if self.reg.shift == 0.0 {
                (self.pivot, self.scale, self.row) = (d, s, row);
                return Ok(None);
            }
        }
        if self.reg.shift > 0.0 {
            d = d.max(0.5 * self.reg.shift * s);
        }
        // A row without any coefficient has d = 0: no multiplier.
        let inv = if d > 0.0 { 1.0 / d } else { 0.0 };
        if !inv.is_finite() || !d.is_finite() {
            return Err(KktError::NonFinite { row });
        }
        Ok(Some((d, inv)))
    }

    pub(crate) fn weakest(&self) -> Weakest {
        Weakest {
            pivot: if self.scale > 0.0 { self.pivot / self.scale } else { 0.0 },
            row: self.row,
        }
    }
}

/// In-place LDLᵀ of the lower triangle, column-major with padded columns.
#[derive(Debug, Clone)]
pub(crate) struct DenseLdl {
    n: usize,
    ld: usize,
    w: Vec<f64>,
    d: Vec<f64>,
    dinv: Vec<f64>,
}

impl DenseLdl {
    pub(crate) fn new(n: usize) -> DenseLdl {
        let ld = n.next_multiple_of(CHUNK);
        DenseLdl { n, ld, w: vec![0.0; ld * ld], d: vec![0.0; n], dinv: vec![0.0; ld] }
    }

    pub(crate) fn slot(&self, i: usize, j: usize) -> u32 {
        (j * self.ld + i) as u32
    }

    /// Zeroed storage to assemble the lower triangle into.
    pub(crate) fn cleared(&mut self) -> &mut [f64] {
        self.w.fill(0.0);
        &mut self.w
    }

    pub(crate) fn diagonal(&self, out: &mut [f64]) {
        for (j, o) in out.iter_mut().enumerate() {
            *o = self.w[j * self.ld + j];
        }
    }

    pub(crate) fn pivots(&self) -> &[f64] {
        &self.d
    }

    pub(crate) fn factor(
        &mut self,
        scale: &[f64],
        reg: Regularization,
    ) -> Result<Outcome, KktError> {
        // Up to 16 rows a column is an array: loops unroll completely.
        match self.ld {
            4 => self.factor_fixed::<4>(scale, reg),
            8 => self.factor_fixed::<8>(scale, reg),
            12 => self.factor_fixed::<12>(scale, reg),
            16 => self.factor_fixed::<16>(scale, reg),
            _ => self.factor_general(scale, reg),
        }
    }

    fn factor_fixed<const LD: usize>(
        &mut self,
        scale: &[f64],
        reg: Regularization,
    ) -> Result<Outcome, KktError> {
        // only the rows are padded; there is nothing to eliminate in the columns beyond
        let columns = &mut self.w.as_chunks_mut::<LD>().0[..self.n];
        let mut pivots = Pivots::new(reg);
        for (j, &s) in scale.iter().enumerate() {
            let (done, rest) = columns.split_at_mut(j + 1);
            let column = &mut done[j];
            let (d, inv) = match pivots.take(j, column[j], s)? {
                Some(pivot) => pivot,
                None => return Ok(Outcome::TooSmall(pivots.weakest())),
            };
            self.d[j] = d;
            self.dinv[j] = inv;
            let source = *column;
            // Columns of the right half have only their lower half below the
            // diagonal. Entries above it become garbage; nobody reads them
            // before they are cleared below.
            let half = LD / 2;
            let left = half.saturating_sub(j + 1).min(rest.len());
            let (whole, halves) = rest.split_at_mut(left);
            for (target, &l) in whole.iter_mut().zip(&source[j + 1..]) {
                let c = l * inv;
                for i in 0..LD {
                    target[i] -= c * source[i];
                }
            }
            for (target, &l) in halves.iter_mut().zip(&source[j + 1 + left..]) {
                let c = l * inv;
                for i in half..LD {
                    target[i] -= c * source[i];
                }
            }
            for v in column.iter_mut() {
                *v *= inv;
            }
            // Zeros up to the diagonal let `solve` run over whole columns.
            column[..=j].fill(0.0);
        }
        Ok(Outcome::Done(pivots.weakest()))
    }

    fn factor_general(&mut self, scale: &[f64], reg: Regularization) -> Result<Outcome, KktError> {
        let (n, ld) = (self.n, self.ld);
        let mut pivots = Pivots::new(reg);
        for (j, &s) in scale.iter().enumerate() {
            let (done, rest) = self.w.split_at_mut((j + 1) * ld);
            let column = &mut done[j * ld..];
            let (d, inv) = match pivots.take(j, column[j], s)? {
                Some(pivot) => pivot,
                None => return Ok(Outcome::TooSmall(pivots.weakest())),
            };
            self.d[j] = d;
            self.dinv[j] = inv;
            for (k, target) in (j + 1..n).zip(rest.chunks_exact_mut(ld)) {
                let c = column[k] * inv;
                let first = k / CHUNK;
                let target = &mut target.as_chunks_mut::<CHUNK>().0[first..];
                let source = &column.as_chunks::<CHUNK>().0[first..];
                sub_scaled(target, c, source);
            }
            for v in &mut column[j + 1..n] {
                *v *= inv;
            }
        }
        Ok(Outcome::Done(pivots.weakest()))
    }

    /// `x ← (L D Lᵀ)⁻¹ x`.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        match self.ld {
            4 => self.solve_fixed::<4>(x),
            8 => self.solve_fixed::<8>(x),
            12 => self.solve_fixed::<12>(x),
            16 => self.solve_fixed::<16>(x),
            _ => self.solve_general(x),
        }
    }

    fn solve_fixed<const LD: usize>(&self, x: &mut [f64]) {
        let n = self.n;
        // Padding columns are zero, so the loops have constant length and
        // `z` can stay in registers.
        let Some(columns) = self.w.as_chunks::<LD>().0.first_chunk::<LD>() else {
            return;
        };
        let Some(dinv) = self.dinv.first_chunk::<LD>() else {
            return;
        };
        let mut z = [0.0; LD];
        z[..n].copy_from_slice(&x[..n]);
        for j in 0..LD {
            let zj = z[j];
            for i in j + 1..LD {
                z[i] -= columns[j][i] * zj;
            }
        }
        for j in 0..LD {
            z[j] *= dinv[j];
        }
        for j in (0..LD).rev() {
            let (mut even, mut odd) = (0.0, 0.0);
            for i in j + 1..LD {
                if i % 2 == 0 {
                    even += columns[j][i] * z[i];
                } else {
                    odd += columns[j][i] * z[i];
                }
            }
            z[j] -= even + odd;
        }
        x[..n].copy_from_slice(&z[..n]);
    }

    fn solve_general(&self, x: &mut [f64]) {
        let (n, ld) = (self.n, self.ld);
        for (j, column) in self.w.chunks_exact(ld.max(1)).enumerate().take(n) {
            let xj = x[j];
            for (xi, l) in x[j + 1..].iter_mut().zip(&column[j + 1..n]) {
                *xi -= l * xj;
            }
        }
        for (xi, d) in x.iter_mut().zip(&self.dinv) {
            *xi *= d;
        }
        self.back_substitute(x);
    }

    /// `x ← L⁻ᵀ x`.
    pub(crate) fn back_substitute(&self, x: &mut [f64]) {
        let (n, ld) = (self.n, self.ld);
        for (j, column) in self.w[..n * ld].chunks_exact(ld.max(1)).enumerate().rev() {
            // Two chains: one would wait on the latency of every addition.
            let (mut even, mut odd) = (0.0, 0.0);
            let (l, y) = (&column[j + 1..n], &x[j + 1..n]);
            let (l2, l1) = l.as_chunks::<2>();
            let (y2, y1) = y.as_chunks::<2>();
            for (l, y) in l2.iter().zip(y2) {
                even += l[0] * y[0];
                odd += l[1] * y[1];
            }
            for (l, y) in l1.iter().zip(y1) {
                even += l * y;
            }
            x[j] -= even + odd;
        }
    }
}
