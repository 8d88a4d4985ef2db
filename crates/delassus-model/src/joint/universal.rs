//! Universal (Cardan) joint: origins coincide, the axis on the first body stays perpendicular
//! to the axis on the second. Two degrees of freedom.

use super::{RowDraft, axes, coincide, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    let x = axes(p);
    let mut rows = coincide(p);
    rows.push(row("rotation", p, ScalarKind::Dot(x.z_a, x.z_b), 0.0));
    rows
}

#[cfg(test)]
super::contract::joint_contract!(universal, spatial 4);
