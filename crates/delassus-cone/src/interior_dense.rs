//! The interior point method on a dense `W`.

use crate::gauss_seidel::sweep;
use crate::interior::{Delassus, Interior, Layout, Small};
use crate::lu::{lu, lu_solve};
use crate::outcome::{Best, Outcome};
use crate::scaling::Scaled;

/// Sweeps after the last step: they put nearly open contacts exactly on zero.
const POLISH: usize = 20;
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
    point: Vec<f64>,
}

struct Matrix<'a> {
    s: &'a Scaled,
    l: &'a mut Vec<f64>,
    perm: &'a mut Vec<usize>,
    scratch: &'a mut Vec<f64>,
    rhs: &'a mut Vec<f64>,
    work: &'a mut Vec<f64>,
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
        };
        let layout = Layout { laws: &s.laws, start: &s.start, b: &s.b };
        self.interior.start(layout, &mut matrix);
        let mut last_gain = 0;
        let mut least = f64::INFINITY;
        let mut count = 0;
        while count < max_steps {
            count += 1;
            let moved = self.interior.step(layout, &mut matrix);
            let residual = s.residual(&self.interior.r, &mut self.u);
            best.offer(&self.interior.r, residual);
            if residual < 0.9 * least {
                (least, last_gain) = (residual, count);
            }
            if residual <= tolerance {
                return Outcome::stopped(count);
            }
            if !moved || count > last_gain + PATIENCE {
                break;
            }
        }
        self.point.clear();
        self.point.extend_from_slice(&best.r);
        for _ in 0..POLISH {
            sweep(s, &mut self.point);
        }
        let residual = s.residual(&self.point, &mut self.u);
        best.offer(&self.point, residual);
        Outcome::stopped(count)
    }
}
