//! The lowest exponents of large systems with damping, gyroscopic terms or auxiliary states: Arnoldi with (A − σE)⁻¹E.
//!
//! Invariant subspaces that have converged are set aside by an orthonormal basis, and the search goes on across them until it
//! finds nothing lower, as in `lanczos.rs`. The exponents are those of the operator on all that was set aside.

use super::linearise::{LinearError, Linearised};
use super::modes::Found;
use super::saddle::Shifted;
use delassus_math::largest;
use faer::{Mat, c64};

/// Residual of a Ritz pair, relative to the largest one, below which it has converged.
const CONVERGED: f64 = 1e-12;
/// Exponent, in parts of the shift, that counts as zero: it may be a double one.
const ZERO: f64 = 1e-6;

/// About `count` lowest exponents (both of a pair count), near a shift σ > 0 of the size of the lowest.
pub(super) fn lowest(l: &Linearised, count: usize, shift: f64) -> Result<Vec<Found>, LinearError> {
    let mut op = Shifted::new(l, shift)?;
    let (n, nz) = (l.nv(), l.live.len());
    let size = 2 * n + nz;
    // positions, and speeds against the shift, beside the size of their coordinates
    let mut unit: Vec<f64> = l.scale.clone();
    unit.extend(l.scale.iter().map(|s| s * shift));
    unit.extend(std::iter::repeat_n(1.0, nz));
    let mut apply = |x: &[f64]| -> Result<Vec<f64>, LinearError> {
        let raw: Vec<f64> = x.iter().zip(&unit).map(|(x, u)| x * u).collect();
        let mut out = vec![0.0; size];
        op.apply(&raw, &mut out)?;
        Ok(out.iter().zip(&unit).map(|(x, u)| x / u).collect())
    };
    let mut aside: Vec<Vec<f64>> = Vec::new();
    let mut sizes: Vec<f64> = Vec::new();
    for pass in 0..count + 8 {
        let mut v: Vec<f64> = (0..size)
            .map(|i| (1.0 + 0.754_877 * (i + 1) as f64 * (1.0 + pass as f64)).sin())
            .collect();
        // three times: what belongs to the constraints is gone
        for _ in 0..3 {
            v = apply(&v)?;
            normalise(&mut v);
        }
        across(&mut v, &aside);
        if !(normalise(&mut v) > 1e-9) {
            break;
        }
        let mut basis = vec![v];
        let most = (2 * count + 40).min(size);
        let mut h = Mat::<f64>::zeros(most + 1, most);
        let mut m = 0;
        while m < most {
            let mut next = apply(&basis[m])?;
            let before = norm(&next);
            across(&mut next, &aside);
            for _ in 0..2 {
                for (i, b) in basis.iter().enumerate() {
                    let c = dot(b, &next);
                    h[(i, m)] += c;
                    next.iter_mut().zip(b).for_each(|(x, b)| *x -= c * b);
                }
            }
            let left = norm(&next);
            h[(m + 1, m)] = left;
            m += 1;
            if !(left > 1e-13 * before.max(f64::MIN_POSITIVE)) {
                h[(m, m - 1)] = 0.0;
                break;
            }
            next.iter_mut().for_each(|x| *x /= left);
            basis.push(next);
        }
        let small = Mat::from_fn(m, m, |i, j| h[(i, j)]);
        let eigen = small.eigen().map_err(|_| LinearError::Eigenvalues)?;
        let top = largest((0..m).map(|k| eigen.S()[k].norm()));
        let last = h[(m, m - 1)].abs();
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|a, b| eigen.S()[*b].norm().total_cmp(&eigen.S()[*a].norm()));
        let mut found: Vec<(f64, Vec<c64>)> = Vec::new();
        for k in order {
            let theta = eigen.S()[k];
            if theta.im < 0.0 || theta.norm() <= 1e-11 * top {
                continue;
            }
            if last * eigen.U()[(m - 1, k)].norm() > CONVERGED * top {
                break;
            }
            found.push((theta.norm(), (0..m).map(|i| eigen.U()[(i, k)]).collect()));
        }
        let mut known = sizes.clone();
        known.sort_by(|a, b| b.total_cmp(a));
        let enough = known.get(count.saturating_sub(1)).copied().unwrap_or(0.0);
        let best = largest(found.iter().map(|f| f.0));
        if found.is_empty() || (known.len() >= count && best <= enough * (1.0 + 1e-9)) {
            break;
        }
        for (theta, y) in found {
            for part in [|y: &c64| y.re, |y: &c64| y.im] {
                let mut x = vec![0.0; size];
                for (b, y) in basis.iter().zip(&y) {
                    let c = part(y);
                    x.iter_mut().zip(b).for_each(|(x, b)| *x += c * b);
                }
                let before = norm(&x);
                across(&mut x, &aside);
                if before > 1e-12 && normalise(&mut x) > 1e-8 * before {
                    aside.push(x);
                    sizes.push(theta);
                }
            }
        }
    }
    let m = aside.len();
    if m == 0 {
        return Err(LinearError::Eigenvalues);
    }
    let mut small = Mat::<f64>::zeros(m, m);
    for j in 0..m {
        let image = apply(&aside[j])?;
        for i in 0..m {
            small[(i, j)] = dot(&aside[i], &image);
        }
    }
    let eigen = small.eigen().map_err(|_| LinearError::Eigenvalues)?;
    let mut out = Vec::new();
    for k in 0..m {
        let theta = eigen.S()[k];
        let mut exponent = c64::new(shift, 0.0) + c64::new(1.0, 0.0) / theta;
        if exponent.norm() <= ZERO * shift {
            exponent = c64::new(0.0, 0.0);
        }
        let mut shape = vec![c64::new(0.0, 0.0); n];
        for (i, b) in aside.iter().enumerate() {
            let c = eigen.U()[(i, k)];
            for ((x, b), u) in shape.iter_mut().zip(b).zip(&unit) {
                *x += c * (b * u);
            }
        }
        out.push(Found { exponent, shape });
    }
    Ok(out)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Makes it a unit vector; what it was.
fn normalise(x: &mut [f64]) -> f64 {
    let size = norm(x);
    if size > 0.0 {
        x.iter_mut().for_each(|x| *x /= size);
    }
    size
}

/// Takes away what is along an orthonormal basis.
fn across(x: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for b in basis {
            let c = dot(x, b);
            x.iter_mut().zip(b).for_each(|(x, b)| *x -= c * b);
        }
    }
}
