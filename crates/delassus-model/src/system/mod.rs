//! [`System`]: the equations of an assembled model.
//!
//! Immutable after [`System::new`]; everything that changes lives in the state or in
//! [`Workspace`]. It implements `delassus_dae::Problem`; start reading at `equations.rs`, then
//! `scalar.rs` for what joints and springs are made of, and `body/` for coordinates.

mod beam;
mod beam_plane;
pub(crate) mod body;
pub(crate) mod build;
mod coincidence;
pub(crate) mod contact;
mod directional;
mod energy;
mod equations;
mod force;
#[cfg(test)]
mod force_contract;
#[cfg(test)]
mod force_sensors;
mod jumps;
mod loads;
mod probe;
mod real;
mod rolling;
mod row_choice;
pub(crate) mod scalar;
mod sections;
mod sensitivity;
mod switching;
mod tangent;
mod target_jumps;
mod time;
mod tyre;
mod variation;
mod way;
mod work;

pub use body::{BodyKind, Pose, PoseForm, node_pose, pose_of};
pub use contact::{ContactLimits, ShapeView};
pub use directional::{Along, Given, InputSlopes};
pub use jumps::Jump;
pub use loads::{LoadView, MOST_LOADS};
pub use probe::{Measured, Outputs};
pub use sections::{MOST_SECTIONS, SectionView};
pub use switching::Switches;
pub use target_jumps::TargetJump;
pub use time::TimeRanges;
pub use variation::ElementLoad;

use crate::joint;
use crate::{JointId, Model};
use beam::Element;
use body::{BodyLayout, FrameJac, FrameLayout, Kin, Loose};
use coincidence::Coincidence;
use contact::Contacts;
use delassus_dae::{Dims, Manifold, Scales, Structure};
use delassus_expr::Expr;
use delassus_math::{Mat3, Vec3};
use force::{Applied, Bushing, ScalarForce};
use nalgebra::DMatrix;
use probe::Probe;
use rolling::RollRow;
use scalar::{Gradient, Pair, PairScalar};
use std::cell::RefCell;
use std::ops::Range;

/// One scalar of a row, with the slots of its two frames' entries in the Jacobian.
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
    /// Function of time; the number is its index in [`Workspace::motion`].
    Motion(Expr, usize),
}

/// A position-level row: Σ c s = offset.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    terms: Range<usize>,
    offset: RowOffset,
}

/// The origin of a row.
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
    /// The rows again: those with a special evaluation, and the indices of the others.
    coincidences: Vec<Coincidence>,
    other_rows: Vec<usize>,
    rolls: Vec<RollRow>,
    origins: Vec<RowOrigin>,
    scalar_forces: Vec<ScalarForce>,
    applied: Vec<Applied>,
    bushings: Vec<Bushing>,
    /// Elements of beams.
    beam_elements: Vec<Element>,
    /// Tyres on roads.
    tyres: Vec<tyre::Tyre>,
    /// One-sided interactions.
    contacts: Contacts,
    /// Angles whose turns are counted by an auxiliary state; entry k is state k.
    counters: Vec<PairScalar>,
    /// Velocities of bodies that turn in the plane and whose angle relative to one in space is measured: known up to
    /// whole turns, like those between bodies in space.
    turning: Vec<usize>,
    probes: Vec<Probe>,
    /// All sensors, each after those that it reads.
    sensor_order: Vec<usize>,
    /// Sensors that force expressions read, themselves or through others, in the same order.
    force_inputs: Vec<usize>,
    /// Pairs of a scalar force and a sensor that it depends on.
    n_readings: usize,
    /// Some force needs the rates of the sensors that it reads.
    needs_rates: bool,
    /// Some force depends on a state of its own: the integral of a controller, the deflection of a tyre.
    integrates: bool,
    n_motions: usize,
    /// Laws that read time.
    time: time::Laws,
    /// Laws that read the state, and are more than polynomials of it.
    way: way::Watched,
    dims: Dims,
    manifold: Manifold,
    structure: Structure,
    scales: Scales,
    length: f64,
    /// Groups of bodies that are independent of each other.
    groups: build::Groups,
    /// Base slots of tangent blocks (row of block i, first column of block j) per body pair.
    blocks: tangent::BlockSlots,
    /// Terms of rows with second derivatives, by pairs of frames.
    bent: Vec<tangent::Bent>,
    /// Frames of bodies on which rows or forces act.
    loaded: Vec<usize>,
}

