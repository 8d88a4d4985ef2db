//! Shapes for contact as written.

use super::{RotationSpec, Scalar};
use delassus_geom::TriMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Kind of shape. The first ones are in the x-y plane, from `sphere` on they are solids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeType {
    /// A point, in the plane or in space.
    #[default]
    Point,
    /// A disc of `radius`.
    Circle,
    /// A thin wall `from` … `to`; its free side is on the left (a floor goes from left to right),
    /// and nothing is hit from behind.
    Segment,
    /// Everything behind a straight line with the outward `normal`.
    HalfPlane,
    /// Part of a circle of `radius`, `from_angle` … `to_angle`; solid inside, or outside with
    /// `hollow`.
    Arc,
    /// A closed outline of straight edges and arcs through `points`, counter-clockwise.
    Profile,
    /// A ball of `radius`.
    Sphere,
    /// Everything behind a plane with the outward `normal`.
    HalfSpace,
    /// All points within `radius` of a straight line.
    Capsule,
    /// A box with edges of `size`, centred.
    Box,
    /// A cylinder of `radius`.
    Cylinder,
    /// The convex hull of `points`.
    Hull,
    /// A closed surface of triangles from an STL or OBJ `file`.
    Mesh,
}

/// A shape on a body or on the ground. Which keys a shape uses depends on its type; a key that a type does not use is
/// rejected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapeSpec {
    /// Kind of shape.
    #[serde(rename = "type")]
    pub kind: ShapeType,
    /// Where it is attached: `"body"`, `"body.marker"`, `"ground"` or `"ground.marker"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Origin of the shape in that frame, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Scalar>,
    /// Rotation about z, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Scalar>,
    /// Orientation in that frame (solids).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<RotationSpec>,
    /// Circle, arc, sphere, capsule, cylinder: radius, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Scalar>,
    /// Segment, capsule, cylinder: first end, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Scalar>,
    /// Segment, capsule, cylinder: second end, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Scalar>,
    /// Capsule, cylinder: length along z, centred, m; instead of `from` and `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Scalar>,
    /// Half-plane, half-space: outward normal; default: y in the plane, z in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<Vec<Scalar>>,
    /// Arc: where it begins, rad from x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_angle: Option<Scalar>,
    /// Arc: where it ends, rad from x, counter-clockwise from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_angle: Option<Scalar>,
    /// Arc, profile: the material is outside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hollow: bool,
    /// Box: lengths of its edges, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub size: Vec<Scalar>,
    /// Profile: corners, counter-clockwise around material, clockwise around a hole; hull: points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<ShapePoint>,
    /// Mesh: STL or OBJ file, relative to the model file and inside its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Mesh: metres per unit of the file; default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scalar>,
    /// Mesh: the content of the file. The reader of model files fills it; a program may do so too.
    #[serde(skip)]
    pub mesh: Option<Arc<TriMesh>>,
    /// Repetition, as for bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

/// A corner of a profile or a point of a hull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShapePoint {
    /// Its position, m.
    Point(Vec<Scalar>),
    /// A corner of a profile with further data.
    Corner(CornerSpec),
}

/// A corner of a profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CornerSpec {
    /// Its position, m.
    pub at: Vec<Scalar>,
    /// Radius that rounds it off, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fillet: Option<Scalar>,
    /// The edge to the next corner is an arc of this radius, m: positive turns left on the way to it (counter-clockwise
    /// corners: bulges outwards), negative right. The shorter of the two arcs is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc: Option<Scalar>,
}
