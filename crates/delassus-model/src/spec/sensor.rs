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
    /// Where the second frame of a revolute joint is in the first: place, distance and direction.
    Eccentricity,
    /// Expression of `t`, parameters, inputs and other sensors.
    Expression,
}

/// A sensor: one column of the results, or one per component when `component` is left out of
/// a vector quantity (columns `name.x`, `name.y`, …).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensorSpec {
    /// What is measured.
    #[serde(rename = "type")]
    pub kind: SensorType,
    /// Marker or body that is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Frame the components refer to: `"ground"` (default), `"body"` (the body's own axes) or
    /// a marker. For position and velocity a marker also is the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// `"x"`, `"y"`, `"z"`, `"norm"`; `"w"` for orientations; `"fx"` … `"tz"` for reactions;
    /// `"kinetic"`, `"potential"`, `"total"`, `"dissipated"`, `"work"`, `"balance"` for energies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Joint, joint rate, reaction, eccentricity: name of the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Joint, joint rate: `"angle"` or `"position"` where the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Distance: the two markers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
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
