//! Solves a small dense system that may be singular: any solution, with zeros where there is a choice.

use delassus_linalg::rank_tol;

/// Elimination with complete pivoting; buffers are sized once.
#[derive(Debug, Clone)]
pub(crate) struct BasicSolver {
    n: usize,
    /// Matrix, row by row; overwritten by [`BasicSolver::solve`].
    pub w: Vec<f64>,
    /// Right-hand side, then the solution.
    pub x: Vec<f64>,
    pivots: Vec<(usize, usize)>,
    /// Rows without a pivot so far, with the size of their largest open entry.
    rows: Vec<(usize, f64)>,
    /// 1 for columns without a pivot so far, 0 for others.
    open: Vec<f64>,
    pivot_row: Vec<f64>,
    y: Vec<f64>,
    scale: Vec<f64>,
}

impl BasicSolver {
    pub fn new(n: usize) -> BasicSolver {
        BasicSolver {
            n,
            w: vec![0.0; n * n],
            x: vec![0.0; n],
            pivots: Vec::with_capacity(n),
            rows: Vec::with_capacity(n),
            open: vec![1.0; n],
            pivot_row: vec![0.0; n],
            y: vec![0.0; n],
            scale: vec![1.0; n],
        }
    }

    /// The same where row and column of each unknown belong together and no diagonal entry is zero: measured by the
    /// diagonal, so that a light body beside an unconnected heavy one does not count as a small pivot.
    pub fn solve_scaled(&mut self) -> usize {
        let n = self.n;
        let mut scale = std::mem::take(&mut self.scale);
        for (i, s) in scale.iter_mut().enumerate() {
            let own = self.w[i * (n + 1)].abs();
            *s = if own > 0.0 { own.sqrt().recip() } else { 1.0 };
        }
        for (i, s) in scale.iter().enumerate() {
            self.x[i] *= s;
            for (w, other) in self.w[i * n..(i + 1) * n].iter_mut().zip(&scale) {
                *w *= s * other;
            }
        }
        let rank = self.solve();
        for (x, s) in self.x.iter_mut().zip(&scale) {
            *x *= s;
        }
        self.scale = scale;
        rank
    }

    /// Solves w x = b for the b in `x`; returns the rank of w.
    pub fn solve(&mut self) -> usize {
        let BasicSolver { n, w, x, pivots, rows, open, pivot_row, y, .. } = self;
        let n = *n;
        open.fill(1.0);
        pivots.clear();
        rows.clear();
        rows.extend((0..n).map(|i| (i, largest(&w[i * n..(i + 1) * n], open))));
        let size = rows.iter().fold(0.0, |m: f64, r| m.max(r.1));
        while let Some((k, best)) = first_largest(rows.iter().map(|r| r.1)) {
            if !(best > rank_tol::PRODUCT * size) {
                break;
            }
            // in order, so that of equal pivots the first is taken
            let (pi, _) = rows.remove(k);
            pivot_row.copy_from_slice(&w[pi * n..(pi + 1) * n]);
            let entries = pivot_row.iter().zip(&*open).map(|(w, o)| w.abs() * o);
            let Some((pj, _)) = first_largest(entries) else { break };
            pivots.push((pi, pj));
            open[pj] = 0.0;
            let (pivot, b) = (pivot_row[pj], x[pi]);
            for (i, most) in rows.iter_mut() {
                let row = &mut w[*i * n..(*i + 1) * n];
                let c = row[pj] / pivot;
                if c != 0.0 {
                    // finished columns are overwritten: they are not read again
                    for (w, p) in row.iter_mut().zip(&*pivot_row) {
                        *w -= c * p;
                    }
                    x[*i] -= c * b;
                    *most = largest(row, open);
                }
            }
        }
        y.fill(0.0);
        for (step, &(pi, pj)) in pivots.iter().enumerate().rev() {
            let known: f64 = pivots[step + 1..].iter().map(|&(_, j)| w[pi * n + j] * y[j]).sum();
            y[pj] = (x[pi] - known) / w[pi * n + pj];
        }
        x.copy_from_slice(y);
        pivots.len()
    }
}

/// Size of the largest entry in open columns.
fn largest(row: &[f64], open: &[f64]) -> f64 {
    row.iter().zip(open).fold(0.0, |m: f64, (w, o)| m.max(w.abs() * o))
}

/// The largest of some sizes, and its index.
fn first_largest(sizes: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    sizes.enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_regular_and_singular_systems() {
        let mut s = BasicSolver::new(2);
        s.w = vec![0.0, 2.0, 1.0, 1.0];
        s.x = vec![4.0, 5.0];
        s.solve();
        assert!((s.x[0] - 3.0).abs() < 1e-15 && (s.x[1] - 2.0).abs() < 1e-15);
        s.w = vec![1.0, 1.0, 1.0, 1.0];
        s.x = vec![2.0, 2.0];
        s.solve();
        assert!((s.x[0] + s.x[1] - 2.0).abs() < 1e-15);
    }

    /// Random matrices, and the same with rows and columns that repeat others.
    #[test]
    fn solves_larger_systems_whatever_their_rank() {
        let mut seed = 7u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
        };
        for (n, rank) in [(1, 1), (5, 5), (12, 12), (12, 7), (9, 1)] {
            let mut s = BasicSolver::new(n);
            let (left, right): (Vec<f64>, Vec<f64>) =
                (0..n * rank).map(|_| (random(), random())).unzip();
            let mut w = vec![0.0; n * n];
            for (k, w) in w.iter_mut().enumerate() {
                *w = (0..rank).map(|r| left[k / n * rank + r] * right[k % n * rank + r]).sum();
            }
            let x: Vec<f64> = (0..n).map(|_| random()).collect();
            let times = |x: &[f64]| -> Vec<f64> {
                (0..n).map(|i| (0..n).map(|j| w[i * n + j] * x[j]).sum()).collect()
            };
            let b = times(&x);
            s.w.copy_from_slice(&w);
            s.x.copy_from_slice(&b);
            s.solve();
            for (got, want) in times(&s.x).iter().zip(&b) {
                assert!((got - want).abs() < 1e-11, "{n} {rank}: {got} {want}");
            }
            assert!(s.x.iter().filter(|x| **x == 0.0).count() >= n - rank, "{n} {rank}");
        }
    }
}
