//! Planar joint: the second origin in the plane through the first normal to the axis, axes
//! parallel. Three degrees of freedom.

use super::{RowDraft, axes, parallel, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    let mut rows = vec![row("translation", p, ScalarKind::Along(axes(p).z_a), 0.0)];
    rows.extend(parallel(p));
    rows
}

#[cfg(test)]
super::contract::joint_contract!(planar, spatial 3);
