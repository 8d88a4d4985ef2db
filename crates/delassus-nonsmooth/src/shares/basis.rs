//! Both sides of the force problem in the basis of the independent rows.
//!
//! A dependent row is a combination of them, W c = G. Mostly of those between the same two shapes: the fourth corner of
//! a box is a combination of the other three. That is tried first: it costs as much as the pair does, and is free of
//! the round-off of the surrounding bodies. If it is not enough the whole is solved.

use super::{HELD, Shares};
use crate::cholesky::Cholesky;
use crate::sparse_rows::SparseRows;
use delassus_linalg::rank_tol;
use delassus_math::max_abs;
use std::ops::Range;

impl Shares {
    /// Transforms both sides to the basis of the independent rows, if that is distinguishable from their product.
    pub(super) fn turn_to_basis(&mut self) {
        let Some(weakest) = self.factor_basis() else { return };
        let m = self.m;
        let [mut acts, mut yields] = std::mem::take(&mut self.turned);
        acts.clear();
        yields.clear();
        self.system.x.fill(0.0);
        // errors grow with the square of the number of bodies in a row, and where pivots are small; anything above the
        // round-off of a solution is kept, error or not
        let noise = (f64::EPSILON * (m * m) as f64 / weakest).min(HELD);
        let mut forces = 0..0;
        for k in 0..self.kinds.len() {
            if !forces.contains(&k) {
                let pair = self.pairs[k];
                let end = self.pairs[k..].iter().position(|p| *p != pair);
                forces = k..end.map_or(self.pairs.len(), |n| k + n);
                self.factor_pair(&forces);
            }
            match self.equation[k] {
                Some(i) => yields.push(std::iter::once((i, 1.0))),
                None => self.push_in_basis(k, Side::Yields, &forces, noise, &mut yields),
            }
            match self.acts.row(k) == self.yields.row(k) {
                true => acts.push(yields.row(k).iter().copied()),
                false => self.push_in_basis(k, Side::Acts, &forces, noise, &mut acts),
            }
        }
        self.basis.solve(&mut self.b);
        self.turned =
            [std::mem::replace(&mut self.acts, acts), std::mem::replace(&mut self.yields, yields)];
    }

    /// Factors W; returns its weakest relative pivot, if it is distinguishable from zero.
    fn factor_basis(&mut self) -> Option<f64> {
        let Shares { equation, yields, system, basis, size, .. } = self;
        basis.clear();
        let rows = equation.iter().zip(yields.rows()).filter(|(own, _)| own.is_some());
        let mut weakest = 1.0_f64;
        for (i, (_, yielded)) in rows.enumerate() {
            let row = &mut system.w[..=i];
            row.fill(0.0);
            yielded.iter().take_while(|(j, _)| *j <= i).for_each(|(j, g)| row[*j] = *g);
            size[i] = row[i].max(0.0).sqrt();
            weakest = weakest.min(push(basis, row)?);
        }
        Some(weakest)
    }

    /// Factors the part of W that belongs to the forces of a pair.
    fn factor_pair(&mut self, forces: &Range<usize>) {
        let Shares { equation, yields, own_basis, own_row, .. } = self;
        own_basis.clear();
        let own = || forces.clone().filter_map(|k| Some((k, equation[k]?)));
        for (n, (k, _)) in own().enumerate() {
            own_row.clear();
            own_row.extend(own().take(n + 1).map(|(_, j)| entry(yields.row(k), j)));
            if push(own_basis, own_row).is_none() {
                own_basis.clear();
                return;
            }
        }
    }

    /// Appends one side of force k in the basis.
    fn push_in_basis(
        &mut self,
        k: usize,
        side: Side,
        forces: &Range<usize>,
        noise: f64,
        out: &mut SparseRows,
    ) {
        if self.depends_on_pair(k, &side, forces) {
            let equations = forces.clone().filter_map(|k| self.equation[k]);
            out.push(equations.zip(self.own_row.iter().copied()));
            return;
        }
        let Shares { acts, yields, system, basis, .. } = self;
        let given = side.of(acts, yields).row(k);
        let row = &mut system.x;
        given.iter().for_each(|(j, g)| row[*j] = *g);
        let ends = given.first().zip(given.last());
        let entries = basis.solve_local(row, ends.map_or(0..0, |(a, b)| a.0..b.0 + 1));
        let row = &mut row[entries.clone()];
        // rows depend on few others; the rest is round-off
        let least = noise * max_abs(&*row);
        out.push(entries.zip(row.iter().copied()).filter(|(_, x)| x.abs() > least));
        row.fill(0.0);
    }

    /// Whether one side of force k is a combination of the independent rows of its pair, which is left in `own_row`:
    /// then nothing of it remains along any equation.
    fn depends_on_pair(&mut self, k: usize, side: &Side, forces: &Range<usize>) -> bool {
        let Shares { equation, acts, yields, own_basis, own_row, left, size, .. } = self;
        if own_basis.is_empty() {
            return false;
        }
        let given = side.of(acts, yields).row(k);
        let own = || forces.clone().filter_map(|k| Some((k, equation[k]?)));
        own_row.clear();
        own_row.extend(own().map(|(_, j)| entry(given, j)));
        own_basis.solve(own_row);
        // lengths of the row and of its remainder, in the norm of W
        let length: f64 = own().zip(&*own_row).map(|((_, j), c)| c.abs() * size[j]).sum();
        let rows = || own().map(|(p, _)| yields.row(p)).chain([given]);
        rows().flatten().for_each(|(j, _)| left[*j] = 0.0);
        for (row, c) in rows().zip(own_row.iter().map(|c| -c).chain([1.0])) {
            row.iter().for_each(|(j, g)| left[*j] += c * g);
        }
        rows().flatten().all(|(j, _)| left[*j].abs() <= rank_tol::ROWS * length * size[*j])
    }
}

/// A side of the force problem.
enum Side {
    Acts,
    Yields,
}

impl Side {
    fn of<'a>(&self, acts: &'a SparseRows, yields: &'a SparseRows) -> &'a SparseRows {
        match self {
            Side::Acts => acts,
            Side::Yields => yields,
        }
    }
}

/// Adds the next row of a matrix up to its diagonal; returns its relative remainder, if it is distinguishable from
/// zero.
fn push(basis: &mut Cholesky, row: &mut [f64]) -> Option<f64> {
    let (own, row) = row.split_last_mut()?;
    let rest = *own - basis.reduce(row);
    if !(rest > rank_tol::PRODUCT * *own) {
        return None;
    }
    basis.push(row, rest.sqrt());
    Some(rest / *own)
}

/// Entry j of a row.
fn entry(row: &[(usize, f64)], j: usize) -> f64 {
    row.binary_search_by_key(&j, |(j, _)| *j).map_or(0.0, |i| row[i].1)
}
