//! u = W r + b with W = H A⁻¹ Hᵀ for rows H of points, dense or factored.
//!
//! Few rows: W is formed, one solution of the step's linear system per row; without joints A⁻¹ is
//! block-diagonal, and the blocks of a row do. Many rows on a system without joints: W is never formed,
//! and memory and one sweep of the solver are linear in the number of points.

use crate::even;
use delassus_cone as cone;
use delassus_dae::{Point, StepFailure};
use delassus_linalg::BlockDiag;

/// Rows from which on the factored form is used where it is possible.
const FACTORED_FROM: usize = 100;

/// x = A⁻¹ f.
pub(super) type Respond<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<(), StepFailure> + 'a;

/// Rows of H, and the solvers.
#[derive(Default)]
pub(super) struct Delassus {
    start: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    x: Vec<f64>,
    dense: cone::Workspace,
    sparse: cone::SparseWorkspace,
    inverse: Vec<f64>,
    /// The mass that it is the inverse of, and the block of each coordinate.
    inverse_of: Vec<f64>,
    block_of: Vec<usize>,
    /// What one row moves, and whether it moves a block at all; zero between two rows.
    moved: Vec<f64>,
    moves: Vec<bool>,
    /// Blocks of each row, and where those of a row begin.
    row_blocks: Vec<usize>,
    row_first: Vec<usize>,
    scratch: Vec<f64>,
    loaded: bool,
    /// Rows depend on each other, once it was asked.
    redundant: Option<bool>,
    even: even::Scratch,
    /// `inverse` is that of the system at hand.
    inverted: bool,
}

/// M as blocks, for the factored form.
pub(super) struct Blocks<'a> {
    pub shape: &'a BlockDiag,
    pub values: &'a [f64],
}

