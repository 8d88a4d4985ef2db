//! Gauss–Seidel with Anderson acceleration.
//!
//! A sweep (forwards, or forwards and backwards) is a map `g`; its fixed points solve the problem. From the
//! last `m` differences of `f = g(r) − r` and of `g`,
//!
//! ```text
//! γ = argmin |f − ΔF γ| ,   r ← g(r) − ΔG γ
//! ```
//!
//! Once the set of active contacts no longer changes the map is linear, and this is GMRES preconditioned by
//! Gauss–Seidel: it does in tens of sweeps what sweeps alone do in thousands. Until then, a step that makes `|f|` grow
//! empties the memory. `x = Ŷᵀ r` is linear in `r` and gets the same combination, so a round costs little more than its
//! sweeps.
//!
//! To low accuracy two differences do as well as many and cost less ([`LIGHT`]): the set of active contacts still
//! changes. A few blocks that alternate between two states can keep acceleration from converging at all; plain sweeps
//! get over them ([`FORWARD`]). Where neither suffices, many differences and symmetric sweeps go further ([`DEEP`]).
//!
//! Walker & Ni, SIAM J. Numer. Anal. 49 (2011).

use super::scaled::ScaledSparse;
use super::sweep::sweep;
use crate::outcome::{Best, Outcome};

/// Weight of the regularisation of the small least squares problem.
const RIDGE: f64 = 1e-14;
/// Rounds between two evaluations of the residual in full.
const CHECK_EVERY: usize = 5;
/// Rounds after which `x` is computed again from `r`: its rounding errors add up.
const REFRESH: usize = 32;

/// How sweeps are accelerated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Differences kept; 0 gives plain sweeps.
    window: usize,
    /// Each round sweeps forwards and backwards.
    both: bool,
    /// Growth of |f| relative to its smallest value since the last restart that is still accepted.
    growth: f64,
    /// After a restart: back to the best image so far, or on from the last.
    back: bool,
}

/// For low accuracy.
pub(crate) const LIGHT: Plan = Plan { window: 2, both: false, growth: 2.0, back: false };
/// Without acceleration, forwards only.
pub(crate) const FORWARD: Plan =
    Plan { window: 0, both: false, growth: f64::INFINITY, back: false };
/// For high accuracy.
pub(crate) const DEEP: Plan = Plan { window: 40, both: true, growth: 3.0, back: true };

impl Plan {
    /// Without acceleration, forwards and backwards.
    pub const PLAIN: Plan = Plan { window: 0, ..DEEP };
}

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    r: Vec<f64>,
    x: Vec<f64>,
    g: Vec<f64>,
    gx: Vec<f64>,
    f: Vec<f64>,
    old_g: Vec<f64>,
    old_gx: Vec<f64>,
    old_f: Vec<f64>,
    safe: Vec<f64>,
    /// Differences of f, g and the x of g: ring buffers of columns.
    df: Vec<f64>,
    dg: Vec<f64>,
    dx: Vec<f64>,
    gram: Vec<f64>,
    small: Vec<f64>,
    gamma: Vec<f64>,
    y: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // four sums side by side: the compiler may not reorder a single one
    let mut sum = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for l in 0..4 {
            sum[l] += a[l] * b[l];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest
}

/// out = a − b.
fn difference(out: &mut [f64], a: &[f64], b: &[f64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a - b;
    }
}

impl Anderson {
    fn resize(&mut self, n: usize, nx: usize, window: usize) {
        let fit = |v: &mut Vec<f64>, n: usize| {
            v.clear();
            v.resize(n, 0.0);
        };
        for v in [&mut self.g, &mut self.f, &mut self.old_g, &mut self.old_f, &mut self.safe] {
            fit(v, n);
        }
        fit(&mut self.gx, nx);
        fit(&mut self.old_gx, nx);
        // columns are written before they are read
        let grow = |v: &mut Vec<f64>, n: usize| {
            if v.len() < n {
                v.resize(n, 0.0);
            }
        };
        grow(&mut self.df, n * window);
        grow(&mut self.dg, n * window);
        grow(&mut self.dx, nx * window);
        fit(&mut self.gram, window * window);
        fit(&mut self.small, window * window);
        fit(&mut self.gamma, window);
    }

