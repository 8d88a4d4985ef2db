//! Roads as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A road that does not move: its height over the x-y plane of the ground.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoadSpec {
    /// Height, m: an expression of `x` and `y`, m, which may call tables; default: zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Scalar>,
    /// CSV file with the heights of a grid instead: a line of names, then one line per point of the grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Names of the columns of x, y and height in the file; default: its three columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Factor of the friction of tyres; default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Scalar>,
    /// The content of the file. The reader of model files fills it; a program may do so too.
    #[serde(skip)]
    pub points: Option<Arc<RoadPoints>>,
}

/// Three columns of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoadPoints {
    /// Distances along x, m.
    pub x: Vec<f64>,
    /// Distances along y, m.
    pub y: Vec<f64>,
    /// Heights, m.
    pub z: Vec<f64>,
}
