//! A small dense system that may be singular: some solution of it, with zeros where it has a choice.

/// Relative size of a pivot that counts as zero.
const TINY: f64 = 1e-11;

/// Elimination with complete pivoting; buffers are sized once.
#[derive(Debug, Clone)]
pub(crate) struct BasicSolver {
    n: usize,
    /// Matrix, row by row; spoiled by [`BasicSolver::solve`].
    pub w: Vec<f64>,
    /// Right-hand side, then the solution.
    pub x: Vec<f64>,
    pivots: Vec<(usize, usize)>,
    used_row: Vec<bool>,
    used_col: Vec<bool>,
    y: Vec<f64>,
}

impl BasicSolver {
    pub fn new(n: usize) -> BasicSolver {
        BasicSolver {
            n,
            w: vec![0.0; n * n],
            x: vec![0.0; n],
            pivots: Vec::with_capacity(n),
            used_row: vec![false; n],
            used_col: vec![false; n],
            y: vec![0.0; n],
        }
    }

    /// w x = b for the b in `x`.
    pub fn solve(&mut self) {
        let n = self.n;
        let w = &mut self.w;
        let size = w.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        self.used_row.fill(false);
        self.used_col.fill(false);
        self.pivots.clear();
        for _ in 0..n {
            let (mut best, mut at) = (TINY * size, None);
            for i in (0..n).filter(|i| !self.used_row[*i]) {
                for j in (0..n).filter(|j| !self.used_col[*j]) {
                    if w[i * n + j].abs() > best {
                        best = w[i * n + j].abs();
                        at = Some((i, j));
                    }
                }
            }
            let Some((pi, pj)) = at else { break };
            self.used_row[pi] = true;
            self.used_col[pj] = true;
            self.pivots.push((pi, pj));
            let pivot = w[pi * n + pj];
            for i in (0..n).filter(|i| !self.used_row[*i]) {
                let c = w[i * n + pj] / pivot;
                for j in (0..n).filter(|j| !self.used_col[*j]) {
                    w[i * n + j] -= c * w[pi * n + j];
                }
                self.x[i] -= c * self.x[pi];
            }
        }
        self.y.fill(0.0);
        for (step, &(pi, pj)) in self.pivots.iter().enumerate().rev() {
            let known: f64 =
                self.pivots[step + 1..].iter().map(|&(_, j)| w[pi * n + j] * self.y[j]).sum();
            self.y[pj] = (self.x[pi] - known) / w[pi * n + pj];
        }
        self.x.copy_from_slice(&self.y);
    }
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
}
