//! Newton's law for all points at once, as Moreau stated it.
//!
//! 0 ≤ P_N ⊥ u_N⁺ + e u_N⁻ ≥ 0, Coulomb's law between P_T and u_T⁺. A point that does not approach
//! (u_N⁻ ≥ 0) may be hit by the others and leave faster than −e u_N⁻.

use super::shared::solve_shared;
use super::{ImpactError, Meeting, coefficient, stop};
use delassus_cone as cone;

pub(super) fn impulses(
    m: &Meeting,
    before: &[f64],
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    if m.is_plastic(factor) {
        return stop(m, before, ws);
    }
    let mut b = before.to_vec();
    for p in &m.points {
        b[p.row] += factor * coefficient(&p.law) * before[p.row].min(0.0);
    }
    solve_shared(m, &b, ws)
}
