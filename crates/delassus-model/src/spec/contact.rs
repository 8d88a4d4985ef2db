//! One-sided interactions as written: contact of shapes, stops, ropes, clutches, dry friction.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of interaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactType {
    /// Shapes that do not enter each other.
    #[default]
    Shapes,
    /// Stops of a joint coordinate.
    Limit,
    /// Two markers that stay within a distance of each other.
    Rope,
    /// A joint coordinate that runs in one direction only.
    OneWay,
    /// Friction in a joint with a given bound.
    DryFriction,
    /// A gap that is a sum of joint coordinates.
    Coordinates,
}

/// What the coefficient of restitution multiplies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestitutionType {
    /// Velocities (Newton, Moreau).
    #[default]
    Newton,
    /// Impulses (Poisson).
    Poisson,
    /// Work (Stronge).
    Energetic,
}

/// A one-sided interaction. Which keys it uses depends on its type; a key that a type does not
/// use is refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactSpec {
    /// Kind of interaction.
    #[serde(rename = "type", default, skip_serializing_if = "is_shapes")]
    pub kind: ContactType,
    /// Shapes: the two sides, each a name, a pattern with `*` or a list of those. Rope: two
    /// frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<NamesSpec>,
    /// Shapes: names and patterns; every pair of them on different bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// Coefficient of restitution, 0 to 1; 0 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<Scalar>,
    /// What it multiplies: velocities (`"newton"`), impulses (`"poisson"`) or work
    /// (`"energetic"`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution_law: Option<RestitutionType>,
    /// Coefficient of sliding friction; 0 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Scalar>,
    /// Coefficient of friction that must be overcome to start sliding; `friction` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<Scalar>,
    /// Start even where the gap is negative.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_overlap: bool,
    /// Limit, one-way, dry friction: the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Limit, one-way, dry friction: `"angle"` or `"position"` where the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Limit: smallest value, rad or m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Scalar>,
    /// Limit: largest value, rad or m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Scalar>,
    /// Rope: largest distance, m; that at the start when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Scalar>,
    /// One-way: 1 (the coordinate may only grow, the default) or -1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Scalar>,
    /// Dry friction: force or torque while it slides, N or N m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Scalar>,
    /// Dry friction: force or torque that must be overcome to start; `bound` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_bound: Option<Scalar>,
    /// Coordinates: the gap is `offset` + Σ factor · coordinate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gap: Vec<GapTerm>,
    /// Coordinates: constant part of the gap; 0 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Scalar>,
    /// Coordinates: the slip velocity is Σ factor · rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slip: Vec<GapTerm>,
    /// Repetition, as for bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

fn is_shapes(kind: &ContactType) -> bool {
    *kind == ContactType::Shapes
}

/// One name or pattern, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NamesSpec {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl From<&str> for NamesSpec {
    fn from(name: &str) -> Self {
        NamesSpec::One(name.to_owned())
    }
}

/// One term of a gap or of a slip velocity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapTerm {
    /// Name of the joint.
    pub joint: String,
    /// `"angle"` or `"position"` where the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Factor.
    pub factor: Scalar,
}
