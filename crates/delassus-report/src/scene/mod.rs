//! What the mechanism looks like: bodies, joints, forces, and where they are attached.
//!
//! [`scene_from`] makes it from a model (`build.rs`). Shapes of bodies are in `shapes.rs`.

mod beams;
mod build;
mod flexible;
mod modal;
mod roads;

pub(crate) use build::own_joint;
pub use build::scene_from;

use crate::encode::Array;
use delassus_math::Quat;
use serde::{Deserialize, Serialize};

/// A mechanism to draw. Body 0 is the ground.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scene {
    /// All bodies move in the x-y plane.
    pub planar: bool,
    /// The upward direction.
    pub up: [f64; 3],
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Largest extent at the start, m.
    pub size: f64,
    /// Characteristic length that the run used, m.
    pub length: f64,
    /// Centre at the start, m.
    pub center: [f64; 3],
    /// Bodies, the ground first.
    pub bodies: Vec<SceneBody>,
    /// Joints.
    pub joints: Vec<SceneJoint>,
    /// Forces.
    pub forces: Vec<SceneForce>,
    /// Contacts.
    pub contacts: Vec<SceneContact>,
    /// Reactions and applied forces.
    pub arrows: Vec<SceneArrow>,
    /// Orbits of journals that sensors measure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub orbits: Vec<SceneOrbit>,
    /// Bodies that deform.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flexible: Vec<SceneFlexible>,
    /// Beams of which the run records forces and moments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SceneSection>,
    /// Numbers recorded per element: 6 in the plane (fx, fy, tz at both ends), 12 in space.
    #[serde(skip_serializing_if = "is_zero")]
    pub section_width: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A body that deforms, as far as pictures enlarge its deformation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneFlexible {
    /// Name.
    pub name: String,
    /// Bodies of the scene that it consists of.
    pub nodes: Vec<usize>,
    /// Their poses in the undeformed shape: x, y, z and a quaternion, in axes of the shape.
    pub rest: Vec<[f64; 7]>,
    /// It is drawn as a line through its nodes; the first is its floating frame, which is no part of the line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line: bool,
    /// Numbers among these of those that are held.
    pub held: Vec<usize>,
    /// Those of them whose orientation is held too.
    pub clamped: Vec<usize>,
    /// Bodies that hang on it alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hanging: Vec<SceneHanging>,
    /// The factor by which its deformation is drawn enlarged from the start, if the model sets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exaggerate: Option<f64>,
}

/// Bodies that move with a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneHanging {
    /// Number of the node in [`SceneFlexible::nodes`].
    pub node: usize,
    /// Bodies of the scene.
    pub bodies: Vec<usize>,
}

/// A beam of which forces and moments are recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneSection {
    /// Name.
    pub name: String,
    /// Number of its first element among those recorded.
    pub first: usize,
    /// Distance of the ends of its elements along the unloaded axis, m.
    pub stations: Vec<f64>,
}

/// A force or torque that is drawn as an arrow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneArrow {
    /// Name.
    pub name: String,
    /// `force` or `torque`.
    pub kind: String,
    /// `reaction` or `force`.
    pub group: String,
    /// Body it acts on.
    pub body: usize,
    /// Where on it, m.
    pub p: [f64; 3],
    /// Columns of its components along x, y and z of the ground, if only sensors measure them.
    #[serde(skip_serializing_if = "unknown")]
    pub columns: [Option<String>; 3],
    /// Its number in `loads.bin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<usize>,
}

fn unknown(columns: &[Option<String>; 3]) -> bool {
    columns.iter().all(Option::is_none)
}

/// A body. Positions are in its own frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneBody {
    /// Name.
    pub name: String,
    /// `planar`, `spatial`, `point` or `ground`.
    pub kind: String,
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia xx, yy, zz about the mass centre, kg m².
    pub inertia: [f64; 3],
    /// Mass centre, m.
    pub com: [f64; 3],
    /// Its own colour, if it has one.
    pub color: Option<String>,
    /// Number of the first node of the beam that it is a node of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_beam: Option<usize>,
    /// Shapes to draw; if there are none, sticks between its joints.
    pub shapes: Vec<SceneShape>,
    /// Named points to which something is attached.
    pub markers: Vec<SceneMarker>,
}

