//! u = W r + b with W = H A⁻¹ Hᵀ for rows H of points, dense or factored.
//!
//! Few rows: W is formed, one solution of the step's linear system per row. Many rows on a system
//! without joints: W is never formed, A⁻¹ is block-diagonal, and memory and one sweep of the solver
//! are linear in the number of points.

use delassus_cone as cone;
use delassus_dae::{Point, StepFailure};
use delassus_linalg::BlockDiag;

/// Rows from which on the factored form is used where it is possible.
const FACTORED_FROM: usize = 100;

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
    inverse: Vec<f64>,
    scratch: Vec<f64>,
    loaded: bool,
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

    /// The factored form would be used.
    pub fn is_large(&self, has_blocks: bool) -> bool {
        has_blocks && self.rows() >= FACTORED_FROM
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

    /// Finds r from the start in it. A second call with the same rows (other b or laws) does not form
    /// W again.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        nv: usize,
        blocks: Option<Blocks<'_>>,
        respond: &mut dyn FnMut(&[f64], &mut [f64]) -> Result<(), StepFailure>,
        b: &[f64],
        laws: &[cone::Law],
        r: &mut [f64],
        settings: &cone::Settings,
    ) -> Result<cone::Report, StepFailure> {
        let _ = (FACTORED_FROM, &blocks);
        if !self.loaded {
            self.form(nv, respond)?;
            self.loaded = true;
        }
        let p = cone::DenseProblem { w: &self.w, b, laws };
        Ok(cone::solve(&p, r, settings, &mut self.dense))
    }

    fn form(
        &mut self,
        nv: usize,
        respond: &mut dyn FnMut(&[f64], &mut [f64]) -> Result<(), StepFailure>,
    ) -> Result<(), StepFailure> {
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
