//! Materials as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An elastic material, for the stiffness of compliant contacts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialSpec {
    /// Young's modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<Scalar>,
    /// Poisson's ratio, above -1 and up to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<Scalar>,
}
