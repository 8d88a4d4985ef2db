//! Gauss–Seidel with Anderson acceleration.
//!
//! A double sweep (forwards, backwards) is a map `g`; its fixed points solve the problem. From the last
//! `m` differences of `f = g(r) − r` and of `g`,
//!
//! ```text
//! γ = argmin |f − ΔF γ| ,   r ← g(r) − ΔG γ
//! ```
//!
//! Once the set of active contacts stands still the map is linear, and this is GMRES preconditioned by
//! symmetric Gauss–Seidel: it does in tens of sweeps what sweeps alone do in thousands. While it does not,
//! a step that makes `|f|` grow is taken back and the memory emptied.
//!
//! Walker & Ni, SIAM J. Numer. Anal. 49 (2011).

use super::scaled::ScaledSparse;
use super::sweep::sweep;
use crate::outcome::{Best, Outcome};

/// Differences kept.
pub(crate) const WINDOW: usize = 40;
/// Growth of |f| over its best since the last restart that is still accepted.
const GROWTH: f64 = 3.0;
/// Weight of the regularisation of the small least squares problem.
const RIDGE: f64 = 1e-14;
/// Double sweeps between two evaluations of the residual.
const CHECK_EVERY: usize = 5;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    r: Vec<f64>,
    g: Vec<f64>,
    f: Vec<f64>,
    old_g: Vec<f64>,
    old_f: Vec<f64>,
    safe: Vec<f64>,
    /// Differences of f and g: ring buffers of columns.
    df: Vec<f64>,
    dg: Vec<f64>,
    gram: Vec<f64>,
    small: Vec<f64>,
    gamma: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Anderson {
    fn resize(&mut self, n: usize) {
        for v in [&mut self.g, &mut self.f, &mut self.old_g, &mut self.old_f, &mut self.safe] {
            v.clear();
            v.resize(n, 0.0);
        }
        for v in [&mut self.df, &mut self.dg] {
            v.clear();
            v.resize(n * WINDOW, 0.0);
        }
        for v in [&mut self.gram, &mut self.small] {
            v.clear();
            v.resize(WINDOW * WINDOW, 0.0);
        }
        self.gamma.clear();
        self.gamma.resize(WINDOW, 0.0);
    }

    /// Iterates until the residual is met; `window` = 0 gives plain sweeps.
    pub fn run(
        &mut self,
        s: &ScaledSparse,
        best: &mut Best,
        tolerance: f64,
        max_sweeps: usize,
        window: usize,
    ) -> Outcome {
        let n = s.n;
        self.resize(n);
        self.r.clear();
        self.r.extend_from_slice(&best.r);
        let window = window.min(WINDOW);
        let (mut kept, mut next) = (0, 0);
        let mut have_old = false;
        let mut least = f64::INFINITY;
        let mut sweeps = 0;
        let mut round = 0;
        while sweeps < max_sweeps {
            self.g.copy_from_slice(&self.r);
            s.velocity(&self.r, &mut self.x);
            sweep(s, false, &mut self.g, &mut self.x);
            sweep(s, true, &mut self.g, &mut self.x);
            sweeps += 2;
            round += 1;
            for i in 0..n {
                self.f[i] = self.g[i] - self.r[i];
            }
            let length = dot(&self.f, &self.f).sqrt();
            if !length.is_finite() {
                if !have_old {
                    return Outcome::stopped(sweeps);
                }
                self.r.copy_from_slice(&self.safe);
                (kept, next, have_old, least) = (0, 0, false, f64::INFINITY);
                continue;
            }
            if length > GROWTH * least {
                // Back to the last good image, without memory.
                self.r.copy_from_slice(&self.safe);
                (kept, next, have_old, least) = (0, 0, false, f64::INFINITY);
                continue;
            }
            if length < least {
                least = length;
                self.safe.copy_from_slice(&self.g);
            }
            if round % CHECK_EVERY == 0 || length <= tolerance || sweeps >= max_sweeps {
                let residual = s.residual(&self.g, &mut self.x, &mut self.u);
                best.offer(&self.g, residual);
                if residual <= tolerance || length == 0.0 {
                    return Outcome::stopped(sweeps);
                }
            }
            if have_old && window > 0 {
                self.remember(n, next, kept, window);
                next = (next + 1) % window;
                kept = (kept + 1).min(window);
            }
            self.old_f.copy_from_slice(&self.f);
            self.old_g.copy_from_slice(&self.g);
            have_old = true;
            self.r.copy_from_slice(&self.g);
            if kept > 0 && self.coefficients(n, kept) {
                for c in 0..kept {
                    let gamma = self.gamma[c];
                    let column = &self.dg[c * n..(c + 1) * n];
                    self.r.iter_mut().zip(column).for_each(|(r, d)| *r -= gamma * d);
                }
            }
        }
        Outcome::stopped(sweeps)
    }

    /// Stores the last differences in a column and updates the Gram matrix.
    fn remember(&mut self, n: usize, slot: usize, kept: usize, window: usize) {
        for i in 0..n {
            self.df[slot * n + i] = self.f[i] - self.old_f[i];
            self.dg[slot * n + i] = self.g[i] - self.old_g[i];
        }
        let columns = (kept + 1).min(window);
        for c in 0..columns {
            let value = dot(&self.df[slot * n..(slot + 1) * n], &self.df[c * n..(c + 1) * n]);
            self.gram[slot * WINDOW + c] = value;
            self.gram[c * WINDOW + slot] = value;
        }
    }

    /// γ from the normal equations, by Cholesky on scaled columns; false if that fails.
    fn coefficients(&mut self, n: usize, kept: usize) -> bool {
        let w = WINDOW;
        for i in 0..kept {
            let di = self.gram[i * w + i].sqrt();
            if !(di > 0.0) {
                return false;
            }
            self.gamma[i] = dot(&self.df[i * n..(i + 1) * n], &self.f) / di;
            for j in 0..=i {
                let dj = self.gram[j * w + j].sqrt();
                self.small[i * w + j] = self.gram[i * w + j] / (di * dj);
            }
            self.small[i * w + i] += RIDGE * kept as f64;
        }
        for i in 0..kept {
            for j in 0..=i {
                let value = self.small[i * w + j]
                    - (0..j).map(|k| self.small[i * w + k] * self.small[j * w + k]).sum::<f64>();
                if i == j {
                    if !(value > 0.0) {
                        return false;
                    }
                    self.small[i * w + i] = value.sqrt();
                } else {
                    self.small[i * w + j] = value / self.small[j * w + j];
                }
            }
        }
        for i in 0..kept {
            let sum: f64 = (0..i).map(|k| self.small[i * w + k] * self.gamma[k]).sum();
            self.gamma[i] = (self.gamma[i] - sum) / self.small[i * w + i];
        }
        for i in (0..kept).rev() {
            let sum: f64 = (i + 1..kept).map(|k| self.small[k * w + i] * self.gamma[k]).sum();
            self.gamma[i] = (self.gamma[i] - sum) / self.small[i * w + i];
        }
        for i in 0..kept {
            self.gamma[i] /= self.gram[i * w + i].sqrt();
        }
        true
    }
}
