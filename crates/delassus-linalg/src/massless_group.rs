//! Connected massless coordinates, and the rows that hold them.
//!
//! See [`crate::condense`] for the equations. Groups have one to three coordinates in practice
//! (a point, a planar body), so the inverse of G_PN has kernels of fixed size.

use crate::error::{KktError, check_room};
use crate::pattern::Csr;

/// A pivot smaller than this, relative to the largest entry of its group, does not hold the coordinate.
const PIVOT: f64 = 1e-9;

/// The rows of the last factorisation are kept while their pivots are above this.
const KEEP: f64 = 1e-2;

/// Connected massless blocks with the rows that involve them.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    dofs: Vec<usize>,
    /// Those of `P` first.
    rows: Vec<usize>,
    /// Other coordinates that the rows involve, by their reduced index.
    others: Vec<usize>,
    /// Dense values of the rows over `dofs`, then over `others`; row-major.
    g: Vec<f64>,
    /// CSR slot and position in `g` of every entry of the rows.
    scatter: Vec<(usize, usize)>,
    /// First reduced row of the group.
    first: usize,
    /// Scratch of a new choice of `P`.
    order: Vec<usize>,
    old_rows: Vec<usize>,
    /// G_PN⁻¹ (row-major) and X (rows of Q).
    inverse: Vec<f64>,
    x: Vec<f64>,
    work: Vec<f64>,
    y: Vec<f64>,
    /// G_PN⁻ᵀ f_N and whether it is nonzero.
    push: Vec<f64>,
    pushed: bool,
}

impl Group {
    pub(crate) fn new(
        dofs: Vec<usize>,
        rows: Vec<usize>,
        others: Vec<usize>,
        scatter: Vec<(usize, usize)>,
        first: usize,
    ) -> Result<Group, KktError> {
        let (n, r) = (dofs.len(), rows.len());
        let entries = (r as f64) * (3.0 * n as f64 + others.len() as f64);
        check_room(n + r, entries, size_of::<f64>() as f64)?;
        Ok(Group {
            g: vec![0.0; r * (n + others.len())],
            order: (0..r).collect(),
            old_rows: rows.clone(),
            inverse: vec![0.0; n * n],
            x: vec![0.0; (r - n) * n],
            work: vec![0.0; r * n],
            y: vec![0.0; n],
            push: vec![0.0; n],
            pushed: false,
            dofs,
            rows,
            others,
            scatter,
            first,
        })
    }

    fn n(&self) -> usize {
        self.dofs.len()
    }

    fn width(&self) -> usize {
        self.dofs.len() + self.others.len()
    }

    /// Forms G_PN⁻¹ and X; keeps the last rows P while they hold the coordinates.
    pub(crate) fn eliminate(&mut self, jac: &[f64]) -> Result<(), KktError> {
        let (n, w) = (self.n(), self.width());
        self.take(jac);
        let mut largest: f64 = 0.0;
        for row in self.g.chunks_exact(w) {
            for v in &row[..n] {
                largest = largest.max(v.abs());
            }
        }
        if self.invert() < KEEP * largest {
            self.choose(largest)?;
            self.take(jac);
            if self.invert() <= PIVOT * largest {
                return Err(KktError::Undetermined { dof: self.dofs[0], residual: largest });
            }
        }
        for (x, row) in self.x.chunks_exact_mut(n).zip(self.g.chunks_exact(w).skip(n)) {
            x.fill(0.0);
            for (g, inverse) in row.iter().zip(self.inverse.chunks_exact(n)) {
                for (x, i) in x.iter_mut().zip(inverse) {
                    *x += g * i;
                }
            }
        }
        Ok(())
    }

    /// Values of the rows, dense.
    fn take(&mut self, jac: &[f64]) {
        for &(slot, at) in &self.scatter {
            self.g[at] = jac[slot];
        }
    }

    /// Puts the rows in `order`.
    fn reorder(&mut self) {
        let w = self.width();
        self.old_rows.copy_from_slice(&self.rows);
        for (row, &from) in self.rows.iter_mut().zip(&self.order) {
            *row = self.old_rows[from];
        }
        for (_, at) in &mut self.scatter {
            let (row, column) = (*at / w, *at % w);
            let to = self.order.iter().position(|o| *o == row).unwrap_or(row);
            *at = to * w + column;
        }
        // rows without an entry somewhere would keep what another row had there
        self.g.fill(0.0);
    }

