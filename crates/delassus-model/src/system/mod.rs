//! [`System`]: the equations of an assembled model.
//!
//! Immutable after [`System::new`]; everything that changes lives in the state or in
//! [`Workspace`]. It implements `delassus_dae::Problem`; start reading at `equations.rs`, then
//! `scalar.rs` for what joints and springs are made of, and `kin.rs` for coordinates.

pub(crate) mod build;
mod coincidence;
pub(crate) mod contact;
mod energy;
mod equations;
mod force;
#[cfg(test)]
mod force_contract;
#[cfg(test)]
mod force_sensors;
mod jumps;
pub(crate) mod kin;
mod loads;
mod probe;
mod rolling;
pub(crate) mod scalar;
mod sensitivity;
mod tangent;
mod time;

pub use contact::ShapeView;
pub use jumps::Jump;
pub use loads::{LoadView, MOST_LOADS};
pub use probe::{Measured, Outputs};
pub use time::TimeRanges;

use crate::joint;
use crate::{JointId, Model};
use coincidence::Coincidence;
use contact::Contacts;
use delassus_dae::{Dims, Manifold, Scales, Structure};
use delassus_expr::Expr;
use force::{Applied, Bushing, ScalarForce};
use kin::{BodyKin, BodyLayout, FrameKin, FrameLayout};
use probe::Probe;
use rolling::RollRow;
use scalar::{Gradient, Pair, PairScalar};
use std::cell::RefCell;
use std::ops::Range;

/// One scalar of a row, with the places of its two bodies' entries in the Jacobian.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    scalar: PairScalar,
    c: f64,
    /// The two bodies; the number of bodies stands for the ground.
    body: [usize; 2],
    slot_a: usize,
    slot_b: usize,
}

/// Right-hand side of a row.
#[derive(Debug, Clone)]
pub(crate) enum RowOffset {
    Const(f64),
    /// Function of time; the number is its place in [`Workspace::motion`].
    Motion(Expr, usize),
}

/// A position-level row: Σ c s = offset.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    terms: Range<usize>,
    offset: RowOffset,
}

/// Where a row comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct RowOrigin {
    /// Its joint.
    pub joint: JointId,
    /// Its direction: "translation x".
    pub label: String,
}

/// The equations of a model.
#[derive(Debug, Clone)]
pub struct System {
    model: Model,
    bodies: Vec<BodyLayout>,
    frames: Vec<FrameLayout>,
    terms: Vec<Term>,
    rows: Vec<Row>,
    /// The rows again: those with a way of their own, and the numbers of the others.
    coincidences: Vec<Coincidence>,
    other_rows: Vec<usize>,
    rolls: Vec<RollRow>,
    origins: Vec<RowOrigin>,
    scalar_forces: Vec<ScalarForce>,
    applied: Vec<Applied>,
    bushings: Vec<Bushing>,
    /// One-sided interactions.
    contacts: Contacts,
    /// Angles whose turns are counted by an auxiliary state; entry k is state k.
    counters: Vec<PairScalar>,
    /// Velocities of planar bodies whose angle against a spatial one is measured: known but for
    /// whole turns, as those between spatial bodies are.
    turning: Vec<usize>,
    probes: Vec<Probe>,
    /// All sensors, each after those that it reads.
    sensor_order: Vec<usize>,
    /// Sensors that force expressions read, themselves or through others, in the same order.
    force_inputs: Vec<usize>,
    /// Pairs of a scalar force and a sensor that it depends on.
    n_readings: usize,
    /// Some force wants the rates of the sensors that it reads.
    needs_rates: bool,
    /// Some controller has an integral, which its force depends on.
    integrates: bool,
    n_motions: usize,
    /// What reads time.
    time: time::Laws,
    dims: Dims,
    manifold: Manifold,
    structure: Structure,
    scales: Scales,
    length: f64,
    /// Base slots of tangent blocks (row of block i, first column of block j) per body pair.
    blocks: tangent::BlockSlots,
}

/// Scratch of a [`System`].
#[derive(Debug, Clone)]
pub struct Workspace {
    t: f64,
    z: Vec<f64>,
    bodies: Vec<BodyKin>,
    theta: Vec<f64>,
    frames: Vec<FrameKin>,
    gradients: Vec<Gradient>,
    motion: Vec<(f64, f64, f64)>,
    g: Vec<f64>,
    jac: Vec<f64>,
    g_dot: Vec<f64>,
    gamma: Vec<f64>,
    f: Vec<f64>,
    z_dot: Vec<f64>,
    /// Variables of expressions.
    vars: Vec<f64>,
    /// Rates of the variables, where some force wants them.
    rates: Vec<f64>,
    forces: Vec<force::Acting>,
    readings: Vec<sensitivity::Reading>,
    /// Variables of expressions on an interval of time.
    over: time::Over,
    near: RefCell<contact::Scratch>,
}

impl System {
    /// The model it was made from.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A typical length of the model, m.
    pub fn length_scale(&self) -> f64 {
        self.length
    }

    /// Joint and direction of every constraint row.
    pub fn row_origins(&self) -> &[RowOrigin] {
        &self.origins
    }

