//! Cholesky factorisation L Lᵀ row by row, skipping zeros. Where bodies act only on their neighbours most entries are
//! zero, and the cost of a stack is proportional to its number of bodies.

use crate::sparse_rows::SparseRows;
use delassus_linalg::rank_tol;
use std::ops::Range;

/// Relative round-off of a sum.
pub(crate) const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Rows of L so far. A row may be examined without being added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cholesky {
    /// Entries below the diagonal by columns: row, ascending, and value. Empty for rows that were left out.
    columns: Vec<Vec<(usize, f64)>>,
    /// The same by rows.
    rows: SparseRows,
    /// Diagonal; zero for rows that were left out.
    diagonal: Vec<f64>,
    /// Number of multiplications for the rows so far.
    work: f64,
}

impl Cholesky {
    /// Turns the entries of the next row of a matrix before its diagonal into those of L; returns the sum of their
    /// squares.
    pub fn reduce(&self, row: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for j in first_entry(row)..self.diagonal.len() {
            if row[j] == 0.0 {
                continue;
            }
            let own = self.diagonal[j];
            let l = if own == 0.0 { 0.0 } else { row[j] / own };
            row[j] = l;
            sum += l * l;
            for (k, other) in &self.columns[j] {
                row[*k] -= l * other;
            }
        }
        sum
    }

    /// Number of multiplications for the rows so far.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// There is no row.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.diagonal.clear();
        self.work = 0.0;
        self.rows.clear();
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Adds a reduced row, with its diagonal entry.
    pub fn push(&mut self, row: &[f64], own: f64) {
        let i = self.diagonal.len();
        let first = first_entry(row);
        let entries = (first..).zip(row[first..].iter().copied());
        self.rows.push(entries);
        for (j, l) in self.rows.row(i) {
            self.work += self.columns[*j].len() as f64;
            self.columns[*j].push((i, *l));
        }
        self.grow(own);
    }

    /// Leaves out a row: later ones are factored without it.
    pub fn leave_out(&mut self) {
        self.rows.push(std::iter::empty());
        self.grow(0.0);
    }

    fn grow(&mut self, own: f64) {
        self.diagonal.push(own);
        if self.columns.len() < self.diagonal.len() {
            self.columns.push(Vec::new());
        }
    }

    /// Solves w x = b for the b in `x`, with a symmetric w ≥ 0 that is overwritten, where b is in its range; returns
    /// the rank of w. Rows that depend on earlier ones get zeros.
    pub fn solve_basic(&mut self, w: &mut [f64], x: &mut [f64]) -> usize {
        let n = x.len();
        self.clear();
        let mut rank = 0;
        for i in 0..n {
            let (row, own) = w[i * n..=i * n + i].split_at_mut(i);
            let rest = own[0] - self.reduce(row);
            if rest > rank_tol::PRODUCT * own[0] {
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
    fn solve_transposed(&self, x: &mut [f64]) {
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

    /// The same for an x with entries only in a range; returns the range of those of the solution. Where rows depend
    /// only on those of their own bodies, entries elsewhere are round-off: below that of the whole, in the norm of the
    /// matrix. They are skipped, so that the cost is that of the few.
    pub fn solve_local(&self, x: &mut [f64], range: Range<usize>) -> Range<usize> {
        let mut square = 0.0;
        let mut end = range.end;
        let mut j = range.start;
        while j < end {
            let own = self.diagonal[j];
            let l = if x[j] == 0.0 || own == 0.0 { 0.0 } else { x[j] / own };
            x[j] = if l * l > ROUND_OFF.powi(2) * square { l } else { 0.0 };
            if x[j] != 0.0 {
                square += l * l;
                for (k, other) in &self.columns[j] {
                    x[*k] -= l * other;
                }
                end = end.max(self.columns[j].last().map_or(0, |(k, _)| k + 1));
            }
            j += 1;
        }
        self.solve_transposed_local(x, range.start..end, ROUND_OFF * square.sqrt())
    }

    /// L⁻ᵀ x for an x with entries only in a range, except for what is below `least` in the norm of the matrix; returns
    /// the range of the entries of the solution.
    pub fn solve_transposed_local(
        &self,
        x: &mut [f64],
        range: Range<usize>,
        least: f64,
    ) -> Range<usize> {
        let mut start = range.start;
        let mut k = range.end;
        while k > start {
            k -= 1;
            x[k] = if x[k].abs() > least { x[k] / self.diagonal[k] } else { 0.0 };
            if x[k] != 0.0 {
                let c = x[k];
                for (j, l) in self.rows.row(k) {
                    x[*j] -= l * c;
                }
                start = start.min(self.rows.row(k).first().map_or(k, |(j, _)| *j));
            }
        }
        start..range.end
    }
}

/// Index of the first nonzero entry.
pub(crate) fn first_entry(row: &[f64]) -> usize {
    row.iter().position(|x| *x != 0.0).unwrap_or(row.len())
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
