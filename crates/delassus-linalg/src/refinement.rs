//! Refinement of a solve on the residual of the true system, the same for every factorisation.

use crate::error::KktError;
use crate::options::SolveInfo;
use crate::vecops::{all_finite, first_non_finite, weighted_max};
use delassus_math::largest;

/// Relative residual to reach, and how often to try.
const RESIDUAL_GOAL: f64 = 2e-14;
const REFINEMENTS_MAX: u32 = 6;
/// Allowed error of a row relative to its own terms, besides that of all together: 1e-13.
const ROWS: f64 = 0.2;
/// A residual that does not fall below this fraction of the last one has stalled.
const STALLED: f64 = 0.8;
/// Relative unbalanced force that means a massless coordinate is free. (Near a singular position the filter leaves up
/// to 1e-4 of a force unbalanced on a coordinate that is held well enough.)
const UNBALANCED: f64 = 1e-2;

/// What a factorisation must offer to be refined.
pub(crate) trait Refined {
    /// Factors of forces and of rows that make all of them comparable: those of mass-scaled units (√mass ·
    /// acceleration).
    fn weights(&self) -> (&[f64], &[f64]);
    /// Some coordinates have no mass but only a floor, which the true system lacks.
    fn is_massless(&self) -> bool;
    /// Removes the free directions from λ.
    fn project(&mut self, lambda: &mut [f64]);
    /// Largest residual of a row relative to its own terms, |b| + |G| |a|, from the residuals found last. If some
    /// bodies weigh almost nothing, the weights above say little about the effect of rows on the others.
    fn worst_row(&mut self, b: &[f64], a: &[f64]) -> f64;
    /// Computes and keeps f + Gᵀλ − M a and b − G a.
    fn find_residuals(&mut self, rhs: (&[f64], &[f64]), x: (&[f64], &[f64]));
    /// The residuals found last.
    fn residuals(&self) -> (&[f64], &[f64]);
    /// Solves for the residuals found last and adds the answer.
    fn correct(&mut self, a: &mut [f64], lambda: &mut [f64]);
}

/// Refines (a, λ). Starting from λ = 0 (the first solve) it is the proximal point iteration, whose
/// limit has no component along the free directions of λ.
pub(crate) fn refine(
    kkt: &mut impl Refined,
    f: &[f64],
    b: &[f64],
    a: &mut [f64],
    lambda: &mut [f64],
) -> Result<SolveInfo, KktError> {
    let (forces, motions) = magnitudes(kkt.weights(), (f, b), (a, lambda));
    let mut refinements = 0;
    let mut last = f64::INFINITY;
    let (mut force, mut dof, mut residual);
    loop {
        kkt.project(lambda);
        kkt.find_residuals((f, b), (a, lambda));
        let row = kkt.worst_row(b, a);
        let ((r1, r2), (w1, w2)) = (kkt.residuals(), kkt.weights());
        (force, dof) = weighted_max(r1, w1);
        residual = ratio(force, forces).max(ratio(weighted_max(r2, w2).0, motions));
        residual = residual.max(ROWS * row);
        let stalled = refinements > 1 && residual > STALLED * last;
        if residual <= RESIDUAL_GOAL || refinements == REFINEMENTS_MAX || stalled {
            break;
        }
        last = residual;
        kkt.correct(a, lambda);
        refinements += 1;
    }
    check_finite(f, b, a, lambda)?;
    if kkt.is_massless() && force > UNBALANCED * forces {
        return Err(KktError::Undetermined { dof, residual: ratio(force, forces) });
    }
    Ok(SolveInfo { refinements, residual: Some(residual) })
}

/// Weighted sizes of the force balance and of the constraint equations. Kept separate, because large multipliers near a
/// singularity must not excuse a violated constraint.
fn magnitudes(
    (weight, row_weight): (&[f64], &[f64]),
    (f, b): (&[f64], &[f64]),
    (a, lambda): (&[f64], &[f64]),
) -> (f64, f64) {
    let mut forces = weighted_max(f, weight).0;
    let mut motions = weighted_max(b, row_weight).0;
    for (l, w) in lambda.iter().zip(row_weight).filter(|(_, w)| **w > 0.0) {
        forces = forces.max(l.abs() / w);
    }
    for (a, w) in a.iter().zip(weight).filter(|(_, w)| **w > 0.0) {
        motions = motions.max(a.abs() / w);
    }
    (forces.max(motions), motions)
}

/// Largest of these residuals relative to the sizes of their terms.
pub(crate) fn worst_part(residuals: &[f64], sizes: &[f64]) -> f64 {
    largest(residuals.iter().zip(sizes).map(|(r, s)| ratio(r.abs(), *s)))
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Rejects a non-finite answer, and names the input, or failing that the result, responsible.
pub(crate) fn check_finite(
    f: &[f64],
    b: &[f64],
    a: &[f64],
    lambda: &[f64],
) -> Result<(), KktError> {
    if all_finite(a) && all_finite(lambda) {
        return Ok(());
    }
    let row = |row| KktError::NonFinite { row };
    let dof = |dof| KktError::NonFiniteDof { dof };
    Err(first_non_finite(b)
        .map(row)
        .or_else(|| first_non_finite(f).map(dof))
        .or_else(|| first_non_finite(lambda).map(row))
        .unwrap_or_else(|| dof(first_non_finite(a).unwrap_or(0))))
}