impl Delassus {
    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.cols.clear();
        self.vals.clear();
        self.loaded = false;
    }

    pub fn push(&mut self, at: &Point, row: usize) {
        self.cols.extend_from_slice(&at.cols);
        self.vals.extend_from_slice(&at.rows[row][..at.cols.len()]);
        self.start.push(self.cols.len());
    }

    pub fn rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The factored form is used.
    pub fn is_large(&self) -> bool {
        self.inverted && self.rows() >= FACTORED_FROM
    }

    /// Takes over the mass of a system without joints; `None` where there are some.
    pub fn set_mass(&mut self, blocks: Option<&Blocks<'_>>) {
        self.loaded = false;
        let Some(blocks) = blocks else {
            self.inverted = false;
            return;
        };
        // the mass is often the same as last time
        self.inverted = self.inverse_of == blocks.values
            || invert(blocks, &mut self.inverse, &mut self.scratch);
        self.inverse_of.clear();
        self.inverse_of.extend_from_slice(if self.inverted { blocks.values } else { &[] });
        if self.block_of.is_empty() {
            for k in 0..blocks.shape.count() {
                self.block_of.extend((0..blocks.shape.sizes()[k]).map(|_| k));
            }
        }
    }

    /// x += Hᵀ r.
    pub fn add_transposed(&self, r: &[f64], x: &mut [f64]) {
        for (i, r) in r.iter().enumerate() {
            if *r != 0.0 {
                for k in self.start[i]..self.start[i + 1] {
                    x[self.cols[k]] += self.vals[k] * r;
                }
            }
        }
    }

    /// H_i · x.
    pub fn dot(&self, i: usize, x: &[f64]) -> f64 {
        let range = self.start[i]..self.start[i + 1];
        self.cols[range.clone()].iter().zip(&self.vals[range]).map(|(c, v)| v * x[*c]).sum()
    }

    /// Finds r from the start in it. In factored form, only [`cone::Solver::Auto`] goes on where sweeps do
    /// not reach the tolerance. A second call with the same rows (other b or laws) does not form
    /// W again.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        nv: usize,
        blocks: Option<&BlockDiag>,
        respond: &mut Respond<'_>,
        b: &[f64],
        laws: &[cone::Law],
        r: &mut [f64],
        settings: &cone::Settings,
    ) -> Result<cone::Report, StepFailure> {
        if let Some(blocks) = blocks.filter(|_| self.is_large()) {
            return Ok(self.solve_factored(blocks, b, laws, r, settings));
        }
        if !self.loaded {
            match blocks.filter(|_| self.inverted) {
                Some(blocks) => self.form_by_blocks(nv, blocks),
                None => self.form(nv, respond)?,
            }
            self.loaded = true;
            self.redundant = None;
        }
        let p = cone::DenseProblem { w: &self.w, b, laws };
        if laws.len() == 1 {
            // one point alone: a single sweep is exact
            let sweep = cone::Settings {
                solver: cone::Solver::GaussSeidel,
                max_iterations: 2,
                ..*settings
            };
            let report = cone::solve(&p, r, &sweep, &mut self.dense);
            if report.status == cone::Status::Solved {
                return Ok(report);
            }
        }
        let settings = cone::Settings { solver: cone::Solver::Auto, ..*settings };
        // without friction all ways to share a load move the bodies alike
        let rough = laws.iter().any(|l| matches!(l, cone::Law::Coulomb { mu, .. } if *mu > 0.0));
        let shared = rough
            && match self.redundant {
                Some(known) => known,
                None => even::is_redundant(&self.w, b.len(), &mut self.even),
            };
        if rough {
            self.redundant = Some(shared);
        }
        Ok(even::solve(&p, shared, &settings, r, &mut self.dense, &mut self.even))
    }

    fn solve_factored(
        &mut self,
        blocks: &BlockDiag,
        b: &[f64],
        laws: &[cone::Law],
        r: &mut [f64],
        settings: &cone::Settings,
    ) -> cone::Report {
        let p = cone::SparseProblem {
            h: cone::Rows { start: &self.start, columns: &self.cols, values: &self.vals },
            minv: cone::InverseMass::Blocks { sizes: blocks.sizes(), values: &self.inverse },
            b,
            laws,
        };
        // sweeps from a warm start are cheap; what they cannot do is left to the interior point method
        let sweeps = cone::Settings { solver: cone::Solver::Accelerated, ..*settings };
        let report = cone::solve_sparse(&p, r, &sweeps, &mut self.sparse);
        if report.status != cone::Status::IterationLimit || settings.solver != cone::Solver::Auto {
            return report;
        }
        let inner = cone::Settings { solver: cone::Solver::InteriorPoint, ..*settings };
        let last = cone::solve_sparse(&p, r, &inner, &mut self.sparse);
        cone::Report { iterations: report.iterations + last.iterations, ..last }
    }

    /// du = W r.
    pub fn product(
        &mut self,
        nv: usize,
        respond: &mut Respond<'_>,
        r: &[f64],
        du: &mut Vec<f64>,
    ) -> Result<(), StepFailure> {
        let n = self.rows();
        du.clear();
        if self.loaded {
            let row = |i: usize| self.w[i * n..(i + 1) * n].iter().zip(r).map(|(w, r)| w * r).sum();
            du.extend((0..n).map(|i| -> f64 { row(i) }));
            return Ok(());
        }
        let mut f = std::mem::take(&mut self.f);
        f.clear();
        f.resize(nv, 0.0);
        self.x.resize(nv, 0.0);
        self.add_transposed(r, &mut f);
        let done = respond(&f, &mut self.x);
        self.f = f;
        done?;
        du.extend((0..n).map(|i| self.dot(i, &self.x)));
        Ok(())
    }

    /// W by the inverse of the blocks that a row touches: the cost does not grow with the system, and
    /// rows without a common block cost next to nothing.
    fn form_by_blocks(&mut self, nv: usize, blocks: &BlockDiag) {
        self.list_row_blocks();
        let n = self.rows();
        self.moved.resize(nv, 0.0);
        self.moves.resize(blocks.count(), false);
        self.w.resize(n * n, 0.0);
        for j in 0..n {
            let range = self.start[j]..self.start[j + 1];
            let own = self.row_first[j]..self.row_first[j + 1];
            for (c, v) in self.cols[range.clone()].iter().zip(&self.vals[range]) {
                let k = self.block_of[*c];
                let (first, size, value) = (blocks.dof(k), blocks.sizes()[k], blocks.value(k));
                let inverse = &self.inverse[value..value + size * size];
                for i in 0..size {
                    self.moved[first + i] += inverse[i * size + c - first] * v;
                }
            }
            self.row_blocks[own.clone()].iter().for_each(|k| self.moves[*k] = true);
            for i in 0..n {
                let of_row = &self.row_blocks[self.row_first[i]..self.row_first[i + 1]];
                let common = of_row.iter().any(|k| self.moves[*k]);
                self.w[i * n + j] = if common { self.dot(i, &self.moved) } else { 0.0 };
            }
            for k in &self.row_blocks[own] {
                self.moves[*k] = false;
                self.moved[blocks.dof(*k)..][..blocks.sizes()[*k]].fill(0.0);
            }
        }
    }

    fn list_row_blocks(&mut self) {
        self.row_blocks.clear();
        self.row_first.clear();
        self.row_first.push(0);
        for row in self.start.windows(2) {
            let mut last = usize::MAX;
            // coordinates of a block stand next to each other
            for c in &self.cols[row[0]..row[1]] {
                if self.block_of[*c] != last {
                    last = self.block_of[*c];
                    self.row_blocks.push(last);
                }
            }
            self.row_first.push(self.row_blocks.len());
        }
    }

    fn form(&mut self, nv: usize, respond: &mut Respond<'_>) -> Result<(), StepFailure> {
        let n = self.rows();
        self.f.resize(nv, 0.0);
        self.x.resize(nv, 0.0);
        self.w.resize(n * n, 0.0);
        for j in 0..n {
            self.f.fill(0.0);
            for k in self.start[j]..self.start[j + 1] {
                self.f[self.cols[k]] += self.vals[k];
            }
            respond(&self.f, &mut self.x)?;
            for i in 0..n {
                self.w[i * n + j] = self.dot(i, &self.x);
            }
        }
        Ok(())
    }
}

