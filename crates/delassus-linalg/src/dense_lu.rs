//! Dense LU with partial pivoting for small nonsymmetric systems.

use crate::error::KktError;
use crate::saddle::{PIVOT_LOST, PIVOT_WEAK, Saddle, power_of_two_inverse};
use crate::vecops::{CHUNK, sub_scaled};
use delassus_math::remember;

/// Row-major `U` and, separately, row-major multipliers: elimination works on
/// whole chunks and would overwrite multipliers stored in place.
#[derive(Debug, Clone)]
pub(crate) struct DenseLu {
    n: usize,
    ld: usize,
    u: Vec<f64>,
    l: Vec<f64>,
    /// `perm[position] = row`.
    perm: Vec<u32>,
    inv: Vec<f64>,
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    /// Slot of every value of the saddle matrix, in the order it lists them.
    slot: Vec<u32>,
    work: Vec<f64>,
}
remember!(DenseLu { u, l, perm, inv, row_scale, col_scale } apart from { n, ld, slot, work });

impl DenseLu {
    pub(crate) fn new(saddle: &Saddle) -> DenseLu {
        let n = saddle.n;
        let ld = n.next_multiple_of(CHUNK);
        DenseLu {
            n,
            ld,
            u: vec![0.0; n * ld],
            l: vec![0.0; n * ld],
            perm: vec![0; n],
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
        for (i, p) in self.perm.iter_mut().enumerate() {
            *p = i as u32;
        }
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
                return Err(KktError::Singular { row: k, pivot: best });
            }
            let (head, tail) = self.u.split_at_mut((k + 1) * ld);
            let pivot_row = &mut head[k * ld..];
            if at != k {
                let other = &mut tail[(at - k - 1) * ld..(at - k) * ld];
                pivot_row.swap_with_slice(other);
                self.perm.swap(k, at);
                let (upper, lower) = self.l.split_at_mut(at * ld);
                upper[k * ld..k * ld + k].swap_with_slice(&mut lower[..k]);
            }
            let inv = 1.0 / pivot_row[k];
            self.inv[k] = inv;
            let first = (k + 1) / CHUNK;
            let source = &pivot_row.as_chunks::<CHUNK>().0[first..];
            let multipliers = self.l[(k + 1) * ld..].chunks_exact_mut(ld);
            for (row, m) in tail.chunks_exact_mut(ld).zip(multipliers) {
                let l = row[k] * inv;
                m[k] = l;
                // Saddle matrices are mostly zeros at the start.
                if l == 0.0 {
                    continue;
                }
                let target = &mut row.as_chunks_mut::<CHUNK>().0[first..];
                sub_scaled(target, l, source);
            }
        }
        Ok(Some(weakest))
    }

    /// Solve for the unscaled right-hand side in `top` and `bottom`.
    pub(crate) fn solve(&mut self, top: &[f64], bottom: &[f64], x: &mut [f64], y: &mut [f64]) {
        let (n, ld) = (self.n, self.ld);
        let z = &mut self.work[..];
        for (k, &row) in self.perm.iter().enumerate() {
            let i = row as usize;
            let v = if i < top.len() { top[i] } else { bottom[i - top.len()] };
            z[k] = v * self.row_scale[i];
        }
        // Whole chunks hold results of earlier steps, which do not delay
        // this one; only the few scalars next to the diagonal are a chain.
        for (k, row) in self.l.chunks_exact(ld.max(1)).enumerate() {
            let whole = k / CHUNK;
            let mut v = z[k] - dot_chunks(row, z, 0, whole);
            for i in whole * CHUNK..k {
                v -= row[i] * z[i];
            }
            z[k] = v;
        }
        for (k, row) in self.u.chunks_exact(ld.max(1)).enumerate().rev() {
            let whole = k / CHUNK + 1;
            let mut v = z[k] - dot_chunks(row, z, whole, ld / CHUNK);
            for i in (k + 1..(whole * CHUNK).min(n)).rev() {
                v -= row[i] * z[i];
            }
            z[k] = v * self.inv[k];
        }
        let out = x.iter_mut().chain(y);
        for ((o, z), c) in out.zip(z.iter()).zip(&self.col_scale) {
            *o = *z * c;
        }
    }
}

/// Dot product over chunks `from..to`.
fn dot_chunks(x: &[f64], y: &[f64], from: usize, to: usize) -> f64 {
    let mut lanes = [0.0; CHUNK];
    let x = &x.as_chunks::<CHUNK>().0[from..to];
    let y = &y.as_chunks::<CHUNK>().0[from..to];
    for (x, y) in x.iter().zip(y) {
        for i in 0..CHUNK {
            lanes[i] += x[i] * y[i];
        }
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}
