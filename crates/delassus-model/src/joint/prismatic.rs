//! Prismatic joint: the second origin on the axis of the first, no relative rotation. One degree of freedom: sliding.
//! The rotation that is kept is that of the given initial orientations, with the two axes made parallel.

use super::{Context, RowDraft, axes, on_axis, parallel, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn rows(p: &AxisPair, ctx: &dyn Context) -> Vec<RowDraft> {
    let x = axes(p);
    let mut rows = on_axis(p);
    rows.extend(parallel(p));
    // y of the first frame as seen in the second body at the start, made perpendicular to the axis there; rotation
    // about the axis is zero while x_a ⟂ y_b.
    let y_w = ctx.start_rotation(&p.a) * x.y_a;
    let y_b = ctx.start_rotation(&p.b).tr_mul(&y_w);
    let y_b = y_b - x.z_b * x.z_b.dot(&y_b);
    if y_b.norm() > 1e-6 {
        rows.push(row("rotation 3", p, ScalarKind::Dot(x.x_a, y_b.normalize()), 0.0));
    } else {
        // Axes perpendicular at the start: there is no reference; assembly will report it by name.
        rows.push(row(
            "rotation 3",
            p,
            ScalarKind::Dot(x.x_a, delassus_math::perpendicular(&x.z_b)),
            0.0,
        ));
    }
    rows
}

#[cfg(test)]
super::contract::joint_contract!(prismatic, planar 2, spatial 5);
