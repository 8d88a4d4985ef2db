//! Parallel axes: the two axes stay parallel; positions are free.

use super::{RowDraft, parallel};
use crate::AxisPair;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    parallel(p)
}

#[cfg(test)]
super::contract::joint_contract!(parallel_axes, spatial 2);
