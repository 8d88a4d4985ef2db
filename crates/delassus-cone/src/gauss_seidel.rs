//! Block Gauss–Seidel with exact local solves (NSGS): every block in turn, the others held.
//!
//! One sweep costs as much as one product with `W`. It converges for all plain contact problems that occur in practice,
//! from any start, also with redundant contacts, but slowly where load passes through many bodies. It provides the
//! start of Newton's method and the last resort when others fail.
//!
//! Jean & Moreau (1992); Jean, Comput. Methods Appl. Mech. Eng. 177 (1999).

use crate::local;
use crate::outcome::{Best, Outcome};
use crate::scaling::Scaled;

/// Sweeps between two evaluations of the residual, which cost as much as a sweep.
const CHECK_EVERY: usize = 8;

/// One sweep; returns the largest change.
pub(crate) fn sweep(s: &Scaled, r: &mut [f64]) -> f64 {
    let mut change = 0.0f64;
    for (k, &law) in s.laws.iter().enumerate() {
        if s.bare[k] {
            continue;
        }
        let rows = s.start[k]..s.start[k + 1];
        let (first, m) = (rows.start, rows.len());
        let mut q = [0.0; 3];
        s.rate(rows.clone(), r, &mut q);
        let mut a = [[0.0; 3]; 3];
        for i in 0..m {
            for j in 0..m {
                a[i][j] = s.w[(first + i) * s.n + first + j];
                q[i] -= a[i][j] * r[first + j];
            }
        }
        let mut new = [0.0; 3];
        new[..m].copy_from_slice(&r[rows.clone()]);
        local::solve(law, &a, &q[..m], &mut new[..m]);
        for i in 0..m {
            let step = (new[i] - r[first + i]).abs();
            if !(step <= change) {
                change = step;
            }
            r[first + i] = new[i];
        }
    }
    change
}

/// Sweeps until the residual is met.
pub(crate) fn run(
    s: &Scaled,
    best: &mut Best,
    tolerance: f64,
    max_sweeps: usize,
    x: &mut Vec<f64>,
    u: &mut Vec<f64>,
) -> Outcome {
    x.clear();
    x.extend_from_slice(&best.r);
    for count in 1..=max_sweeps {
        let change = sweep(s, x);
        if !change.is_finite() {
            return Outcome::stopped(count);
        }
        if change <= tolerance || count % CHECK_EVERY == 0 || count == max_sweeps {
            let residual = s.residual(x, u);
            best.offer(x, residual);
            if residual <= tolerance || change == 0.0 {
                return Outcome::stopped(count);
            }
        }
    }
    Outcome::stopped(max_sweeps)
}
