//! Bodies and markers as written.

use super::{ModesSpec, NodeSpec, Scalar, Table};
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
    /// Beam in space that bends, shears, stretches and twists by any amount: rigid nodes and elements between them.
    Beam,
    /// Beam in the x-y plane: planar nodes and elements between them.
    PlanarBeam,
    /// Body in space that deforms by few modes: a floating frame and amplitudes.
    Modal,
    /// The same in the x-y plane.
    PlanarModal,
}

impl BodyType {
    /// It is made of nodes and elements.
    pub fn is_beam(self) -> bool {
        matches!(self, BodyType::Beam | BodyType::PlanarBeam)
    }
}

/// A body. Vectors have two components for planar bodies and three for spatial ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "if" = { "properties": { "type": { "enum": ["beam", "planar-beam", "modal", "planar-modal"] } }, "required": ["type"] },
    "else" = { "required": ["mass"] }
))]
pub struct BodySpec {
    /// Kind of body.
    #[serde(rename = "type")]
    pub kind: BodyType,
    /// Mass, kg. Zero is allowed where the joints keep the system regular. Beams get theirs from their material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Scalar>,
    /// Moment of inertia about the mass centre, kg m²: one number for a planar body; three
    /// (principal, body axes), six (xx, yy, zz, xy, xz, yz) or a 3×3 matrix for a rigid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<InertiaSpec>,
    /// Mass centre in the body frame, m; default: the origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub com: Vec<Scalar>,
    /// Position of the body frame in the ground frame at the start, m. A rough value will do: assembly moves the bodies
    /// until the joints are closed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub position: Vec<Scalar>,
    /// Angle of a planar body at the start, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Scalar>,
    /// Orientation of a rigid body at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<RotationSpec>,
    /// Keep the initial position of this body while the others are assembled around it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hold: bool,
    /// Velocity of the body frame's origin at the start, m/s, ground components. By default it follows from the joints
    /// and the other given velocities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec<Scalar>>,
    /// Angular velocity at the start, rad/s: one number for a planar body, three components
    /// in the body frame for a rigid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateSpec>,
    /// Beam: number of elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<Scalar>,
    /// Beam: length along its axis, m. It begins at the origin of its frame, along x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Scalar>,
    /// Beam: curvature of the unloaded axis, 1/m: about z for a planar beam; of twist, about y and about z of the
    /// section for a spatial one. Straight when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curvature: Option<RateSpec>,
    /// Beam: corners of an axis of straight legs in the frame of the beam, m, instead of `length` and `curvature`. The legs are
    /// joined stiffly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Vec<Scalar>>,
    /// Beam: name of its cross-section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Beam: name of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Beam: `false` for sections that stay perpendicular to the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear: Option<bool>,
    /// Beam: time of stiffness-proportional damping, s; that of the material when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Scalar>,
    /// Beam, instead of `section` and `material`: axial stiffness, N.
    #[serde(rename = "EA", default, skip_serializing_if = "Option::is_none")]
    pub ea: Option<Scalar>,
    /// Beam: shear stiffness, N: one number in the plane, along y and z in space. No shear when left out.
    #[serde(rename = "GA", default, skip_serializing_if = "Option::is_none")]
    pub ga: Option<RateSpec>,
    /// Beam: bending stiffness, N m²: about z in the plane; about y and z in space.
    #[serde(rename = "EI", default, skip_serializing_if = "Option::is_none")]
    pub ei: Option<RateSpec>,
    /// Beam: torsional stiffness, N m².
    #[serde(rename = "GJ", default, skip_serializing_if = "Option::is_none")]
    pub gj: Option<Scalar>,
    /// Beam: mass per length, kg/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_per_length: Option<Scalar>,
    /// Beam: moment of inertia of the section per length, kg m: about z in the plane; about y and z in space. As a
    /// homogeneous section with these stiffnesses has it when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia_per_length: Option<RateSpec>,
    /// Modal: how the body deforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<ModesSpec>,
    /// Modal: places where something may be fastened, by name. Each is a marker too.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub nodes: Table<NodeSpec>,
    /// Beam, modal: how many times larger its deformation is drawn from the start. Results do not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exaggerate: Option<Scalar>,
    /// Named frames on the body.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub markers: Table<MarkerSpec>,
    /// Repetition, e.g. `"i = 1..N"` (both ends included): the entry is created once for each i, with `{i}` replaced in
    /// names and `i` available in expressions.
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

/// One number for something planar, a list for something in space: angular velocities, and properties of beams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RateSpec {
    /// Planar.
    Planar(Scalar),
    /// Spatial, body frame or axes of the section.
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
    /// Direction of the rotated y axis; made perpendicular to `x` if both are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<Vec<Scalar>>,
    /// Direction of the rotated z axis; the first of x, y, z that is given is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<Vec<Scalar>>,
}

/// A named frame: its origin, and an orientation if that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MarkerSpec {
    /// Position in the body frame, m.
    Point(Vec<Scalar>),
    /// Position and orientation.
    Frame(Box<MarkerTable>),
}

/// A marker with an orientation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkerTable {
    /// Beam: distance along its axis, m. There is a node there, whose frame the position and orientation refer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Scalar>,
    /// Modal body: name of the node that carries it, whose frame the position and orientation refer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
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

/// Everything that does not move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroundSpec {
    /// Named frames fixed in the ground frame. Names may contain `{i}` with `repeat`.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub markers: Table<MarkerSpec>,
}

impl GroundSpec {
    /// True when nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }
}
