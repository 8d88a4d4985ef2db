//! Sizes of first-order equations whose rates differ by many powers of ten.
//!
//! Damping in proportion to stiffness makes rates c = τω²: 2e9 /s for the stiffest motion of a beam whose lowest is 30 rad/s. Next to
//! them the stiffness of the lowest is less than rounding, unless each motion keeps numbers of its own size. Therefore the
//! coordinates are those of the undamped vibrations, and each is scaled until its row and its column are as large.

use super::linearise::{LinearError, Linearised};
use super::matrices::{columns, largest_entry};
use super::reduce::{FirstOrder, Reduced};
use super::vibrations::{orthonormal, vibrations};
use delassus_math::largest;
use faer::Mat;

/// Stiffness or damping of n degrees of freedom below n times this part of the largest is none.
pub(super) const ZERO: f64 = 20.0 * f64::EPSILON;
/// Passes over all rows; each halves what is out of balance at least, and few are needed.
const PASSES: usize = 60;
/// The logarithms of what is out of balance halve with each pass.
const EVEN_PASSES: usize = 12;

impl Reduced {
    /// The same displacements in the shapes that the symmetric part of the stiffness decouples.
    pub fn along_vibrations(mut self, l: &Linearised) -> Result<Reduced, LinearError> {
        let stiffness = l.turning_stiffness()?.symmetric()?;
        let found = vibrations(l, &stiffness, &self.positions, 0)?;
        self.positions = orthonormal(l, &found.shapes);
        Ok(self)
    }
}

/// Sets to zero what is rounding in rows and columns of motions without stiffness: of the stiffnesses beside the largest
/// stiffness, of the damping beside the largest damping. Coordinates and speeds must belong to each other.
pub(super) fn clear_rounding(f: &mut FirstOrder) {
    let np = f.positions.ncols();
    let part = |a: &Mat<f64>, from: usize| Mat::from_fn(np, np, |i, j| a[(np + i, from + j)]);
    for from in [0, np] {
        let block = part(&f.a, from);
        let limit = ZERO * np as f64 * largest_entry(&block);
        // motions without stiffness, by their own stiffness: the basis decouples them
        let stiffness = part(&f.a, 0);
        let stiff = ZERO * np as f64 * largest_entry(&stiffness);
        let loose: Vec<bool> = (0..np).map(|i| stiffness[(i, i)].abs() <= stiff).collect();
        for i in 0..np {
            for j in 0..np {
                if (loose[i] || loose[j]) && block[(i, j)].abs() <= limit {
                    f.a[(np + i, from + j)] = 0.0;
                }
            }
        }
    }
}

/// Powers of two d for which the rows and columns of d⁻¹ A d are as large.
pub(super) fn balancing(a: &Mat<f64>) -> Vec<f64> {
    let n = a.nrows();
    let mut d = vec![1.0; n];
    for _ in 0..PASSES {
        let mut settled = true;
        for i in 0..n {
            let others = || (0..n).filter(|j| *j != i);
            let column = largest(others().map(|j| (a[(j, i)] / d[j]).abs())) * d[i];
            let row = largest(others().map(|j| (a[(i, j)] * d[j]).abs())) / d[i];
            if !(column > 0.0 && row > 0.0 && column.is_finite() && row.is_finite()) {
                continue;
            }
            let factor = (0.5 * (row / column).log2()).round().clamp(-300.0, 300.0);
            if factor != 0.0 {
                d[i] *= factor.exp2();
                settled = false;
            }
        }
        if settled {
            break;
        }
    }
    d
}

/// Factors of rows and of columns that make the largest entry of each about one.
pub(super) fn equilibrating(a: &Mat<f64>) -> (Vec<f64>, Vec<f64>) {
    let n = a.nrows();
    let (mut left, mut right) = (vec![1.0; n], vec![1.0; n]);
    for _ in 0..EVEN_PASSES {
        let entry = |i: usize, j: usize| (a[(i, j)] * left[i] * right[j]).abs();
        let root = |x: f64| if x > 0.0 && x.is_finite() { 1.0 / x.sqrt() } else { 1.0 };
        let rows: Vec<f64> = (0..n).map(|i| root(largest((0..n).map(|j| entry(i, j))))).collect();
        let cols: Vec<f64> = (0..n).map(|j| root(largest((0..n).map(|i| entry(i, j))))).collect();
        left.iter_mut().zip(rows).for_each(|(x, r)| *x *= r);
        right.iter_mut().zip(cols).for_each(|(x, c)| *x *= c);
    }
    (left, right)
}

/// A square matrix without row and column k.
pub(super) fn without(a: &Mat<f64>, k: usize) -> Mat<f64> {
    let from = |i: usize| if i < k { i } else { i + 1 };
    Mat::from_fn(a.nrows() - 1, a.nrows() - 1, |i, j| a[(from(i), from(j))])
}

/// The unit matrix without column k.
pub(super) fn beside(n: usize, k: usize) -> Mat<f64> {
    let all = Mat::<f64>::identity(n, n);
    let (left, right) = (columns(&all, 0, k), columns(&all, k + 1, n));
    Mat::from_fn(n, n - 1, |i, j| if j < k { left[(i, j)] } else { right[(i, j - k)] })
}
