//! Coincidence rows of planar bodies and points: most rows of most planar mechanisms.
//!
//! Row e_k · (p_b − p_a) = offset. Of its gradient only the entries of the two angles change, so
//! the others are written once, when the workspace is made, and an evaluation is a few
//! operations instead of the general way through frame space.

use super::scalar::ScalarKind;
use super::{RowOffset, System, Workspace};
use crate::BodyKind;

/// Stands for an end without an angle (a point or the ground).
const NO_ANGLE: usize = usize::MAX;

/// One such row.
#[derive(Debug, Clone)]
pub(crate) struct Coincidence {
    row: usize,
    a: usize,
    b: usize,
    axis: usize,
    c: f64,
    offset: f64,
    /// Places of ∂/∂θ of the two bodies in the Jacobian.
    angle: [usize; 2],
}

impl System {
    /// Sorts the rows into those of this kind and all others.
    pub(super) fn sort_rows(&mut self) {
        self.coincidences.clear();
        self.other_rows.clear();
        for i in 0..self.rows.len() {
            match self.coincidence(i) {
                Some(c) => self.coincidences.push(c),
                None => self.other_rows.push(i),
            }
        }
    }

    fn coincidence(&self, i: usize) -> Option<Coincidence> {
        let row = &self.rows[i];
        let [term] = &self.terms[row.terms.clone()] else { return None };
        let (ScalarKind::World(axis), RowOffset::Const(offset)) = (&term.scalar.kind, &row.offset)
        else {
            return None;
        };
        let angle = |end: usize, slot: usize| match self.bodies.get(term.body[end]) {
            None => Some(NO_ANGLE),
            Some(b) => match b.kind {
                BodyKind::Planar if *axis < 2 => Some(slot + 2),
                BodyKind::Point | BodyKind::PlanarPoint => Some(NO_ANGLE),
                BodyKind::Planar | BodyKind::Rigid => None,
            },
        };
        Some(Coincidence {
            row: i,
            a: term.scalar.a,
            b: term.scalar.b,
            axis: *axis,
            c: term.c,
            offset: *offset,
            angle: [angle(0, term.slot_a)?, angle(1, term.slot_b)?],
        })
    }

    /// Writes the entries that never change.
    pub(super) fn init_coincidences(&self, ws: &mut Workspace) {
        for x in &self.coincidences {
            for term in &self.terms[self.rows[x.row].terms.clone()] {
                self.world_row(ws, term, x.axis);
            }
        }
    }

    #[inline]
    pub(super) fn coincidence_positions(&self, ws: &mut Workspace) {
        for x in &self.coincidences {
            let (a, b) = (&ws.frames[x.a], &ws.frames[x.b]);
            ws.g[x.row] = x.c * (b.p[x.axis] - a.p[x.axis]) - x.offset;
            // (ẑ × r)_k
            let lever = |r: &delassus_math::Vec3| if x.axis == 0 { -r.y } else { r.x };
            if x.angle[0] != NO_ANGLE {
                ws.jac[x.angle[0]] = -x.c * lever(&a.r);
            }
            if x.angle[1] != NO_ANGLE {
                ws.jac[x.angle[1]] = x.c * lever(&b.r);
            }
        }
    }

    #[inline]
    pub(super) fn coincidence_velocities(&self, ws: &mut Workspace) {
        for x in &self.coincidences {
            let (a, b) = (&ws.frames[x.a], &ws.frames[x.b]);
            ws.g_dot[x.row] = x.c * (b.v[x.axis] - a.v[x.axis]);
            ws.gamma[x.row] = x.c * (b.bias[x.axis] - a.bias[x.axis]);
        }
    }
}
