//! Materials as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An elastic material, for the stiffness of compliant contacts and for beams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialSpec {
    /// Young's modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<Scalar>,
    /// Poisson's ratio, above -1 and up to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<Scalar>,
    /// Shear modulus, Pa; that of an isotropic material when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear: Option<Scalar>,
    /// Density, kg/m³.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Scalar>,
    /// Time of stiffness-proportional damping, s; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Scalar>,
}
