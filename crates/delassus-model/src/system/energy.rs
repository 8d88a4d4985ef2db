//! Energies and the power that enters and leaves.

use super::force::Law;
use super::{RowOffset, System, Workspace};
use crate::BodyKind;
use delassus_dae::{Energies, Power};

impl System {
    pub(super) fn energy(&self, ws: &Workspace) -> Energies {
        let mut e = Energies::default();
        for (b, k) in self.bodies.iter().zip(&ws.bodies) {
            e.kinetic += 0.5 * b.mass * k.v.norm_squared();
            match b.kind {
                BodyKind::Planar => e.kinetic += 0.5 * b.inertia[(2, 2)] * k.w.z * k.w.z,
                BodyKind::Rigid => {
                    let o = k.r_wb.tr_mul(&k.w);
                    e.kinetic += 0.5 * o.dot(&(b.inertia * o));
                }
                BodyKind::Point | BodyKind::PlanarPoint => {}
            }
            e.potential -= b.mass * self.model.gravity.dot(&k.x);
        }
        for (force, acting) in self.scalar_forces.iter().zip(&ws.forces) {
            if let Law::Linear { k, free, .. } = force.law {
                e.potential += 0.5 * k * (acting.s - free) * (acting.s - free);
            }
        }
        for b in &self.bushings {
            e.potential += self.bushing(ws, b).energy;
        }
        e
    }

    /// False for conservative systems, which need no quadrature of power.
    pub(super) fn exchanges_power(&self) -> bool {
        !self.applied.is_empty()
            || self.n_motions > 0
            || self.bushings.iter().any(|b| b.c.iter().any(|c| *c != 0.0))
            || self
                .scalar_forces
                .iter()
                .any(|f| !matches!(f.law, Law::Linear { c, .. } if c == 0.0))
    }

    pub(super) fn exchanged_power(&self, ws: &Workspace, lambda: &[f64]) -> Power {
        let mut p = Power::default();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            match force.law {
                Law::Linear { c, .. } => p.dissipated += c * x.rate * x.rate,
                _ => p.work -= x.pull * x.rate,
            }
        }
        for b in &self.bushings {
            p.dissipated += self.bushing(ws, b).loss;
        }
        for a in &self.applied {
            let w = self.applied_vector(ws, a);
            let body = self.frames[a.at].body.unwrap_or(self.bodies.len());
            p.work += w.dot(if a.torque { &ws.bodies[body].w } else { &ws.frames[a.at].v });
        }
        // a moving constraint does the work vᵀGᵀλ = −g_tᵀλ
        for (i, row) in self.rows.iter().enumerate() {
            if let RowOffset::Motion(_, k) = &row.offset {
                p.work += ws.motion[*k].1 * lambda[i];
            }
        }
        p
    }
}
