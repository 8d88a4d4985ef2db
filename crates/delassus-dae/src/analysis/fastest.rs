//! The fastest exponents of large systems: Arnoldi with the first-order equations themselves, whose largest eigenvalues it finds
//! first. Every product takes one solution with the mass and the rows.
//!
//! Auxiliary states are held: they relax at rates that are known apart. What is found for a cluster of exponents at the end
//! of the spectrum, as chains of equal links have, lies within its residual of one of them.

use super::linearise::{LinearError, Linearised};
use super::matrices::Sparse;
use super::modes::{Found, Mode, mode};
use super::saddle::Undamped;
use faer::{Mat, c64};

/// Vectors of the first space, which finds the unit of speed, and of the second.
const ROUGH: usize = 12;
const MOST: usize = 240;
/// Residual of an exponent, relative to the fastest, up to which it is told. The exponent itself is mostly much closer, as it is
/// where the matrices are symmetric: by the square of the residual over the distance of the others.
const CONVERGED: f64 = 1e-2;

/// The fastest exponents, at most `count`, by size; the first is within a hundredth of the largest there is, and mostly to a
/// thousandth.
pub fn fastest(l: &Linearised, count: usize) -> Result<Vec<Mode>, LinearError> {
    let free = l.nv().saturating_sub(l.rows.pattern.nrows + l.rolling.pattern.nrows);
    if free == 0 {
        return Err(LinearError::NoFreedom);
    }
    let mut op = Forward::new(l)?;
    let rough = space(&mut op, ROUGH.min(2 * free))?;
    op.unit = delassus_math::largest(rough.iter().map(|f| f.0.exponent.norm()));
    if !(op.unit > 0.0) {
        // nothing moves by itself
        return Ok(Vec::new());
    }
    let found = space(&mut op, MOST.min(2 * free))?;
    let top = found.first().map_or(0.0, |f| f.0.exponent.norm());
    let good = found.into_iter().take_while(|(_, rest)| *rest <= CONVERGED * top);
    let good: Vec<Found> = good.map(|f| f.0).take(count).collect();
    match good.is_empty() {
        true => Err(LinearError::Eigenvalues),
        false => Ok(good.into_iter().map(|f| mode(f, &l.scale)).collect()),
    }
}

/// (δ, w) to their rates, in sizes of the coordinates.
struct Forward<'a> {
    l: &'a Linearised,
    mass: Undamped,
    /// C + M B.
    speed: Sparse,
    /// Sizes of speeds over those of displacements, 1/s.
    unit: f64,
}

impl<'a> Forward<'a> {
    fn new(l: &'a Linearised) -> Result<Forward<'a>, LinearError> {
        let n = l.nv();
        let none = Sparse::zero(n, n);
        let mut speed: Vec<_> = l.damping.entries().collect();
        speed.extend(l.mass.times(&l.axes.b)?.entries());
        let speed = Sparse::from_entries(n, n, &speed)?;
        Ok(Forward { l, mass: Undamped::new(l, &none, 1.0)?, speed, unit: 1.0 })
    }

    /// What a force does: M x − Gᵀλ = f, G x = 0, in sizes.
    fn solve(&mut self, f: &[f64]) -> Result<Vec<f64>, LinearError> {
        let mut x = vec![0.0; f.len()];
        self.mass.solve(f, &mut x)?;
        x.iter_mut().zip(&self.l.scale).for_each(|(x, s)| *x /= s);
        Ok(x)
    }

    /// The nearest that the rows allow.
    fn admit(&mut self, x: &[f64]) -> Result<Vec<f64>, LinearError> {
        let real: Vec<f64> = x.iter().zip(&self.l.scale).map(|(x, s)| x * s).collect();
        let f = self.l.mass.mul(&real);
        self.solve(&f)
    }

    fn apply(&mut self, x: &[f64]) -> Result<Vec<f64>, LinearError> {
        let l = self.l;
        let n = l.nv();
        let real = |x: &[f64], u: f64| -> Vec<f64> {
            x.iter().zip(&l.scale).map(|(x, s)| x * s * u).collect()
        };
        let (d, w) = (real(&x[..n], 1.0), real(&x[n..], self.unit));
        let mut out = w.clone();
        l.axes.n.mul_add(-1.0, &d, &mut out);
        out.iter_mut().zip(&l.scale).for_each(|(x, s)| *x /= s);
        let mut f = vec![0.0; n];
        l.stiffness.mul_add(-1.0, &d, &mut f);
        self.speed.mul_add(-1.0, &w, &mut f);
        let rates = self.solve(&f)?;
        out.extend(rates.iter().map(|a| a / self.unit));
        Ok(out)
    }
}

/// Exponents of one Krylov space by size, with their residuals, 1/s.
fn space(op: &mut Forward<'_>, most: usize) -> Result<Vec<(Found, f64)>, LinearError> {
    let n = op.l.nv();
    let start: Vec<f64> = (0..2 * n).map(|i| (1.0 + 0.754_877 * (i + 1) as f64).sin()).collect();
    let mut v = op.admit(&start[..n])?;
    v.extend(op.admit(&start[n..])?);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut h = Mat::<f64>::zeros(most + 1, most);
    let mut m = 0;
    let mut size = norm(&v);
    while size > 0.0 && m < most {
        v.iter_mut().for_each(|x| *x /= size);
        let mut next = op.apply(&v)?;
        basis.push(v);
        let before = norm(&next);
        for _ in 0..2 {
            for (i, b) in basis.iter().enumerate() {
                let c: f64 = b.iter().zip(&next).map(|(b, x)| b * x).sum();
                h[(i, m)] += c;
                next.iter_mut().zip(b).for_each(|(x, b)| *x -= c * b);
            }
        }
        size = norm(&next);
        if !(size > 1e-13 * before) {
            size = 0.0;
        }
        h[(m + 1, m)] = size;
        v = next;
        m += 1;
    }
    let small = Mat::from_fn(m, m, |i, j| h[(i, j)]);
    let eigen = small.eigen().map_err(|_| LinearError::Eigenvalues)?;
    let mut order: Vec<usize> = (0..m).filter(|k| eigen.S()[*k].im >= 0.0).collect();
    order.sort_by(|a, b| eigen.S()[*b].norm().total_cmp(&eigen.S()[*a].norm()));
    let last = if m > 0 { h[(m, m - 1)] } else { 0.0 };
    let found = order.into_iter().map(|k| {
        let rest = last * eigen.U()[(m - 1, k)].norm();
        let part = |i: usize| {
            let parts = basis.iter().enumerate().map(|(j, b)| eigen.U()[(j, k)] * b[i]);
            parts.fold(c64::new(0.0, 0.0), |x, y| x + y) * op.l.scale[i]
        };
        let shape = (0..n).map(part).collect();
        (Found { exponent: eigen.S()[k], doubt: rest, shape }, rest)
    });
    Ok(found.collect())
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
