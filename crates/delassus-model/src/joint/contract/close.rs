//! Matrices from patterns, and their comparison.

use delassus_linalg::Csr;
use nalgebra::DMatrix;

pub(crate) fn dense(pattern: &Csr, values: &[f64]) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(pattern.nrows, pattern.ncols);
    for i in 0..pattern.nrows {
        for k in pattern.row_ptr[i]..pattern.row_ptr[i + 1] {
            out[(i, pattern.col[k])] += values[k];
        }
    }
    out
}

/// Equal relative to the largest entry (or to 10⁻³ where all are small).
pub(crate) fn close<R: nalgebra::Dim, C: nalgebra::Dim, S, T>(
    found: &nalgebra::Matrix<f64, R, C, S>,
    expected: &nalgebra::Matrix<f64, R, C, T>,
    tol: f64,
    what: &str,
) where
    S: nalgebra::RawStorage<f64, R, C>,
    T: nalgebra::RawStorage<f64, R, C>,
{
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let scale = expected.iter().chain(found.iter()).fold(1e-3, |m: f64, x| m.max(x.abs()));
    for (x, y) in found.iter().zip(expected.iter()) {
        assert!(
            (x - y).abs() <= tol * scale,
            "{what}: {x:e}, expected {y:e}, scale {scale:e}\n{found:.6}{expected:.6}"
        );
    }
}
