//! Cylindrical joint: the second origin on the axis of the first, axes parallel. Two degrees of freedom:
//! sliding along and turning about the axis.

use super::{RowDraft, on_axis, parallel};
use crate::AxisPair;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    let mut rows = on_axis(p);
    rows.extend(parallel(p));
    rows
}

#[cfg(test)]
super::contract::joint_contract!(cylindrical, spatial 4);