/// Scratch of a [`System`].
#[derive(Debug, Clone)]
pub struct Workspace {
    t: f64,
    z: Vec<f64>,
    kin: Kin,
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
    /// Rates of the variables, if some force needs them.
    rates: Vec<f64>,
    forces: Vec<force::Acting>,
    readings: Vec<sensitivity::Reading>,
    touches: Vec<tyre::Touch>,
    /// Variables of expressions on an interval of time.
    over: time::Over,
    /// The same on the path of a step.
    way: way::Way,
    near: RefCell<contact::Scratch>,
    tangent: RefCell<tangent::Scratch>,
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

    /// The same for each independent group of bodies, m.
    pub fn group_lengths(&self) -> &[f64] {
        &self.groups.length
    }

    /// Joint and direction of every constraint row.
    pub fn row_origins(&self) -> &[RowOrigin] {
        &self.origins
    }

    /// Rows of prescribed motions, with their rates at the realised state.
    pub(crate) fn motion_rates<'a>(
        &'a self,
        ws: &'a Workspace,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.rows.iter().enumerate().filter_map(|(i, row)| match &row.offset {
            RowOffset::Motion(_, k) => Some((i, ws.motion[*k].1)),
            RowOffset::Const(_) => None,
        })
    }

    /// Rows of a joint.
    pub fn rows_of(&self, joint: JointId) -> impl Iterator<Item = usize> + '_ {
        self.origins.iter().enumerate().filter(move |(_, o)| o.joint == joint).map(|(i, _)| i)
    }

    /// Body that owns a velocity coordinate, and which of its velocities it is.
    pub fn dof_owner(&self, dof: usize) -> Option<(usize, usize)> {
        // coordinates are in the order of the bodies
        let i = self.bodies.partition_point(|b| b.span().end <= dof);
        self.bodies.get(i).map(|b| (i, dof - b.iv))
    }

    /// Velocities of a body that are rates of amplitudes of deformation, among its own.
    pub fn amplitudes_of(&self, body: usize) -> std::ops::Range<usize> {
        self.bodies[body].amplitudes()
    }

    /// Velocities that a body has.
    pub(crate) fn body_velocities(&self, body: usize) -> usize {
        self.bodies[body].span().len()
    }

    #[inline]
    fn pair<'a>(&self, ws: &'a Workspace, s: &PairScalar) -> Pair<'a> {
        self.frame_pair(&ws.kin, s.a, s.b)
    }

    #[inline]
    fn frame_pair<'a>(&self, kin: &'a Kin, a: usize, b: usize) -> Pair<'a> {
        Pair { fa: &kin.frames[a], fb: &kin.frames[b] }
    }

    /// Jacobian of a frame; `None` on the ground.
    #[inline]
    fn jac<'a>(&'a self, kin: &'a Kin, frame: usize) -> Option<FrameJac<'a>> {
        kin.jac(&self.bodies, &self.frames, frame)
    }

    /// out += G x at the realised state.
    pub fn add_jacobian_product(&self, ws: &Workspace, x: &[f64], out: &mut [f64]) {
        self.structure.jac.mul_add(&ws.jac, 1.0, x, out);
    }
}

#[cfg(test)]
impl System {
    /// Any frame at a configuration.
    pub(crate) fn loose(&self, q: &[f64], f: &crate::Frame) -> body::FrameKin {
        FrameLayout::new(f, &self.bodies).at(&self.bodies, q)
    }

    /// Moves a body to a pose of its mass centre.
    pub(crate) fn put(&self, q: &mut [f64], body: usize, place: &Pose) {
        let b = &self.bodies[body];
        b.kind.put(place, &mut q[b.iq..b.iq + b.nq]);
    }
}

