//! Cross-sections of beams as written.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of cross-section. The axis of the beam is x; y and z are the principal axes of the section. A planar beam
/// bends about z.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SectionType {
    /// `height` along y, `width` along z.
    #[default]
    Rectangle,
    /// A full circle of `radius`.
    Circle,
    /// A circle of `radius` with a concentric hole that leaves a wall of `thickness`.
    Tube,
    /// An I with a web along y: `height` over all, `width` of the flanges along z, thickness of `web` and `flange`.
    IBeam,
    /// By `area`, `inertia`, `torsion` and `shear`.
    General,
}

/// A cross-section. Which keys it uses depends on its type; a key that a type does not use is refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionSpec {
    /// Kind of section.
    #[serde(rename = "type")]
    pub kind: SectionType,
    /// Rectangle, I: extent along y, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Scalar>,
    /// Rectangle, I: extent along z, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Scalar>,
    /// Circle, tube: outer radius, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<Scalar>,
    /// Tube: thickness of its wall, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<Scalar>,
    /// I: thickness of the web, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web: Option<Scalar>,
    /// I: thickness of each flange, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flange: Option<Scalar>,
    /// General: area, m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<Scalar>,
    /// General: second moments of area about y and z, m⁴.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inertia: Vec<Scalar>,
    /// General: torsion constant, m⁴; needed by beams in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torsion: Option<Scalar>,
    /// Shear factors along y and z: parts of the area that carry shear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shear: Vec<Scalar>,
}
