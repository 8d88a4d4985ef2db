//! All modes, with full matrices.

use super::balance::{ZERO, balancing, clear_rounding};
use super::linearise::{LinearError, Linearised};
use super::matrices::{columns, full_mul, largest_entry};
use super::modes::Found;
use super::reduce::{FirstOrder, Reduced, undamped_stiffness};
use super::zeros::{complex_mul, exponents};
use delassus_math::largest;
use faer::linalg::solvers::Solve;
use faer::{Mat, Side, c64};

/// 1/(s − σ) below this part of the largest belongs to a direction without mass.
const INFINITE: f64 = 1e-12;

/// Modes of all degrees of freedom.
pub(super) fn all_modes(l: &Linearised) -> Result<Vec<Found>, LinearError> {
    let r = Reduced::new(l)?;
    let allowed = &r.positions * &r.speeds;
    if r.speeds.ncols() == 0 {
        return Err(LinearError::NoFreedom);
    }
    if let Some(k) = undamped_stiffness(l, &allowed)
        && (r.massless == 0 || l.rolling.pattern.nrows == 0)
    {
        let mut out = vibrations(l, &k, &allowed, r.massless)?;
        // places that rolling cannot reach, where it rests as well
        let n = r.positions.ncols() - r.speeds.ncols();
        if n > 0 {
            let q = r.speeds.qr().compute_Q();
            let beside = &r.positions * columns(&q, r.speeds.ncols(), r.positions.ncols());
            for j in 0..n {
                let shape = (0..beside.nrows()).map(|i| c64::new(beside[(i, j)], 0.0)).collect();
                out.push(Found { exponent: c64::new(0.0, 0.0), shape });
            }
        }
        return Ok(out);
    }
    // coordinates and speeds belong to each other, and all have mass
    let paired = r.massless == 0 && l.rolling.pattern.nrows == 0;
    let mut f = FirstOrder::new(l, r.clone())?;
    if paired {
        let np = f.positions.ncols();
        let stiffness = Mat::from_fn(np, np, |i, j| -f.a[(np + i, j)]);
        f = FirstOrder::new(l, r.along(&stiffness)?)?;
        clear_rounding(&mut f);
    }
    if f.massless > 0 { with_massless(l, &f) } else { first_order(&f, paired) }
}

/// Undamped vibrations: k x = ω² x, the basis being orthonormal in the mass metric.
fn vibrations(
    l: &Linearised,
    k: &Mat<f64>,
    basis: &Mat<f64>,
    massless: usize,
) -> Result<Vec<Found>, LinearError> {
    let n = k.nrows();
    let moving = n - massless;
    let (mut k_moving, mut basis) = (k.clone(), basis.clone());
    if massless > 0 {
        // directions without mass follow the others
        let block = |i0: usize, i1: usize, j0: usize, j1: usize| {
            Mat::from_fn(i1 - i0, j1 - j0, |i, j| k[(i0 + i, j0 + j)])
        };
        let own = block(moving, n, moving, n);
        let weakest = own.self_adjoint_eigen(Side::Lower).map_err(|_| LinearError::Eigenvalues)?;
        let most = largest_entry(k);
        if let Some(j) = (0..massless).find(|i| weakest.S()[*i].abs() <= ZERO * n as f64 * most) {
            let inner: Vec<f64> = (0..massless).map(|i| weakest.U()[(i, j)]).collect();
            let full = full_mul(&columns(&basis, moving, n), &inner);
            return Err(LinearError::Undetermined(strongest(&full, &l.scale)));
        }
        let follow = own.partial_piv_lu().solve(block(moving, n, 0, moving));
        k_moving = block(0, moving, 0, moving) - block(0, moving, moving, n) * &follow;
        basis = columns(&basis, 0, moving) - columns(&basis, moving, n) * &follow;
    }
    let eigen = k_moving.self_adjoint_eigen(Side::Lower).map_err(|_| LinearError::Eigenvalues)?;
    let most = largest((0..moving).map(|i| eigen.S()[i].abs()));
    let mut out = Vec::new();
    for j in 0..moving {
        let stiffness = eigen.S()[j];
        let inner: Vec<f64> = (0..moving).map(|i| eigen.U()[(i, j)]).collect();
        let shape: Vec<c64> =
            full_mul(&basis, &inner).into_iter().map(|x| c64::new(x, 0.0)).collect();
        let mut push = |exponent| out.push(Found { exponent, shape: shape.clone() });
        if stiffness.abs() <= ZERO * n as f64 * most {
            push(c64::new(0.0, 0.0));
        } else if stiffness > 0.0 {
            push(c64::new(0.0, stiffness.sqrt()));
        } else {
            push(c64::new((-stiffness).sqrt(), 0.0));
            push(c64::new(-(-stiffness).sqrt(), 0.0));
        }
    }
    Ok(out)
}

