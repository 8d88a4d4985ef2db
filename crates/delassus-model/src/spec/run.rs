//! Time span and method as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time span and sampling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalysisSpec {
    /// Start time, s; 0 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Scalar>,
    /// End time, s; 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Scalar>,
    /// Interval of the results, s; a hundredth of the span when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Scalar>,
    /// Largest correction that assembly may make to the given positions, as a fraction of the
    /// model's size; 0.01 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_assembly_correction: Option<Scalar>,
}

/// Integration method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodSpec {
    /// Name of the method; `mdop5` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Relative tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtol: Option<Scalar>,
    /// Absolute tolerance, SI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atol: Option<Scalar>,
    /// Fixed step, s; adaptive steps when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Scalar>,
    /// Largest step of an adaptive method, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_step: Option<Scalar>,
    /// Largest number of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// Spectral radius at infinity of generalized-α, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho_inf: Option<Scalar>,
}
