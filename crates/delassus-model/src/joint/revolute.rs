//! Revolute joint: origins coincide, axes stay parallel. One degree of freedom: the angle.

use super::{RowDraft, coincide, parallel};
use crate::AxisPair;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    let mut rows = coincide(p);
    rows.extend(parallel(p));
    rows
}

#[cfg(test)]
super::contract::joint_contract!(revolute, planar 2, spatial 5);
