//! [`System`]: the equations of an assembled model.
//!
//! Immutable after [`System::new`]; everything that changes lives in the state or in
//! [`Workspace`]. It implements `delassus_dae::Problem`; start reading at `equations.rs`, then
//! `scalar.rs` for what joints and springs are made of, and `kin.rs` for coordinates.

mod build;
mod energy;
mod equations;
mod force;
pub(crate) mod kin;
mod probe;
mod rolling;
pub(crate) mod scalar;
mod tangent;

pub use probe::{Measured, Outputs};

use crate::joint;
use crate::{JointId, Model};
use delassus_dae::{Dims, Manifold, Scales, Structure};
use delassus_expr::Expr;
use force::{Applied, Bushing, ScalarForce};
use kin::{BodyKin, BodyLayout, FrameKin, FrameLayout};
use probe::Probe;
use rolling::RollRow;
use scalar::{Gradient, Pair, PairScalar};
use std::ops::Range;

/// One scalar of a row, with the places of its two bodies' entries in the Jacobian.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    scalar: PairScalar,
    c: f64,
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
    rolls: Vec<RollRow>,
    origins: Vec<RowOrigin>,
    scalar_forces: Vec<ScalarForce>,
    applied: Vec<Applied>,
    bushings: Vec<Bushing>,
    /// Angles whose turns are counted by an auxiliary state; entry k is state k.
    counters: Vec<PairScalar>,
    probes: Vec<Probe>,
    /// Sensors that force expressions read, in an order in which they can be evaluated.
    force_inputs: Vec<usize>,
    n_motions: usize,
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
    forces: Vec<force::Acting>,
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

    /// The joint of a sensor's reaction, with the frames the reaction refers to.
    fn joint_frames(&self, joint: JointId) -> Option<&crate::AxisPair> {
        joint::frames(&self.model.joints[joint.0].kind)
    }
}
