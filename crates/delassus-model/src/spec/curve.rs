//! Functions given by points, as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A function of one argument through given points, which every expression may call by the name of the table:
/// `road(t)`. The points are lists `x` and `y`, or two columns of a CSV `file`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Arguments, rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub x: Vec<Scalar>,
    /// Values at these arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub y: Vec<Scalar>,
    /// CSV file with a line of names and lines of numbers, relative to the model file and inside its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Names of the columns of the argument and of the value; default: the two columns of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Units of bare numbers of argument and value, such as `["m", "mm"]`; default: SI units of any kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// What joins the points; default: straight lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<JoinType>,
    /// What follows beyond the points; default: the value of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<OutsideType>,
    /// The content of the file. The reader of model files fills it; a program may do so too.
    #[serde(skip)]
    pub points: Option<Arc<Points>>,
}

/// Two columns of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    /// Arguments.
    pub x: Vec<f64>,
    /// Values.
    pub y: Vec<f64>,
}

/// What joins the points of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JoinType {
    /// Straight lines; steps end at every point.
    #[default]
    Linear,
    /// Cubics with continuous slope that never overshoot: they rise and fall only where the points do.
    Monotone,
    /// Cubics with continuous slope and curvature; no curvature at the ends, or the same at both if it is periodic.
    Spline,
    /// The value of a point until the next one; where the argument is a function of time, steps end at every change.
    Hold,
}

/// What follows beyond the points of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutsideType {
    /// The value of the end.
    #[default]
    Clamp,
    /// A straight line with the slope of the end.
    Extend,
    /// The same again and again; the first and the last value must be equal.
    Periodic,
}
