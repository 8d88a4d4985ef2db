//! Point on plane: the second origin stays in the plane through the first normal to its axis.

use super::{RowDraft, axes, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    vec![row("normal", p, ScalarKind::Along(axes(p).z_a), 0.0)]
}

#[cfg(test)]
super::contract::joint_contract!(point_on_plane, planar 1, spatial 1);
