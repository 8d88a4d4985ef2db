//! The lowest exponents of large systems with damping, gyroscopic terms or auxiliary states: Arnoldi with (A − σE)⁻¹E.
//!
//! Invariant subspaces that have converged are set aside by an orthonormal basis, and the search goes on across them until it
//! finds nothing lower, as in `lanczos.rs`. A search that finds nothing before enough is found is repeated with more vectors and
//! asks for less: solutions with matrices of stiff models have errors that no further vector makes smaller. The exponents are
//! those of the operator on all that was set aside, with doubts by what is left of T x − θ x and by rounding of the matrices.

use super::linearise::{LinearError, Linearised};
use super::matrices::Sparse;
use super::modes::Found;
use super::saddle::Shifted;
use super::vibrations::DOUBT;
use delassus_math::largest;
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// Residual of a Ritz pair, relative to the largest one, below which it has converged; and what is asked for at least.
const CONVERGED: f64 = 1e-12;
const LOOSE: f64 = 1e-8;
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
    let (mut most, mut converged) = ((2 * count + 40).min(size), CONVERGED);
    for pass in 0..count + 16 {
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
            if last * eigen.U()[(m - 1, k)].norm() > converged * top {
                break;
            }
            found.push((theta.norm(), (0..m).map(|i| eigen.U()[(i, k)]).collect()));
        }
        let mut known = sizes.clone();
        known.sort_by(|a, b| b.total_cmp(a));
        let enough = known.get(count.saturating_sub(1)).copied().unwrap_or(0.0);
        let best = largest(found.iter().map(|f| f.0));
        if found.is_empty() && known.len() < count && converged < LOOSE {
            (most, converged) = ((most + most / 2).min(size), 10.0 * converged);
            continue;
        }
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
    let mut images = Vec::with_capacity(m);
    for v in &aside {
        images.push(apply(v)?);
    }
    let small = Mat::from_fn(m, m, |i, j| dot(&aside[i], &images[j]));
    let eigen = small.eigen().map_err(|_| LinearError::Eigenvalues)?;
    let left = eigen.U().to_owned().partial_piv_lu().solve(Mat::<c64>::identity(m, m));
    let rounding = Rounding::new(l)?;
    let mut out = Vec::new();
    for k in 0..m {
        let theta = eigen.S()[k];
        let sum = |list: &[Vec<f64>], i: usize| {
            let parts = list.iter().enumerate().map(|(j, b)| eigen.U()[(j, k)] * b[i]);
            parts.fold(c64::new(0.0, 0.0), |x, y| x + y)
        };
        let mut exponent = c64::new(shift, 0.0) + c64::new(1.0, 0.0) / theta;
        let shape: Vec<c64> = (0..n).map(|i| sum(&aside, i) * unit[i]).collect();
        // what is left of the equation moves θ by its part along the left vector
        let left_of = |i: usize| (sum(&images, i) - theta * sum(&aside, i)).norm_sqr();
        let rest = (0..size).map(left_of).sum::<f64>().sqrt();
        let length = (0..m).map(|j| left[(k, j)].norm_sqr()).sum::<f64>().sqrt();
        let mut doubt = rest * length / theta.norm_sqr() + rounding.of(l, exponent, &shape);
        if exponent.norm() <= ZERO * shift {
            (exponent, doubt) = (c64::new(0.0, 0.0), 0.0);
        }
        out.push(Found { exponent, doubt, shape });
    }
    Ok(out)
}

/// The matrices of s² M + s C + K, whose rounding moves exponents.
struct Rounding {
    k: Sparse,
    c: Sparse,
    damping: Sparse,
    turns: bool,
}

impl Rounding {
    fn new(l: &Linearised) -> Result<Rounding, LinearError> {
        let damping = l.turning_damping()?;
        let (k, c) = (l.turning_stiffness()?.sizes(), damping.sizes());
        let skew = damping.entries().any(|(i, j, x)| {
            damping.pattern.slot(j, i).map_or(0.0, |s| damping.values[s]) * x < 0.0
        });
        Ok(Rounding { k, c, damping, turns: skew })
    }

    /// |p|ᵀ (|K| + |s||C|) |x| over pᵀ (2 s M + C) x. The left vector p is the right one where the matrices are symmetric and its
    /// conjugate where C is skew, as gyroscopic terms make it; with both it is near to the latter.
    fn of(&self, l: &Linearised, s: c64, x: &[c64]) -> f64 {
        let size: Vec<f64> = x.iter().map(|x| x.norm()).collect();
        let top =
            DOUBT * (dot(&size, &self.k.mul(&size)) + s.norm() * dot(&size, &self.c.mul(&size)));
        let part = |pick: fn(&c64) -> f64| x.iter().map(pick).collect::<Vec<f64>>();
        let (re, im) = (part(|x| x.re), part(|x| x.im));
        let (m_re, m_im) = (l.mass.mul(&re), l.mass.mul(&im));
        let (c_re, c_im) = (self.damping.mul(&re), self.damping.mul(&im));
        let slope =
            |i: usize| s * c64::new(2.0 * m_re[i], 2.0 * m_im[i]) + c64::new(c_re[i], c_im[i]);
        let one = |i: usize| if self.turns { x[i].conj() } else { x[i] } * slope(i);
        top / (0..x.len()).map(one).fold(c64::new(0.0, 0.0), |x, y| x + y).norm()
    }
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
