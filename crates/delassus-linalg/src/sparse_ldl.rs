//! Sparse LDLᵀ with a static pattern.
//!
//! Left-looking by columns with a dense work column. The patterns of chains
//! and trees are so thin (three to five entries per column) that a supernodal
//! method has nothing to block; what counts is few instructions per entry.

use crate::dense_ldl::{Outcome, Pivots, Regularization};
use crate::error::{KktError, check_room};
use crate::ordering;

/// Memory per entry of the factor beside its row, bytes: its value, and its place among the entries of the row.
const FACTORED: f64 = 16.0;

/// LDLᵀ of `P W Pᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct SparseLdl {
    n: usize,
    /// `order[new] = old`.
    order: Vec<u32>,
    /// Lower triangle of the permuted matrix by columns, diagonal first.
    a_ptr: Vec<u32>,
    a_row: Vec<u32>,
    a: Vec<f64>,
    l_ptr: Vec<u32>,
    l_row: Vec<u32>,
    l: Vec<f64>,
    /// For every row `j`: the columns `k < j` with `L[j, k] ≠ 0`, each with
    /// the position of that entry.
    r_ptr: Vec<u32>,
    r: Vec<(u32, u32)>,
    d: Vec<f64>,
    dinv: Vec<f64>,
    work: Vec<f64>,
}

impl SparseLdl {
    /// `lower` lists the entries `(i, j)`, `i ≥ j`, diagonal included.
    pub(crate) fn new(
        n: usize,
        lower: &[(u32, u32)],
        reorder: bool,
    ) -> Result<SparseLdl, KktError> {
        let order =
            if reorder { ordering::minimum_degree(n, lower)? } else { (0..n as u32).collect() };
        SparseLdl::with_order(n, lower, order)
    }

    /// The same with a given order of elimination, `order[new] = old`.
    pub(crate) fn with_order(
        n: usize,
        lower: &[(u32, u32)],
        order: Vec<u32>,
    ) -> Result<SparseLdl, KktError> {
        let mut new_of = vec![0u32; n];
        for (new, &old) in order.iter().enumerate() {
            new_of[old as usize] = new as u32;
        }
        let mut entries: Vec<(u32, u32)> = lower
            .iter()
            .map(|&(i, j)| {
                let (i, j) = (new_of[i as usize], new_of[j as usize]);
                (i.min(j), i.max(j))
            })
            .collect();
        entries.sort_unstable();
        let mut a_ptr = vec![0u32; n + 1];
        for &(c, _) in &entries {
            a_ptr[c as usize + 1] += 1;
        }
        for j in 0..n {
            a_ptr[j + 1] += a_ptr[j];
        }
        let a_row: Vec<u32> = entries.iter().map(|&(_, r)| r).collect();

        let (l_ptr, l_row) = fill_in(n, &a_ptr, &a_row)?;
        check_room(n, l_row.len() as f64, FACTORED)?;
        let (r_ptr, r) = by_rows(n, &l_ptr, &l_row);
        Ok(SparseLdl {
            n,
            order,
            a: vec![0.0; a_row.len()],
            a_ptr,
            a_row,
            l: vec![0.0; l_row.len()],
            l_ptr,
            l_row,
            r_ptr,
            r,
            d: vec![0.0; n],
            dinv: vec![0.0; n],
            work: vec![0.0; n],
        })
    }

    /// Multiply-adds of one factorisation, for choosing a backend.
    pub(crate) fn flops(&self) -> usize {
        self.l_ptr.windows(2).map(|w| (w[1] - w[0]) as usize).map(|c| c * (c + 1) / 2 + c).sum()
    }

