//! Newton's law for all points at once, as Moreau stated it.
//!
//! 0 ≤ P_N ⊥ u_N⁺ + e u_N⁻ ≥ 0, Coulomb's law between P_T and u_T⁺. A point that does not approach
//! (u_N⁻ ≥ 0) may be hit by the others and leave faster than −e u_N⁻.

use super::{ImpactError, coefficient, laws, solve};
use crate::response::Response;
use delassus_cone as cone;

pub(super) fn impulses(
    r: &Response,
    before: &[f64],
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let mut b = before.to_vec();
    for m in &r.members {
        b[m.row] += factor * coefficient(&m.law) * before[m.row].min(0.0);
    }
    solve(r, (&r.w, &b), &laws(r), ws)
}
