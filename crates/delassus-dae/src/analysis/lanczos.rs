//! The lowest undamped vibrations of large systems: Lanczos with (K + κM)⁻¹ M, orthonormal in the mass metric.
//!
//! One Krylov space finds one vector of each eigenvalue only. What has converged is set aside and the search goes on across it
//! from another start, until a whole search finds nothing that is lower than what was asked for: so modes that come in
//! pairs, as those of a chain that swings in two planes, are all found.

use super::linearise::{LinearError, Linearised};
use super::saddle::Undamped;
use super::shift;
use super::vibrations::{DOUBT, ZERO, doubt_of};
use delassus_math::largest;
use faer::{Mat, Side};

/// Residual of a Ritz pair, relative to the largest one, below which it has converged.
const CONVERGED: f64 = 1e-13;
/// The shift, in parts of the lowest stiffness over mass that is not zero.
const SHIFT: f64 = 0.05;

/// Stiffness over mass ω² with its shape, by size.
pub(super) struct Vibration {
    pub stiffness: f64,
    /// How far it may be off.
    pub doubt: f64,
    pub shape: Vec<f64>,
}

/// The `count` lowest vibrations by |ω²|, or all there are.
pub(super) fn lowest(l: &Linearised, count: usize) -> Result<Vec<Vibration>, LinearError> {
    let first = shift::first(&l.mass, &l.stiffness);
    let rough = search(l, count.min(4), first)?;
    let solid = rough.iter().map(|v| v.stiffness.abs()).find(|k| *k > 1e-6 * first);
    let kappa = solid.map_or(first, |k| SHIFT * k);
    search(l, count, kappa)
}

fn search(l: &Linearised, count: usize, kappa: f64) -> Result<Vec<Vibration>, LinearError> {
    let n = l.nv();
    let free = n.saturating_sub(l.rows.pattern.nrows + l.rolling.pattern.nrows);
    if free == 0 {
        return Err(LinearError::NoFreedom);
    }
    let count = count.min(free);
    let mut op = Undamped::new(l, &l.stiffness, kappa)?;
    let mut locked: Vec<Locked> = Vec::new();
    for pass in 0..count + 8 {
        let room = free - locked.len();
        if room == 0 {
            break;
        }
        let size = (2 * count + 30).min(room);
        let Some(found) = one_space(l, &mut op, &locked, size, pass)? else { break };
        let mut known: Vec<f64> = locked.iter().map(|p| p.theta.abs()).collect();
        known.sort_by(|a, b| b.total_cmp(a));
        let enough = known.get(count - 1).copied().unwrap_or(0.0);
        let best = largest(found.iter().map(|p| p.theta.abs()));
        if known.len() >= count && best <= enough * (1.0 + 1e-9) {
            break;
        }
        locked.extend(found);
    }
    locked.sort_by(|a, b| b.theta.abs().total_cmp(&a.theta.abs()));
    locked.truncate(count);
    let sizes = l.stiffness.sizes();
    let vibration = |p: Locked| {
        let stiffness = dot(&p.x, &l.stiffness.mul(&p.x));
        // what the inverse finds is the same but for errors
        // and what rounding of the shift leaves in motions that nothing holds
        let rounding = doubt_of(&sizes, &p.x).max(DOUBT * kappa);
        let doubt = rounding.max((stiffness - (1.0 / p.theta - kappa)).abs());
        let held = stiffness.abs() > ZERO * rounding;
        let [stiffness, doubt] = if held { [stiffness, doubt] } else { [0.0, ZERO * rounding] };
        Vibration { stiffness, doubt, shape: p.x }
    };
    Ok(locked.into_iter().map(vibration).collect())
}

/// A pair that has converged: θ = 1/(ω² + κ), x of unit mass and M x.
struct Locked {
    theta: f64,
    x: Vec<f64>,
    mx: Vec<f64>,
}

/// Converged pairs of one Krylov space across those that are set aside. `None` where nothing is left.
fn one_space(
    l: &Linearised,
    op: &mut Undamped,
    aside: &[Locked],
    size: usize,
    pass: usize,
) -> Result<Option<Vec<Locked>>, LinearError> {
    let n = l.nv();
    let mut basis: Vec<Vec<f64>> = aside.iter().map(|p| p.x.clone()).collect();
    let mut mass_basis: Vec<Vec<f64>> = aside.iter().map(|p| p.mx.clone()).collect();
    let start: Vec<f64> = (0..n)
        .map(|i| l.scale[i] * (1.0 + 0.754_877 * (i + 1) as f64 * (1.0 + pass as f64)).sin())
        .collect();
    let mut v = vec![0.0; n];
    op.solve(&l.mass.mul(&start), &mut v)?;
    let size_of = |x: &[f64]| dot(x, &l.mass.mul(x)).max(0.0).sqrt();
    let across = |x: &mut Vec<f64>, basis: &[Vec<f64>], mass_basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for (b, m) in basis.iter().zip(mass_basis) {
                let c = dot(x, m);
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= c * b);
            }
        }
    };
    let first = size_of(&v);
    across(&mut v, &basis, &mass_basis);
    let left = size_of(&v);
    if !(left > 1e-10 * first) {
        return Ok(None);
    }
    v.iter_mut().for_each(|x| *x /= left);
    let (mut alpha, mut beta): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for _ in 0..size {
        let mv = l.mass.mul(&v);
        let mut next = vec![0.0; n];
        op.solve(&mv, &mut next)?;
        let a = dot(&next, &mv);
        basis.push(v.clone());
        mass_basis.push(mv);
        alpha.push(a);
        across(&mut next, &basis, &mass_basis);
        let b = size_of(&next);
        beta.push(b);
        let most = alpha.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        if !(b > 1e-14 * most) {
            break;
        }
        v = next.into_iter().map(|x| x / b).collect();
    }
    let m = alpha.len();
    let t = Mat::from_fn(m, m, |i, j| match i.abs_diff(j) {
        0 => alpha[i],
        1 => beta[i.min(j)],
        _ => 0.0,
    });
    let eigen = t.self_adjoint_eigen(Side::Lower).map_err(|_| LinearError::Eigenvalues)?;
    let last = beta[m - 1];
    let most = largest((0..m).map(|k| eigen.S()[k].abs()));
    let mut out = Vec::new();
    for k in 0..m {
        let theta = eigen.S()[k];
        if (last * eigen.U()[(m - 1, k)]).abs() > CONVERGED * most || theta.abs() <= 1e-13 * most {
            continue;
        }
        let mut x = vec![0.0; n];
        for (i, b) in basis[aside.len()..].iter().enumerate() {
            let c = eigen.U()[(i, k)];
            x.iter_mut().zip(b).for_each(|(x, b)| *x += c * b);
        }
        let unit = size_of(&x);
        x.iter_mut().for_each(|x| *x /= unit);
        out.push(Locked { theta, mx: l.mass.mul(&x), x });
    }
    Ok(if out.is_empty() { None } else { Some(out) })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
