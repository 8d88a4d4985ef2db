//! Sensors: measured scalars at a state.

use super::scalar::{PairScalar, ScalarKind, turns};
use super::{System, Workspace};
use crate::model::var;
use crate::{Component, EnergyKind, JointId, ReactionComponent, TyreMeasure};
use delassus_dae::Energies;
use delassus_expr::Expr;
use delassus_math::remember;
use delassus_math::{Mat3, Quat, Vec3};

/// Axes fixed to a frame, rotated relative to its own.
#[derive(Debug, Clone)]
pub(crate) struct AxesOf {
    pub frame: usize,
    pub r: Mat3,
}

/// A mode of a body that deforms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModeOf {
    pub body: usize,
    /// Its coordinate and its velocity, among all.
    pub q: usize,
    pub v: usize,
}

/// A sensor with frames resolved.
#[derive(Debug, Clone)]
pub(crate) enum Probe {
    Velocity {
        of: usize,
        rel: usize,
        axes: AxesOf,
        component: Component,
    },
    Acceleration {
        of: usize,
        axes: AxesOf,
        component: Component,
    },
    Rate {
        of: usize,
        axes: AxesOf,
        component: Component,
    },
    Orientation {
        axes: AxesOf,
        component: usize,
    },
    Scalar(PairScalar),
    ScalarRate(PairScalar),
    Reaction {
        joint: JointId,
        axes: AxesOf,
        component: ReactionComponent,
    },
    Energy(EnergyKind),
    /// Resultant or strain at a part of an element of a beam.
    Section {
        element: usize,
        part: f64,
        strain: bool,
        component: usize,
    },
    /// At the tyre of this number.
    Tyre(usize, TyreMeasure),
    Amplitude(ModeOf),
    AmplitudeRate(ModeOf),
    /// Input of this number.
    Input(usize),
    Expression(Expr),
}

/// What sensors need besides the realised state.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'a> {
    /// Accelerations.
    pub a: &'a [f64],
    /// Multipliers.
    pub lambda: &'a [f64],
    /// Energy dissipated since the start, J.
    pub dissipated: f64,
    /// Work fed in since the start, J.
    pub work: f64,
    /// Kinetic + potential energy at the start, J.
    pub energy_at_start: f64,
    /// Energy that contacts store, J.
    pub stored: f64,
}

/// Sensor values, with the memory that unwraps angles.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// One value per sensor.
    pub values: Vec<f64>,
    seen: bool,
}
remember!(Measured { values, seen });

impl System {
    /// Fills all sensors at the realised state. Calls must follow the motion: an angle is continued from the call
    /// before to the nearest turn.
    pub fn measure(&self, ws: &mut Workspace, out: &Outputs<'_>, m: &mut Measured) {
        m.values.resize(self.probes.len(), 0.0);
        ws.vars[var::T] = ws.t;
        for &k in &self.sensor_order {
            let probe = &self.probes[k];
            let mut x = self.probe_output(ws, probe, out);
            if m.seen && self.wraps(probe) {
                x += turns(m.values[k] - x);
            }
            m.values[k] = x;
            ws.vars[var::SENSOR + k] = x;
        }
        m.seen = true;
    }

    /// Whether some sensor is an angle that only the sequence of calls can unwrap.
    pub fn tracks_turns(&self) -> bool {
        self.probes.iter().any(|p| self.wraps(p))
    }

    /// Some sensor needs accelerations or multipliers.
    pub fn measures_dynamics(&self) -> bool {
        self.probes.iter().any(|p| matches!(p, Probe::Acceleration { .. } | Probe::Reaction { .. }))
    }

