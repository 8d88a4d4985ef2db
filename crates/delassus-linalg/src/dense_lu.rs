//! Dense LU with partial pivoting for small nonsymmetric systems.

use crate::error::KktError;
use crate::saddle::{PIVOT_LOST, PIVOT_WEAK, Saddle, power_of_two_inverse};

/// Rows are padded to whole chunks: inner loops have no remainder.
const CHUNK: usize = 4;

/// Row-major `U`, separate multipliers by column. Elimination works on whole
/// chunks and would overwrite multipliers stored in place.
#[derive(Debug, Clone)]
pub(crate) struct DenseLu {
    n: usize,
    ld: usize,
    u: Vec<f64>,
    l: Vec<f64>,
    swap: Vec<usize>,
    inv: Vec<f64>,
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    /// Slot of every value of the saddle matrix, in the order it lists them.
    slot: Vec<u32>,
    work: Vec<f64>,
}

impl DenseLu {
    pub(crate) fn new(saddle: &Saddle) -> DenseLu {
        let n = saddle.n;
        let ld = n.next_multiple_of(CHUNK);
        DenseLu {
            n,
            ld,
            u: vec![0.0; n * ld],
            l: vec![0.0; n * n],
            swap: vec![0; n],
            inv: vec![0.0; n],
            row_scale: vec![0.0; n],
            col_scale: vec![0.0; ld],
            slot: saddle
                .entries
                .iter()
                .map(|&(i, j)| (i as usize * ld + j as usize) as u32)
                .collect(),
            work: vec![0.0; ld],
        }
    }

    /// Load values (S, then G of the rows, then −G of the columns).
    pub(crate) fn load(&mut self, s: &[f64], rows: &[f64], cols: &[f64]) {
        self.u.fill(0.0);
        let (to_s, rest) = self.slot.split_at(s.len());
        let (to_rows, to_cols) = rest.split_at(rows.len());
        for (&at, &v) in to_s.iter().zip(s) {
            self.u[at as usize] = v;
        }
        for (&at, &v) in to_rows.iter().zip(rows) {
            self.u[at as usize] = v;
        }
        for (&at, &v) in to_cols.iter().zip(cols) {
            self.u[at as usize] = -v;
        }
        self.equilibrate();
    }

    /// Powers of two, so that scaling does not round.
    fn equilibrate(&mut self) {
        let ld = self.ld.max(1);
        self.col_scale.fill(0.0);
        for (row, scale) in self.u.chunks_exact_mut(ld).zip(&mut self.row_scale) {
            let mut lanes = [0.0f64; CHUNK];
            for chunk in row.as_chunks::<CHUNK>().0 {
                for i in 0..CHUNK {
                    let v = chunk[i].abs();
                    lanes[i] = if v > lanes[i] { v } else { lanes[i] };
                }
            }
            let largest = lanes.iter().fold(0.0, |x: f64, y| x.max(*y));
            *scale = power_of_two_inverse(largest);
            for (v, c) in row.iter_mut().zip(&mut self.col_scale) {
                *v *= *scale;
                let a = v.abs();
                *c = if a > *c { a } else { *c };
            }
        }
        for c in &mut self.col_scale {
            *c = power_of_two_inverse(*c);
        }
        for row in self.u.chunks_exact_mut(ld) {
            for (v, c) in row.iter_mut().zip(&self.col_scale) {
                *v *= c;
            }
        }
    }

    /// Add to the (equilibrated) diagonal from `from` on.
    pub(crate) fn shift_diagonal(&mut self, from: usize, shift: f64) {
        for i in from..self.n {
            self.u[i * self.ld + i] += shift;
        }
    }

    /// Eliminate; returns the smallest pivot (relative to the equilibrated
    /// columns) and its column, or `None` if a plain attempt met a weak pivot.
    pub(crate) fn factor(&mut self, plain: bool) -> Result<Option<(f64, usize)>, KktError> {
        let (n, ld) = (self.n, self.ld);
        let mut weakest = (1.0, 0);
        for k in 0..n {
            let (mut best, mut at) = (0.0, k);
            for i in k..n {
                let v = self.u[i * ld + k].abs();
                if v > best {
                    (best, at) = (v, i);
                }
            }
            if best < weakest.0 {
                weakest = (best, k);
            }
            if plain && best < PIVOT_WEAK {
                return Ok(None);
            }
            if best < PIVOT_LOST {
                return Err(KktError::Singular {
                    row: k,
                    pivot: best,
                });
            }
            self.swap[k] = at;
            let (head, tail) = self.u.split_at_mut((k + 1) * ld);
            let pivot_row = &mut head[k * ld..];
            if at != k {
                let other = &mut tail[(at - k - 1) * ld..(at - k) * ld];
                pivot_row.swap_with_slice(other);
            }
            let inv = 1.0 / pivot_row[k];
            self.inv[k] = inv;
            let first = (k + 1) / CHUNK;
            let source = &pivot_row.as_chunks::<CHUNK>().0[first..];
            let multipliers = &mut self.l[k * n + k + 1..(k + 1) * n];
            for (row, m) in tail.chunks_exact_mut(ld).zip(multipliers) {
                let l = row[k] * inv;
                *m = l;
                // Saddle matrices are mostly zeros at the start.
                if l == 0.0 {
                    continue;
                }
                let target = &mut row.as_chunks_mut::<CHUNK>().0[first..];
                for (t, s) in target.iter_mut().zip(source) {
                    for i in 0..CHUNK {
                        t[i] -= l * s[i];
                    }
                }
            }
        }
        Ok(Some(weakest))
    }

    /// Solve for the unscaled right-hand side in `top` and `bottom`.
    pub(crate) fn solve(&mut self, top: &[f64], bottom: &[f64], x: &mut [f64], y: &mut [f64]) {
        let (n, ld) = (self.n, self.ld);
        let z = &mut self.work[..n];
        let rhs = top.iter().chain(bottom);
        for ((z, v), s) in z.iter_mut().zip(rhs).zip(&self.row_scale) {
            *z = v * s;
        }
        for k in 0..n {
            z.swap(k, self.swap[k]);
            let zk = z[k];
            for (zi, l) in z[k + 1..].iter_mut().zip(&self.l[k * n + k + 1..]) {
                *zi -= l * zk;
            }
        }
        for k in (0..n).rev() {
            let row = &self.u[k * ld + k + 1..k * ld + n];
            let solved = &z[k + 1..];
            let (mut even, mut odd) = (0.0, 0.0);
            let (r2, r1) = row.as_chunks::<2>();
            let (z2, z1) = solved.as_chunks::<2>();
            for (r, z) in r2.iter().zip(z2) {
                even += r[0] * z[0];
                odd += r[1] * z[1];
            }
            for (r, z) in r1.iter().zip(z1) {
                even += r * z;
            }
            z[k] = (z[k] - (even + odd)) * self.inv[k];
        }
        let out = x.iter_mut().chain(y);
        for ((o, z), c) in out.zip(z).zip(&self.col_scale) {
            *o = *z * c;
        }
    }
}