    /// Iterates until the residual is met.
    pub fn run(
        &mut self,
        s: &ScaledSparse,
        best: &mut Best,
        tolerance: f64,
        max_sweeps: usize,
        plan: Plan,
    ) -> Outcome {
        let n = s.n;
        self.r.clear();
        self.r.extend_from_slice(&best.r);
        s.velocity(&self.r, &mut self.x);
        let nx = self.x.len();
        self.resize(n, nx, plan.window);
        let (mut kept, mut next) = (0, 0);
        let mut have_old = false;
        let mut least = f64::INFINITY;
        let (mut sweeps, mut round, mut suspect) = (0, 0, 0);
        while sweeps < max_sweeps {
            self.g.copy_from_slice(&self.r);
            self.gx.copy_from_slice(&self.x);
            sweep(s, false, &mut self.g, &mut self.gx);
            sweeps += 1;
            if plan.both {
                sweep(s, true, &mut self.g, &mut self.gx);
                sweeps += 1;
            }
            round += 1;
            difference(&mut self.f, &self.g, &self.r);
            let length = dot(&self.f, &self.f).sqrt();
            if !length.is_finite() {
                if !have_old || !plan.back {
                    return Outcome::stopped(sweeps);
                }
                self.go_back(s);
                (kept, next, have_old, least) = (0, 0, false, f64::INFINITY);
                continue;
            }
            let met = s.is_met(tolerance, &self.g, &self.gx, &mut suspect);
            let check = plan.both && round % CHECK_EVERY == 0;
            if met || check || length == 0.0 || sweeps >= max_sweeps {
                let residual = s.residual(&self.g, &mut self.y);
                best.offer(&self.g, residual);
                if residual <= tolerance || length == 0.0 {
                    return Outcome::stopped(sweeps);
                }
            }
            if length > plan.growth * least {
                if plan.back {
                    self.go_back(s);
                } else {
                    self.r.copy_from_slice(&self.g);
                    self.x.copy_from_slice(&self.gx);
                }
                (kept, next, have_old, least) = (0, 0, false, f64::INFINITY);
                continue;
            }
            if length < least {
                least = length;
                if plan.back {
                    self.safe.copy_from_slice(&self.g);
                }
            }
            if have_old && plan.window > 0 {
                self.remember(n, nx, next, kept, plan.window);
                next = (next + 1) % plan.window;
                kept = (kept + 1).min(plan.window);
            }
            have_old = true;
            self.r.copy_from_slice(&self.g);
            self.x.copy_from_slice(&self.gx);
            if kept > 0 && self.coefficients(n, kept, plan.window) {
                for c in 0..kept {
                    let gamma = self.gamma[c];
                    let column = &self.dg[c * n..(c + 1) * n];
                    self.r.iter_mut().zip(column).for_each(|(r, d)| *r -= gamma * d);
                    let column = &self.dx[c * nx..(c + 1) * nx];
                    self.x.iter_mut().zip(column).for_each(|(x, d)| *x -= gamma * d);
                }
            }
            std::mem::swap(&mut self.old_f, &mut self.f);
            std::mem::swap(&mut self.old_g, &mut self.g);
            std::mem::swap(&mut self.old_gx, &mut self.gx);
            if round % REFRESH == 0 {
                s.velocity(&self.r, &mut self.x);
            }
        }
        Outcome::stopped(sweeps)
    }

    /// To the best image so far.
    fn go_back(&mut self, s: &ScaledSparse) {
        self.r.copy_from_slice(&self.safe);
        s.velocity(&self.r, &mut self.x);
    }

    /// Stores the last differences in a column and updates the Gram matrix.
    fn remember(&mut self, n: usize, nx: usize, slot: usize, kept: usize, window: usize) {
        difference(&mut self.df[slot * n..(slot + 1) * n], &self.f, &self.old_f);
        difference(&mut self.dg[slot * n..(slot + 1) * n], &self.g, &self.old_g);
        difference(&mut self.dx[slot * nx..(slot + 1) * nx], &self.gx, &self.old_gx);
        let columns = (kept + 1).min(window);
        for c in 0..columns {
            let value = dot(&self.df[slot * n..(slot + 1) * n], &self.df[c * n..(c + 1) * n]);
            self.gram[slot * window + c] = value;
            self.gram[c * window + slot] = value;
        }
    }

    /// γ from the normal equations, by Cholesky on scaled columns; false if that fails.
    fn coefficients(&mut self, n: usize, kept: usize, w: usize) -> bool {
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