/// A shape and its place on its body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneShape {
    /// Its geometry.
    #[serde(flatten)]
    pub geometry: Geometry,
    /// Place, m.
    #[serde(default)]
    pub p: [f64; 3],
    /// Orientation, quaternion with the scalar first.
    #[serde(default = "no_rotation")]
    pub r: [f64; 4],
}

fn no_rotation() -> [f64; 4] {
    Quat::IDENTITY.0
}

/// Kinds of shape; lengths in m. Axes are along z; planar shapes lie in the x-y plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Geometry {
    /// Sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Cylinder with round ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Distance between the centres of the ends.
        length: f64,
    },
    /// Box.
    Box {
        /// Lengths of the edges.
        size: [f64; 3],
    },
    /// Cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Height.
        length: f64,
    },
    /// Plane with the normal +z.
    Plane {
        /// Extent to draw.
        size: f64,
    },
    /// Triangles.
    Mesh {
        /// Corners, n × 3.
        vertices: Array,
        /// Indices of corners, m × 3.
        triangles: Array,
        /// The number of triangles in the model, if fewer are drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<usize>,
    },
    /// Circle.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// A point.
    Point {},
    /// A straight segment.
    Segment {
        /// Start point.
        a: [f64; 2],
        /// End point.
        b: [f64; 2],
    },
    /// Straight segments; arcs are made of many.
    Polyline {
        /// Corners.
        points: Vec<[f64; 2]>,
        /// The last point is joined to the first.
        closed: bool,
    },
    /// The half plane below the line through the position of the shape.
    Line {
        /// Normal pointing out of the half plane.
        normal: [f64; 2],
    },
}

/// A named point with axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneMarker {
    /// Name without that of the body.
    pub name: String,
    /// Place on the body, m.
    pub p: [f64; 3],
    /// Orientation on the body.
    pub r: [f64; 4],
}

/// Where something is attached. For joints with an axis, z of the orientation is the axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attachment {
    /// Number of the body; 0 is the ground.
    pub body: usize,
    /// Place on it, m.
    pub p: [f64; 3],
    /// Orientation on it.
    pub r: [f64; 4],
}

/// A joint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneJoint {
    /// Name.
    pub name: String,
    /// Type as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// First frame.
    pub a: Attachment,
    /// Second frame.
    pub b: Attachment,
    /// Radius of a disc or ball that rolls, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// `disc` or `sphere`, for joints that roll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// Numbers of the two joints that a pair of gears couples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<usize>,
    /// Turns of the first gear per turn of the second; negative if they turn in opposite directions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Clearance of a journal or ball in its bearing, or of a block on each side, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance: Option<f64>,
    /// Width, height and length of a block with play, m, along x, y and z of both frames; the height is 0 in the plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[f64; 3]>,
    /// The factor by which its play is drawn enlarged from the start, if the model sets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exaggerate: Option<f64>,
}

/// The path of a journal in its bearing: one column plotted over another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneOrbit {
    /// Name of the sensor.
    pub name: String,
    /// Column of the position along x of the bearing.
    pub x: String,
    /// Column of the position along y.
    pub y: String,
    /// How far the journal may move from the centre before it touches, m; none for an ideal joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clearance: Option<f64>,
}

/// A force.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneForce {
    /// Name.
    pub name: String,
    /// Type as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it acts, or its first end.
    pub a: Attachment,
    /// Its second end, if it has one.
    pub b: Option<Attachment>,
}

/// A contact or another one-sided interaction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneContact {
    /// Name.
    pub name: String,
    /// Type as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// First body, if there is exactly one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<usize>,
    /// Second body, if there is exactly one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<usize>,
    /// Length of a rope, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Ends of a rope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<Attachment>,
}

impl Scene {
    /// Number of loads that the run records.
    pub(crate) fn loads(&self) -> usize {
        self.arrows.iter().filter(|a| a.load.is_some()).count()
    }

    /// Number of vectors in the file of forces and moments in beams.
    pub(crate) fn section_vectors(&self) -> usize {
        let elements = self.sections.iter().map(|s| s.stations.len().saturating_sub(1));
        elements.sum::<usize>() * self.section_width / 3
    }
}