    /// Chooses P by elimination with row pivoting.
    fn choose(&mut self, largest: f64) -> Result<(), KktError> {
        let (n, r, w) = (self.n(), self.rows.len(), self.width());
        for (i, o) in self.order.iter_mut().enumerate() {
            *o = i;
        }
        let lu = &mut self.work;
        for i in 0..r {
            lu[i * n..(i + 1) * n].copy_from_slice(&self.g[i * w..i * w + n]);
        }
        for c in 0..n {
            let mut best = c;
            for i in c..r {
                if lu[i * n + c].abs() > lu[best * n + c].abs() {
                    best = i;
                }
            }
            let pivot = lu[best * n + c];
            if !pivot.is_finite() || pivot.abs() <= PIVOT * largest {
                return Err(if pivot.is_finite() {
                    KktError::Undetermined { dof: self.dofs[c], residual: pivot.abs() }
                } else {
                    KktError::NonFinite { row: self.rows[self.order[c]] }
                });
            }
            if best != c {
                self.order.swap(best, c);
                for k in 0..n {
                    lu.swap(best * n + k, c * n + k);
                }
            }
            for i in c + 1..r {
                let f = lu[i * n + c] / lu[c * n + c];
                if f != 0.0 {
                    for k in c..n {
                        lu[i * n + k] -= f * lu[c * n + k];
                    }
                }
            }
        }
        self.reorder();
        Ok(())
    }

    /// G_PN⁻¹; returns its smallest pivot (NaN counts as zero).
    fn invert(&mut self) -> f64 {
        match self.n() {
            1 => self.invert_fixed::<1>(),
            2 => self.invert_fixed::<2>(),
            3 => self.invert_fixed::<3>(),
            _ => self.invert_general(),
        }
    }

    fn invert_fixed<const N: usize>(&mut self) -> f64 {
        let w = self.width();
        let (mut a, mut inv) = ([[0.0; N]; N], [[0.0; N]; N]);
        for i in 0..N {
            let from = i * w;
            a[i].copy_from_slice(&self.g[from..from + N]);
            inv[i][i] = 1.0;
        }
        let mut smallest = f64::INFINITY;
        for c in 0..N {
            let mut best = c;
            for i in c + 1..N {
                if a[i][c].abs() > a[best][c].abs() {
                    best = i;
                }
            }
            a.swap(c, best);
            inv.swap(c, best);
            let pivot = a[c][c];
            if pivot == 0.0 || !pivot.is_finite() {
                return 0.0;
            }
            smallest = smallest.min(pivot.abs());
            let d = 1.0 / pivot;
            for k in 0..N {
                a[c][k] *= d;
                inv[c][k] *= d;
            }
            for i in 0..N {
                let f = a[i][c];
                if i != c && f != 0.0 {
                    for k in 0..N {
                        a[i][k] -= f * a[c][k];
                        inv[i][k] -= f * inv[c][k];
                    }
                }
            }
        }
        for (to, from) in self.inverse.chunks_exact_mut(N).zip(&inv) {
            to.copy_from_slice(from);
        }
        smallest
    }

    fn invert_general(&mut self) -> f64 {
        let (n, w) = (self.n(), self.width());
        let a = &mut self.work[..n * n];
        let inv = &mut self.inverse[..n * n];
        inv.fill(0.0);
        for i in 0..n {
            let from = i * w;
            a[i * n..(i + 1) * n].copy_from_slice(&self.g[from..from + n]);
            inv[i * n + i] = 1.0;
        }
        let mut smallest = f64::INFINITY;
        for c in 0..n {
            let mut best = c;
            for i in c + 1..n {
                if a[i * n + c].abs() > a[best * n + c].abs() {
                    best = i;
                }
            }
            if best != c {
                for k in 0..n {
                    a.swap(best * n + k, c * n + k);
                    inv.swap(best * n + k, c * n + k);
                }
            }
            let pivot = a[c * n + c];
            if pivot == 0.0 || !pivot.is_finite() {
                return 0.0;
            }
            smallest = smallest.min(pivot.abs());
            let d = 1.0 / pivot;
            for k in 0..n {
                a[c * n + k] *= d;
                inv[c * n + k] *= d;
            }
            for i in 0..n {
                let f = a[i * n + c];
                if i != c && f != 0.0 {
                    for k in 0..n {
                        a[i * n + k] -= f * a[c * n + k];
                        inv[i * n + k] -= f * inv[c * n + k];
                    }
                }
            }
        }
        smallest
    }