/// Inverses of symmetric positive blocks, by elimination on the diagonal; false where one is singular.
fn invert(m: &Blocks<'_>, out: &mut Vec<f64>, a: &mut Vec<f64>) -> bool {
    out.clear();
    out.resize(m.shape.value_len(), 0.0);
    for k in 0..m.shape.count() {
        let (n, v0) = (m.shape.sizes()[k], m.shape.value(k));
        a.clear();
        a.extend_from_slice(&m.values[v0..v0 + n * n]);
        let x = &mut out[v0..v0 + n * n];
        for i in 0..n {
            x[i * n + i] = 1.0;
        }
        for p in 0..n {
            let pivot = a[p * n + p];
            if !(pivot > 0.0) {
                return false;
            }
            for j in 0..n {
                a[p * n + j] /= pivot;
                x[p * n + j] /= pivot;
            }
            for i in (0..n).filter(|i| *i != p) {
                let c = a[i * n + p];
                if c != 0.0 {
                    for j in 0..n {
                        a[i * n + j] -= c * a[p * n + j];
                        x[i * n + j] -= c * x[p * n + j];
                    }
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_inverted() {
        let shape = BlockDiag::new(vec![2, 1, 3]);
        let values = [2.0, 1.0, 1.0, 3.0, 4.0, 5.0, 1.0, 0.5, 1.0, 4.0, -1.0, 0.5, -1.0, 3.0];
        let (mut x, mut scratch) = (Vec::new(), Vec::new());
        assert!(invert(&Blocks { shape: &shape, values: &values }, &mut x, &mut scratch));
        for k in 0..3 {
            let (n, v) = (shape.sizes()[k], shape.value(k));
            for i in 0..n {
                for j in 0..n {
                    let p: f64 = (0..n).map(|l| values[v + i * n + l] * x[v + l * n + j]).sum();
                    assert!((p - f64::from(u8::from(i == j))).abs() < 1e-14);
                }
            }
        }
        let flat = [0.0; 14];
        assert!(!invert(&Blocks { shape: &shape, values: &flat }, &mut x, &mut scratch));
    }
}
