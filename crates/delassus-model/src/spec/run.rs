//! Time span and method as written.

use super::{Scalar, Table};
use delassus_dae::integrator::{OptionKind, catalogue};
use delassus_expr::Dim;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How simultaneous impacts are resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactType {
    /// All together.
    #[default]
    Simultaneous,
    /// One after another, by falling approach speed.
    Sequential,
}

/// How a motion with contact is integrated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SchemeType {
    /// With events, and by time-stepping where these accumulate.
    #[default]
    Hybrid,
    /// From event to event, each located to the tolerance.
    EventDriven,
    /// Fixed steps that may contain any number of impacts.
    TimeStepping,
}

impl SchemeType {
    /// All of them.
    pub const ALL: [SchemeType; 3] =
        [SchemeType::Hybrid, SchemeType::EventDriven, SchemeType::TimeStepping];

    /// Name in model files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SchemeType::Hybrid => "hybrid",
            SchemeType::EventDriven => "event-driven",
            SchemeType::TimeStepping => "time-stepping",
        }
    }
}

/// Time span and sampling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalysisSpec {
    /// Start time, s; default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Scalar>,
    /// End time, s; default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Scalar>,
    /// Interval of the results, s; default: a hundredth of the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Scalar>,
    /// Largest correction that assembly may make to the given positions, as a fraction of the model's size; default:
    /// 0.01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_assembly_correction: Option<Scalar>,
    /// Simultaneous impacts: all together (`"simultaneous"`, the default) or one after another (`"sequential"`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impacts: Option<ImpactType>,
}

/// What counts as touching, at rest or solved where contacts are concerned: pure numbers, relative to the model's
/// length and the rate of its motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactTolerancesSpec {
    /// Gap below which a point belongs to an event that another one caused, in lengths; default: 1e-10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touching: Option<Scalar>,
    /// Gap that is indistinguishable from zero, in lengths; default: 1e-14.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero: Option<Scalar>,
    /// Normal speed that is indistinguishable from rest, in lengths times rate; default: 1e-10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Scalar>,
    /// Sliding speed that is indistinguishable from sticking, in lengths times rate; default: 1e-10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<Scalar>,
    /// Acceleration of a closed point that is indistinguishable from none, as a fraction of what the forces on its
    /// bodies would cause one by one; default: 2e-9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub still: Option<Scalar>,
    /// Time between impacts of one point below which they accumulate, in 1/rate; default: 1e-7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dense: Option<Scalar>,
    /// Time within which many events of several points are a crowd, in 1/rate; default: 1e-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crowded: Option<Scalar>,
    /// Residual of the contact problem of a time step; default: 1e-10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<Scalar>,
    /// The same for large problems without joints, which are solved by sweeps; default: 1e-3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large_residual: Option<Scalar>,
    /// Allowed penetration at the end of a time step, in lengths; default: 1e-9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penetration: Option<Scalar>,
    /// The same for large problems without joints; default: 5e-6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large_penetration: Option<Scalar>,
}

/// Integration method, its tolerances and its options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
// serde cannot reject unknown keys beside a flattened table: the reader of files and the compiler do it.
#[schemars(deny_unknown_fields)]
pub struct MethodSpec {
    /// Name of the method; default: `mdop5`, for time-stepping `moreau-jean`. The name of a time-stepping method
    /// implies that scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Relative tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtol: Option<Scalar>,
    /// Absolute tolerance, SI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atol: Option<Scalar>,
    /// Fixed step, s; default: adaptive steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Scalar>,
    /// Largest step of an adaptive method, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_step: Option<Scalar>,
    /// Largest number of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// Models with contact: `"hybrid"` (default), `"event-driven"` or `"time-stepping"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<SchemeType>,
    /// Options that only some methods have, such as `rho_inf`: keys of the same table. A method takes those it has; the
    /// others are for running the file with another one.
    #[serde(flatten)]
    #[schemars(with = "OptionKeys")]
    pub options: Table<Scalar>,
}

/// Schema of the options: every key that some method has.
struct OptionKeys;

impl JsonSchema for OptionKeys {
    fn schema_name() -> Cow<'static, str> {
        "MethodOptions".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut keys = serde_json::Map::new();
        for name in option_names() {
            keys.insert(name.to_owned(), option_schema(name));
        }
        json_schema!({ "type": "object", "properties": keys })
    }
}

/// Names of all options of all methods, each once.
pub fn option_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        catalogue().flat_map(|m| m.options).map(|o| o.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Dimension of an option; `Any` if methods differ.
pub fn option_dim<'k>(kinds: impl IntoIterator<Item = &'k OptionKind>) -> Dim {
    let dims = kinds.into_iter().filter(|k| k.range().is_some()).map(|k| match k {
        OptionKind::Rate { .. } => Dim::RATE,
        _ => Dim::NONE,
    });
    dims.reduce(|a, b| if a == b { a } else { Dim::Any }).unwrap_or(Dim::Any)
}

/// What the methods with an option of this name accept for it, together.
fn option_schema(name: &str) -> serde_json::Value {
    let owners = catalogue().filter_map(|m| Some((m, m.option(name)?)));
    let mut number = false;
    let mut words: Vec<&str> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for (method, option) in owners {
        let rule = match option.kind {
            OptionKind::Choice { default, choices } => {
                words.extend(choices);
                format!("{}; {default} when left out", choices.join(", "))
            }
            kind => {
                number = true;
                let [default, ..] = kind.range().unwrap_or_default();
                format!("{}, {default} when left out", kind.rule())
            }
        };
        lines.push(format!("{}: {} ({rule})", method.name, option.summary));
    }
    words.sort_unstable();
    words.dedup();
    let description = lines.join("\n");
    if number {
        // text may be an expression, or a word where another method has a choice
        serde_json::json!({ "description": description, "type": ["number", "string"] })
    } else {
        serde_json::json!({ "description": description, "enum": words })
    }
}
