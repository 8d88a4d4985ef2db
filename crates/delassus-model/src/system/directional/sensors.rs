//! How sensors change along a variation of the state.

use super::super::force::ForceLaw;
use super::super::probe::{AxesOf, Probe};
use super::super::real::V;
use super::super::scalar::Gradient;
use super::super::sensitivity::{read, turning};
use super::super::{System, Workspace};
use super::Along;
use super::moved::{D, length, number};
use crate::{Component, EnergyKind, JointId, ReactionComponent};
use delassus_math::{Quat, Vec3};

/// What changes besides the motion.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Auxiliary states.
    pub states: &'a [f64],
    /// Inputs.
    pub inputs: &'a [f64],
    /// Energies dissipated and fed in, J.
    pub exchanged: [f64; 2],
}

impl System {
    /// How all sensors change, in their order. The sensors were measured at the realised state, with the multipliers `lambda`,
    /// which change by the second list; what else changes is `given`.
    pub fn sensors_along(
        &self,
        ws: &Workspace,
        along: &Along<'_>,
        lambda: [&[f64]; 2],
        given: &Given<'_>,
    ) -> Vec<f64> {
        let mut out = vec![0.0; self.probes.len()];
        for &k in &self.sensor_order {
            out[k] = match &self.probes[k] {
                Probe::Input(i) => given.inputs.get(*i).copied().unwrap_or(0.0),
                Probe::Expression(e) => {
                    read(e).map(|(x, k)| e.eval_d1(&ws.vars, x).1 * out[k]).sum()
                }
                _ => self.leaf_along(ws, k, along, lambda, given),
            };
        }
        out
    }

    fn leaf_along(
        &self,
        ws: &Workspace,
        k: usize,
        along: &Along<'_>,
        lambda: [&[f64]; 2],
        given: &Given<'_>,
    ) -> f64 {
        match &self.probes[k] {
            Probe::Velocity { of, rel, axes, component } => {
                let [of, rel] = [*of, *rel].map(|f| self.moved(ws, f, along));
                self.picked(ws, axes, &of.v.minus(&rel.v), *component, along)
            }
            Probe::Acceleration { of, axes, component } => {
                let of = self.moved(ws, *of, along);
                self.picked(ws, axes, &of.acc, *component, along)
            }
            Probe::Rate { of, axes, component } => {
                let of = self.moved(ws, *of, along);
                self.picked(ws, axes, &of.w, *component, along)
            }
            Probe::Orientation { axes, component } => {
                let q = Quat::from_matrix(&self.axes(ws, axes));
                let by = turning(&q, *component).b_ang;
                by.dot(&self.moved(ws, axes.frame, along).turned)
            }
            Probe::Scalar(s) => {
                let h = s.kind.gradient(&self.pair(ws, s));
                self.gradient_along(ws, (s.a, s.b), &h, along)
            }
            Probe::ScalarRate(s) => self.rate_along(ws, s, along),
            Probe::Reaction { joint, axes, component } => {
                let [force, torque] = self.reaction_along(ws, *joint, along, lambda);
                match component {
                    ReactionComponent::Force(c) => self.picked(ws, axes, &force, *c, along),
                    ReactionComponent::Torque(c) => self.picked(ws, axes, &torque, *c, along),
                }
            }
            Probe::Energy(kind) => {
                let kinetic = || {
                    let p = self.momentum(ws);
                    p.iter().zip(along.v).map(|(p, v)| p * v).sum::<f64>()
                };
                match kind {
                    EnergyKind::Kinetic => kinetic(),
                    EnergyKind::Potential => self.potential_along(ws, along),
                    EnergyKind::Total => kinetic() + self.potential_along(ws, along),
                    EnergyKind::Dissipated => given.exchanged[0],
                    EnergyKind::Work => given.exchanged[1],
                    EnergyKind::Balance => {
                        let stored = kinetic() + self.potential_along(ws, along);
                        stored + given.exchanged[0] - given.exchanged[1]
                    }
                }
            }
            Probe::Tyre(tyre, what) => {
                let s = self.tyre_reading_slopes(ws, *tyre, *what);
                let at = self.moved(ws, self.wheel_frame(*tyre), along);
                let [dv, dw] = [&at.v, &at.w].map(V::changes);
                s.pose.a_lin.dot(&at.shift())
                    + s.pose.a_ang.dot(&at.turned)
                    + s.twist.a_lin.dot(&dv)
                    + s.twist.a_ang.dot(&dw)
                    + self.leaf_states(ws, k).map(|(z, s)| s * given.states[z]).sum::<f64>()
            }
            Probe::Amplitude(mode) => along.xi[mode.v],
            Probe::AmplitudeRate(mode) => along.v[mode.v],
            // refused: see `without_directions`
            Probe::Section { .. } => f64::NAN,
            // by the caller
            Probe::Input(_) | Probe::Expression(_) => 0.0,
        }
    }

