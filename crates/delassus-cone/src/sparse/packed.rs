//! Blocks with their rows side by side in memory, for sweeps.
//!
//! A contact connects two bodies: its rows of `J` (with `Ŵ = J Jᵀ`) have two short runs of columns. If all blocks are
//! like that, each is stored as one record with up to three rows of twice six values, so that a visit reads one stretch
//! of memory, needs no column numbers and has loops of fixed length. Shorter runs are padded with zeros; `x` is longer
//! than its columns by [`PAD`] for the same reason.
//!
//! What does not fit (blocks of many columns, `M⁻¹` that is not a product) stays with the rows of `scaled.rs`.

use super::cell::{Cell, RUN};
use super::real::Real;
use crate::problem::Law;

/// How much longer `x` is than its columns.
pub(crate) const PAD: usize = 2 * RUN;

/// All blocks of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Packed<T = f64> {
    /// Blocks of one row, if all are.
    ones: Vec<Cell<T, 1>>,
    /// Otherwise all of them.
    threes: Vec<Cell<T, 3>>,
}

/// One block of rows of `H`; all of them have the same columns.
pub(crate) struct Source<'a> {
    /// First row.
    pub first: usize,
    pub columns: &'a [usize],
    /// Values of every row.
    pub values: [&'a [f64]; 3],
    /// Number of rows.
    pub rows: usize,
}

/// `L` with `M⁻¹ = L Lᵀ`.
#[derive(Clone, Debug, Default)]
pub(crate) struct MassRoot {
    /// Of each column: first column of its block, first value of it, size.
    pub block: Vec<[u32; 3]>,
    /// Lower triangles, row by row.
    pub values: Vec<f64>,
    /// All of them have only a diagonal.
    pub diagonal: bool,
}

impl<T> Default for Packed<T> {
    fn default() -> Packed<T> {
        Packed { ones: Vec::new(), threes: Vec::new() }
    }
}

impl Packed {
    /// Appends a block that is not scaled yet, and returns the diagonal of its `W_kk`; `None` if it does not fit, in
    /// which case none must be used. `all_single`: every block of the problem has one row.
    pub fn push(&mut self, s: &Source<'_>, root: &MassRoot, all_single: bool) -> Option<[f64; 3]> {
        let mut own = [0.0; 3];
        if all_single {
            self.ones.push(Cell::EMPTY);
            let c = self.ones.last_mut()?;
            if !c.fill(s, root) {
                return None;
            }
            own[0] = c.a[0][0];
        } else {
            self.threes.push(Cell::EMPTY);
            let c = self.threes.last_mut()?;
            if !c.fill(s, root) {
                return None;
            }
            own = [c.a[0][0], c.a[1][1], c.a[2][2]];
        }
        Some(own)
    }

    /// Scales block k.
    pub fn scale(&mut self, k: usize, law: Law, bare: bool, root: f64, b: &[f64]) {
        match self.ones.get_mut(k) {
            Some(c) => c.scale(law, bare, root, b),
            None => self.threes[k].scale(law, bare, root, b),
        }
    }

    /// Copies all blocks in single precision.
    pub fn narrow(&self, to: &mut Packed<f32>) {
        to.clear();
        to.ones.extend(self.ones.iter().map(Cell::narrow));
        to.threes.extend(self.threes.iter().map(Cell::narrow));
    }
}

impl<T: Real> Packed<T> {
    pub fn clear(&mut self) {
        self.ones.clear();
        self.threes.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.ones.is_empty() && self.threes.is_empty()
    }

    /// x += Jᵀ r.
    pub fn add_velocity(&self, r: &[T], x: &mut [T]) {
        self.ones.iter().for_each(|c| c.add(r, x));
        self.threes.iter().for_each(|c| c.add(r, x));
    }

    /// One sweep, forwards or backwards. `x` must belong to `r`.
    pub fn sweep(&self, backwards: bool, r: &mut [T], x: &mut [T]) {
        if backwards {
            self.ones.iter().rev().for_each(|c| c.visit_one(r, x));
            self.threes.iter().rev().for_each(|c| c.visit(r, x));
        } else {
            self.ones.iter().for_each(|c| c.visit_one(r, x));
            self.threes.iter().for_each(|c| c.visit(r, x));
        }
    }

    /// Defect of a block in the natural map.
    pub fn defect(&self, k: usize, r: &[T], x: &[T]) -> f64 {
        match self.ones.get(k) {
            Some(c) => c.defect(r, x),
            None => self.threes[k].defect(r, x),
        }
    }
}
