//! All modes, with full matrices.

use super::balance::{balancing, clear_rounding};
use super::linearise::{LinearError, Linearised};
use super::matrices::{columns, largest_entry};
use super::modes::Found;
use super::reduce::{FirstOrder, Reduced, is_undamped, strongest};
use super::vibrations::{DOUBT, vibrations};
use super::zeros::{complex_mul, exponents};
use delassus_math::largest;
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// 1/(s − σ) below this part of the largest belongs to a direction without mass.
const INFINITE: f64 = 1e-12;
/// Doubts below which an exponent is zero.
const ZERO_EXPONENT: f64 = 30.0;

/// Modes of all degrees of freedom.
pub(super) fn all_modes(l: &Linearised) -> Result<Vec<Found>, LinearError> {
    let r = Reduced::new(l)?;
    let allowed = &r.positions * &r.speeds;
    if r.speeds.ncols() == 0 {
        return Err(LinearError::NoFreedom);
    }
    if is_undamped(l, &allowed) && (r.massless == 0 || l.rolling.pattern.nrows == 0) {
        let mut out = undamped(l, &allowed, r.massless)?;
        // places that rolling cannot reach, where it rests as well
        let n = r.positions.ncols() - r.speeds.ncols();
        if n > 0 {
            let q = r.speeds.qr().compute_Q();
            let beside = &r.positions * columns(&q, r.speeds.ncols(), r.positions.ncols());
            for j in 0..n {
                let shape = (0..beside.nrows()).map(|i| c64::new(beside[(i, j)], 0.0)).collect();
                out.push(Found { exponent: c64::new(0.0, 0.0), doubt: 0.0, shape });
            }
        }
        return Ok(out);
    }
    // coordinates and speeds belong to each other, and all have mass
    let paired = r.massless == 0 && l.rolling.pattern.nrows == 0;
    let mut f = FirstOrder::new(l, if paired { r.along_vibrations(l)? } else { r })?;
    if paired {
        clear_rounding(&mut f);
    }
    if f.massless > 0 { with_massless(l, &f) } else { first_order(&f, paired) }
}

/// Undamped vibrations in the space of a basis of which so many last columns have no mass.
fn undamped(l: &Linearised, basis: &Mat<f64>, massless: usize) -> Result<Vec<Found>, LinearError> {
    let found = vibrations(l, &l.stiffness, basis, massless)?;
    let mut out = Vec::new();
    for (j, (value, doubt)) in found.values.iter().zip(&found.doubts).enumerate() {
        let shape = (0..basis.nrows()).map(|i| c64::new(found.shapes[(i, j)], 0.0)).collect();
        out.extend(Found::of_square(*value, *doubt, shape));
    }
    Ok(out)
}

/// Positions, speeds and auxiliary states made comparable: speeds are measured against the fastest rate. The units of all, and
/// that of exponents.
fn units(f: &FirstOrder) -> (Vec<f64>, f64) {
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
    ((0..n).map(unit).collect(), fast)
}

/// A matrix in other units.
fn in_units(a: &Mat<f64>, unit: &[f64], fast: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * unit[j] / (unit[i] * fast))
}

/// All exponents, where no speed is without mass; `paired` coordinates and speeds without rounding can be balanced.
fn first_order(f: &FirstOrder, paired: bool) -> Result<Vec<Found>, LinearError> {
    let (mut unit, fast) = units(f);
    let mut a = in_units(&f.a, &unit, fast);
    if paired {
        let even = balancing(&a);
        a = in_units(&a, &even, 1.0);
        unit.iter_mut().zip(&even).for_each(|(u, e)| *u *= e);
    }
    let np = f.positions.ncols();
    let found = exponents(&a, &in_units(&f.doubt, &unit, fast), paired)?;
    let shape = |x: &[c64]| {
        let own: Vec<c64> = x[..np].iter().zip(&unit).map(|(x, u)| x * u).collect();
        complex_mul(&f.positions, &own)
    };
    Ok(found
        .into_iter()
        .map(|p| Found {
            exponent: p.exponent * fast,
            doubt: p.doubt * fast,
            shape: shape(&p.vector),
        })
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
    let finite: Vec<usize> = (0..n).filter(|k| eigen.S()[*k].norm() > INFINITE * most).collect();
    let right = Mat::from_fn(n, finite.len(), |i, j| eigen.U()[(i, finite[j])]);
    let thetas: Vec<c64> = finite.iter().map(|k| eigen.S()[*k]).collect();
    let doubts = shifted_doubts(&t, &shifted, &f.doubt, &right, &thetas)?;
    let mut out = Vec::new();
    for (j, k) in finite.into_iter().enumerate() {
        let theta = eigen.S()[k];
        let x: Vec<c64> = (0..np).map(|i| right[(i, j)]).collect();
        let mut exponent = c64::new(shift, 0.0) + c64::new(1.0, 0.0) / theta;
        let mut doubt = doubts[j] / theta.norm();
        if exponent.norm() <= ZERO_EXPONENT * doubt {
            (exponent, doubt) = (c64::new(0.0, 0.0), 0.0);
        }
        out.push(Found { exponent, doubt, shape: complex_mul(&f.positions, &x) });
    }
    Ok(out)
}

/// What entries that are off by `doubt` do to θ of t = (A − σE)⁻¹E, over θ: |pᵀ| ΔA |x| with pᵀ = wᵀ (A − σE)⁻¹ and the left
/// vectors w; and what rounding of t does.
fn shifted_doubts(
    t: &Mat<f64>,
    shifted: &Mat<f64>,
    doubt: &Mat<f64>,
    right: &Mat<c64>,
    thetas: &[c64],
) -> Result<Vec<f64>, LinearError> {
    let (n, m) = (right.nrows(), right.ncols());
    let eigen = t.transpose().to_owned().eigen().map_err(|_| LinearError::Eigenvalues)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| eigen.S()[*b].norm().total_cmp(&eigen.S()[*a].norm()));
    // the same invariant space from the left, and its basis that belongs to the vectors one by one
    let space = Mat::from_fn(m, n, |i, j| eigen.U()[(j, order[i])]);
    let left = (&space * right).partial_piv_lu().solve(&space);
    let (re, im) =
        (Mat::from_fn(n, m, |i, j| left[(j, i)].re), Mat::from_fn(n, m, |i, j| left[(j, i)].im));
    let lu = shifted.transpose().to_owned().partial_piv_lu();
    let (re, im) = (lu.solve(&re), lu.solve(&im));
    let moved = doubt * Mat::from_fn(n, m, |i, j| right[(i, j)].norm());
    let most = largest_entry(t);
    let one = |k: usize| {
        let entry = |i: usize| re[(i, k)].hypot(im[(i, k)]) * moved[(i, k)];
        let length = |size: &dyn Fn(usize) -> f64| (0..n).map(|i| size(i).powi(2)).sum::<f64>();
        let lengths = length(&|i| left[(k, i)].norm()) * length(&|i| right[(i, k)].norm());
        (0..n).map(entry).sum::<f64>() + DOUBT * most * lengths.sqrt() / thetas[k].norm()
    };
    Ok((0..m).map(one).collect())
}
