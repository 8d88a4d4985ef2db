//! Coupling: a linear equation between joint coordinates. Gear and rack are couplings with two
//! terms; the model compiler makes them.

use super::{Context, Offset, RowDraft, coordinate_scalar};
use crate::Coordinate;

pub(super) fn rows(
    terms: &[(Coordinate, f64)],
    offset: Option<f64>,
    ctx: &dyn Context,
) -> Vec<RowDraft> {
    vec![RowDraft {
        label: "coupling".to_owned(),
        terms: terms.iter().map(|(c, k)| (*k, coordinate_scalar(c, ctx))).collect(),
        offset: offset.map_or(Offset::AtStart, Offset::Const),
    }]
}

#[cfg(test)]
super::contract::joint_contract!(coupling, planar 1, spatial 1);
