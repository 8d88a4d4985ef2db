//! Dense LDLᵀ for small systems.

use crate::error::KktError;
use crate::vecops::first_non_finite;

/// Columns are padded to this many entries so that every inner loop runs over
/// whole chunks: no remainder loops, which at 8 rows would be most of the work.
const CHUNK: usize = 4;

/// Smallest pivot relative to its scale, and where it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weakest {
    pub(crate) pivot: f64,
    pub(crate) row: usize,
}

/// What a factorisation attempt found out.
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
        DenseLdl {
            n,
            ld,
            w: vec![0.0; ld * n],
            d: vec![0.0; n],
            dinv: vec![0.0; ld],
        }
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
        let (n, ld) = (self.n, self.ld);
        let mut weakest = Weakest { pivot: 1.0, row: 0 };
        for (j, &s) in scale.iter().enumerate() {
            let (done, rest) = self.w.split_at_mut((j + 1) * ld);
            let column = &mut done[j * ld..];
            let mut d = column[j] + reg.shift * s;
            let relative = d / s;
            if relative < weakest.pivot {
                weakest = Weakest {
                    pivot: relative,
                    row: j,
                };
            }
            // Negated so that NaN lands here too.
            if !(relative > reg.threshold) {
                if !d.is_finite() || !s.is_finite() {
                    return Err(KktError::NonFinite { row: j });
                }
                if reg.shift == 0.0 {
                    return Ok(Outcome::TooSmall(Weakest {
                        pivot: if s > 0.0 { relative } else { 0.0 },
                        row: j,
                    }));
                }
            }
            if reg.shift > 0.0 {
                d = d.max(0.5 * reg.shift * s);
            }
            // A row without any coefficient has d = 0: no multiplier.
            let inv = if d > 0.0 { 1.0 / d } else { 0.0 };
            self.d[j] = d;
            self.dinv[j] = inv;
            for (k, target) in (j + 1..n).zip(rest.chunks_exact_mut(ld)) {
                let c = column[k] * inv;
                let first = k / CHUNK;
                let target = &mut target.as_chunks_mut::<CHUNK>().0[first..];
                let source = &column.as_chunks::<CHUNK>().0[first..];
                for (t, s) in target.iter_mut().zip(source) {
                    for i in 0..CHUNK {
                        t[i] -= c * s[i];
                    }
                }
            }
            for v in &mut column[j + 1..n] {
                *v *= inv;
            }
        }
        if let Some(row) = first_non_finite(&self.dinv[..n]) {
            return Err(KktError::NonFinite { row });
        }
        Ok(Outcome::Done(weakest))
    }

    /// `x ← (L D Lᵀ)⁻¹ x`.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let (n, ld) = (self.n, self.ld);
        for (j, column) in self.w.chunks_exact(ld.max(1)).enumerate() {
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
        for (j, column) in self.w.chunks_exact(ld.max(1)).enumerate().rev() {
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
