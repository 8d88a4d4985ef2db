//! All undamped vibrations K x = ω² M x of a basis of displacements, the slowest as well as the fastest.
//!
//! Full matrices hold each ω² to rounding of the largest one: of a beam of 60 thin elements that is 1e-3 of the lowest. What one
//! matrix knows least its inverse knows best. The slower half, by powers of ten, is therefore taken from
//!
//! ```text
//! T = Zᵀ M (K + κM)⁻¹ M Z        θ = 1/(ω² + κ)
//! ```
//!
//! with the basis Z of what has mass, orthonormal in the mass metric, and solutions with the sparse matrix: in the coordinates of
//! the model each stiffness stands beside those of its neighbours only. One more such solution than the basis needs makes the
//! shapes, and ω² is their Rayleigh quotient, of second order in what is left of errors.
//!
//! Each ω² comes with a doubt: what rounding of the entries of K can do to it, |x|ᵀ|K||x| ε, and how far T disagrees. What is not
//! larger than the first is zero.

use super::jacobi::symmetric_eigen;
use super::linearise::{LinearError, Linearised};
use super::matrices::{Sparse, columns, full_mul, largest_entry};
use super::reduce::strongest;
use super::saddle::Undamped;
use super::shift;
use delassus_math::largest;
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// Rounding of an entry of K, and as much again for what is solved with it.
pub(super) const DOUBT: f64 = 2.0 * f64::EPSILON;
/// Roundings below which a stiffness is none: entries are sums, and forces of an equilibrium are known less well.
pub(super) const ZERO: f64 = 60.0;
/// Stiffness of n directions without mass below n times this part of the largest is none.
const SOFT: f64 = 20.0 * f64::EPSILON;
/// Ratio of neighbouring ω² between which both halves may meet: they agree then on how many lie below.
const GAP: f64 = 1.001;
/// Part of the lowest ω² that is not zero which is the shift, and parts that are left as they are.
const SHIFT: f64 = 0.05;
const GOOD_SHIFT: [f64; 2] = [1e-4, 0.5];

/// Vibrations by |ω²|.
pub(super) struct Vibrations {
    /// ω², 1/s²; zero where nothing holds.
    pub values: Vec<f64>,
    /// How far each may be off, 1/s²: where it is zero, what it may be.
    pub doubts: Vec<f64>,
    /// Columns of unit mass.
    pub shapes: Mat<f64>,
}

/// ω² of a shape with what rounding does to it, and what all errors may, 1/s².
#[derive(Clone, Copy)]
struct Square {
    value: f64,
    rounding: f64,
    doubt: f64,
}

impl Square {
    fn is_zero(&self) -> bool {
        self.value.abs() <= ZERO * self.rounding
    }
}

/// Eigenvalues by size with shapes of unit mass.
struct Half {
    squares: Vec<Square>,
    shapes: Mat<f64>,
}

/// Vibrations in the space of a basis, orthonormal in the mass metric, of which so many last columns have no mass. K must be
/// symmetric in it.
pub(super) fn vibrations(
    l: &Linearised,
    stiffness: &Sparse,
    basis: &Mat<f64>,
    massless: usize,
) -> Result<Vibrations, LinearError> {
    let fast = faster(l, stiffness, basis, massless)?;
    let n = fast.squares.len();
    let most = fast.squares.last().map_or(0.0, |s| s.value.abs());
    let moving = columns(basis, 0, n);
    let slow = if most > 0.0 && most.is_finite() {
        slower(l, stiffness, &stiffness.sizes(), &moving)
    } else {
        None
    };
    let Half { mut squares, mut shapes } = fast;
    if let Some(slow) = slow {
        let below = meeting(&slow.squares, &squares);
        let high = shapes;
        shapes = Mat::from_fn(basis.nrows(), n, |i, j| {
            if j < below { slow.shapes[(i, j)] } else { high[(i, j)] }
        });
        squares[..below].copy_from_slice(&slow.squares[..below]);
    }
    for s in &mut squares {
        if s.is_zero() {
            *s = Square { value: 0.0, doubt: ZERO * s.rounding, ..*s };
        }
    }
    let values = squares.iter().map(|s| s.value).collect();
    let doubts = squares.iter().map(|s| s.doubt).collect();
    Ok(Vibrations { values, doubts, shapes })
}

