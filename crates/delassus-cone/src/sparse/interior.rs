//! The interior point method on the factored form.
//!
//! With `Ŵ = J Jᵀ` a step needs
//!
//! ```text
//! (Ŵ + Θ)⁻¹ = Θ⁻¹ − Θ⁻¹ J (I + JᵀΘ⁻¹J)⁻¹ Jᵀ Θ⁻¹
//! ```
//!
//! The matrix in brackets has the size of the velocities and the pattern of the contact graph. Equalities are kept out
//! of it as unknowns of their own; see `block_lu.rs`.

use super::block_lu::BlockLu;
use super::scaled::ScaledSparse;
use super::sweep::sweep;
use crate::interior::{Delassus, Interior, Layout, Limits, Small};
use crate::outcome::{Best, Outcome};

/// Steps without a better residual before giving up.
const PATIENCE: usize = 40;
/// Rounds of refinement of a solve.
const REFINE: usize = 4;
/// Defect of a linear solve, relative to its right-hand side, that is good enough for a step.
const ACCURATE: f64 = 1e-2;

/// Memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseInterior {
    interior: Interior,
    lu: BlockLu,
    x: Vec<f64>,
    rhs: Vec<f64>,
    work: Vec<f64>,
    old: Vec<f64>,
}

struct Matrix<'a> {
    s: &'a ScaledSparse,
    lu: &'a mut BlockLu,
    x: &'a mut Vec<f64>,
    rhs: &'a mut Vec<f64>,
    work: &'a mut Vec<f64>,
    old: &'a mut Vec<f64>,
}

/// out = blocks · x.
fn block_product(s: &ScaledSparse, blocks: &[Small], x: &[f64], mut out: impl FnMut(usize, f64)) {
    for k in 0..s.laws.len() {
        let (first, m) = (s.start[k], s.start[k + 1] - s.start[k]);
        for i in 0..m {
            out(first + i, (0..m).map(|j| blocks[k][i][j] * x[first + j]).sum());
        }
    }
}

impl Matrix<'_> {
    /// work = (W + Θ)⁻¹ work.
    fn apply_inverse(&mut self, inverse: &[Small]) {
        let s = self.s;
        let work = &mut *self.work;
        self.x.clear();
        self.x.resize(s.dim, 0.0);
        let (x, lu) = (&mut *self.x, &mut *self.lu);
        let times = |k: usize, w: &[f64]| {
            let (first, m) = (s.start[k], s.start[k + 1] - s.start[k]);
            let mut part = [0.0; 3];
            for i in 0..m {
                part[i] = (0..m).map(|j| inverse[k][i][j] * w[first + j]).sum();
            }
            (first, m, part)
        };
        for k in (0..s.laws.len()).filter(|k| !lu.is_equality(*k)) {
            let (first, m, part) = times(k, work);
            (0..m).for_each(|i| s.h.add(first + i, part[i], x));
        }
        x.extend(lu.equalities.iter().map(|row| work[*row]));
        lu.solve(x);
        for k in (0..s.laws.len()).filter(|k| !lu.is_equality(*k)) {
            for i in s.start[k]..s.start[k + 1] {
                work[i] -= s.h.dot(i, x);
            }
            let (first, m, part) = times(k, work);
            work[first..first + m].copy_from_slice(&part[..m]);
        }
        for (row, value) in lu.equalities.iter().zip(&x[s.dim..]) {
            work[*row] = *value;
        }
    }
}

impl Delassus for Matrix<'_> {
    fn product(&mut self, r: &[f64], out: &mut [f64]) {
        self.s.velocity(r, self.x);
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.s.h.dot(i, self.x);
        }
    }

    fn factor(&mut self, _theta: &[Small], inverse: &[Small]) -> bool {
        self.lu.factor(self.s, inverse)
    }

    fn solve(&mut self, theta: &[Small], inverse: &[Small], x: &mut [f64]) -> bool {
        self.rhs.clear();
        self.rhs.extend_from_slice(x);
        let size = largest(x);
        x.fill(0.0);
        let mut last = size;
        self.work.clear();
        self.work.extend_from_slice(self.rhs);
        for _ in 0..=REFINE {
            self.apply_inverse(inverse);
            x.iter_mut().zip(self.work.iter()).for_each(|(x, d)| *x += d);
            self.old.clear();
            self.old.extend_from_slice(self.work);
            self.s.velocity(x, self.x);
            for i in 0..x.len() {
                self.work[i] = self.rhs[i] - self.s.h.dot(i, self.x);
            }
            let work = &mut *self.work;
            block_product(self.s, theta, x, |i, v| work[i] -= v);
            let rest = largest(work);
            if !(rest <= last) {
                // It became worse: revert the correction.
                x.iter_mut().zip(self.old.iter()).for_each(|(x, d)| *x -= d);
                break;
            }
            last = rest;
        }
        last <= ACCURATE * size
    }

    fn residual(&mut self, r: &[f64]) -> f64 {
        self.s.residual(r, self.x)
    }

    fn sweeps(&mut self, count: usize, r: &mut [f64]) {
        self.s.velocity(r, self.x);
        for k in 0..count {
            sweep(self.s, k % 2 == 1, r, self.x);
        }
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0f64, |m, x| if x.abs() <= m { m } else { x.abs() })
}

impl SparseInterior {
    /// Finds the pattern of the factor; returns the number of multiplications of one factorisation.
    pub fn analyse(&mut self, s: &ScaledSparse) -> f64 {
        self.lu.analyse(s, &s.chunks);
        self.lu.work()
    }

    /// Steps until the residual is met. The pattern must have been analysed.
    pub fn run(
        &mut self,
        s: &ScaledSparse,
        best: &mut Best,
        tolerance: f64,
        max_steps: usize,
    ) -> Outcome {
        let mut matrix = Matrix {
            s,
            lu: &mut self.lu,
            x: &mut self.x,
            rhs: &mut self.rhs,
            work: &mut self.work,
            old: &mut self.old,
        };
        let layout = Layout { laws: &s.laws, start: &s.start, b: &s.b };
        let limits = Limits { tolerance, steps: max_steps, patience: PATIENCE };
        self.interior.run(layout, &mut matrix, best, limits)
    }
}
