//! Alternating direction method of multipliers with adaptive penalty.
//!
//! ```text
//! x = (W + ρI)⁻¹ (ρ z − y − b − s)     z = P_K(x + y/ρ)     y ← y + ρ (x − z)
//! ```
//!
//! `−y` is the rate; `s = μ|u_T|` in the normal rows (de Saxcé) is renewed in every iteration. There is one Cholesky
//! factorisation per value of ρ, then two triangular solves per iteration; no rank of `W` is assumed. ρ follows the
//! ratio of the two residuals `|x − z|` and `ρ|z − z_old|`.
//!
//! Boyd, Parikh, Chu, Peleato & Eckstein, Found. Trends Mach. Learn. 3 (2011); for contact: Carpentier, Le Lidec &
//! Montaut, RSS (2024).

use crate::law::{project, tangent_norm};
use crate::outcome::{Best, Outcome};
use crate::problem::Law;
use crate::scaling::Scaled;

/// Over-relaxation.
const RELAX: f64 = 1.6;
/// Iterations between two adaptations of ρ; twice as many after each change.
const ADAPT_EVERY: usize = 20;
/// Ratio of the residuals that changes ρ.
const IMBALANCE: f64 = 5.0;
/// Largest number of changes of ρ.
const CHANGES: usize = 20;
/// Iterations between two evaluations of the natural residual.
const CHECK_EVERY: usize = 10;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Admm {
    /// Lower triangle of the factor, row by row.
    l: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    old: Vec<f64>,
    shift: Vec<f64>,
    u: Vec<f64>,
}

/// Cholesky factor in place, lower triangle; false if the matrix is not positive definite.
pub(crate) fn cholesky(n: usize, l: &mut [f64]) -> bool {
    for i in 0..n {
        let (above, row) = l.split_at_mut(i * n);
        let row = &mut row[..n];
        for j in 0..i {
            let other = &above[j * n..=j * n + j];
            let dot: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - dot) / other[j];
        }
        let value = row[i] - row[..i].iter().map(|x| x * x).sum::<f64>();
        if !(value > 0.0) {
            return false;
        }
        row[i] = value.sqrt();
    }
    true
}

/// Solves with a factor of [`cholesky`], in place.
pub(crate) fn cholesky_solve(n: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let dot: f64 = l[i * n..i * n + i].iter().zip(&*x).map(|(a, b)| a * b).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= l[i * n + i];
        let value = x[i];
        x[..i].iter_mut().zip(&l[i * n..i * n + i]).for_each(|(x, l)| *x -= l * value);
    }
}

/// Factor of W + ρI.
fn shifted(s: &Scaled, rho: f64, l: &mut Vec<f64>) -> bool {
    l.clear();
    l.extend_from_slice(&s.w);
    (0..s.n).for_each(|i| l[i * s.n + i] += rho);
    cholesky(s.n, l)
}

/// The terms μ|u_T| of the normal rows.
fn saxce(s: &Scaled, u: impl Fn(usize) -> f64, shift: &mut [f64]) {
    for (k, &law) in s.laws.iter().enumerate() {
        if let Law::Coulomb { mu, .. } = law {
            let rows = s.start[k]..s.start[k + 1];
            let mut part = [0.0; 3];
            for (slot, i) in rows.clone().enumerate() {
                part[slot] = u(i);
            }
            shift[rows.start] = mu * tangent_norm(&part[..rows.len()]);
        }
    }
}

impl Admm {
    /// Iterates until the residual is met.
    pub fn run(
        &mut self,
        s: &Scaled,
        best: &mut Best,
        tolerance: f64,
        max_iterations: usize,
    ) -> Outcome {
        let n = s.n;
        for v in [&mut self.x, &mut self.y, &mut self.old, &mut self.shift] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.z.clear();
        self.z.extend_from_slice(&best.r);
        // Start: the rates of the start that are admissible.
        s.residual(&self.z, &mut self.u);
        let u = &self.u;
        saxce(s, |i| u[i], &mut self.shift);
        for k in 0..s.laws.len() {
            let rows = s.start[k]..s.start[k + 1];
            for i in rows.clone() {
                self.x[i] = self.z[i] - self.u[i] - self.shift[i];
            }
            let (x, y) = (&self.x[rows.clone()], &mut self.y[rows.clone()]);
            y.copy_from_slice(x);
            project(s.laws[k], &mut self.x[rows.clone()]);
            for i in rows {
                self.y[i] -= self.x[i];
            }
        }
        let mut rho = 0.1;
        let mut changes = 0;
        let mut next_look = ADAPT_EVERY;
        if !shifted(s, rho, &mut self.l) {
            return Outcome::stopped(0);
        }
        for count in 1..=max_iterations {
            for i in 0..n {
                self.x[i] = rho * self.z[i] - self.y[i] - s.b[i] - self.shift[i];
            }
            cholesky_solve(n, &self.l, &mut self.x);
            self.old.copy_from_slice(&self.z);
            for k in 0..s.laws.len() {
                let rows = s.start[k]..s.start[k + 1];
                for i in rows.clone() {
                    self.x[i] = RELAX * self.x[i] + (1.0 - RELAX) * self.old[i];
                    self.z[i] = self.x[i] + self.y[i] / rho;
                }
                project(s.laws[k], &mut self.z[rows]);
            }
            let (mut primal, mut dual) = (0.0f64, 0.0f64);
            for i in 0..n {
                self.y[i] += rho * (self.x[i] - self.z[i]);
                primal = primal.max((self.x[i] - self.z[i]).abs());
                dual = dual.max(rho * (self.z[i] - self.old[i]).abs());
            }
            if !(primal + dual).is_finite() {
                return Outcome::stopped(count);
            }
            let y = &self.y;
            saxce(s, |i| -y[i], &mut self.shift);
            if count % CHECK_EVERY == 0 || primal.max(dual) <= tolerance || count == max_iterations
            {
                let residual = s.residual(&self.z, &mut self.u);
                best.offer(&self.z, residual);
                if residual <= tolerance {
                    return Outcome::stopped(count);
                }
            }
            if count >= next_look && changes < CHANGES {
                let factor = if primal > IMBALANCE * dual {
                    (primal / dual.max(1e-300)).sqrt().min(10.0)
                } else if dual > IMBALANCE * primal {
                    (primal / dual).sqrt().max(0.1)
                } else {
                    1.0
                };
                next_look = count + ADAPT_EVERY * (1 + changes);
                if factor != 1.0 {
                    changes += 1;
                    rho = (rho * factor).clamp(1e-9, 1e9);
                    if !shifted(s, rho, &mut self.l) {
                        return Outcome::stopped(count);
                    }
                }
            }
        }
        Outcome::stopped(max_iterations)
    }
}
