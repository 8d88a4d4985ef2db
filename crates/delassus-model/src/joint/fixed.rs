//! Fixed joint: the two frames coincide, origin and directions.

use super::{RowDraft, coincide, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn rows(p: &AxisPair) -> Vec<RowDraft> {
    let mut rows = coincide(p);
    let (a, b) = (&p.a.r, &p.b.r);
    for (k, label) in ["rotation x", "rotation y", "rotation z"].iter().enumerate() {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let kind = ScalarKind::Dot(a.column(i).into(), b.column(j).into());
        rows.push(row(label, p, kind, 0.0));
    }
    rows
}

#[cfg(test)]
super::contract::joint_contract!(fixed, planar 3, spatial 6);
