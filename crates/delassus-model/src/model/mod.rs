//! A checked model: numbers instead of expressions, ids instead of names.
//!
//! [`crate::compile()`] makes it from a [`crate::spec::ModelSpec`]; [`crate::System`] is assembled from it. It has no
//! equations to ask for, and the system has no `add_body`, so there is no "not finalised yet" state.

mod beam;
mod body;
mod carrier;
mod compliance;
mod contact;
mod contact_tolerances;
mod force;
mod input;
mod joint;
mod road;
mod run;
mod sensor;
mod shape;
mod tyre;

pub use beam::*;
pub use body::*;
pub use carrier::*;
pub use compliance::*;
pub use contact::*;
pub use contact_tolerances::*;
pub use force::*;
pub use input::*;
pub use joint::*;
pub use road::*;
pub use run::*;
pub use sensor::*;
pub use shape::*;
pub use tyre::*;

use delassus_expr::Dim;
use delassus_math::Vec3;

/// Index of a body in [`Model::bodies`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub usize);

/// Index of a joint in [`Model::joints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(pub usize);

/// Index of a shape in [`Model::shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub usize);

/// Index of a sensor in [`Model::sensors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SensorId(pub usize);

/// A checked model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Title, or the empty string.
    pub title: String,
    /// Parameters after evaluation, in file order.
    pub parameters: Vec<(String, f64)>,
    /// Their dimensions.
    pub parameter_dims: Vec<Dim>,
    /// Inputs in file order.
    pub inputs: Vec<Input>,
    /// Acceleration of gravity, m/s², ground components.
    pub gravity: Vec3,
    /// Bodies; ground is not among them. Nodes of beams are.
    pub bodies: Vec<Body>,
    /// Beams in file order.
    pub beams: Vec<Beam>,
    /// Joints in file order.
    pub joints: Vec<Joint>,
    /// Forces in file order, then the elements of beams.
    pub forces: Vec<Force>,
    /// Shapes in file order.
    pub shapes: Vec<ContactShape>,
    /// One-sided interactions in file order.
    pub contacts: Vec<Contact>,
    /// Sensors, one per scalar column.
    pub sensors: Vec<Sensor>,
    /// Time span and sampling.
    pub analysis: Analysis,
    /// Method and tolerances.
    pub method: Method,
    /// Tolerances of contact.
    pub contact_tolerances: ContactTolerances,
    /// Repairs and surprises (normalised axes, …), with the place in the model.
    pub notes: Vec<crate::Diagnostic>,
}

/// Meaning of the variable indices of expressions.
pub mod var {
    /// Time, s.
    pub const T: usize = 0;
    /// `length` of a spring, `angle` of a torsion element.
    pub const COORDINATE: usize = 1;
    /// `rate` of the same.
    pub const RATE: usize = 2;
    /// Sensor k is variable `SENSOR + k`.
    pub const SENSOR: usize = 3;
}