    /// Change of a function of two frames' places by its gradient.
    pub(super) fn gradient_along(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        h: &Gradient,
        along: &Along<'_>,
    ) -> f64 {
        let [a, b] = [a, b].map(|f| self.moved(ws, f, along));
        h.a_lin.dot(&a.shift())
            + h.a_ang.dot(&a.turned)
            + h.b_lin.dot(&b.shift())
            + h.b_ang.dot(&b.turned)
    }

    /// Change of a component of a vector in axes that turn.
    fn picked(
        &self,
        ws: &Workspace,
        axes: &AxesOf,
        x: &V<D>,
        component: Component,
        along: &Along<'_>,
    ) -> f64 {
        let axis = |k: usize| {
            let frame = self.moved(ws, axes.frame, along);
            frame.direction(&axes.r.column(k).into()).dot(x).d[0]
        };
        match component {
            Component::X => axis(0),
            Component::Y => axis(1),
            Component::Z => axis(2),
            Component::Norm => length(x).d[0],
        }
    }

    fn reaction_along(
        &self,
        ws: &Workspace,
        joint: JointId,
        along: &Along<'_>,
        [lambda, change]: [&[f64]; 2],
    ) -> [V<D>; 2] {
        let zero = || V::of(&Vec3::zeros());
        let (mut force, mut torque) = (zero(), zero());
        for i in self.rows_of(joint) {
            let l = number(lambda[i], change[i]);
            let [lin, ang] = if i < self.rows.len() {
                // only the first term of a coupling acts on the joint's own second body
                let Some(k) = self.rows[i].terms.clone().next() else { continue };
                let term = &self.terms[k];
                let [a, b] = [term.scalar.a, term.scalar.b].map(|f| self.moved(ws, f, along));
                term.scalar.kind.pull_along(&a, &b).map(|x| x.times(l * term.c))
            } else {
                let Some(roll) = self.rolls.iter().find(|r| r.row == i) else { continue };
                let [a, b] = [roll.a, roll.b].map(|f| self.moved(ws, f, along));
                roll.pull_along(&a, &b).map(|x| x.times(l))
            };
            (force, torque) = (force.plus(&lin), torque.plus(&ang));
        }
        [force, torque]
    }

    /// Of weights and springs.
    fn potential_along(&self, ws: &Workspace, along: &Along<'_>) -> f64 {
        let weight = |b: &super::super::BodyLayout| {
            let moves = b.kind.rotation().start;
            let shift = Vec3::from_fn(|k, _| if k < moves { along.xi[b.iv + k] } else { 0.0 });
            -b.mass * self.model.gravity.dot(&shift)
        };
        let mut sum: f64 = self.bodies.iter().map(weight).sum();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            if let ForceLaw::Linear { k, free, .. } = force.law {
                let s = &force.scalar;
                sum += k * (x.s - free) * self.gradient_along(ws, (s.a, s.b), &x.h, along);
            }
        }
        sum
    }
}
