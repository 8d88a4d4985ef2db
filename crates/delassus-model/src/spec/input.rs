//! Inputs as written.

use super::{Points, Scalar};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An input: a number that the program running the model may set between two steps. Forces, targets of actuators and
/// expression sensors may use its name; its value is a column of the results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputSpec {
    /// SI unit of the value, shown with the column, such as `"N*m"`; default: a pure number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Value until it is set; default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Scalar>,
    /// Smallest value that may be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Scalar>,
    /// Largest value that may be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Scalar>,
    /// Its values over time, if they are known before the run: it is a function of time then, and cannot be set. A
    /// program fills it.
    #[serde(skip)]
    pub course: Option<Arc<Course>>,
}

/// Values of an input over time, in SI units. Beyond the points the first and the last value hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Times, which rise, and values.
    pub points: Points,
    /// Each value holds until the next time; otherwise straight lines join them.
    pub hold: bool,
}
