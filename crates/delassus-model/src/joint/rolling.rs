//! Rolling without slipping: a disc or a sphere on a plane. One position row keeps it on the
//! plane; the velocity of the contact point vanishes along the plane, which is a constraint on
//! velocities only (nonholonomic).

use super::{Lowered, RollingDraft, axes, row};
use crate::AxisPair;
use crate::system::scalar::ScalarKind;

pub(super) fn lower(p: &AxisPair, radius: f64, disc: bool) -> Lowered {
    let x = axes(p);
    let contact = if disc {
        row("contact", p, ScalarKind::Disc(x.z_a, x.z_b, radius), 0.0)
    } else {
        row("contact", p, ScalarKind::Along(x.z_a), radius)
    };
    Lowered { rows: vec![contact], rolling: Some(RollingDraft { pair: p.clone(), radius, disc }) }
}

#[cfg(test)]
super::contract::joint_contract!(rolling, planar 2, spatial 3);