/// The entry that is largest beside its scale.
fn strongest(x: &[f64], scale: &[f64]) -> usize {
    let size = |i: &usize| (x[*i] / scale[*i]).abs();
    (0..x.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
}

/// Positions, speeds and auxiliary states made comparable: speeds are measured against the fastest rate.
fn scaled(f: &FirstOrder) -> (Mat<f64>, f64) {
    let (np, nu) = (f.positions.ncols(), f.speeds);
    let n = f.a.nrows();
    let mut fast: f64 = 0.0;
    for i in np..np + nu {
        for j in 0..n {
            let x = f.a[(i, j)].abs();
            fast = fast.max(if j < np { x.sqrt() } else { x });
        }
    }
    let fast = if fast > 0.0 && fast.is_finite() { fast } else { 1.0 };
    let unit = |i: usize| if (np..np + nu).contains(&i) { fast } else { 1.0 };
    (Mat::from_fn(n, n, |i, j| f.a[(i, j)] * unit(j) / (unit(i) * fast)), fast)
}

/// All exponents, where no speed is without mass; `paired` coordinates and speeds without rounding can be balanced.
fn first_order(f: &FirstOrder, paired: bool) -> Result<Vec<Found>, LinearError> {
    let (mut a, fast) = scaled(f);
    let n = a.nrows();
    let mut unit = vec![1.0; n];
    if paired {
        unit = balancing(&a);
        a = Mat::from_fn(n, n, |i, j| a[(i, j)] * unit[j] / unit[i]);
    }
    let np = f.positions.ncols();
    let found = exponents(&a, paired)?;
    let shape = |x: &[c64]| {
        let own: Vec<c64> = x[..np].iter().zip(&unit).map(|(x, u)| x * u).collect();
        complex_mul(&f.positions, &own)
    };
    Ok(found
        .into_iter()
        .map(|p| Found { exponent: p.exponent * fast, shape: shape(&p.vector) })
        .collect())
}

/// The same where some speeds have no mass, by 1/(s − σ): those that would be infinite become zero.
fn with_massless(l: &Linearised, f: &FirstOrder) -> Result<Vec<Found>, LinearError> {
    let (np, nu, n) = (f.positions.ncols(), f.speeds, f.a.nrows());
    let mass = |i: usize| if (np + nu - f.massless..np + nu).contains(&i) { 0.0 } else { 1.0 };
    // a rate that is no exponent by accident, of their size
    let shift = 0.618 * (largest_entry(&f.a).sqrt()).max(f64::MIN_POSITIVE);
    let shifted =
        Mat::from_fn(n, n, |i, j| f.a[(i, j)] - if i == j { shift * mass(i) } else { 0.0 });
    let e = Mat::from_fn(n, n, |i, j| if i == j { mass(i) } else { 0.0 });
    let t = shifted.partial_piv_lu().solve(&e);
    if !largest_entry(&t).is_finite() {
        let last: Vec<f64> = (0..f.positions.nrows()).map(|i| f.positions[(i, np - 1)]).collect();
        return Err(LinearError::Undetermined(strongest(&last, &l.scale)));
    }
    let eigen = t.eigen().map_err(|_| LinearError::Eigenvalues)?;
    let most = largest((0..n).map(|k| eigen.S()[k].norm()));
    let mut out = Vec::new();
    for k in 0..n {
        let theta = eigen.S()[k];
        if theta.norm() <= INFINITE * most {
            continue;
        }
        let x: Vec<c64> = (0..np).map(|i| eigen.U()[(i, k)]).collect();
        let mut exponent = c64::new(shift, 0.0) + c64::new(1.0, 0.0) / theta;
        if exponent.norm() <= 1e-7 * shift {
            exponent = c64::new(0.0, 0.0);
        }
        out.push(Found { exponent, shape: complex_mul(&f.positions, &x) });
    }
    Ok(out)
}
