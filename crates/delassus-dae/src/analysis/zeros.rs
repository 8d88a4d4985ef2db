//! Exponents that are exactly zero, and the others.
//!
//! A body that nothing holds has an exponent zero twice, with one mode: eigenvalues of such a matrix are known to the square root
//! of rounding only. They are therefore taken out before: the null space of A, then that of what is left in the space across
//! it, until nothing is left of it. A column of zeros tells it by itself; the others are decided by singular values.
//!
//! Of the rest, eigenvalues are known to rounding of the largest. Where they differ by many powers of ten the lower half of them, by powers, is
//! taken from A⁻¹, which knows the small ones as well as A the large ones.
//!
//! Each comes with a doubt, wᵀ|ΔA|x with its left vector w, for what is known of the entries ΔA.

use super::balance::{ZERO, beside, equilibrating, without};
use super::linearise::LinearError;
use super::matrices::{columns, entry_sizes, full_mul, largest_entry};
use super::vibrations::DOUBT;
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// Smallest over largest eigenvalue above which those of A are good enough alone.
const ALIKE: f64 = 1e-4;
/// Powers of ten about the middle between smallest and largest within which both parts may meet.
const MIDDLE: f64 = 1e2;

/// An exponent with its vector.
pub(super) struct Pair {
    pub exponent: c64,
    pub vector: Vec<c64>,
    /// How far it may be off.
    pub doubt: f64,
}

/// Eigenvalues with their vectors.
type List = Vec<(c64, Vec<c64>)>;

/// Eigenvalues that are not zero.
struct Nonzero {
    list: List,
    /// So many first ones are from the inverse, of which this is the largest entry.
    from_inverse: usize,
    inverse: f64,
}

/// One null space, the space across it, and how the first follows the second.
struct Level {
    null: Mat<f64>,
    across: Mat<f64>,
    follows: Mat<f64>,
}

impl Level {
    /// The null space of columns that are zero.
    fn of_columns(a: &Mat<f64>, empty: &[usize]) -> Option<Level> {
        let n = a.nrows();
        let first = empty.first()?;
        let unit = Mat::<f64>::identity(n, n);
        let null = Mat::from_fn(n, empty.len(), |i, j| unit[(i, empty[j])]);
        let mut across = beside(n, *first);
        // those after the first have moved by the columns left out before them
        for (k, j) in empty.iter().enumerate().skip(1) {
            across = &across * beside(n - k, j - k);
        }
        let follows = null.transpose() * a * &across;
        Some(Level { null, across, follows })
    }
}

/// Eigenvalues and vectors of a matrix without null space, small ones as well as large ones; and how many are small.
fn nonzero(a: &Mat<f64>) -> Result<Nonzero, LinearError> {
    let n = a.nrows();
    let by_size = |m: &Mat<f64>| -> Result<List, LinearError> {
        let eigen = m.eigen().map_err(|_| LinearError::Eigenvalues)?;
        let vector = |k: usize| (0..n).map(|i| eigen.U()[(i, k)]).collect();
        let mut list: Vec<_> = (0..n).map(|k| (eigen.S()[k], vector(k))).collect();
        list.sort_by(|a: &(c64, _), b| a.0.norm().total_cmp(&b.0.norm()));
        Ok(list)
    };
    let mut large = by_size(a)?;
    let most = large[n - 1].0.norm();
    if large[0].0.norm() > ALIKE * most {
        return Ok(Nonzero { list: large, from_inverse: 0, inverse: 0.0 });
    }
    let inverse = a.partial_piv_lu().solve(Mat::<f64>::identity(n, n));
    let top = largest_entry(&inverse);
    if !top.is_finite() {
        return Ok(Nonzero { list: large, from_inverse: 0, inverse: 0.0 });
    }
    let mut small = by_size(&inverse)?;
    small.reverse();
    small.iter_mut().for_each(|(s, _)| *s = c64::new(1.0, 0.0) / *s);
    let middle = (small[0].0.norm() * most).sqrt();
    let size = |k: usize| {
        let s = small[k].0.norm();
        if s < middle { s } else { large[k].0.norm() }
    };
    // the widest gap about the middle: there both agree how many lie below
    let near = |k: &usize| size(*k) > middle / MIDDLE && size(*k - 1) < middle * MIDDLE;
    let wider = |a: &usize, b: &usize| {
        let gap = |k: usize| size(k) / size(k - 1);
        gap(*a).total_cmp(&gap(*b))
    };
    let below = (1..n).filter(near).max_by(wider).unwrap_or(0);
    small.truncate(below);
    small.extend(large.drain(below..));
    Ok(Nonzero { list: small, from_inverse: below, inverse: top })
}

