//! Point on line: the second origin stays on the line through the first along its axis.

use super::{RowDraft, on_axis};
use crate::AxisPair;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    on_axis(p)
}

#[cfg(test)]
super::contract::joint_contract!(point_on_line, planar 1, spatial 2);
