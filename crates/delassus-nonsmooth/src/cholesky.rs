//! Cholesky factorisation L Lᵀ row by row, passing over zeros: where bodies act on their neighbours alone most
//! entries are, and a stack costs as much as its bodies do one by one.

use delassus_linalg::rank_tol;

/// Rows of L so far. A row may be looked at without being taken in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cholesky {
    /// Entries below the diagonal by columns: row, ascending, and value. Empty for rows that were left out.
    columns: Vec<Vec<(usize, f64)>>,
    /// Diagonal; zero for rows that were left out.
    diagonal: Vec<f64>,
}

impl Cholesky {
    /// Turns the entries of the next row of a matrix that stand before its diagonal into those of L; the sum of
    /// their squares.
    pub fn reduce(&self, row: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (j, own) in self.diagonal.iter().enumerate() {
            if *own == 0.0 {
                row[j] = 0.0;
            }
            if row[j] != 0.0 {
                row[j] /= own;
                let l = row[j];
                for (k, other) in &self.columns[j] {
                    row[*k] -= l * other;
                }
                sum += l * l;
            }
        }
        sum
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.diagonal.clear();
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Takes in a row that was reduced, with its diagonal entry.
    pub fn push(&mut self, row: &[f64], own: f64) {
        let i = self.diagonal.len();
        for (column, l) in self.columns.iter_mut().zip(row) {
            if *l != 0.0 {
                column.push((i, *l));
            }
        }
        self.grow(own);
    }

    /// Leaves out a row: those behind it are factored without it.
    pub fn leave_out(&mut self) {
        self.grow(0.0);
    }

    fn grow(&mut self, own: f64) {
        self.diagonal.push(own);
        if self.columns.len() < self.diagonal.len() {
            self.columns.push(Vec::new());
        }
    }

    /// w x = b for the b in `x`, with a symmetric w ≥ 0 that is spoiled, where b is in its range; the rank of w. Rows
    /// that depend on those before them get zeros.
    pub fn solve_basic(&mut self, w: &mut [f64], x: &mut [f64]) -> usize {
        let n = x.len();
        self.clear();
        let size = (0..n).fold(0.0, |m: f64, i| m.max(w[i * n + i]));
        let mut rank = 0;
        for i in 0..n {
            let (row, own) = w[i * n..=i * n + i].split_at_mut(i);
            let rest = own[0] - self.reduce(row);
            if rest > rank_tol::PRODUCT * size {
                self.push(row, rest.sqrt());
                rank += 1;
            } else {
                self.leave_out();
            }
        }
        self.solve(x);
        rank
    }

    /// x = L⁻ᵀ x, zero for rows that were left out.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        for (j, own) in self.diagonal.iter().enumerate().rev() {
            let later: f64 = self.columns[j].iter().map(|(k, l)| l * x[*k]).sum();
            x[j] = if *own == 0.0 { 0.0 } else { (x[j] - later) / own };
        }
    }

    /// x = (L Lᵀ)⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        for (j, own) in self.diagonal.iter().enumerate() {
            x[j] = if *own == 0.0 { 0.0 } else { x[j] / own };
            let l = x[j];
            for (k, other) in &self.columns[j] {
                x[*k] -= l * other;
            }
        }
        self.solve_transposed(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain: each row meets its neighbours alone.
    #[test]
    fn solves_a_chain_without_filling_it() {
        let n = 30;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.5,
            1 => -1.0,
            _ => 0.0,
        };
        let mut l = Cholesky::default();
        for i in 0..n {
            let mut row: Vec<f64> = (0..i).map(|j| entry(i, j)).collect();
            let sum = l.reduce(&mut row);
            l.push(&row, (entry(i, i) - sum).sqrt());
        }
        assert!(l.columns.iter().all(|c| c.len() <= 1));
        let want: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * want[j]).sum()).collect();
        l.solve(&mut x);
        assert!(x.iter().zip(&want).all(|(x, want)| (x - want).abs() < 1e-14), "{x:?}");
    }

    #[test]
    fn rows_that_depend_on_others_get_zeros() {
        // g gᵀ + h hᵀ, of rank 2
        let (g, h) = ([1.0, 2.0, 0.0, -1.0], [0.0, 1.0, 1.0, 3.0]);
        let w: Vec<f64> = (0..16).map(|k| g[k / 4] * g[k % 4] + h[k / 4] * h[k % 4]).collect();
        let b: Vec<f64> = (0..4).map(|i| 3.0 * g[i] - 2.0 * h[i]).collect();
        let (mut x, mut l) = (b.clone(), Cholesky::default());
        // twice, with what is left from before
        for _ in 0..2 {
            x.copy_from_slice(&b);
            assert_eq!(l.solve_basic(&mut w.clone(), &mut x), 2);
            assert!(x[2..] == [0.0; 2]);
            for i in 0..4 {
                let got: f64 = (0..4).map(|j| w[i * 4 + j] * x[j]).sum();
                assert!((got - b[i]).abs() < 1e-13, "{got} {}", b[i]);
            }
        }
    }
}