    /// Rows of a joint.
    pub fn rows_of(&self, joint: JointId) -> impl Iterator<Item = usize> + '_ {
        self.origins.iter().enumerate().filter(move |(_, o)| o.joint == joint).map(|(i, _)| i)
    }

    /// Body that owns a velocity coordinate, and which of its velocities it is.
    pub fn dof_owner(&self, dof: usize) -> Option<(usize, usize)> {
        self.bodies
            .iter()
            .position(|b| dof >= b.iv && dof < b.iv + b.kind.nv())
            .map(|i| (i, dof - self.bodies[i].iv))
    }

    fn pair<'a>(&self, ws: &'a Workspace, s: &PairScalar) -> Pair<'a> {
        // Ground is the last entry of `bodies` and `theta`.
        let n = self.bodies.len();
        let (ba, bb) = (self.frames[s.a].body.unwrap_or(n), self.frames[s.b].body.unwrap_or(n));
        Pair {
            fa: &ws.frames[s.a],
            ba: &ws.bodies[ba],
            fb: &ws.frames[s.b],
            bb: &ws.bodies[bb],
            theta: (ws.theta[ba], ws.theta[bb]),
        }
    }

    /// out += G x at the realised state.
    pub fn add_jacobian_product(&self, ws: &Workspace, x: &[f64], out: &mut [f64]) {
        self.structure.jac.mul_add(&ws.jac, 1.0, x, out);
    }
}

/// Answers for assembly analysis.
impl System {
    /// First velocity of a body and how many it has.
    pub fn body_span(&self, body: usize) -> (usize, usize) {
        (self.bodies[body].iv, self.bodies[body].kind.nv())
    }

    pub(crate) fn set_rank(&mut self, rows: Option<Vec<usize>>, rank: delassus_dae::RowRank) {
        self.structure.independent_rows = rows;
        self.structure.rank = rank;
    }

    /// Row of velocities that gives component i of the velocity of a body frame's origin.
    pub(crate) fn origin_velocity_row(
        &self,
        ws: &Workspace,
        body: usize,
        i: usize,
    ) -> Vec<(usize, f64)> {
        let b = &self.bodies[body];
        let r = ws.bodies[body].r_wb * -b.com;
        let j = kin::jacobian(b.kind, &ws.bodies[body].r_wb, &r);
        (0..b.kind.nv()).map(|k| (b.iv + k, j[k][0][i])).filter(|(_, c)| *c != 0.0).collect()
    }

    /// Row of velocities that gives the rate of a joint's own coordinate.
    pub(crate) fn coordinate_rate_row(
        &self,
        ws: &Workspace,
        joint: &crate::Joint,
    ) -> Option<Vec<(usize, f64)>> {
        let c = joint::own_coordinate(&joint.kind)?;
        let x = joint::axes(&c.pair);
        // the coordinate's frames, evaluated here: this is no hot path
        let at = |f: &crate::Frame| {
            let body = f.body.map(|b| b.0);
            let (k, com) = match body {
                Some(b) => (ws.bodies[b], self.bodies[b].com),
                None => (BodyKin::default(), delassus_math::Vec3::zeros()),
            };
            let r = k.r_wb * (f.p - com);
            (body, k, FrameKin { r, p: k.x + r, ..Default::default() })
        };
        let ((ia, ba, fa), (ib, bb, fb)) = (at(&c.pair.a), at(&c.pair.b));
        let axis = ba.r_wb * x.z_a;
        let zero = delassus_math::Vec3::zeros();
        let h = match c.kind {
            crate::CoordinateKind::Angle => {
                Gradient { a_lin: zero, a_ang: -axis, b_lin: zero, b_ang: axis }
            }
            crate::CoordinateKind::Position => Gradient {
                a_lin: -axis,
                a_ang: axis.cross(&(fb.p - fa.p)),
                b_lin: axis,
                b_ang: zero,
            },
        };
        let mut out = Vec::new();
        for (i, k, f, lin, ang) in
            [(ia, &ba, &fa, &h.a_lin, &h.a_ang), (ib, &bb, &fb, &h.b_lin, &h.b_ang)]
        {
            if let Some(i) = i {
                let b = &self.bodies[i];
                let mut row = [0.0; 6];
                kin::pull(b.kind, &k.r_wb, &f.r, lin, ang, &mut row);
                out.extend((0..b.kind.nv()).map(|n| (b.iv + n, row[n])).filter(|(_, c)| *c != 0.0));
            }
        }
        Some(out)
    }

    /// The force element with a value that is not finite, or else the strongest one.
    pub fn blame_force(&self, ws: &Workspace) -> Option<String> {
        for (f, x) in self.scalar_forces.iter().zip(&ws.forces) {
            if !x.pull.is_finite() {
                return Some(f.name.clone());
            }
        }
        for a in &self.applied {
            let w = self.applied_vector(ws, a);
            if !(w.x + w.y + w.z).is_finite() {
                return Some(a.name.clone());
            }
        }
        for b in &self.bushings {
            if !self.bushing(ws, b).force.norm().is_finite() {
                return Some(b.name.clone());
            }
        }
        None
    }

    /// Name and magnitude of the strongest force element at the realised state.
    pub fn strongest_force(&self, ws: &Workspace) -> Option<(String, f64)> {
        let scalar =
            self.scalar_forces.iter().zip(&ws.forces).map(|(f, x)| (&f.name, x.pull.abs()));
        let applied = self.applied.iter().map(|a| (&a.name, self.applied_vector(ws, a).norm()));
        let bushing = self.bushings.iter().map(|b| (&b.name, self.bushing(ws, b).force.norm()));
        scalar
            .chain(applied)
            .chain(bushing)
            .filter(|(_, x)| x.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(n, x)| (n.clone(), x))
    }
}
