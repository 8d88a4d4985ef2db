//! Accelerated sweeps to low accuracy, in single precision.
//!
//! The method of `anderson.rs` with forward sweeps and a memory of two differences. To a tolerance far above the
//! rounding of single precision, sweeps need no more digits, and with half the memory traffic they take little more
//! than half the time. The residual of the result is computed in double precision, so only the number of sweeps depends
//! on the rounding in here; if it is not met, sweeps in double precision continue from there.

use super::packed::{PAD, Packed};
use super::scaled::{ScaledSparse, none_above};
use crate::outcome::{Best, Outcome};

/// Tolerance below which single precision is not tried.
pub(crate) const FINEST: f64 = 1e-5;
/// Growth of |f| relative to its smallest value since the last restart that is still accepted.
const GROWTH: f64 = 2.0;
/// Rounds after which `x` is computed again from `r`.
const REFRESH: usize = 32;
/// Weight of the regularisation of the small least squares problem: the rounding of the sums in it.
const RIDGE: f64 = 1e-6;
/// Fraction of the tolerance that is required in single precision.
const STRICTER: f64 = 0.98;
/// Number of points that may turn out to be above the tolerance in double precision.
const TRIALS: usize = 3;
/// Sums side by side.
const LANES: usize = 8;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Light {
    packed: Packed<f32>,
    r: Vec<f32>,
    g: Vec<f32>,
    old_g: Vec<f32>,
    f: Vec<f32>,
    old_f: Vec<f32>,
    x: Vec<f32>,
    old_x: Vec<f32>,
    /// Differences of f, of g and of the x of g.
    df: [Vec<f32>; 2],
    dg: [Vec<f32>; 2],
    dx: [Vec<f32>; 2],
    wide: Vec<f64>,
    y: Vec<f64>,
}

/// Σ a b.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut sum = [0.0f32; LANES];
    let (a8, b8) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a8.remainder().iter().zip(b8.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a8.zip(b8) {
        for l in 0..LANES {
            sum[l] += a[l] * b[l];
        }
    }
    sum.iter().fold(f64::from(rest), |s, x| s + f64::from(*x))
}

/// out = a − b.
fn difference(out: &mut [f32], a: &[f32], b: &[f32]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a - b;
    }
}

/// x −= γ₀ d₀ + γ₁ d₁.
fn combine(x: &mut [f32], gamma: [f64; 2], d: &[Vec<f32>; 2]) {
    let [a, b] = gamma.map(|g| g as f32);
    for ((x, d), e) in x.iter_mut().zip(&d[0]).zip(&d[1]) {
        *x -= a * d + b * e;
    }
}

/// γ that minimises |f − ΔF γ|; columns without meaning get zero.
fn coefficients(gram: [[f64; 2]; 2], right: [f64; 2], kept: usize) -> [f64; 2] {
    let alone = |i: usize| if gram[i][i] > 0.0 { right[i] / gram[i][i] } else { 0.0 };
    if kept < 2 {
        return [alone(0), 0.0];
    }
    // with columns of length one, so that the regularisation means the same for both
    let size = [gram[0][0].sqrt(), gram[1][1].sqrt()];
    if !(size[0] > 0.0 && size[1] > 0.0) {
        return [alone(0), alone(1)];
    }
    let (own, across) = (1.0 + RIDGE, gram[0][1] / (size[0] * size[1]));
    let c = [right[0] / size[0], right[1] / size[1]];
    let det = own * own - across * across;
    if !(det > RIDGE) {
        return [alone(0), 0.0];
    }
    [(own * c[0] - across * c[1]) / det / size[0], (own * c[1] - across * c[0]) / det / size[1]]
}

fn fit(v: &mut Vec<f32>, n: usize) {
    v.clear();
    v.resize(n, 0.0);
}

impl Light {
    fn velocity(&mut self, dim: usize) {
        fit(&mut self.x, dim + PAD);
        self.packed.add_velocity(&self.r, &mut self.x);
    }

