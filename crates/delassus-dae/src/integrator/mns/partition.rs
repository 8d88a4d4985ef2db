//! Coordinate partitioning: which velocities are independent, and how the others follow from them.
//!
//! With the columns of G split into dependent (D, as many as rows) and independent ones (I):
//!
//! ```text
//! [G; B]⁻¹ = [S R] ,   R_I = 1 , R_D = −G_D⁻¹ G_I ,   S_I = 0 , S_D = G_D⁻¹
//! ```
//!
//! D is chosen by elimination with full pivoting on the scaled matrix, so that G_D is about as
//! far from singular as it can be. Everything is dense: right for mechanisms of moderate size.

use crate::failure::StepFailure;
use delassus_linalg::Csr;
use delassus_math::remember;

/// Pivot of G_D, relative to the largest, below which the constraints have lost rank. It is about the distance to the
/// singular position. Loops close only to rounding, and within the square root of that their branches are not separate:
/// a step that begins so close continues along either.
const RANK_LOST: f64 = 1e-7;

/// A choice of dependent coordinates with the LU factors of G_D; owns its buffers.
pub(super) struct Partition {
    rows: Vec<usize>,
    pattern: Csr,
    scale: Vec<f64>,
    row_scale: Vec<f64>,
    /// Scaled G, rows × nv, row by row.
    g: Vec<f64>,
    /// Dependent coordinates in the order of the columns of `lu`, then independent ones.
    order: Vec<usize>,
    lu: Vec<f64>,
    /// Row at each position of `lu`.
    perm: Vec<usize>,
    work: Vec<f64>,
    /// Sign of det G_D since the choice was made: it changes where G_D becomes singular.
    sign: f64,
    /// Smallest pivot relative to the largest, of the last factorisation.
    pub weakest: f64,
}
remember!(Partition { g, order, lu, perm, sign, weakest } apart from { rows, pattern, scale, row_scale, work });

impl Partition {
    /// Partition of the given rows of a pattern; rows and columns are measured by their scales.
    pub fn new(pattern: Csr, rows: Vec<usize>, scale: Vec<f64>, row_scale: Vec<f64>) -> Partition {
        let (m, n) = (rows.len(), pattern.ncols);
        Partition {
            g: vec![0.0; m * n],
            order: (0..n).collect(),
            lu: vec![0.0; m * m],
            perm: (0..m).collect(),
            work: vec![0.0; m],
            sign: 0.0,
            weakest: 1.0,
            rows,
            pattern,
            scale,
            row_scale,
        }
    }

    /// Number of rows, i.e. of dependent coordinates.
    pub fn m(&self) -> usize {
        self.rows.len()
    }

    /// Dependent coordinates.
    #[cfg(test)]
    fn dependent(&self) -> &[usize] {
        &self.order[..self.rows.len()]
    }

    /// Independent coordinates.
    pub fn independent(&self) -> &[usize] {
        &self.order[self.rows.len()..]
    }

    fn load(&mut self, jac: &[f64]) {
        let n = self.pattern.ncols;
        self.g.fill(0.0);
        for (i, r) in self.rows.iter().enumerate() {
            for at in self.pattern.row_ptr[*r]..self.pattern.row_ptr[*r + 1] {
                let j = self.pattern.col[at];
                self.g[i * n + j] = jac[at] * self.scale[j] / self.row_scale[*r];
            }
        }
    }

    /// Chooses the dependent coordinates for these values of G and factors.
    pub fn choose(&mut self, jac: &[f64]) -> Result<(), StepFailure> {
        let (m, n) = (self.m(), self.pattern.ncols);
        self.load(jac);
        for (j, o) in self.order.iter_mut().enumerate() {
            *o = j;
        }
        let g = &mut self.g;
        let mut largest: f64 = 0.0;
        for k in 0..m {
            let mut best = (-1.0, k, k);
            for i in k..m {
                for j in k..n {
                    let x = g[i * n + self.order[j]].abs();
                    if x > best.0 {
                        best = (x, i, j);
                    }
                }
            }
            let (pivot, i, j) = best;
            largest = largest.max(pivot);
            if !(pivot > RANK_LOST * largest) {
                return Err(StepFailure::RankLost { row: self.rows[k] });
            }
            self.order.swap(k, j);
            if i != k {
                let (a, b) = g.split_at_mut(i * n);
                a[k * n..(k + 1) * n].swap_with_slice(&mut b[..n]);
            }
            let inv = 1.0 / g[k * n + self.order[k]];
            for i in k + 1..m {
                let f = g[i * n + self.order[k]] * inv;
                if f != 0.0 {
                    for j in k..n {
                        let c = self.order[j];
                        g[i * n + c] -= f * g[k * n + c];
                    }
                }
            }
        }
        // the same order of coordinates whatever order elimination found them in
        self.order[..m].sort_unstable();
        self.order[m..].sort_unstable();
        self.sign = 0.0;
        self.factor(jac)?;
        self.sign = self.lu_sign();
        Ok(())
    }

