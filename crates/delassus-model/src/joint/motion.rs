//! Motion: a coordinate as a given function of time (a rheonomic constraint).

use super::{Context, Offset, RowDraft, coordinate_scalar};
use crate::Coordinate;
use delassus_expr::Expr;

pub(super) fn rows(c: &Coordinate, value: &Expr, ctx: &dyn Context) -> Vec<RowDraft> {
    vec![RowDraft {
        label: "motion".to_owned(),
        terms: vec![(1.0, coordinate_scalar(c, ctx))],
        offset: Offset::Motion(value.clone()),
    }]
}

#[cfg(test)]
super::contract::joint_contract!(motion, planar 1, spatial 1);
