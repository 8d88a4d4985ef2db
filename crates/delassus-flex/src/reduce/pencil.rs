//! Vibrations K x = ω² M x of matrices that fit into memory as they are.

use crate::FlexError;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Mat, Par, Side};

/// Square of a frequency, relative to the lowest one, above which a mode is one without mass: rounding of K hides what
/// it has.
const MASSLESS: f64 = 1e12;

/// Modes in ascending order.
pub(crate) struct Vibrations {
    /// ω, rad/s.
    pub frequencies: Vec<f64>,
    /// One column each, with xᵀ K x = 1.
    pub shapes: Mat<f64>,
}

/// All modes that have mass. K is positive definite, M may be singular: so 1/ω² is what is computed.
pub(crate) fn vibrations(k: &Mat<f64>, m: &Mat<f64>) -> Result<Vibrations, FlexError> {
    let n = k.nrows();
    if n == 0 {
        return Ok(Vibrations { frequencies: Vec::new(), shapes: Mat::zeros(0, 0) });
    }
    let held = || FlexError::Loose("its stiffness matrix is singular".to_owned());
    let l = k.llt(Side::Lower).map_err(|_| held())?.L().to_owned();
    let mut a = m.clone();
    solve_lower_triangular_in_place(l.as_ref(), a.as_mut(), Par::Seq);
    let mut a = a.transpose().to_owned();
    solve_lower_triangular_in_place(l.as_ref(), a.as_mut(), Par::Seq);
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]));
    let eigen = symmetric
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| FlexError::Eigenvalues { unknowns: n })?;
    let most = eigen.S()[n - 1];
    let there = (0..n).filter(|i| eigen.S()[*i] * MASSLESS > most).count();
    let mut shapes = Mat::from_fn(n, there, |i, j| eigen.U()[(i, n - 1 - j)]);
    solve_upper_triangular_in_place(l.transpose(), shapes.as_mut(), Par::Seq);
    let frequencies = (0..there).map(|j| 1.0 / eigen.S()[n - 1 - j].sqrt()).collect();
    Ok(Vibrations { frequencies, shapes })
}
