//! What a user writes: plain data with names, units and expressions as written.
//!
//! One set of types is behind the TOML file, the Rust builder and the JSON schema. Nothing is checked here beyond the
//! shape of the data; [`crate::compile()`] turns a [`ModelSpec`] into numbers and reports every fault it finds.
//!
//! The structs are deliberately flat: a joint is one struct with a `type` and optional fields, so that a file error can
//! point to the exact key, and a field that has no meaning for a type is reported by name instead of as "no variant
//! matched".

mod body;
mod builder;
mod contact;
mod curve;
mod force;
mod input;
mod joint;
mod material;
mod modes;
mod road;
mod run;
mod scalar;
mod section;
mod sensor;
mod shape;
mod table;
mod tyre;

pub use body::{
    BodySpec, BodyType, GroundSpec, InertiaSpec, MarkerSpec, MarkerTable, RateSpec, RotationSpec,
    RotationTable,
};
pub use builder::ModelBuilder;
pub use contact::{
    ContactSpec, ContactType, EndType, FrictionLawType, GapTerm, LawType, NamesSpec,
    RestitutionType, StartType,
};
pub use curve::{JoinType, OutsideType, Points, TableSpec};
pub use force::{Components, ForceSpec, ForceType};
pub use input::{Course, InputSpec};
pub use joint::{CouplingTerm, JointSpec, JointType, RollingShape};
pub use material::MaterialSpec;
pub use modes::{ArraySpec, MATRIX_FILES, ModesSpec, NodeSpec};
pub use road::{RoadPoints, RoadSpec};
pub use run::{
    AnalysisSpec, ContactTolerancesSpec, ImpactType, MethodSpec, SchemeType, option_dim,
    option_names,
};
pub use scalar::Scalar;
pub use section::{SectionSpec, SectionType};
pub use sensor::{SensorSpec, SensorType};
pub use shape::{CornerSpec, ShapePoint, ShapeSpec, ShapeType};
pub use table::Table;
pub use tyre::{SlipCurveSpec, SlipSpec, TyreSpec, TyreType};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model-file format this version reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// A whole model file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Version of the file format; always 1.
    #[serde(default)]
    pub schema: u32,
    /// One line that says what the model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Longer text, shown in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Other model files, relative to this one and inside its folder, merged before this file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Named constants, usable in every expression of the model, in any order.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub parameters: Table<Scalar>,
    /// Numbers that are set while the model runs, by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub input: Table<InputSpec>,
    /// Functions given by points, usable in every expression, by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub table: Table<TableSpec>,
    /// Acceleration of gravity, m/s², two or three components in the ground frame; default: no gravity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gravity: Vec<Scalar>,
    /// Markers that do not move.
    #[serde(default, skip_serializing_if = "GroundSpec::is_empty")]
    pub ground: GroundSpec,
    /// Bodies by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub body: Table<BodySpec>,
    /// Joints, couplings and prescribed motions by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub joint: Table<JointSpec>,
    /// Forces, springs, bushings and actuators by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub force: Table<ForceSpec>,
    /// Cross-sections of beams by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub section: Table<SectionSpec>,
    /// Tyres by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub tyre: Table<TyreSpec>,
    /// Roads by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub road: Table<RoadSpec>,
    /// Materials of compliant contacts and beams by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub material: Table<MaterialSpec>,
    /// Shapes on bodies and on the ground, for contact, by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub shape: Table<ShapeSpec>,
    /// Contact, stops, ropes, clutches and dry friction by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub contact: Table<ContactSpec>,
    /// Output columns by name.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub sensor: Table<SensorSpec>,
    /// Time span and sampling.
    #[serde(default)]
    pub analysis: AnalysisSpec,
    /// Integration method and its tolerances.
    #[serde(default)]
    pub method: MethodSpec,
    /// What counts as touching, at rest or solved where contacts are concerned.
    #[serde(default)]
    pub contact_tolerances: ContactTolerancesSpec,
}
