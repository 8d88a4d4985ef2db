//! Screw joint: cylindrical, and the advance is the pitch times the revolutions. One degree of freedom.

use super::{Context, Offset, RowDraft, coordinate_scalar, cylindrical};
use crate::{AxisPair, Coordinate, CoordinateKind};

pub(super) fn rows(p: &AxisPair, pitch: f64, ctx: &dyn Context) -> Vec<RowDraft> {
    let scalar = |kind| coordinate_scalar(&Coordinate { kind, pair: p.clone() }, ctx);
    let mut rows = cylindrical::rows(p);
    rows.push(RowDraft {
        label: "thread".to_owned(),
        terms: vec![
            (1.0, scalar(CoordinateKind::Position)),
            (-pitch / std::f64::consts::TAU, scalar(CoordinateKind::Angle)),
        ],
        offset: Offset::AtStart,
    });
    rows
}

#[cfg(test)]
super::contract::joint_contract!(screw, spatial 5);
