//! Spherical joint: origins coincide. Three degrees of freedom of rotation.

use super::{RowDraft, coincide};
use crate::AxisPair;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    coincide(p)
}

#[cfg(test)]
super::contract::joint_contract!(spherical, planar 2, spatial 3);
