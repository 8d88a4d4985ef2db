//! Bodies and markers as written.

use super::{Scalar, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyType {
    /// Rigid body moving in the x-y plane: coordinates x, y, θ.
    #[default]
    Planar,
    /// Rigid body in space: position and unit quaternion (scalar first).
    Rigid,
    /// Point mass in space: x, y, z.
    Point,
    /// Point mass in the x-y plane: x, y.
    PlanarPoint,
}

/// A body. Vectors have two components for planar bodies and three for spatial ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Kind of body.
    #[serde(rename = "type")]
    pub kind: BodyType,
    /// Mass, kg. Zero is legal where the joints keep the system regular.
    pub mass: Scalar,
    /// Moment of inertia about the mass centre, kg m²: one number for a planar body; three
    /// (principal, body axes), six (xx, yy, zz, xy, xz, yz) or a 3×3 matrix for a rigid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<InertiaSpec>,
    /// Mass centre in the body frame, m; the origin when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub com: Vec<Scalar>,
    /// Position of the body frame in the ground frame at the start, m. A rough value will do:
    /// assembly moves the bodies until the joints fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub position: Vec<Scalar>,
    /// Angle of a planar body at the start, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Scalar>,
    /// Orientation of a rigid body at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<RotationSpec>,
    /// Keep the starting position of this body while the others are assembled around it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hold: bool,
    /// Velocity of the body frame's origin at the start, m/s, ground components.
    /// Left out: whatever the joints and the other given velocities ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec<Scalar>>,
    /// Angular velocity at the start, rad/s: one number for a planar body, three components
    /// in the body frame for a rigid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateSpec>,
    /// Named frames on the body.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub markers: Table<MarkerSpec>,
    /// Repetition, e.g. `"i = 1..N"` (both ends included): the entry is made once for each i,
    /// with `{i}` replaced in names and `i` known to expressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

impl Default for Scalar {
    fn default() -> Self {
        Scalar::Number(0.0)
    }
}

/// Moment of inertia as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum InertiaSpec {
    /// A planar body's moment about its mass centre.
    Planar(Scalar),
    /// Three principal moments, or xx, yy, zz, xy, xz, yz.
    List(Vec<Scalar>),
    /// Full matrix, row by row.
    Matrix(Vec<Vec<Scalar>>),
}

/// Angular velocity as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RateSpec {
    /// Planar.
    Planar(Scalar),
    /// Spatial, body frame.
    Spatial(Vec<Scalar>),
}

/// A rotation as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RotationSpec {
    /// Unit quaternion, scalar first.
    Quaternion(Vec<Scalar>),
    /// Axis and angle, or the directions of two axes of the rotated frame.
    Table(RotationTable),
}

/// A rotation by axis and angle, or by the directions of its axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationTable {
    /// Axis of rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vec<Scalar>>,
    /// Angle about `axis`, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Scalar>,
    /// Direction of the rotated x axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<Vec<Scalar>>,
    /// Direction of the rotated y axis; made perpendicular to `x` where both are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<Vec<Scalar>>,
    /// Direction of the rotated z axis; the first of x, y, z that is given is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<Vec<Scalar>>,
}

/// A named frame: its origin, and an orientation where that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MarkerSpec {
    /// Position in the body frame, m.
    Point(Vec<Scalar>),
    /// Position and orientation.
    Frame(MarkerTable),
}

/// A marker with an orientation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkerTable {
    /// Position in the body frame, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub position: Vec<Scalar>,
    /// Rotation about z, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Scalar>,
    /// Orientation in the body frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<RotationSpec>,
    /// Repetition, as for bodies (ground markers only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

/// What does not move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroundSpec {
    /// Named frames fixed in the ground frame. Names may hold `{i}` with `repeat`.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub markers: Table<MarkerSpec>,
}

impl GroundSpec {
    /// True when nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }
}
