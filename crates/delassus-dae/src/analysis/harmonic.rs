//! The steady answer to forces f = Re(f̂ exp(iωt)), with full matrices.
//!
//! ```text
//! ŵ = (iω + N) δ̂
//! Zᵀ [M (iω + B)(iω + N) + C (iω + N) + K − F_z (iω − Z_z)⁻¹ (Z_q + Z_w (iω + N))] Z ŷ = Zᵀ f̂,  δ̂ = Z ŷ
//! ```

use super::linearise::{LinearError, Linearised};
use super::matrices::Sparse;
use super::modes::DENSE_MAX;
use super::reduce::Reduced;
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// Amplitudes [real, imaginary] of all coordinates, in tangent coordinates, for forces of the same kind at ω, rad/s.
pub fn response(
    l: &Linearised,
    omega: f64,
    force: &[[f64; 2]],
) -> Result<Vec<[f64; 2]>, LinearError> {
    if l.rolling.pattern.nrows > 0 {
        return Err(LinearError::Rolling);
    }
    if l.nv() > DENSE_MAX {
        return Err(LinearError::TooLarge(DENSE_MAX));
    }
    let z = Reduced::new(l)?.positions;
    let (n, nz) = (z.ncols(), l.live.len());
    let i_omega = c64::new(0.0, omega);
    // [real, imaginary] part of (iω + N) Z
    let (turned, speed) = (l.axes.n.times_full(&z), scaled(&z, omega));
    let mut real = l.damping.times_full(&turned) + l.stiffness.times_full(&z);
    let mut imag = l.damping.times_full(&speed);
    // M (iω + B)(iω + N)
    real += l.mass.times_full(&(l.axes.b.times_full(&turned) - scaled(&speed, omega)));
    imag += l.mass.times_full(&(l.axes.b.times_full(&speed) + scaled(&turned, omega)));
    let mut d = complex(&(z.transpose() * real), &(z.transpose() * imag));
    if nz > 0 {
        let [zq, zw, zz] = l.rates()?;
        let full = |m: &Sparse| m.times_full(&Mat::identity(nz, nz));
        let rate = full(&zz);
        let slow = Mat::from_fn(nz, nz, |i, j| {
            let own = if i == j { i_omega } else { c64::new(0.0, 0.0) };
            own - rate[(i, j)]
        });
        let by = complex(&(zq.times_full(&z) + zw.times_full(&turned)), &zw.times_full(&speed));
        let fz = z.transpose() * full(&l.force_by_z()?);
        d -= complex(&fz, &Mat::zeros(n, nz)) * slow.partial_piv_lu().solve(by);
    }
    let part = |k: usize| {
        let f = Mat::from_fn(force.len(), 1, |i, _| force[i][k]);
        z.transpose() * f
    };
    let y = d.partial_piv_lu().solve(complex(&part(0), &part(1)));
    let found = (0..z.nrows()).map(|i| {
        let entry = |pick: fn(c64) -> f64| (0..n).map(|j| z[(i, j)] * pick(y[(j, 0)])).sum::<f64>();
        [entry(|y| y.re), entry(|y| y.im)]
    });
    let found: Vec<[f64; 2]> = found.collect();
    if found.iter().flatten().all(|x| x.is_finite()) {
        Ok(found)
    } else {
        Err(LinearError::Resonance)
    }
}

fn scaled(m: &Mat<f64>, factor: f64) -> Mat<f64> {
    m * faer::Scale(factor)
}

fn complex(re: &Mat<f64>, im: &Mat<f64>) -> Mat<c64> {
    Mat::from_fn(re.nrows(), re.ncols(), |i, j| c64::new(re[(i, j)], im[(i, j)]))
}
