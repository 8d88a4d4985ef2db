//! Joints, couplings and prescribed motions as written.

use super::{EndType, FrictionLawType, LawType, NamesSpec, RestitutionType, Scalar, StartType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of joint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointType {
    /// Points coincide and one axis is common.
    #[default]
    Revolute,
    /// Sliding along one axis, no rotation.
    Prismatic,
    /// Sliding along and turning about one axis.
    Cylindrical,
    /// Points coincide.
    Spherical,
    /// Points coincide and two axes, one on each body, stay perpendicular.
    Universal,
    /// Plane on plane: sliding in the plane normal to the axis and turning about it.
    Planar,
    /// No relative motion.
    Fixed,
    /// Cylindrical joint whose turning and sliding are coupled by a pitch.
    Screw,
    /// Constant distance of two points: a massless rod with ball ends.
    Distance,
    /// The second point stays on a line through the first.
    PointOnLine,
    /// The second point stays in a plane through the first.
    PointOnPlane,
    /// Two axes stay parallel.
    ParallelAxes,
    /// The coordinates of two turning joints in a fixed ratio.
    Gear,
    /// A turning and a sliding joint coupled by a pitch radius.
    Rack,
    /// A linear equation between joint coordinates.
    Coupling,
    /// A joint coordinate (or a coordinate between two markers) as a given function of time.
    Motion,
    /// A disc or a sphere rolling without slipping on a plane.
    Rolling,
}

/// Shape of a rolling body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RollingShape {
    /// Thin disc with its spin axis along `axis2`.
    #[default]
    Disc,
    /// Sphere.
    Sphere,
}

/// A joint. Which fields a type uses is in the model-file reference; a field that its type
/// does not use is refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// Kind of joint.
    #[serde(rename = "type")]
    pub kind: JointType,
    /// The two frames that are joined: `"body"`, `"body.marker"`, `"ground"` or
    /// `"ground.marker"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// Joint axis in the first frame; default: z for joints that turn, x for joints that slide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vec<Scalar>>,
    /// Joint axis in the second frame; default: the same components as `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis2: Option<Vec<Scalar>>,
    /// Length of a distance joint, m; default: the distance after assembly of the given positions. Prismatic joint with
    /// clearance: length of the block along the axis, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Scalar>,
    /// Screw: advance per revolution, m. Rack: advance per revolution, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitch: Option<Scalar>,
    /// Gear: rate of the first joint divided by the rate of the second; negative for an
    /// external pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Scalar>,
    /// Gear and rack: the two joints that are coupled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<String>,
    /// Coupling: Σ coefficient · coordinate = offset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<CouplingTerm>,
    /// Coupling: right-hand side; default: the value at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Scalar>,
    /// Motion: the joint whose coordinate is prescribed (instead of `between` and `axis`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Motion: `"angle"` or `"position"` if the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Motion: the coordinate as an expression of `t`, m or rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
    /// Rolling: radius, m. Revolute joint with clearance: radius of the bearing, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Scalar>,
    /// Rolling: shape of the second body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<RollingShape>,
    /// Play of a revolute or prismatic joint: radius of the bearing less that of the journal, or the gap on each side
    /// of the block, m; default: an ideal joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<Scalar>,
    /// With clearance: how many times larger the play is drawn from the start, from 1 to 1e6; it changes no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exaggerate: Option<Scalar>,
    /// Prismatic joint with clearance: width of the block across the axis, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Scalar>,
    /// Prismatic joint with clearance in space: height of the block, across axis and width, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Scalar>,
    /// With clearance: coefficient of restitution, as for a contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<Scalar>,
    /// With clearance: what restitution multiplies, as for a contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution_law: Option<RestitutionType>,
    /// With clearance: normal force of a compliant contact, instead of rigid impacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<LawType>,
    /// With a law: stiffness K, N/m^n.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Scalar>,
    /// With a law: exponent n of the depth; default: 1.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<Scalar>,
    /// With a law: material of both sides, or one for each, from which the stiffness of a journal in its bearing
    /// follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<NamesSpec>,
    /// Law `"kelvin-voigt"`: damping, N s/m, instead of `restitution`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Scalar>,
    /// Law `"kelvin-voigt"`: where a contact ends, as for a contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<EndType>,
    /// With a law: smallest approach speed used for its losses, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<Scalar>,
    /// With a law: how the start of a contact is located, as for a contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartType>,
    /// With `start = "shrink"`: depth at which a contact may begin, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_start_depth: Option<Scalar>,
    /// With clearance: coefficient of sliding friction; default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Scalar>,
    /// With clearance: coefficient of friction that must be overcome to start sliding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<Scalar>,
    /// With `start = "shrink"`: shortest step that is tried for that, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_start_step: Option<Scalar>,
    /// With clearance: how friction depends on sliding; needed for friction with a law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_law: Option<FrictionLawType>,
    /// Friction laws except `"lugre"`: speed up to which friction rises from zero, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creep_speed: Option<Scalar>,
    /// Friction law `"ambrosio"`: speed below which there is none, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead_speed: Option<Scalar>,
    /// Friction law `"bengisu-akay"`: how fast friction falls beyond its peak, s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fall_rate: Option<Scalar>,
    /// Friction laws `"stribeck"` and `"lugre"`: speed at which friction falls, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stribeck_speed: Option<Scalar>,
    /// The same laws: exponent of the fall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stribeck_exponent: Option<Scalar>,
    /// Friction law `"lugre"`: stiffness of the bristles divided by the normal force, 1/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bristle_stiffness: Option<Scalar>,
    /// Friction law `"lugre"`: damping of the bristles divided by the normal force, s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bristle_damping: Option<Scalar>,
    /// Friction laws `"stribeck"` and `"lugre"`: viscous friction divided by the normal force, s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscous_friction: Option<Scalar>,
    /// Rate of the joint coordinate at the start, rad/s or m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_rate: Option<Scalar>,
    /// Repetition, as for bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

/// One term of a coupling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CouplingTerm {
    /// Name of the joint.
    pub joint: String,
    /// `"angle"` or `"position"` if the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Factor.
    pub coefficient: Scalar,
}
