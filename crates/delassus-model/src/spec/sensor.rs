//! Output columns as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a sensor measures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SensorType {
    /// Position of a marker, m.
    #[default]
    Position,
    /// Velocity of a marker, m/s.
    Velocity,
    /// Acceleration of a marker, m/s².
    Acceleration,
    /// Angle of a planar body or marker from the x axis of the ground, rad, unwrapped.
    Angle,
    /// Angular velocity, rad/s.
    Rate,
    /// Component of the orientation quaternion (w, x, y, z), with w ≥ 0.
    Orientation,
    /// Coordinate of a joint, m or rad, unwrapped.
    Joint,
    /// Rate of a joint coordinate, m/s or rad/s.
    JointRate,
    /// Distance of two markers, m.
    Distance,
    /// Reaction force or torque of a joint on its second body.
    Reaction,
    /// Energy of the whole system, J.
    Energy,
    /// Position of the second frame of a revolute joint in the first: components, distance and direction.
    Eccentricity,
    /// Force and moment in a section of a beam, on the part before it, in the axes of the section.
    Section,
    /// Stretch, shear, twist and curvature of a beam in excess of what it has unloaded.
    Strain,
    /// Amplitude of a mode of a modal body, m.
    Amplitude,
    /// Its rate, m/s.
    AmplitudeRate,
    /// Forces, slip and contact point of a tyre.
    Tyre,
    /// Expression of `t`, parameters, inputs and other sensors.
    Expression,
}

/// A sensor: one column of the results, or one per component if `component` of a vector quantity is omitted (columns
/// `name.x`, `name.y`, …).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensorSpec {
    /// What is measured.
    #[serde(rename = "type")]
    pub kind: SensorType,
    /// Marker, body or beam that is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Section, strain: distance along the axis of the beam, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Scalar>,
    /// Frame the components refer to: `"ground"` (default), `"body"` (the body's own axes) or a marker. For position
    /// and velocity a marker is also the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// `"x"`, `"y"`, `"z"`, `"norm"`; `"w"` for orientations; `"fx"` … `"tz"` for reactions and
    /// sections, `"ex"` … `"kz"` for strains; `"fx"`, `"slip"`, `"angle"` and others for tyres;
    /// `"kinetic"`, `"potential"`, `"total"`, `"dissipated"`, `"work"`, `"balance"` for energies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Joint, joint rate, reaction, eccentricity: name of the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Joint, joint rate: `"angle"` or `"position"` if the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Tyre: name of the force of type `tyre`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tyre: Option<String>,
    /// Distance: the two markers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// Amplitude: number of the mode, from 1; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Scalar>,
    /// Expression: its formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
    /// Expression: unit shown with the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Repetition, as for bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}
