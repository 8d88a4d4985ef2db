//! One-sided interactions as written: contact of shapes, stops, ropes, clutches, dry friction.

use super::Scalar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of interaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactType {
    /// Shapes that do not penetrate each other.
    #[default]
    Shapes,
    /// Stops of a joint coordinate.
    Limit,
    /// Two markers that stay within a distance of each other.
    Rope,
    /// A joint coordinate that moves in one direction only.
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

/// Normal force of a compliant contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawType {
    /// Without losses.
    Hertz,
    /// Hunt and Crossley 1975.
    HuntCrossley,
    /// Herbert and McWhannell 1977.
    HerbertMcwhannell,
    /// Lee and Wang 1983.
    LeeWang,
    /// Lankarani and Nikravesh 1990.
    LankaraniNikravesh,
    /// Gonthier and others 2004.
    Gonthier,
    /// Flores and others 2011.
    Flores,
    /// Zhiying and Qishao 2006.
    ZhiyingQishao,
    /// Hu and Guo 2015.
    HuGuo,
    /// Rebounds with the requested restitution.
    Exact,
    /// A linear spring in parallel with a damper.
    KelvinVoigt,
}

impl LawType {
    /// Word in the file.
    pub fn name(self) -> &'static str {
        match self {
            LawType::Hertz => "hertz",
            LawType::HuntCrossley => "hunt-crossley",
            LawType::HerbertMcwhannell => "herbert-mcwhannell",
            LawType::LeeWang => "lee-wang",
            LawType::LankaraniNikravesh => "lankarani-nikravesh",
            LawType::Gonthier => "gonthier",
            LawType::Flores => "flores",
            LawType::ZhiyingQishao => "zhiying-qishao",
            LawType::HuGuo => "hu-guo",
            LawType::Exact => "exact",
            LawType::KelvinVoigt => "kelvin-voigt",
        }
    }

    /// Whether it is undefined for a restitution of zero.
    pub fn divides_by_restitution(self) -> bool {
        matches!(
            self,
            LawType::Gonthier
                | LawType::Flores
                | LawType::HuGuo
                | LawType::Exact
                | LawType::KelvinVoigt
        )
    }
}

/// How friction depends on sliding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLawType {
    /// Rises exponentially: Threlfall 1978.
    Threlfall,
    /// Rises on a parabola and falls: Bengisu and Akay 1994.
    BengisuAkay,
    /// Rises linearly: Ambrósio 2003.
    Ambrosio,
    /// Falls from the static to the sliding value: Stribeck 1902.
    Stribeck,
    /// Bristles that bend before they slip: Canudas de Wit and others 1995.
    Lugre,
}

impl FrictionLawType {
    /// Word in the file.
    pub fn name(self) -> &'static str {
        match self {
            FrictionLawType::Threlfall => "threlfall",
            FrictionLawType::BengisuAkay => "bengisu-akay",
            FrictionLawType::Ambrosio => "ambrosio",
            FrictionLawType::Stribeck => "stribeck",
            FrictionLawType::Lugre => "lugre",
        }
    }

    /// Whether it distinguishes static from sliding friction.
    pub fn has_static(self) -> bool {
        !matches!(self, FrictionLawType::Threlfall | FrictionLawType::Ambrosio)
    }
}

/// Where a Kelvin–Voigt contact ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndType {
    /// Where its force would begin to pull.
    #[default]
    Force,
    /// Where the gap opens; the force pulls before.
    Gap,
}

/// How the start of a compliant contact is located.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartType {
    /// The step ends where the gap is zero.
    #[default]
    Locate,
    /// The state is taken from the interpolation of the step.
    Interpolate,
    /// The step is halved until it ends less deep than `max_start_depth`.
    Shrink,
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
    /// Coefficient of restitution, 0 to 1; default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<Scalar>,
    /// What it multiplies: velocities (`"newton"`), impulses (`"poisson"`) or work
    /// (`"energetic"`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution_law: Option<RestitutionType>,
    /// Shapes: normal force of a compliant contact, instead of rigid impacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<LawType>,
    /// With a law: stiffness K, N/m^n.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Scalar>,
    /// With a law: exponent n of the depth; default: 1.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<Scalar>,
    /// With a law: material of both sides, or one for each, from which the stiffness of round shapes follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<NamesSpec>,
    /// Law `"kelvin-voigt"`: damping, N s/m, instead of `restitution`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Scalar>,
    /// Law `"kelvin-voigt"`: where a contact ends, at `"force"` zero (the default) or at `"gap"` zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<EndType>,
    /// With a law: smallest approach speed used for its losses, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_speed: Option<Scalar>,
    /// With a law: how the start of a contact is located, `"locate"` (the default), `"interpolate"` or `"shrink"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartType>,
    /// With `start = "shrink"`: depth at which a contact may begin, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_start_depth: Option<Scalar>,
    /// With `start = "shrink"`: shortest step that is tried for that, s; default: round-off of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_start_step: Option<Scalar>,
    /// Coefficient of sliding friction; default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Scalar>,
    /// Coefficient of friction that must be overcome to start sliding; default: `friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<Scalar>,
    /// Shapes: how friction depends on sliding; needed for friction with a compliant law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_law: Option<FrictionLawType>,
    /// Friction laws of compliant contact except `"lugre"`: speed up to which friction rises from zero, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creep_speed: Option<Scalar>,
    /// Friction law `"ambrosio"`: speed below which there is none, m/s; default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead_speed: Option<Scalar>,
    /// Friction law `"bengisu-akay"`: how fast friction falls beyond its peak, s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fall_rate: Option<Scalar>,
    /// Friction laws `"stribeck"` and `"lugre"`: speed at which friction falls, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stribeck_speed: Option<Scalar>,
    /// The same laws: exponent of the fall; default: 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stribeck_exponent: Option<Scalar>,
    /// Friction law `"lugre"`: stiffness of the bristles divided by the normal force, 1/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bristle_stiffness: Option<Scalar>,
    /// Friction law `"lugre"`: damping of the bristles divided by the normal force, s/m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bristle_damping: Option<Scalar>,
    /// Friction laws `"stribeck"` (compliant) and `"lugre"`: viscous friction divided by the normal force, s/m;
    /// default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscous_friction: Option<Scalar>,
    /// Start even if the gap is negative.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_overlap: bool,
    /// Limit, one-way, dry friction: the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Limit, one-way, dry friction: `"angle"` or `"position"` if the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Limit: smallest value, rad or m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Scalar>,
    /// Limit: largest value, rad or m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Scalar>,
    /// Rope: largest distance, m; default: that at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Scalar>,
    /// One-way: 1 (the coordinate may only grow, the default) or -1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Scalar>,
    /// Dry friction: force or torque while it slides, N or N m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Scalar>,
    /// Dry friction: force or torque that must be overcome to start; default: `bound`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_bound: Option<Scalar>,
    /// Coordinates: the gap is `offset` + Σ factor · coordinate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gap: Vec<GapTerm>,
    /// Coordinates: constant part of the gap; default: 0.
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
    /// `"angle"` or `"position"` if the joint has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<String>,
    /// Factor.
    pub factor: Scalar,
}
