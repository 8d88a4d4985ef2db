//! Energies and the power that enters and leaves.

use super::beam::Element;
use super::body::BodyLayout;
use super::force::{Bushing, ForceLaw};
use super::{RowOffset, System, Workspace};
use delassus_dae::{Energies, Power};

impl System {
    pub(super) fn energy(&self, ws: &Workspace) -> Energies {
        let mut e = Energies::default();
        for i in 0..self.bodies.len() {
            let body = ws.kin.here(&self.bodies, i);
            e.kinetic += body.kinetic();
            e.potential += body.potential(&self.model.gravity);
        }
        for (force, acting) in self.scalar_forces.iter().zip(&ws.forces) {
            if let ForceLaw::Linear { k, free, .. } = force.law {
                e.potential += 0.5 * k * (acting.s - free) * (acting.s - free);
            }
        }
        for b in &self.bushings {
            e.potential += self.bushing(ws, b).energy;
        }
        for beam in &self.beam_elements {
            e.potential += self.strained(ws, beam).energy;
        }
        e.potential += self.tyre_energy(ws);
        e
    }

    /// False for conservative systems, which need no quadrature of power.
    pub(super) fn exchanges_power(&self) -> bool {
        !self.applied.is_empty()
            || !self.tyres.is_empty()
            || self.n_motions > 0
            || self.bodies.iter().any(BodyLayout::is_damped)
            || self.bushings.iter().any(Bushing::exchanges_power)
            || self.beam_elements.iter().any(Element::is_damped)
            || self
                .scalar_forces
                .iter()
                .any(|f| !matches!(f.law, ForceLaw::Linear { c, .. } if c == 0.0))
    }

    /// Whether power depends on multipliers, because moving constraints do work.
    pub fn power_needs_multipliers(&self) -> bool {
        self.n_motions > 0
    }

    pub(super) fn exchanged_power(&self, ws: &Workspace, lambda: &[f64]) -> Power {
        let mut p = Power::default();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            match force.law {
                ForceLaw::Linear { c, .. } => p.dissipated += c * x.rate * x.rate,
                _ => p.work -= x.pull * x.rate,
            }
        }
        for (i, _) in self.bodies.iter().enumerate().filter(|(_, b)| b.is_damped()) {
            p.dissipated += ws.kin.here(&self.bodies, i).loss();
        }
        for b in &self.bushings {
            let s = self.bushing(ws, b);
            p.dissipated += s.loss;
            p.work += s.circulation;
        }
        for e in self.beam_elements.iter().filter(|e| e.is_damped()) {
            p.dissipated += self.strained(ws, e).loss;
        }
        self.add_tyre_power(ws, &mut p);
        for a in &self.applied {
            let w = self.applied_vector(ws, a);
            let at = &ws.kin.frames[a.at];
            p.work += w.dot(if a.torque { &at.w } else { &at.v });
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
