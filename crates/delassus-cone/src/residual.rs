//! The one residual by which all solvers are judged.

use crate::law::bare_defect;
use crate::problem::{DenseProblem, check_dense};
use crate::workspace::Workspace;

/// How far `r` is from solving the problem, as a pure number.
///
/// It is the largest entry of the natural map `r̂ − P_K(r̂ − û − μ|û_T| e_N)` in scaled quantities:
///
/// ```text
/// r̂ = √d r / B     û = u / (√d B)     d = W_ii (largest of the block)     B = max |b_i|/√d_i
/// ```
///
/// (`B` also includes reactions forced by an [`Interval`](crate::Law::Interval) that does not contain zero.) It is zero
/// exactly at solutions; it does not change with the units of rows nor with factors on `W`, `b` or both. What rounding
/// of `W r` alone can cause, 4ε·max Σ|Ŵ_ij r̂_j| but never more than 10⁻⁶, is deducted: large inner stresses of
/// redundant contacts would otherwise leave a residual that no solver can remove. With `b = 0` the largest `|√d r|` is
/// used instead of `B`.
///
/// NaN for bad input, infinite where `r` is not finite.
pub fn natural_residual(p: &DenseProblem<'_>, r: &[f64], ws: &mut Workspace) -> f64 {
    if check_dense(p, r.len()).is_some() {
        return f64::NAN;
    }
    ws.scaled.load(p);
    scaled_residual(p, r, ws)
}

/// The same if the scaled problem is already loaded.
pub(crate) fn scaled_residual(p: &DenseProblem<'_>, r: &[f64], ws: &mut Workspace) -> f64 {
    if !r.iter().all(|x| x.is_finite()) {
        return f64::INFINITY;
    }
    let s = &ws.scaled;
    if !s.is_finite() {
        return f64::INFINITY;
    }
    for k in 0..s.laws.len() {
        if !s.bare[k] {
            continue;
        }
        let rows = s.start[k]..s.start[k + 1];
        if bare_defect(p.laws[k], &p.b[rows.clone()], s.bare_floor, &r[rows]) {
            return 1.0;
        }
    }
    s.scale_impulses(r, &mut ws.hat);
    if s.size == 0.0 {
        // Nothing drives: relative to the reactions themselves.
        let top = (0..s.n).fold(0.0f64, |m, i| m.max(ws.hat[i].abs()));
        if top == 0.0 {
            return 0.0;
        }
        return s.residual(&ws.hat, &mut ws.u) / top;
    }
    s.residual(&ws.hat, &mut ws.u)
}
