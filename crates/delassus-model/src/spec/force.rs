//! Forces as written.

use super::{InertiaSpec, RateSpec, Scalar};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of force.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForceType {
    /// A force at a marker, each component an expression.
    #[default]
    Force,
    /// A torque on a body, each component an expression.
    Torque,
    /// Spring-damper between two points: linear, or by expression of `length` and `rate`.
    Spring,
    /// Spring-damper about an axis: linear, or by expression of `angle` and `rate`.
    Torsion,
    /// Linear element with a 6×6 stiffness and damping between two frames.
    Bushing,
    /// PI/PID control of a joint coordinate, with its own states.
    Actuator,
    /// One massless element of a beam between two frames, straight along x of the first when unloaded.
    Beam,
    /// Linear bearing: full 2×2 stiffness and damping across an axis.
    Bearing,
    /// A tyre between a wheel and a road.
    Tyre,
}

/// A force element. Expressions may use parameters, `t`, and any sensor of position or
/// velocity level by its name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceSpec {
    /// Kind of force.
    #[serde(rename = "type")]
    pub kind: ForceType,
    /// Force, torque: where it acts, `"body"` or `"body.marker"`. Tyre: the centre of the wheel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Force, torque: the frame its components refer to: `"ground"` (default) or a marker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Spring, torsion, bushing, beam, bearing: the two frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// Torsion, actuator: the joint it acts along (instead of `between` and `axis`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Torsion, actuator: `"angle"` or `"position"` if the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Torsion: axis in the first frame; default: z. Bearing: x, y or z of the first frame. Tyre: the axle, to the
    /// left; default: y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vec<Scalar>>,
    /// Force: components (N), a list; spring: the pull as one expression of `length`, `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<Components>,
    /// Torque: components (N m), one number for a planar body; torsion: one expression of
    /// `angle` and `rate`, positive when it pulls the angle back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<Components>,
    /// Spring: N/m. Torsion: N m/rad. Bushing: six diagonal entries (three translations, three
    /// rotations) or a 6×6 matrix. Bearing: one number, two across the axis, or a 2×2 matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<InertiaSpec>,
    /// Damping, same shapes as `stiffness`; of a beam the time of stiffness-proportional damping, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<InertiaSpec>,
    /// Spring: free length, m; default: the distance at the start. Beam: length, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Scalar>,
    /// Torsion: free angle, rad; default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Scalar>,
    /// Actuator: desired coordinate, or desired rate with `control = "rate"`; expression of `t`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Scalar>,
    /// Actuator: `"position"` (default) or `"rate"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Actuator: proportional gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kp: Option<Scalar>,
    /// Actuator: integral gain; its integral is a state of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ki: Option<Scalar>,
    /// Actuator: derivative gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kd: Option<Scalar>,
    /// Allow negative damping or stiffness.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_negative: bool,
    /// Beam: name of its cross-section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Beam: name of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Beam: `false` for sections that stay perpendicular to the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear: Option<bool>,
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
    /// Tyre: its name among the tyres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tyre: Option<String>,
    /// Tyre: name of the road; default: the x-y plane of the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub road: Option<String>,
    /// Tyre: it rolls freely on a body that does not turn with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<bool>,
    /// Repetition, as for bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

/// One expression or a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Components {
    /// One component.
    One(Scalar),
    /// Two or three components.
    Many(Vec<Scalar>),
}
