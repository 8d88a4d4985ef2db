//! A number as the user wrote it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A bare number (SI) or an expression such as `"L1/2"`, `"30 deg"` or `"12 mm + d"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A number in SI units.
    Number(f64),
    /// An expression, evaluated when the model is compiled or, where it depends on time or on
    /// measured quantities, at every evaluation of the equations.
    Text(String),
}

impl Scalar {
    /// Written as a number, not computed from something else.
    pub fn is_plain(&self) -> bool {
        match self {
            Scalar::Number(_) => true,
            Scalar::Text(text) => text.trim().parse::<f64>().is_ok(),
        }
    }
}

impl From<f64> for Scalar {
    fn from(x: f64) -> Self {
        Scalar::Number(x)
    }
}

impl From<i32> for Scalar {
    fn from(x: i32) -> Self {
        Scalar::Number(f64::from(x))
    }
}

impl From<&str> for Scalar {
    fn from(s: &str) -> Self {
        Scalar::Text(s.to_owned())
    }
}

impl From<String> for Scalar {
    fn from(s: String) -> Self {
        Scalar::Text(s)
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Number(x) => write!(f, "{x}"),
            Scalar::Text(s) => f.write_str(s),
        }
    }
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number in SI units, or an expression with parameters and units, e.g. \"L1/2\" or \"30 deg\".",
            "type": ["number", "string"]
        })
    }
}