/// How many are taken from the slower half: up to the gap nearest to the middle, by powers.
fn meeting(slow: &[Square], fast: &[Square]) -> usize {
    let n = fast.len();
    let Some(least) = slow.iter().find(|s| !s.is_zero()).map(|s| s.value.abs()) else {
        return n;
    };
    let middle = (least * fast[n - 1].value.abs()).sqrt();
    let size = |k: usize| {
        let s = slow[k].value.abs();
        if s < middle { s } else { fast[k].value.abs() }
    };
    let off = |k: &usize| ((size(*k) * size(*k - 1)).sqrt() / middle).ln().abs();
    let apart = |k: &usize| size(*k) > GAP * size(*k - 1) && size(*k - 1) > 0.0;
    (1..n).filter(apart).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(n)
}

/// From Zᵀ K Z; directions without mass follow the others.
fn faster(
    l: &Linearised,
    stiffness: &Sparse,
    basis: &Mat<f64>,
    massless: usize,
) -> Result<Half, LinearError> {
    let full = basis.transpose() * stiffness.times_full(basis);
    let n = full.nrows();
    let k = Mat::from_fn(n, n, |i, j| 0.5 * (full[(i, j)] + full[(j, i)]));
    let moving = n - massless;
    let (mut k_moving, mut basis) = (k.clone(), basis.clone());
    if massless > 0 {
        let block = |i0: usize, i1: usize, j0: usize, j1: usize| {
            Mat::from_fn(i1 - i0, j1 - j0, |i, j| k[(i0 + i, j0 + j)])
        };
        let own = block(moving, n, moving, n);
        let weakest = own.self_adjoint_eigen(Side::Lower).map_err(|_| LinearError::Eigenvalues)?;
        let most = largest_entry(&k);
        if let Some(j) = (0..massless).find(|i| weakest.S()[*i].abs() <= SOFT * n as f64 * most) {
            let inner: Vec<f64> = (0..massless).map(|i| weakest.U()[(i, j)]).collect();
            let full = full_mul(&columns(&basis, moving, n), &inner);
            return Err(LinearError::Undetermined(strongest(&full, &l.scale)));
        }
        let follow = own.partial_piv_lu().solve(block(moving, n, 0, moving));
        k_moving = block(0, moving, 0, moving) - block(0, moving, moving, n) * &follow;
        basis = columns(&basis, 0, moving) - columns(&basis, moving, n) * &follow;
    }
    let (eigenvalues, vectors) = symmetric_eigen(&k_moving).ok_or(LinearError::Eigenvalues)?;
    let mut order: Vec<usize> = (0..moving).collect();
    order.sort_by(|a, b| eigenvalues[*a].abs().total_cmp(&eigenvalues[*b].abs()));
    let u = Mat::from_fn(moving, moving, |i, j| vectors[(i, order[j])]);
    let most = largest(eigenvalues.iter().map(|x| x.abs()));
    let doubt = DOUBT * (moving as f64).sqrt() * most;
    let square = |k: &usize| Square { value: eigenvalues[*k], rounding: doubt, doubt };
    Ok(Half { squares: order.iter().map(square).collect(), shapes: &basis * u })
}

/// From the inverse; `None` where it cannot be had.
fn slower(l: &Linearised, stiffness: &Sparse, sizes: &Sparse, moving: &Mat<f64>) -> Option<Half> {
    let first = shift::first(&l.mass, stiffness);
    let half = inverse(l, stiffness, sizes, moving, first)?;
    let least = half.squares.iter().find(|s| !s.is_zero()).map(|s| s.value.abs());
    let good = |least: f64| (GOOD_SHIFT[0] * least..=GOOD_SHIFT[1] * least).contains(&first);
    match least {
        Some(least) if !good(least) => inverse(l, stiffness, sizes, moving, SHIFT * least),
        _ => Some(half),
    }
}