    pub(super) fn wraps(&self, probe: &Probe) -> bool {
        match probe {
            Probe::Scalar(s) => match &s.kind {
                ScalarKind::Angle(a) => a.planar.is_none() && a.turns.is_none(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Value of a position- or velocity-level sensor.
    pub(super) fn probe_value(&self, ws: &Workspace, k: usize) -> f64 {
        let none = Outputs {
            a: &[],
            lambda: &[],
            dissipated: 0.0,
            work: 0.0,
            energy_at_start: 0.0,
            stored: 0.0,
        };
        self.probe_output(ws, &self.probes[k], &none)
    }

    pub(super) fn axes(&self, ws: &Workspace, axes: &AxesOf) -> Mat3 {
        ws.kin.frames[axes.frame].axes * axes.r
    }

    fn probe_output(&self, ws: &Workspace, probe: &Probe, out: &Outputs<'_>) -> f64 {
        let frames = &ws.kin.frames;
        match probe {
            Probe::Velocity { of, rel, axes, component } => {
                let d = frames[*of].v - frames[*rel].v;
                pick(&self.axes(ws, axes).tr_mul(&d), *component)
            }
            Probe::Acceleration { of, axes, component } => {
                let j = self.jac(&ws.kin, *of);
                let a = j.map_or(Vec3::zeros(), |j| j.acceleration(out.a));
                pick(&self.axes(ws, axes).tr_mul(&a), *component)
            }
            Probe::Rate { of, axes, component } => {
                pick(&self.axes(ws, axes).tr_mul(&frames[*of].w), *component)
            }
            Probe::Orientation { axes, component } => {
                Quat::from_matrix(&self.axes(ws, axes)).0[*component]
            }
            Probe::Scalar(s) => s.kind.value(&self.pair(ws, s), &ws.z),
            Probe::ScalarRate(s) => {
                let p = self.pair(ws, s);
                p.rate(&s.kind.gradient(&p))
            }
            Probe::Reaction { joint, axes, component } => {
                let (force, torque) = self.reaction(ws, *joint, out.lambda);
                let r = self.axes(ws, axes);
                match component {
                    ReactionComponent::Force(c) => pick(&r.tr_mul(&force), *c),
                    ReactionComponent::Torque(c) => pick(&r.tr_mul(&torque), *c),
                }
            }
            Probe::Energy(kind) => {
                let own = self.energy(ws);
                let e = Energies { potential: own.potential + out.stored, ..own };
                match kind {
                    EnergyKind::Kinetic => e.kinetic,
                    EnergyKind::Potential => e.potential,
                    EnergyKind::Total => e.kinetic + e.potential,
                    EnergyKind::Dissipated => out.dissipated,
                    EnergyKind::Work => out.work,
                    EnergyKind::Balance => {
                        e.kinetic + e.potential + out.dissipated - out.work - out.energy_at_start
                    }
                }
            }
            Probe::Section { element, part, strain, component } => {
                let e = &self.beam_elements[*element];
                let (resultant, excess) = e.section(&self.strained(ws, e), *part);
                if *strain { excess[*component] } else { resultant[*component] }
            }
            Probe::Tyre(k, what) => self.tyre_reading(ws, *k, *what),
            Probe::Amplitude(mode) => ws.kin.q[mode.q],
            Probe::AmplitudeRate(mode) => ws.kin.v[mode.v],
            Probe::Input(k) => ws.z[self.inputs().start + k],
            Probe::Expression(e) => e.eval(&ws.vars),
        }
    }

    /// Force and torque of a joint on its second body, ground components; the torque is about
    /// the origin of the joint's second frame.
    pub fn reaction(&self, ws: &Workspace, joint: JointId, lambda: &[f64]) -> (Vec3, Vec3) {
        let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
        for i in self.rows_of(joint) {
            let l = lambda.get(i).copied().unwrap_or(0.0);
            if i < self.rows.len() {
                // only the first term of a coupling acts on the joint's own second body
                if let Some(k) = self.rows[i].terms.clone().next() {
                    force += ws.gradients[k].b_lin * (l * self.terms[k].c);
                    torque += ws.gradients[k].b_ang * (l * self.terms[k].c);
                }
            } else if let Some(roll) = self.rolls.iter().find(|r| r.row == i) {
                let h = roll.gradient(&self.frame_pair(&ws.kin, roll.a, roll.b));
                force += h.b_lin * l;
                torque += h.b_ang * l;
            }
        }
        (force, torque)
    }
}

fn pick(v: &Vec3, c: Component) -> f64 {
    match c {
        Component::X => v.x,
        Component::Y => v.y,
        Component::Z => v.z,
        Component::Norm => v.norm(),
    }
}