/// Services for assembly analysis.
impl System {
    /// Mass matrix of a body, from the values of M.
    pub(crate) fn body_mass(&self, body: usize, mass: &[f64]) -> DMatrix<f64> {
        let layout = &self.bodies[body];
        let before: usize = self.bodies[..body].iter().map(BodyLayout::mass_len).sum();
        let mut out = DMatrix::zeros(layout.nv, layout.nv);
        for ((i, j), m) in layout.mass_shape().entries().zip(&mass[before..]) {
            out[(i, j)] = *m;
        }
        out
    }

    /// First velocity of a body and how many it has.
    pub fn body_span(&self, body: usize) -> (usize, usize) {
        (self.bodies[body].iv, self.bodies[body].nv)
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
        let origin = crate::Frame {
            body: Some(crate::BodyId(body)),
            node: None,
            p: Vec3::zeros(),
            r: Mat3::identity(),
            name: String::new(),
        };
        let at = Loose::new(&ws.kin, &self.bodies, &origin);
        at.jac().map_or(Vec::new(), |j| entries(&j, &Vec3::ith(i, 1.0), &Vec3::zeros()))
    }

    /// Row of velocities that gives the rate of a joint's own coordinate.
    pub(crate) fn coordinate_rate_row(
        &self,
        ws: &Workspace,
        joint: &crate::Joint,
    ) -> Option<Vec<(usize, f64)>> {
        let c = joint::own_coordinate(&joint.kind)?;
        let x = joint::axes(&c.pair);
        let at = |f: &crate::Frame| Loose::new(&ws.kin, &self.bodies, f);
        let (a, b) = (at(&c.pair.a), at(&c.pair.b));
        let axis = a.f.axes * x.z_a;
        let zero = Vec3::zeros();
        let [of_a, of_b] = match c.kind {
            crate::CoordinateKind::Angle => [(zero, -axis), (zero, axis)],
            crate::CoordinateKind::Position => {
                [(-axis, axis.cross(&(b.f.p - a.f.p))), (axis, zero)]
            }
        };
        let mut out = Vec::new();
        for (frame, (lin, ang)) in [(&a, of_a), (&b, of_b)] {
            out.extend(frame.jac().map_or(Vec::new(), |j| entries(&j, &lin, &ang)));
        }
        Some(out)
    }

    /// The force element with a non-finite value, or else the strongest one.
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
        for (tyre, touch) in self.tyres.iter().zip(&ws.touches) {
            if !(touch.force + touch.torque).norm().is_finite() {
                return Some(tyre.name.clone());
            }
        }
        None
    }

    /// Most that an element of a beam may be turned from one end to the other, rad.
    pub const MOST_BEND: f64 = beam::MOST_TURN;

    /// The element of a beam that is turned most from one end to the other, and that turn, rad.
    pub fn sharpest_bend(&self, ws: &Workspace) -> Option<(&str, f64)> {
        let (e, turn) = self.most_turned(ws)?;
        Some((&self.beam_elements[e].name, turn))
    }

    /// Name and magnitude of the strongest force element at the realised state.
    pub fn strongest_force(&self, ws: &Workspace) -> Option<(String, f64)> {
        let scalar =
            self.scalar_forces.iter().zip(&ws.forces).map(|(f, x)| (&f.name, x.pull.abs()));
        let applied = self.applied.iter().map(|a| (&a.name, self.applied_vector(ws, a).norm()));
        let bushing = self.bushings.iter().map(|b| (&b.name, self.bushing(ws, b).force.norm()));
        let beams = self.beam_elements.iter().map(|e| {
            let s = self.strained(ws, e);
            (&e.name, e.wrenches(&s)[2].norm())
        });
        let tyres = self.tyres.iter().zip(&ws.touches).map(|(t, x)| (&t.name, x.force.norm()));
        scalar
            .chain(applied)
            .chain(bushing)
            .chain(beams)
            .chain(tyres)
            .filter(|(_, x)| x.is_finite())
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(n, x)| (n.clone(), x))
    }
}

/// Entries of Jᵀ (lin, ang) that are not zero, with their velocities.
fn entries(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3) -> Vec<(usize, f64)> {
    let mut row = vec![0.0; j.len()];
    j.transpose_mul(lin, ang, &mut row);
    j.span().zip(row).filter(|(_, c)| *c != 0.0).collect()
}