/// How far eigenvalues may be off, where entries of the matrix may be so by `doubt`.
fn doubts(a: &Mat<f64>, doubt: &Mat<f64>, found: &Nonzero) -> Vec<f64> {
    let n = a.nrows();
    let right = Mat::from_fn(n, n, |i, j| found.list[j].1[i]);
    let left = right.partial_piv_lu().solve(Mat::<c64>::identity(n, n));
    let sizes = |m: &Mat<c64>| Mat::from_fn(n, n, |i, j| m[(i, j)].norm());
    let (left, right) = (sizes(&left), sizes(&right));
    let moved = doubt * &right;
    let most = largest_entry(a);
    let one = |k: usize| {
        let dot = |m: &Mat<f64>| (0..n).map(|i| left[(k, i)] * m[(i, k)]).sum::<f64>();
        let squared = |x: f64, y: f64| x + y * y;
        let lengths = (0..n).map(|i| left[(k, i)]).fold(0.0, squared).sqrt()
            * (0..n).map(|i| right[(i, k)]).fold(0.0, squared).sqrt();
        // what the search for eigenvalues itself rounds
        let s = found.list[k].0.norm();
        let rounding =
            if k < found.from_inverse { s * s * found.inverse } else { most } * DOUBT * lengths;
        dot(&moved) + rounding
    };
    (0..n).map(one).collect()
}

/// Exponents of ẋ = A x: of those that are zero one for each mode, first. In a `graded` matrix each entry is known to a part of itself, so
/// that rows and columns are compared as parts of their own largest entry; in others to a part of the largest. `doubt` is how far
/// entries may be off.
pub(super) fn exponents(
    a: &Mat<f64>,
    doubt: &Mat<f64>,
    graded: bool,
) -> Result<Vec<Pair>, LinearError> {
    let mut levels: Vec<Level> = Vec::new();
    let (mut rest, mut doubt) = (a.clone(), doubt.clone());
    let size = largest_entry(a);
    let mut out = Vec::new();
    while rest.nrows() > 0 {
        let n = rest.nrows();
        // several columns of zeros are one null space
        let empty: Vec<usize> = (0..n).filter(|j| (0..n).all(|i| rest[(i, *j)] == 0.0)).collect();
        if let Some(level) = Level::of_columns(&rest, &empty) {
            if levels.is_empty() {
                for j in &empty {
                    let mut vector = vec![c64::new(0.0, 0.0); n];
                    vector[*j] = c64::new(1.0, 0.0);
                    out.push(Pair { exponent: c64::new(0.0, 0.0), vector, doubt: 0.0 });
                }
            }
            for j in empty.iter().rev() {
                rest = without(&rest, *j);
                doubt = without(&doubt, *j);
            }
            levels.push(level);
            continue;
        }
        let (left, right) =
            if graded { equilibrating(&rest) } else { (vec![1.0; n], vec![1.0; n]) };
        let even = Mat::from_fn(n, n, |i, j| rest[(i, j)] * left[i] * right[j]);
        let svd = even.svd().map_err(|_| LinearError::Eigenvalues)?;
        let size = if graded { largest_entry(&even) } else { size };
        let limit = ZERO * a.nrows() as f64 * size;
        let zeros = (0..n).filter(|i| !(svd.S()[*i] > limit)).count();
        if zeros == 0 {
            break;
        }
        let mut v = svd.V().to_owned();
        if graded {
            let null = Mat::from_fn(n, zeros, |i, j| right[i] * v[(i, n - zeros + j)]);
            let q = null.qr().compute_Q();
            v = Mat::from_fn(n, n, |i, j| q[(i, (j + zeros) % n)]);
        }
        let (across, null) = (columns(&v, 0, n - zeros), columns(&v, n - zeros, n));
        if levels.is_empty() {
            for j in 0..zeros {
                let vector = (0..n).map(|i| c64::new(null[(i, j)], 0.0)).collect();
                out.push(Pair { exponent: c64::new(0.0, 0.0), vector, doubt: 0.0 });
            }
        }
        let follows = null.transpose() * &rest * &across;
        rest = across.transpose() * &rest * &across;
        let sizes = entry_sizes(&across);
        doubt = sizes.transpose() * &doubt * &sizes;
        levels.push(Level { null, across, follows });
    }
    if rest.nrows() == 0 {
        return Ok(out);
    }
    let found = nonzero(&rest)?;
    let doubts = doubts(&rest, &doubt, &found);
    for ((exponent, mut x), doubt) in found.list.into_iter().zip(doubts) {
        for level in levels.iter().rev() {
            // the part in the null space: s x₁ = A₁₂ x₂
            let first = complex_mul(&level.follows, &x);
            let first: Vec<c64> = first.into_iter().map(|y| y / exponent).collect();
            let (a, b) = (complex_mul(&level.null, &first), complex_mul(&level.across, &x));
            x = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        }
        out.push(Pair { exponent, vector: x, doubt });
    }
    Ok(out)
}

/// A real matrix times a complex vector.
pub(super) fn complex_mul(m: &Mat<f64>, x: &[c64]) -> Vec<c64> {
    let re = full_mul(m, &x.iter().map(|x| x.re).collect::<Vec<_>>());
    let im = full_mul(m, &x.iter().map(|x| x.im).collect::<Vec<_>>());
    re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect()
}
