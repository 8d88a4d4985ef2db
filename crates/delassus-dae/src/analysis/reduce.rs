//! The equations next to a state in their degrees of freedom, with full matrices.
//!
//! δ = Z_p y with a basis Z_p of the displacements that the position rows allow, orthonormal in the mass metric. Rows that exist
//! for velocities only leave ẏ = Y u + X y with fewer speeds u. Then
//!
//! ```text
//! w = Z_v u + W y,  Z_v = Z_p Y,  W = Z_p X + N Z_p
//! u̇ = −Z_vᵀ [M W (Y u + X y) + (M B + C)(Z_v u + W y) + K Z_p y − F_z ζ]
//! ζ̇ = Z_q Z_p y + Z_v' (Z_v u + W y) + Z_z ζ
//! ```

use super::linearise::{LinearError, Linearised};
use super::matrices::{Sparse, columns, entry_sizes, largest_entry};
use super::vibrations::{DOUBT, orthonormal};
use faer::{Mat, Side};

/// Part of the largest inertia below which a direction has none.
const MASSLESS: f64 = 1e-13;

/// Bases of what can move.
#[derive(Clone)]
pub(super) struct Reduced {
    /// Z_p.
    pub positions: Mat<f64>,
    /// Y, X.
    pub speeds: Mat<f64>,
    pub follows: Mat<f64>,
    /// Directions of Z_p without mass come last: so many.
    pub massless: usize,
}

/// An orthonormal basis of the null space of independent rows, in coordinates of size `scale`.
fn null_space(rows: &Sparse, scale: &[f64]) -> Mat<f64> {
    let (m, n) = (rows.pattern.nrows, rows.pattern.ncols);
    if m == 0 {
        return Mat::from_fn(n, n, |i, j| if i == j { scale[i] } else { 0.0 });
    }
    let mut t = Mat::<f64>::zeros(n, m);
    let mut size = vec![0.0; m];
    for (i, j, x) in rows.entries() {
        t[(j, i)] += x * scale[j];
        size[i] += (x * scale[j]).powi(2);
    }
    for i in 0..m {
        let unit = if size[i] > 0.0 { 1.0 / size[i].sqrt() } else { 1.0 };
        for j in 0..n {
            t[(j, i)] *= unit;
        }
    }
    let q = t.qr().compute_Q();
    Mat::from_fn(n, n - m.min(n), |i, j| scale[i] * q[(i, m + j)])
}

impl Reduced {
    /// Bases for a linearisation.
    pub fn new(l: &Linearised) -> Result<Reduced, LinearError> {
        let z = null_space(&l.rows, &l.scale);
        if z.ncols() == 0 {
            return Err(LinearError::NoFreedom);
        }
        // orthonormal in the mass metric, directions without mass last and orthonormal as they are
        let mass = z.transpose() * l.mass.times_full(&z);
        let symmetric =
            Mat::from_fn(mass.nrows(), mass.ncols(), |i, j| 0.5 * (mass[(i, j)] + mass[(j, i)]));
        let eigen =
            symmetric.self_adjoint_eigen(Side::Lower).map_err(|_| LinearError::Eigenvalues)?;
        let n = z.ncols();
        let most = eigen.S()[n - 1].max(0.0);
        // ascending
        let massless = (0..n).filter(|i| !(eigen.S()[*i] > MASSLESS * most)).count();
        let order: Vec<usize> = (massless..n).chain(0..massless).collect();
        let basis = Mat::from_fn(n, n, |i, j| {
            let k = order[j];
            let size = if k < massless { 1.0 } else { eigen.S()[k].sqrt() };
            eigen.U()[(i, k)] / size
        });
        // eigenvectors of small masses are orthonormal to rounding of the largest
        let positions = &z * &basis;
        let moving = orthonormal(l, &columns(&positions, 0, n - massless));
        let positions = Mat::from_fn(positions.nrows(), n, |i, j| {
            if j < n - massless { moving[(i, j)] } else { positions[(i, j)] }
        });
        let (speeds, follows) = slipless(l, &positions)?;
        Ok(Reduced { positions, speeds, follows, massless })
    }
}

/// Y and X with ẏ = Y u + X y.
fn slipless(l: &Linearised, positions: &Mat<f64>) -> Result<(Mat<f64>, Mat<f64>), LinearError> {
    let np = positions.ncols();
    let m = l.rolling.pattern.nrows;
    if m == 0 {
        return Ok((Mat::identity(np, np), Mat::zeros(np, np)));
    }
    let held = l.rolling.times_full(positions);
    let qr = held.transpose().qr();
    let q = qr.compute_Q();
    let r = qr.R();
    let speeds = columns(&q, m.min(np), np);
    // X = −Q₁ R⁻ᵀ (G_r N + D) Z_p
    let mut right = l.drift.times_full(positions);
    let turned = l.axes.n.times_full(positions);
    right += l.rolling.times_full(&turned);
    let mut solved = Mat::<f64>::zeros(m, np);
    for j in 0..np {
        for i in 0..m {
            let mut x = right[(i, j)];
            for k in 0..i {
                x -= r[(k, i)] * solved[(k, j)];
            }
            if r[(i, i)] == 0.0 {
                return Err(LinearError::Eigenvalues);
            }
            solved[(i, j)] = x / r[(i, i)];
        }
    }
    let first = columns(&q, 0, m);
    Ok((speeds, &first * &solved * faer::Scale(-1.0)))
}