    /// Function from original `(i, j)` to the slot in [`SparseLdl::cleared`].
    pub(crate) fn slots(&self) -> impl Fn(usize, usize) -> u32 + '_ {
        let mut new_of = vec![0u32; self.n];
        for (new, &old) in self.order.iter().enumerate() {
            new_of[old as usize] = new as u32;
        }
        move |i, j| {
            let (i, j) = (new_of[i], new_of[j]);
            let (row, column) = (i.max(j), i.min(j) as usize);
            let (lo, hi) = (self.a_ptr[column] as usize, self.a_ptr[column + 1] as usize);
            let at = self.a_row[lo..hi].partition_point(|&r| r < row);
            (lo + at) as u32
        }
    }

    /// `order[position in the factor] = original row`.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Zeroed storage to assemble into.
    pub(crate) fn cleared(&mut self) -> &mut [f64] {
        self.a.fill(0.0);
        &mut self.a
    }

    /// Diagonal in the original order.
    pub(crate) fn diagonal(&self, out: &mut [f64]) {
        for (j, &old) in self.order.iter().enumerate() {
            out[old as usize] = self.a[self.a_ptr[j] as usize];
        }
    }

    /// Pivots in elimination order.
    pub(crate) fn pivots(&self) -> &[f64] {
        &self.d
    }

    /// `scale` is in the original order, and so are reported rows.
    pub(crate) fn factor(
        &mut self,
        scale: &[f64],
        reg: Regularization,
    ) -> Result<Outcome, KktError> {
        let mut pivots = Pivots::new(reg);
        let done = self.eliminate(|row, diagonal| pivots.take(row, diagonal, scale[row]))?;
        let weakest = pivots.weakest();
        Ok(if done { Outcome::Done(weakest) } else { Outcome::TooSmall(weakest) })
    }

    /// Elimination with pivots judged by `take`, from the original row and its diagonal to the pivot and its inverse;
    /// `None` stops it. Returns whether it reached the end.
    #[inline]
    pub(crate) fn eliminate(
        &mut self,
        mut take: impl FnMut(usize, f64) -> Result<Option<(f64, f64)>, KktError>,
    ) -> Result<bool, KktError> {
        let work = &mut self.work[..];
        for j in 0..self.n {
            let a = self.a_ptr[j] as usize..self.a_ptr[j + 1] as usize;
            for (&i, &v) in self.a_row[a.clone()].iter().zip(&self.a[a]) {
                work[i as usize] = v;
            }
            for &(k, at) in &self.r[self.r_ptr[j] as usize..self.r_ptr[j + 1] as usize] {
                let k = k as usize;
                let tail = at as usize..self.l_ptr[k + 1] as usize;
                let c = self.l[at as usize] * self.d[k];
                // of rows that repeat others nothing is left
                if c == 0.0 {
                    continue;
                }
                for (&i, &v) in self.l_row[tail.clone()].iter().zip(&self.l[tail]) {
                    work[i as usize] -= v * c;
                }
            }
            let row = self.order[j] as usize;
            let diagonal = std::mem::take(&mut work[j]);
            let column = self.l_ptr[j] as usize..self.l_ptr[j + 1] as usize;
            let (d, inv) = match take(row, diagonal) {
                Ok(Some(pivot)) => pivot,
                stop => {
                    // The work column must be left clean for the next call.
                    for &i in &self.l_row[column] {
                        work[i as usize] = 0.0;
                    }
                    return stop.map(|_| false);
                }
            };
            self.d[j] = d;
            self.dinv[j] = inv;
            for (&i, l) in self.l_row[column.clone()].iter().zip(&mut self.l[column]) {
                *l = work[i as usize] * inv;
                work[i as usize] = 0.0;
            }
        }
        Ok(true)
    }

    /// `x ← W⁻¹ x` in the original order.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let mut work = std::mem::take(&mut self.work);
        for (w, &old) in work.iter_mut().zip(&self.order) {
            *w = x[old as usize];
        }
        self.solve_ordered(&mut work);
        for (w, &old) in work.iter_mut().zip(&self.order) {
            x[old as usize] = *w;
            *w = 0.0;
        }
        self.work = work;
    }

    /// `x ← (L D Lᵀ)⁻¹ x` in elimination order.
    pub(crate) fn solve_ordered(&self, x: &mut [f64]) {
        for j in 0..self.n {
            let xj = x[j];
            let column = self.l_ptr[j] as usize..self.l_ptr[j + 1] as usize;
            for (&i, l) in self.l_row[column.clone()].iter().zip(&self.l[column]) {
                x[i as usize] -= l * xj;
            }
        }
        for (x, d) in x.iter_mut().zip(&self.dinv) {
            *x *= d;
        }
        self.back_substitute(x);
    }

    /// `x ← L⁻ᵀ x` in elimination order.
    pub(crate) fn back_substitute(&self, x: &mut [f64]) {
        for j in (0..self.n).rev() {
            let column = self.l_ptr[j] as usize..self.l_ptr[j + 1] as usize;
            let mut sum = 0.0;
            for (&i, l) in self.l_row[column.clone()].iter().zip(&self.l[column]) {
                sum += l * x[i as usize];
            }
            x[j] -= sum;
        }
    }
}