    fn load(&mut self, s: &ScaledSparse, start: &[f64]) {
        let n = s.n;
        s.packed.narrow(&mut self.packed);
        self.r.clear();
        self.r.extend(start.iter().map(|x| *x as f32));
        self.velocity(s.dim);
        for v in [&mut self.g, &mut self.old_g, &mut self.f, &mut self.old_f] {
            fit(v, n);
        }
        fit(&mut self.old_x, s.dim + PAD);
        for k in 0..2 {
            fit(&mut self.df[k], n);
            fit(&mut self.dg[k], n);
            fit(&mut self.dx[k], s.dim + PAD);
        }
    }

    /// Iterates until the residual is met, or single precision no longer helps. The blocks must be packed.
    pub fn run(
        &mut self,
        s: &ScaledSparse,
        best: &mut Best,
        tolerance: f64,
        max_sweeps: usize,
    ) -> Outcome {
        self.load(s, &best.r);
        let (mut kept, mut next, mut have_old) = (0, 0, false);
        let mut gram = [[0.0; 2]; 2];
        let mut least = f64::INFINITY;
        let (mut suspect, mut trials) = (0, 0);
        for sweeps in 1..=max_sweeps {
            self.g.copy_from_slice(&self.r);
            self.packed.sweep(false, &mut self.g, &mut self.x);
            difference(&mut self.f, &self.g, &self.r);
            let length = dot(&self.f, &self.f).sqrt();
            if !length.is_finite() {
                return Outcome::stopped(sweeps);
            }
            let (strict, defect) =
                (STRICTER * tolerance, |k| self.packed.defect(k, &self.g, &self.x));
            let met = none_above(s.laws.len(), strict, &mut suspect, defect);
            if met || length == 0.0 || sweeps == max_sweeps {
                self.wide.clear();
                self.wide.extend(self.g.iter().map(|x| f64::from(*x)));
                let residual = s.residual(&self.wide, &mut self.y);
                best.offer(&self.wide, residual);
                trials += 1;
                if residual <= tolerance || length == 0.0 || trials == TRIALS {
                    return Outcome::stopped(sweeps);
                }
            }
            if length > GROWTH * least {
                self.r.copy_from_slice(&self.g);
                (kept, next, have_old, least) = (0, 0, false, f64::INFINITY);
                continue;
            }
            least = least.min(length);
            if have_old {
                difference(&mut self.df[next], &self.f, &self.old_f);
                difference(&mut self.dg[next], &self.g, &self.old_g);
                difference(&mut self.dx[next], &self.x, &self.old_x);
                kept = (kept + 1).min(2);
                gram[next][next] = dot(&self.df[next], &self.df[next]);
                if kept == 2 {
                    gram[0][1] = dot(&self.df[0], &self.df[1]);
                    gram[1][0] = gram[0][1];
                }
                next = 1 - next;
            }
            have_old = true;
            self.old_x.copy_from_slice(&self.x);
            self.r.copy_from_slice(&self.g);
            if kept > 0 {
                let right = [0, 1].map(|k| if k < kept { dot(&self.df[k], &self.f) } else { 0.0 });
                let gamma = coefficients(gram, right, kept);
                combine(&mut self.r, gamma, &self.dg);
                combine(&mut self.x, gamma, &self.dx);
            }
            std::mem::swap(&mut self.old_f, &mut self.f);
            std::mem::swap(&mut self.old_g, &mut self.g);
            if sweeps % REFRESH == 0 {
                self.velocity(s.dim);
            }
        }
        Outcome::stopped(max_sweeps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_solve_the_least_squares_problem() {
        // columns (1, 0, 1) and (0, 2, 1), f = 3 and −1 times them
        let (gram, right) = ([[2.0, 1.0], [1.0, 5.0]], [5.0, -2.0]);
        let [a, b] = coefficients(gram, right, 2);
        assert!((a - 3.0).abs() < 1e-5 && (b + 1.0).abs() < 1e-5, "{a} {b}");
        assert_eq!(coefficients(gram, right, 1), [2.5, 0.0]);
        // the same column twice: one of them does
        let [a, b] = coefficients([[4.0, 4.0], [4.0, 4.0]], [8.0, 8.0], 2);
        assert!((a + b - 2.0).abs() < 1e-5, "{a} {b}");
        assert_eq!(coefficients([[0.0; 2]; 2], [0.0; 2], 2), [0.0; 2]);
    }
}