/// The matrix of the first-order equations for x = (y, u, ζ).
pub(super) struct FirstOrder {
    /// A in ẋ = A x; where directions have no mass, in E ẋ = A x.
    pub a: Mat<f64>,
    /// How far each of its entries may be off by rounding.
    pub doubt: Mat<f64>,
    /// Z_p.
    pub positions: Mat<f64>,
    /// How many speeds there are, of which so many last have no mass.
    pub speeds: usize,
    pub massless: usize,
}

impl FirstOrder {
    /// Assembles it.
    pub fn new(l: &Linearised, r: Reduced) -> Result<FirstOrder, LinearError> {
        let Reduced { positions: zp, speeds: y, follows: x, massless } = r;
        let (np, nu, nz) = (zp.ncols(), y.ncols(), l.live.len());
        let zv = &zp * &y;
        let mut w = &zp * &x;
        w += l.axes.n.times_full(&zp);
        let mw = l.mass.times_full(&w);
        let by_speed = |m: &Mat<f64>| -> Mat<f64> {
            l.mass.times_full(&l.axes.b.times_full(m)) + l.damping.times_full(m)
        };
        let of_u = &mw * &y + by_speed(&zv);
        let of_y = &mw * &x + by_speed(&w) + l.stiffness.times_full(&zp);
        let (au, ay) = (zv.transpose() * of_u, zv.transpose() * of_y);
        let [zq, zw, zz] = l.rates()?;
        let fz = zv.transpose() * l.force_by_z()?.times_full(&Mat::identity(nz, nz));
        let rate_y = zq.times_full(&zp) + zw.times_full(&w);
        let rate_u = zw.times_full(&zv);
        let rate_z = zz.times_full(&Mat::identity(nz, nz));
        let block = |of: [&Mat<f64>; 8]| {
            let [yy, yu, uy, uu, uz, zy, zu, zz] = of;
            Mat::from_fn(np + nu + nz, np + nu + nz, |i, j| match (i, j) {
                (i, j) if i < np && j < np => yy[(i, j)],
                (i, j) if i < np && j < np + nu => yu[(i, j - np)],
                (i, _) if i < np => 0.0,
                (i, j) if i < np + nu && j < np => uy[(i - np, j)],
                (i, j) if i < np + nu && j < np + nu => uu[(i - np, j - np)],
                (i, j) if i < np + nu => uz[(i - np, j - np - nu)],
                (i, j) if j < np => zy[(i - np - nu, j)],
                (i, j) if j < np + nu => zu[(i - np - nu, j - np)],
                (i, j) => zz[(i - np - nu, j - np - nu)],
            })
        };
        let (minus_y, minus_u) = (&ay * faer::Scale(-1.0), &au * faer::Scale(-1.0));
        let a = block([&x, &y, &minus_y, &minus_u, &fz, &rate_y, &rate_u, &rate_z]);
        // the same sums of sizes
        let sizes = Sizes { m: l.mass.sizes(), b: l.axes.b.sizes(), c: l.damping.sizes() };
        let [zp_size, zv_size, w_size] = [&zp, &zv, &w].map(entry_sizes);
        let mw_size = sizes.m.times_full(&w_size);
        let of_u = &mw_size * entry_sizes(&y) + sizes.by_speed(&zv_size);
        let of_y = &mw_size * entry_sizes(&x)
            + sizes.by_speed(&w_size)
            + l.stiffness.sizes().times_full(&zp_size);
        let (uu, uy) = (zv_size.transpose() * of_u, zv_size.transpose() * of_y);
        let uz = zv_size.transpose() * l.force_by_z()?.sizes().times_full(&Mat::identity(nz, nz));
        let zy = zq.sizes().times_full(&zp_size) + zw.sizes().times_full(&w_size);
        let zu = zw.sizes().times_full(&zv_size);
        let zz = entry_sizes(&rate_z);
        let doubt = block([&entry_sizes(&x), &entry_sizes(&y), &uy, &uu, &uz, &zy, &zu, &zz])
            * faer::Scale(DOUBT);
        Ok(FirstOrder { a, doubt, positions: zp, speeds: nu, massless })
    }
}

/// Sizes of the entries of M, B and C.
struct Sizes {
    m: Sparse,
    b: Sparse,
    c: Sparse,
}

impl Sizes {
    fn by_speed(&self, w: &Mat<f64>) -> Mat<f64> {
        self.m.times_full(&self.b.times_full(w)) + self.c.times_full(w)
    }
}

/// The entry that is largest beside its scale.
pub(super) fn strongest(x: &[f64], scale: &[f64]) -> usize {
    let size = |i: &usize| (x[*i] / scale[*i]).abs();
    (0..x.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
}

/// Whether the equations are those of undamped vibrations about a rest, in the degrees of freedom: symmetric K, no C, nothing that
/// turns, no auxiliary states.
pub(super) fn is_undamped(l: &Linearised, z: &Mat<f64>) -> bool {
    let quiet = l.axes.n.is_zero() && l.axes.b.is_zero() && l.live.is_empty() && l.drift.is_zero();
    if !quiet {
        return false;
    }
    let k = z.transpose() * l.stiffness.times_full(z);
    let c = z.transpose() * l.damping.times_full(z);
    let most = largest_entry(&k);
    if largest_entry(&c).powi(2) > (f64::EPSILON * f64::EPSILON) * most {
        return false;
    }
    let n = k.nrows();
    let skew = Mat::from_fn(n, n, |i, j| 0.5 * (k[(i, j)] - k[(j, i)]));
    // what rounding, and the forces that an equilibrium leaves, make of a symmetric matrix
    largest_entry(&skew) <= 1e-9 * most
}