/// Entries of a pattern by columns, listed by rows: for each the column and its place.
pub(crate) fn by_rows(n: usize, l_ptr: &[u32], l_row: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut r_ptr = vec![0u32; n + 1];
    for &i in l_row {
        r_ptr[i as usize + 1] += 1;
    }
    for j in 0..n {
        r_ptr[j + 1] += r_ptr[j];
    }
    let mut next = r_ptr.clone();
    let mut r = vec![(0u32, 0u32); l_row.len()];
    for k in 0..n {
        for at in l_ptr[k]..l_ptr[k + 1] {
            let i = l_row[at as usize] as usize;
            r[next[i] as usize] = (k as u32, at);
            next[i] += 1;
        }
    }
    (r_ptr, r)
}

/// Entries up to which places fit into 32 bits.
const MOST_ENTRIES: usize = (u32::MAX / 2) as usize;

/// Pattern of `L` below the diagonal. A column inherits the pattern of every
/// column whose first entry it is.
pub(crate) fn fill_in(
    n: usize,
    a_ptr: &[u32],
    a_row: &[u32],
) -> Result<(Vec<u32>, Vec<u32>), KktError> {
    let mut l_ptr = vec![0u32; n + 1];
    let mut l_row: Vec<u32> = Vec::with_capacity(2 * a_row.len());
    let mut first_child = vec![u32::MAX; n];
    let mut sibling = vec![u32::MAX; n];
    let mut mark = vec![u32::MAX; n];
    for j in 0..n {
        let start = l_row.len();
        // a column has at most the rows below it
        if l_row.try_reserve(n - j).is_err() || start > MOST_ENTRIES {
            let bytes = 2.0 * start as f64 * size_of::<u32>() as f64;
            return Err(KktError::NoRoom { unknowns: n, bytes });
        }
        mark[j] = j as u32;
        for &i in &a_row[a_ptr[j] as usize..a_ptr[j + 1] as usize] {
            if mark[i as usize] != j as u32 {
                mark[i as usize] = j as u32;
                l_row.push(i);
            }
        }
        let mut child = first_child[j];
        while child != u32::MAX {
            let c = child as usize;
            for at in l_ptr[c] as usize..l_ptr[c + 1] as usize {
                let i = l_row[at];
                if mark[i as usize] != j as u32 {
                    mark[i as usize] = j as u32;
                    l_row.push(i);
                }
            }
            child = sibling[c];
        }
        l_row[start..].sort_unstable();
        if let Some(&parent) = l_row.get(start) {
            sibling[j] = first_child[parent as usize];
            first_child[parent as usize] = j as u32;
        }
        l_ptr[j + 1] = l_row.len() as u32;
    }
    Ok((l_ptr, l_row))
}

/// Entries of the Cholesky factor of `(A Q)ᵀ(A Q)`, which bound those of the
/// `U` factor of `A Q` for any row order.
pub(crate) fn product_fill(
    n: usize,
    col_ptr: &[u32],
    row: &[u32],
    order: &[u32],
) -> Result<usize, KktError> {
    let mut position = vec![0u32; n];
    for (new, &old) in order.iter().enumerate() {
        position[old as usize] = new as u32;
    }
    let mut by_row: Vec<Vec<u32>> = vec![Vec::new(); n];
    for j in 0..n {
        for &i in &row[col_ptr[j] as usize..col_ptr[j + 1] as usize] {
            by_row[i as usize].push(position[j]);
        }
    }
    let (_, fill) = clique_fill(n, by_row.into_iter())?;
    Ok(fill.len() + n)
}

/// Pattern of `L` (by columns, below the diagonal) of the symmetric matrix in
/// which the members of every set are mutually coupled.
pub(crate) fn clique_fill(
    n: usize,
    sets: impl Iterator<Item = Vec<u32>>,
) -> Result<(Vec<u32>, Vec<u32>), KktError> {
    // Linking each set to its first member fills to the same factor as the
    // full clique, because eliminating the first makes the clique.
    let mut entries: Vec<(u32, u32)> = (0..n as u32).map(|i| (i, i)).collect();
    for set in sets {
        if let Some(&first) = set.iter().min() {
            entries.extend(set.iter().map(|&i| (first, i)));
        }
    }
    entries.sort_unstable();
    entries.dedup();
    let mut ptr = vec![0u32; n + 1];
    for &(c, _) in &entries {
        ptr[c as usize + 1] += 1;
    }
    for j in 0..n {
        ptr[j + 1] += ptr[j];
    }
    let row: Vec<u32> = entries.iter().map(|&(_, r)| r).collect();
    fill_in(n, &ptr, &row)
}
