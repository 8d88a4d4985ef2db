//! Sizes of the terms that add up to the acceleration along a row.
//!
//! A closed point is held by forces that cancel each other. The remainder of their sum along its row, H a + bias, is
//! indistinguishable from zero if it is a tiny fraction of the terms. The terms that count are those on the bodies of
//! the point itself: what moves elsewhere, or moved before, does not matter.
//!
//! Terms are measured in the metric of the mass, body by body, so that neither the axes nor the
//! units of coordinates matter: |H_b|² = Σ H²/M, |f_b|² = Σ f²/M, |a_b|² = Σ M a².

use delassus_dae::{ContactPoint, Problem};
use delassus_linalg::{Csr, MassShape};

/// Sizes of the forces on each body; buffers are sized once.
#[derive(Debug, Clone)]
pub struct Burden {
    blocks: MassShape,
    block_of: Vec<usize>,
    /// Diagonal of M⁻¹; zero for coordinates without inertia.
    mobility: Vec<f64>,
    /// Sum of the sizes of all terms on each block.
    size: Vec<f64>,
    /// Scratch.
    applied: Vec<f64>,
}

impl Burden {
    /// For the bodies of a problem.
    pub fn new<P: Problem>(p: &P) -> Burden {
        let blocks = p.structure().mass.clone();
        let mut block_of = vec![0; blocks.dim()];
        for k in 0..blocks.count() {
            block_of[blocks.dof(k)..blocks.dof(k) + blocks.sizes()[k]].fill(k);
        }
        Burden {
            mobility: vec![0.0; blocks.dim()],
            size: vec![0.0; blocks.count()],
            applied: vec![0.0; blocks.dim()],
            block_of,
            blocks,
        }
    }

    /// Starts without terms, with the present masses.
    pub fn begin(&mut self, mass: &[f64]) {
        self.size.fill(0.0);
        inverse_diagonal(&self.blocks, mass, &mut self.mobility);
    }

    /// Adds the inertia forces of these accelerations.
    pub fn add_accelerations(&mut self, a: &[f64]) {
        self.add_all(a, |a, mobility| if mobility > 0.0 { a * a / mobility } else { 0.0 });
    }

    /// Adds applied forces.
    pub fn add_forces(&mut self, f: &[f64]) {
        self.add_all(f, |f, mobility| f * f * mobility);
    }

    /// Adds the applied forces that `fill` writes.
    pub fn add_applied(&mut self, fill: impl FnOnce(&mut [f64])) {
        let mut f = std::mem::take(&mut self.applied);
        fill(&mut f);
        self.add_forces(&f);
        self.applied = f;
    }

    fn add_all(&mut self, x: &[f64], square: impl Fn(f64, f64) -> f64) {
        for (k, size) in self.size.iter_mut().enumerate() {
            let i0 = self.blocks.dof(k);
            let range = i0..i0 + self.blocks.sizes()[k];
            let terms = x[range.clone()].iter().zip(&self.mobility[range]);
            *size += terms.map(|(x, m)| square(*x, *m)).sum::<f64>().sqrt();
        }
    }

    /// Adds forces along the rows of G.
    pub fn add_rows(&mut self, pattern: &Csr, jac: &[f64], lambda: &[f64]) {
        for (i, force) in lambda.iter().enumerate() {
            let values = &jac[pattern.row_ptr[i]..pattern.row_ptr[i + 1]];
            self.add_row(pattern.row(i), values, *force);
        }
    }

    /// Adds a force along a row with these coordinates, ascending, and values.
    pub fn add_row(&mut self, cols: &[usize], row: &[f64], force: f64) {
        let Burden { block_of, mobility, size, .. } = self;
        each_block(block_of, mobility, cols, row, |block, h| size[block] += force.abs() * h);
    }

    /// Size of the terms along row k of a point, in the units of its acceleration.
    pub fn along(&self, point: &ContactPoint, k: usize) -> f64 {
        let mut sum = point.bias[k].abs();
        each_block(&self.block_of, &self.mobility, &point.cols, &point.rows[k], |block, h| {
            sum += h * self.size[block];
        });
        sum
    }
}

/// Diagonal of M⁻¹ from that of M; zero for coordinates without inertia.
pub(crate) fn inverse_diagonal(shape: &MassShape, mass: &[f64], out: &mut [f64]) {
    for k in 0..shape.count() {
        let (n, i0, v0) = (shape.sizes()[k], shape.dof(k), shape.value(k));
        for i in 0..n {
            let m = mass[v0 + i * n + i];
            out[i0 + i] = if m > 0.0 { 1.0 / m } else { 0.0 };
        }
    }
}

/// Visits the blocks of a row with its size in each.
fn each_block(
    block_of: &[usize],
    mobility: &[f64],
    cols: &[usize],
    row: &[f64],
    mut visit: impl FnMut(usize, f64),
) {
    let mut at = 0;
    while let Some(first) = cols.get(at) {
        let block = block_of[*first];
        let mut square = 0.0;
        while let Some(col) = cols.get(at).filter(|c| block_of[**c] == block) {
            square += row[at] * row[at] * mobility[*col];
            at += 1;
        }
        visit(block, square.sqrt());
    }
}
