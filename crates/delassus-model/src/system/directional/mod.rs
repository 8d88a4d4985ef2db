//! What a variation of the state does to constraints, sensors and forces by inputs, exactly.
//!
//! K and C know how forces change. The accelerations of constraints need the third derivative of every scalar, along one
//! direction: `moved.rs` gives the motion of frames with its change, `scalars.rs` the rates of scalars, both computed with
//! numbers that carry a derivative. Bodies that deform are not known here; [`System::without_directions`] says what else is
//! not.

mod moved;
mod power;
mod scalars;
mod sensors;

pub use sensors::Given;

use super::force::ForceLaw;
use super::probe::Probe;
use super::{System, Workspace};
use crate::EnergyKind;
use crate::model::var;
use delassus_dae::Problem;
use delassus_math::Vec3;

/// A variation of the state, over all velocities.
#[derive(Debug, Clone, Copy)]
pub struct Along<'a> {
    /// Variation of the coordinates.
    pub xi: &'a [f64],
    /// Of the velocities.
    pub v: &'a [f64],
    /// Of the accelerations.
    pub a: &'a [f64],
    /// The accelerations themselves.
    pub a_here: &'a [f64],
}

/// How forces and rates of auxiliary states change with an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputSlopes {
    /// ∂f/∂u, one entry per velocity.
    pub force: Vec<f64>,
    /// ∂ż/∂u: (state, value).
    pub rate: Vec<(usize, f64)>,
}

impl System {
    /// What has no exact derivative along a variation of the state; `None` if everything has.
    pub fn without_directions(&self) -> Option<String> {
        let m = &self.model;
        if let Some(body) = self.bodies.iter().position(|b| !b.in_one_piece()) {
            return Some(format!("body \"{}\" deforms", m.bodies[body].name));
        }
        if let Some(bushing) = self.bushings.first() {
            return Some(format!("\"{}\" is a bushing", bushing.name));
        }
        let hidden = |probe: &Probe| match probe {
            Probe::Section { .. } => Some("measures a beam"),
            Probe::Energy(EnergyKind::Dissipated | EnergyKind::Work | EnergyKind::Balance)
                if !self.knows_power() =>
            {
                Some("adds up power that has no exact derivative")
            }
            Probe::Energy(EnergyKind::Potential | EnergyKind::Total | EnergyKind::Balance)
                if !self.beam_elements.is_empty() || !self.tyres.is_empty() =>
            {
                Some("measures the energy of beams or tyres")
            }
            Probe::Reaction { .. } if self.structure.independent_rows.is_some() => {
                Some("measures a reaction that redundant joints share")
            }
            _ => None,
        };
        let found = self.probes.iter().zip(&m.sensors).find_map(|(p, s)| Some((hidden(p)?, s)));
        found.map(|(why, sensor)| format!("sensor \"{}\" {why}", sensor.name))
    }

    /// How G v + g_t of every row, and then the rate of every counter of turns, change.
    pub fn rates_along(&self, ws: &Workspace, along: &Along<'_>) -> (Vec<f64>, Vec<f64>) {
        let rows = self.rows_along(ws, along, 0);
        (rows, self.counters.iter().map(|c| self.rate_along(ws, c, along)).collect())
    }

    /// How G a + γ of every row changes.
    pub fn accelerations_along(&self, ws: &Workspace, along: &Along<'_>) -> Vec<f64> {
        self.rows_along(ws, along, 1)
    }

    fn rows_along(&self, ws: &Workspace, along: &Along<'_>, order: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.dims.n_vel];
        for (row, out) in self.rows.iter().zip(&mut out) {
            for term in &self.terms[row.terms.clone()] {
                let s = &term.scalar;
                let [a, b] = [s.a, s.b].map(|f| self.moved(ws, f, along));
                *out += term.c * s.kind.rates_along(&a, &b)[order].d[0];
            }
        }
        for roll in &self.rolls {
            let [a, b] = [roll.a, roll.b].map(|f| self.moved(ws, f, along));
            out[roll.row] = roll.slips_along(&a, &b)[order].d[0];
        }
        out
    }

    /// How the angle of every counter of turns changes.
    pub fn counters_along(&self, ws: &Workspace, along: &Along<'_>) -> Vec<f64> {
        let one = |c: &super::scalar::PairScalar| {
            let h = c.kind.gradient(&self.pair(ws, c));
            self.gradient_along(ws, (c.a, c.b), &h, along)
        };
        self.counters.iter().map(one).collect()
    }

    /// How forces and rates change with input k, at the realised state.
    pub fn input_slopes(&self, ws: &Workspace, k: usize) -> InputSlopes {
        let mut out = InputSlopes { force: vec![0.0; self.dims.nv], rate: Vec::new() };
        let Some(leaf) = self.probes.iter().position(|p| matches!(p, Probe::Input(i) if *i == k))
        else {
            return out;
        };
        let mut add = |frame: usize, lin: &Vec3, ang: &Vec3| {
            if let Some(j) = self.jac(&ws.kin, frame) {
                j.transpose_mul(lin, ang, &mut out.force[j.span()]);
            }
        };
        let mut vars = ws.vars.clone();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let pull = match &force.law {
                ForceLaw::Linear { .. } => continue,
                ForceLaw::Expression(e) => {
                    (vars[var::COORDINATE], vars[var::RATE]) = (x.s, x.rate);
                    self.weight(e, &vars, leaf)
                }
                ForceLaw::Actuator { target, z, .. } => {
                    if let Some(z) = z {
                        out.rate.push((*z, self.weight(target, &ws.vars, leaf)));
                    }
                    self.reading(ws, &force.law, leaf).value
                }
            };
            let (h, s) = (&x.h, &force.scalar);
            add(s.a, &(h.a_lin * -pull), &(h.a_ang * -pull));
            add(s.b, &(h.b_lin * -pull), &(h.b_ang * -pull));
        }
        for a in &self.applied {
            let h = self.reading_wrench(ws, a, leaf);
            add(a.at, &h.a_lin, &h.a_ang);
        }
        out
    }

    /// M v, for the change of the kinetic energy.
    fn momentum(&self, ws: &Workspace) -> Vec<f64> {
        let shape = &self.structure.mass;
        let mut mass = vec![0.0; shape.value_len()];
        self.mass(ws, &mut mass);
        let mut out = vec![0.0; self.dims.nv];
        for ((i, j), m) in shape.entries().zip(&mass) {
            out[i] += m * ws.kin.v[j];
        }
        out
    }
}
