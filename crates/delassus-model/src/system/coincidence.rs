//! Coincidence rows between frames that turn only about z or not at all: most rows of most planar mechanisms.
//!
//! Row e_k · (p_b − p_a) = offset. Only the entries of the two angles in its gradient change, so the others are written
//! once, when the workspace is created, and an evaluation takes a few operations instead of the general path through
//! frame space.

use super::body::Varying;
use super::scalar::ScalarKind;
use super::{RowOffset, System, Workspace};

/// Stands for an end without an angle.
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
    /// Slots of ∂/∂θ of the two ends in the Jacobian.
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
        let angle = |frame: usize, slot: usize| match self.frames[frame].varying(*axis) {
            Varying::None => Some(NO_ANGLE),
            Varying::Angle(k) => Some(slot + k),
            Varying::Many => None,
        };
        Some(Coincidence {
            row: i,
            a: term.scalar.a,
            b: term.scalar.b,
            axis: *axis,
            c: term.c,
            offset: *offset,
            angle: [angle(term.scalar.a, term.slot_a)?, angle(term.scalar.b, term.slot_b)?],
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
            let (a, b) = (&ws.kin.frames[x.a], &ws.kin.frames[x.b]);
            ws.g[x.row] = x.c * (b.p[x.axis] - a.p[x.axis]) - x.offset;
            if x.angle[0] != NO_ANGLE {
                ws.jac[x.angle[0]] = -x.c * a.about_z(x.axis);
            }
            if x.angle[1] != NO_ANGLE {
                ws.jac[x.angle[1]] = x.c * b.about_z(x.axis);
            }
        }
    }

    #[inline]
    pub(super) fn coincidence_velocities(&self, ws: &mut Workspace) {
        for x in &self.coincidences {
            let (a, b) = (&ws.kin.frames[x.a], &ws.kin.frames[x.b]);
            ws.g_dot[x.row] = x.c * (b.v[x.axis] - a.v[x.axis]);
            ws.gamma[x.row] = x.c * (b.bias[x.axis] - a.bias[x.axis]);
        }
    }
}
