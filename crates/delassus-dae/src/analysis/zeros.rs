//! Exponents that are exactly zero, and the others.
//!
//! A body that nothing holds has an exponent zero twice, with one mode: eigenvalues of such a matrix are known to the square root
//! of rounding only. They are therefore taken out before: the null space of A, then that of what is left in the space across
//! it, until nothing is left of it. Each of these is decided by singular values.

use super::linearise::LinearError;
use super::matrices::{columns, full_mul, largest_entry};
use faer::{Mat, c64};

/// Singular values of a matrix of n rows below n times this part of the largest are zero.
const ZERO: f64 = 20.0 * f64::EPSILON;

/// An exponent with its vector.
pub(super) struct Pair {
    pub exponent: c64,
    pub vector: Vec<c64>,
}

/// One null space, the space across it, and how the first follows the second.
struct Level {
    null: Mat<f64>,
    across: Mat<f64>,
    follows: Mat<f64>,
}

/// Exponents of ẋ = A x: of those that are zero one for each mode, first.
pub(super) fn exponents(a: &Mat<f64>) -> Result<Vec<Pair>, LinearError> {
    let mut levels: Vec<Level> = Vec::new();
    let mut rest = a.clone();
    let size = largest_entry(a);
    let mut out = Vec::new();
    while rest.nrows() > 0 {
        let n = rest.nrows();
        let svd = rest.svd().map_err(|_| LinearError::Eigenvalues)?;
        let limit = ZERO * a.nrows() as f64 * size;
        let zeros = (0..n).filter(|i| !(svd.S()[*i] > limit)).count();
        if zeros == 0 {
            break;
        }
        let v = svd.V().to_owned();
        let (across, null) = (columns(&v, 0, n - zeros), columns(&v, n - zeros, n));
        if levels.is_empty() {
            for j in 0..zeros {
                let vector = (0..n).map(|i| c64::new(null[(i, j)], 0.0)).collect();
                out.push(Pair { exponent: c64::new(0.0, 0.0), vector });
            }
        }
        let follows = null.transpose() * &rest * &across;
        rest = across.transpose() * &rest * &across;
        levels.push(Level { null, across, follows });
    }
    if rest.nrows() == 0 {
        return Ok(out);
    }
    let eigen = rest.eigen().map_err(|_| LinearError::Eigenvalues)?;
    for k in 0..rest.nrows() {
        let exponent = eigen.S()[k];
        let mut x: Vec<c64> = (0..rest.nrows()).map(|i| eigen.U()[(i, k)]).collect();
        for level in levels.iter().rev() {
            // the part in the null space: s x₁ = A₁₂ x₂
            let first = complex_mul(&level.follows, &x);
            let first: Vec<c64> = first.into_iter().map(|y| y / exponent).collect();
            let (a, b) = (complex_mul(&level.null, &first), complex_mul(&level.across, &x));
            x = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        }
        out.push(Pair { exponent, vector: x });
    }
    Ok(out)
}

/// A real matrix times a complex vector.
pub(super) fn complex_mul(m: &Mat<f64>, x: &[c64]) -> Vec<c64> {
    let re = full_mul(m, &x.iter().map(|x| x.re).collect::<Vec<_>>());
    let im = full_mul(m, &x.iter().map(|x| x.im).collect::<Vec<_>>());
    re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect()
}