fn inverse(
    l: &Linearised,
    stiffness: &Sparse,
    sizes: &Sparse,
    moving: &Mat<f64>,
    kappa: f64,
) -> Option<Half> {
    let (rows, n) = (moving.nrows(), moving.ncols());
    let mut op = Undamped::new(l, stiffness, kappa).ok()?;
    let heavy = l.mass.times_full(moving);
    let mut images = Mat::<f64>::zeros(rows, n);
    let (mut f, mut x) = (vec![0.0; rows], vec![0.0; rows]);
    for j in 0..n {
        f.iter_mut().enumerate().for_each(|(i, f)| *f = heavy[(i, j)]);
        op.solve(&f, &mut x).ok()?;
        (0..rows).for_each(|i| images[(i, j)] = x[i]);
    }
    let t = heavy.transpose() * &images;
    let t = Mat::from_fn(n, n, |i, j| 0.5 * (t[(i, j)] + t[(j, i)]));
    let (thetas, vectors) = symmetric_eigen(&t)?;
    // errors of solutions lie along the slowest shapes, which come first
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| thetas[*b].abs().total_cmp(&thetas[*a].abs()));
    let shapes = &images * Mat::from_fn(n, n, |i, j| vectors[(i, order[j])]);
    let shapes = orthonormal(l, &shapes);
    let mut found: Vec<(usize, Square)> = Vec::new();
    for (k, theta) in order.iter().map(|k| thetas[*k]).enumerate() {
        let x: Vec<f64> = (0..rows).map(|i| shapes[(i, k)]).collect();
        let value = dot(&x, &stiffness.mul(&x));
        // and what rounding of the shift leaves in motions that nothing holds
        let rounding = doubt_of(sizes, &x).max(DOUBT * kappa);
        // what the inverse finds is the same but for errors
        let other = 1.0 / theta - kappa;
        found.push((k, Square { value, rounding, doubt: rounding.max((value - other).abs()) }));
    }
    if found.iter().any(|(_, s)| !s.value.is_finite()) {
        return None;
    }
    found.sort_by(|a, b| a.1.value.abs().total_cmp(&b.1.value.abs()));
    Some(Half {
        shapes: Mat::from_fn(rows, n, |i, j| shapes[(i, found[j].0)]),
        squares: found.into_iter().map(|f| f.1).collect(),
    })
}

/// What rounding of the entries of a matrix, of which only the sizes are given, can do to xᵀ K x.
pub(super) fn doubt_of(sizes: &Sparse, x: &[f64]) -> f64 {
    let x: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    DOUBT * dot(&x, &sizes.mul(&x))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Columns that are almost orthonormal in the mass metric, made so from the first to the last.
pub(super) fn orthonormal(l: &Linearised, shapes: &Mat<f64>) -> Mat<f64> {
    let (rows, n) = (shapes.nrows(), shapes.ncols());
    let mut done: Vec<(Vec<f64>, Vec<f64>)> = Vec::with_capacity(n);
    for j in 0..n {
        let mut x: Vec<f64> = (0..rows).map(|i| shapes[(i, j)]).collect();
        for (y, heavy) in &done {
            let c = dot(&x, heavy);
            x.iter_mut().zip(y).for_each(|(x, y)| *x -= c * y);
        }
        let mut heavy = l.mass.mul(&x);
        let unit = 1.0 / dot(&x, &heavy).sqrt();
        x.iter_mut().chain(&mut heavy).for_each(|x| *x *= unit);
        done.push((x, heavy));
    }
    Mat::from_fn(rows, n, |i, j| done[j].0[i])
}

/// The same in the ordinary metric.
pub(super) fn orthonormal_columns(mut u: Mat<f64>) -> Mat<f64> {
    // one step of Newton's method for the nearest orthonormal matrix
    let excess = u.transpose() * &u - Mat::<f64>::identity(u.ncols(), u.ncols());
    let correction = &u * excess;
    u -= correction * faer::Scale(0.5);
    u
}
