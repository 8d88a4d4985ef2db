//! Inputs as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}
