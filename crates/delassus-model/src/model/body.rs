//! Bodies and frames on them.

use super::BodyId;
use crate::BodyKind;
use delassus_flex::Modal;
use delassus_math::{Mat3, Quat, Vec3};
use std::sync::Arc;

/// A body. `position`, `rotation` and `velocity` are those of the body frame as the user gave
/// it; the equations use the mass centre.
#[derive(Debug, Clone)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: BodyKind,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the mass centre, body axes, kg m². Planar: only zz is set.
    pub inertia: Mat3,
    /// Mass centre in the body frame, m.
    pub com: Vec3,
    /// Initial position of the body frame, m.
    pub position: Vec3,
    /// Initial orientation (rigid bodies).
    pub rotation: Quat,
    /// Initial angle (planar bodies), rad, not wrapped.
    pub angle: f64,
    /// Keep the initial position during assembly.
    pub hold: bool,
    /// Initial velocity of the body frame's origin, m/s, if given.
    pub velocity: Option<Vec3>,
    /// Initial angular velocity, body axes, rad/s, if given (planar: z).
    pub rate: Option<Vec3>,
    /// How it deforms; `None` for bodies that do not.
    pub flexible: Option<Arc<Flexible>>,
}

/// How a modal body deforms, and how it is deformed at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Flexible {
    /// Integrals and nodes, about the undeformed mass centre.
    pub modal: Modal,
    /// Amplitudes at the start.
    pub amplitudes: Vec<f64>,
    /// Their rates at the start, if given.
    pub rates: Option<Vec<f64>>,
    /// How many times larger the deformation is drawn from the start, if the file says so.
    pub exaggerate: Option<f64>,
}

/// A frame fixed on a body or on the ground (`body` = `None`).
#[derive(Debug, Clone)]
pub struct Frame {
    /// Body it is fixed on.
    pub body: Option<BodyId>,
    /// Node of a modal body that carries it; `None`: the body frame does.
    pub node: Option<usize>,
    /// Origin in the body frame, or in that of the node, m.
    pub p: Vec3,
    /// Orientation in the same: maps frame components to those of the body or node.
    pub r: Mat3,
    /// As the user wrote it: `"crank.tip"`.
    pub name: String,
}

/// Two frames, each with a unit axis in its own components.
#[derive(Debug, Clone)]
pub struct AxisPair {
    /// First frame.
    pub a: Frame,
    /// Second frame.
    pub b: Frame,
    /// Axis in frame a.
    pub axis_a: Vec3,
    /// Axis in frame b.
    pub axis_b: Vec3,
}