    /// Reduced rows into the reduced matrix.
    pub(crate) fn write(&self, reduced: &Csr, values: &mut [f64]) {
        let (n, w) = (self.n(), self.width());
        if self.others.is_empty() {
            return;
        }
        let (held, rest) = self.g.split_at(n * w);
        let at = reduced.row_ptr[self.first];
        let out = values[at..].chunks_exact_mut(self.others.len());
        for ((out, row), x) in out.zip(rest.chunks_exact(w)).zip(self.x.chunks_exact(n)) {
            for (v, g) in out.iter_mut().zip(&row[n..]) {
                *v = *g;
            }
            for (x, p) in x.iter().zip(held.chunks_exact(w)) {
                for (v, g) in out.iter_mut().zip(&p[n..]) {
                    *v -= x * g;
                }
            }
        }
    }

    /// b̃_Q = b_Q − X b_P and f̃_V = f_V − G_PVᵀ G_PN⁻ᵀ f_N.
    pub(crate) fn reduce(
        &mut self,
        f: &[f64],
        b: &[f64],
        f_reduced: &mut [f64],
        b_reduced: &mut [f64],
    ) {
        let (n, w) = (self.n(), self.width());
        let (held, rest) = self.rows.split_at(n);
        let b_q = b_reduced[self.first..].iter_mut();
        for ((out, q), x) in b_q.zip(rest).zip(self.x.chunks_exact(n)) {
            let mut s = b[*q];
            for (x, p) in x.iter().zip(held) {
                s -= x * b[*p];
            }
            *out = s;
        }
        // G_PN⁻ᵀ f_N, kept for the multipliers; massless coordinates are seldom subject to a force
        self.pushed = self.dofs.iter().any(|d| f[*d] != 0.0);
        if !self.pushed {
            return;
        }
        self.push.fill(0.0);
        for (d, inverse) in self.dofs.iter().zip(self.inverse.chunks_exact(n)) {
            for (y, i) in self.push.iter_mut().zip(inverse) {
                *y += i * f[*d];
            }
        }
        for (y, row) in self.push.iter().zip(self.g.chunks_exact(w)) {
            for (o, g) in self.others.iter().zip(&row[n..]) {
                f_reduced[*o] -= g * y;
            }
        }
    }

    /// Accelerations of the massless coordinates and multipliers of the rows of the group;
    /// after [`Group::reduce`] for the same right-hand side.
    pub(crate) fn recover(
        &mut self,
        b: &[f64],
        a_reduced: &[f64],
        lambda_reduced: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) {
        match self.n() {
            1 => self.recover_fixed::<1>(b, a_reduced, lambda_reduced, a, lambda),
            2 => self.recover_fixed::<2>(b, a_reduced, lambda_reduced, a, lambda),
            3 => self.recover_fixed::<3>(b, a_reduced, lambda_reduced, a, lambda),
            n => self.recover_chunks(n, b, a_reduced, lambda_reduced, a, lambda),
        }
    }

    /// With the number of coordinates as a constant, which unrolls the loops.
    fn recover_fixed<const N: usize>(
        &mut self,
        b: &[f64],
        a_reduced: &[f64],
        lambda_reduced: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) {
        self.recover_chunks(N, b, a_reduced, lambda_reduced, a, lambda);
    }

    #[inline(always)]
    fn recover_chunks(
        &mut self,
        n: usize,
        b: &[f64],
        a_reduced: &[f64],
        lambda_reduced: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) {
        let w = n + self.others.len();
        let (held, rest) = self.rows.split_at(n);
        let lambda_q = &lambda_reduced[self.first..self.first + rest.len()];
        for (l, q) in lambda_q.iter().zip(rest) {
            lambda[*q] = *l;
        }
        let rows = held.iter().zip(self.g.chunks_exact(w)).zip(&mut self.y);
        for (c, ((p, row), y)) in rows.enumerate() {
            let mut l = if self.pushed { -self.push[c] } else { 0.0 };
            for (x, lq) in self.x.chunks_exact(n).zip(lambda_q) {
                l -= x[c] * lq;
            }
            lambda[*p] = l;
            let mut rhs = b[*p];
            for (o, g) in self.others.iter().zip(&row[n..]) {
                rhs -= g * a_reduced[*o];
            }
            *y = rhs;
        }
        for (d, inverse) in self.dofs.iter().zip(self.inverse.chunks_exact(n)) {
            let mut x = 0.0;
            for (i, y) in inverse.iter().zip(&self.y) {
                x += i * y;
            }
            a[*d] = x;
        }
    }
}
