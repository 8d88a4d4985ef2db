//! Distance joint: a massless rod with ball ends. One row: |d| = length.

use super::{Offset, RowDraft, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn rows(p: &AxisPair, length: Option<f64>) -> Vec<RowDraft> {
    let mut r = row("distance", p, ScalarKind::Length, 0.0);
    r.offset = length.map_or(Offset::AtStart, Offset::Const);
    vec![r]
}

#[cfg(test)]
super::contract::joint_contract!(distance, planar 1, spatial 1);