    /// Factors G_D for these values of G; fails where it is singular, or where it has become
    /// singular and regular again since the choice was made.
    pub fn factor(&mut self, jac: &[f64]) -> Result<(), StepFailure> {
        let (m, n) = (self.m(), self.pattern.ncols);
        self.load(jac);
        for i in 0..m {
            self.perm[i] = i;
            for k in 0..m {
                self.lu[i * m + k] = self.g[i * n + self.order[k]];
            }
        }
        let (mut least, mut largest, mut weak) = (f64::INFINITY, 0.0_f64, 0);
        for k in 0..m {
            let mut best = (-1.0, k);
            for i in k..m {
                let x = self.lu[i * m + k].abs();
                if x > best.0 {
                    best = (x, i);
                }
            }
            let (pivot, i) = best;
            if i != k {
                self.perm.swap(i, k);
                let (a, b) = self.lu.split_at_mut(i * m);
                a[k * m..(k + 1) * m].swap_with_slice(&mut b[..m]);
            }
            largest = largest.max(pivot);
            if pivot < least {
                (least, weak) = (pivot, self.rows[self.perm[k]]);
            }
            if !(pivot > RANK_LOST * largest) {
                self.weakest = 0.0;
                return Err(StepFailure::RankLost { row: self.rows[self.perm[k]] });
            }
            let inv = 1.0 / self.lu[k * m + k];
            let (top, below) = self.lu.split_at_mut((k + 1) * m);
            let pivot_row = &top[k * m..];
            for row in below.chunks_exact_mut(m) {
                let f = row[k] * inv;
                row[k] = f;
                if f != 0.0 {
                    for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                        *x -= f * p;
                    }
                }
            }
        }
        self.weakest = if m == 0 { 1.0 } else { least / largest };
        if self.sign != 0.0 && self.lu_sign() != self.sign {
            return Err(StepFailure::RankLost { row: weak });
        }
        Ok(())
    }

    /// Sign of det G_D: of the pivots, and of the permutation by its cycles.
    fn lu_sign(&mut self) -> f64 {
        let m = self.m();
        let mut sign = 1.0;
        for k in 0..m {
            if self.lu[k * m + k] < 0.0 {
                sign = -sign;
            }
        }
        self.work.fill(0.0);
        for k in 0..m {
            let mut at = self.perm[k];
            if self.work[k] == 0.0 {
                self.work[k] = 1.0;
                while at != k {
                    self.work[at] = 1.0;
                    at = self.perm[at];
                    sign = -sign;
                }
            }
        }
        sign
    }

    /// x_D = G_D⁻¹ b for b over all rows of the problem; `x` is over all coordinates, its
    /// independent part is set to zero.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let m = self.m();
        for k in 0..m {
            let r = self.rows[self.perm[k]];
            self.work[k] = b[r] / self.row_scale[r];
        }
        self.solve_work();
        x.fill(0.0);
        for k in 0..m {
            let c = self.order[k];
            x[c] = self.work[k] * self.scale[c];
        }
    }

    /// Column of R of an independent coordinate: x_j = 1, x_D = −G_D⁻¹ G_j.
    pub fn column(&mut self, j: usize, x: &mut [f64]) {
        let (m, n) = (self.m(), self.pattern.ncols);
        for k in 0..m {
            self.work[k] = -self.g[self.perm[k] * n + j] / self.scale[j];
        }
        self.solve_work();
        x.fill(0.0);
        x[j] = 1.0;
        for k in 0..m {
            let c = self.order[k];
            x[c] = self.work[k] * self.scale[c];
        }
    }

    fn solve_work(&mut self) {
        let m = self.m();
        let w = &mut self.work;
        for k in 0..m {
            let mut s = w[k];
            for (l, x) in self.lu[k * m..k * m + k].iter().zip(&w[..k]) {
                s -= l * x;
            }
            w[k] = s;
        }
        for k in (0..m).rev() {
            let mut s = w[k];
            for (u, x) in self.lu[k * m + k + 1..(k + 1) * m].iter().zip(&w[k + 1..]) {
                s -= u * x;
            }
            w[k] = s / self.lu[k * m + k];
        }
    }

    /// λ with G_Dᵀ λ = r_D; zero for rows that are not in the partition.
    pub fn solve_transposed(&mut self, r: &[f64], lambda: &mut [f64]) {
        let m = self.m();
        let w = &mut self.work;
        for k in 0..m {
            let c = self.order[k];
            w[k] = r[c] * self.scale[c];
        }
        // Uᵀ, then Lᵀ, column-oriented so that rows of `lu` are read in order
        for k in 0..m {
            w[k] /= self.lu[k * m + k];
            let s = w[k];
            for (x, u) in w[k + 1..].iter_mut().zip(&self.lu[k * m + k + 1..(k + 1) * m]) {
                *x -= u * s;
            }
        }
        for k in (0..m).rev() {
            let s = w[k];
            for (x, l) in w[..k].iter_mut().zip(&self.lu[k * m..k * m + k]) {
                *x -= l * s;
            }
        }
        lambda.fill(0.0);
        for k in 0..m {
            let r = self.rows[self.perm[k]];
            lambda[r] = w[k] / self.row_scale[r];
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Rows 0 and 2 of a matrix whose row 1 is twice row 0.
    const G: [f64; 12] = [1.0, 2.0, 0.0, 4.0, 2.0, 4.0, 0.0, 8.0, 3.0, -1.0, 5.0, 0.5];

    fn partition() -> Partition {
        Partition::new(Csr::dense(3, 4), vec![0, 2], vec![1.0, 2.0, 0.5, 1.0], vec![1.0, 1.0, 4.0])
    }

    fn row(i: usize, x: &[f64]) -> f64 {
        (0..4).map(|j| G[4 * i + j] * x[j]).sum()
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        let mut p = partition();
        p.choose(&G).unwrap();
        assert_eq!(p.dependent().len() + p.independent().len(), 4);
        let mut x = [0.0; 4];
        p.solve(&[0.3, 9.9, -1.1], &mut x);
        assert!((row(0, &x) - 0.3).abs() < 1e-14 && (row(2, &x) + 1.1).abs() < 1e-14);
        for j in p.independent().to_vec() {
            p.column(j, &mut x);
            assert!(x[j] == 1.0 && row(0, &x).abs() < 1e-14 && row(2, &x).abs() < 1e-14);
        }
        let (r, mut l) = ([1.0, -2.0, 3.0, 0.5], [0.0; 3]);
        p.solve_transposed(&r, &mut l);
        for &j in p.dependent() {
            assert!((G[j] * l[0] + G[8 + j] * l[2] - r[j]).abs() < 1e-14);
        }
        assert_eq!(l[1], 0.0);
    }

    #[test]
    fn a_passage_through_a_singular_matrix_is_noticed() {
        let mut p = partition();
        p.choose(&G).unwrap();
        let d = p.dependent().to_vec();
        // turn the sign of one dependent column: det changes its sign, G stays regular
        let mut g = G;
        for i in 0..3 {
            g[4 * i + d[0]] *= -1.0;
        }
        assert!(matches!(p.factor(&g), Err(StepFailure::RankLost { .. })));
        assert!(p.choose(&g).is_ok());
        // one row a multiple of the other
        for j in 0..4 {
            g[8 + j] = 3.0 * g[j];
        }
        assert!(matches!(p.factor(&g), Err(StepFailure::RankLost { .. })));
        assert!(matches!(p.choose(&g), Err(StepFailure::RankLost { .. })));
    }
}
