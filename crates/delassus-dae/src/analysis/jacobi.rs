//! Eigenvalues of symmetric matrices to rounding of the largest.
//!
//! Those that come by division into halves are known to 1e-10 of the largest only, where matrices of some hundred rows have entries
//! of very different sizes. Their vectors are a good beginning: in them the matrix is almost diagonal, and rotations of Jacobi
//! clear what is left, in a sweep or two.

use super::vibrations::orthonormal_columns;
use faer::{Mat, Side};

/// Sweeps over all pairs: each squares what is left.
const SWEEPS: usize = 8;

/// Eigenvalues with orthonormal vectors, in no order; `None` where they do not converge.
pub(super) fn symmetric_eigen(a: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let rough = a.self_adjoint_eigen(Side::Lower).ok()?;
    let mut u = orthonormal_columns(rough.U().to_owned());
    let mut b = u.transpose() * a * &u;
    let size = delassus_math::largest((0..n).map(|i| b[(i, i)].abs()));
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let x = 0.5 * (b[(p, q)] + b[(q, p)]);
                let both = (b[(p, p)] * b[(q, q)]).abs().sqrt();
                // what is smaller is rounding of the product, and moves neither value
                if x.abs() <= f64::EPSILON * both.max(f64::EPSILON * size) {
                    continue;
                }
                turned = true;
                rotate(&mut b, &mut u, p, q, x);
            }
        }
        if !turned {
            break;
        }
    }
    let values: Vec<f64> = (0..n).map(|i| b[(i, i)]).collect();
    values.iter().all(|x| x.is_finite()).then_some((values, u))
}

/// Clears the entries (p, q) and (q, p), which are x.
fn rotate(b: &mut Mat<f64>, u: &mut Mat<f64>, p: usize, q: usize, x: f64) {
    let n = b.nrows();
    let theta = (b[(q, q)] - b[(p, p)]) / (2.0 * x);
    let t = if theta.is_finite() { theta.signum() / (theta.abs() + theta.hypot(1.0)) } else { 0.0 };
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let (bp, bq) = (b[(p, p)] - t * x, b[(q, q)] + t * x);
    for i in 0..n {
        let (y, z) = (b[(i, p)], b[(i, q)]);
        (b[(i, p)], b[(i, q)]) = (c * y - s * z, s * y + c * z);
        let (y, z) = (u[(i, p)], u[(i, q)]);
        (u[(i, p)], u[(i, q)]) = (c * y - s * z, s * y + c * z);
    }
    for j in 0..n {
        let (y, z) = (b[(p, j)], b[(q, j)]);
        (b[(p, j)], b[(q, j)]) = (c * y - s * z, s * y + c * z);
    }
    (b[(p, p)], b[(q, q)]) = (bp, bq);
    (b[(p, q)], b[(q, p)]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Second differences on a line, whose eigenvalues are known, in a graded scale.
    #[test]
    fn eigenvalues_are_known_to_rounding_of_the_largest() {
        for n in [1, 7, 300] {
            let a = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let (mut values, u) = symmetric_eigen(&a).unwrap_or_else(|| panic!("{n}"));
            let rest = &a * &u - Mat::from_fn(n, n, |i, j| u[(i, j)] * values[j]);
            assert!(rest.norm_max() < 1e-13, "{n}: {:e}", rest.norm_max());
            values.sort_by(f64::total_cmp);
            for (k, x) in values.iter().enumerate() {
                let angle = 0.5 * std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
                assert!((x - 4.0 * angle.sin().powi(2)).abs() < 1e-13, "{n} {k}: {x}");
            }
        }
    }
}
