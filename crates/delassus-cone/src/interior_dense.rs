//! The interior point method on a dense `W`.

use crate::gauss_seidel::sweep;
use crate::interior::{Delassus, Interior, Layout, Limits, Small};
use crate::lu::{lu, lu_solve};
use crate::outcome::{Best, Outcome};
use crate::scaling::Scaled;

/// Steps without a better residual before giving up.
const PATIENCE: usize = 15;

/// Memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseInterior {
    interior: Interior,
    l: Vec<f64>,
    perm: Vec<usize>,
    scratch: Vec<f64>,
    rhs: Vec<f64>,
    work: Vec<f64>,
    u: Vec<f64>,
}

struct Matrix<'a> {
    s: &'a Scaled,
    l: &'a mut Vec<f64>,
    perm: &'a mut Vec<usize>,
    scratch: &'a mut Vec<f64>,
    rhs: &'a mut Vec<f64>,
    work: &'a mut Vec<f64>,
    u: &'a mut Vec<f64>,
}

impl Matrix<'_> {
    /// out = rhs − (W + Θ) x.
    fn defect(&mut self, theta: &[Small], x: &[f64]) {
        let s = self.s;
        self.work.clear();
        self.work.resize(s.n, 0.0);
        for k in 0..s.laws.len() {
            let first = s.start[k];
            for i in first..s.start[k + 1] {
                let row = &s.w[i * s.n..(i + 1) * s.n];
                let mut sum: f64 = row.iter().zip(x).map(|(w, x)| w * x).sum();
                for j in first..s.start[k + 1] {
                    sum += theta[k][i - first][j - first] * x[j];
                }
                self.work[i] = self.rhs[i] - sum;
            }
        }
    }
}

impl Delassus for Matrix<'_> {
    fn product(&mut self, r: &[f64], out: &mut [f64]) {
        let n = self.s.n;
        for i in 0..n {
            out[i] = self.s.w[i * n..(i + 1) * n].iter().zip(r).map(|(w, r)| w * r).sum();
        }
    }

    fn factor(&mut self, theta: &[Small], _inverse: &[Small]) -> bool {
        let s = self.s;
        self.l.clear();
        self.l.extend_from_slice(&s.w);
        for k in 0..s.laws.len() {
            let first = s.start[k];
            for i in first..s.start[k + 1] {
                for j in first..s.start[k + 1] {
                    self.l[i * s.n + j] += theta[k][i - first][j - first];
                }
            }
        }
        lu(s.n, self.l, self.perm)
    }

    fn solve(&mut self, theta: &[Small], _inverse: &[Small], x: &mut [f64]) -> bool {
        self.rhs.clear();
        self.rhs.extend_from_slice(x);
        lu_solve(self.s.n, self.l, self.perm, self.scratch, x);
        // One round of refinement.
        self.defect(theta, x);
        lu_solve(self.s.n, self.l, self.perm, self.scratch, self.work);
        x.iter_mut().zip(self.work.iter()).for_each(|(x, d)| *x += d);
        true
    }

    fn residual(&mut self, r: &[f64]) -> f64 {
        self.s.residual(r, self.u)
    }

    fn sweeps(&mut self, count: usize, r: &mut [f64]) {
        for _ in 0..count {
            sweep(self.s, r);
        }
    }
}

impl DenseInterior {
    /// Steps until the residual is met.
    pub fn run(
        &mut self,
        s: &Scaled,
        best: &mut Best,
        tolerance: f64,
        max_steps: usize,
    ) -> Outcome {
        let mut matrix = Matrix {
            s,
            l: &mut self.l,
            perm: &mut self.perm,
            scratch: &mut self.scratch,
            rhs: &mut self.rhs,
            work: &mut self.work,
            u: &mut self.u,
        };
        let layout = Layout { laws: &s.laws, start: &s.start, b: &s.b };
        let limits = Limits { tolerance, steps: max_steps, patience: PATIENCE };
        self.interior.run(layout, &mut matrix, best, limits)
    }
}
