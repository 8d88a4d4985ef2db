//! Fields of tyres.

use super::{EntryType, Field, Sign, Value};
use crate::spec::TyreType;
use delassus_expr::Dim;

const fn or_zero(name: &'static str, dim: Dim) -> Field {
    Field::number(name, dim).sign(Sign::NotNegative).or("0").help("give a number of 0 or more")
}

const RADIUS: Field = Field::number("radius", Dim::LENGTH)
    .sign(Sign::Positive)
    .help("give the unloaded radius, such as \"0.3 m\"");
const LOAD: Field = Field::number("load", Dim::FORCE)
    .sign(Sign::Positive)
    .help("give the nominal load, such as \"3 kN\"");
const STIFFNESS: Field = Field::number("stiffness", Dim::STIFFNESS)
    .sign(Sign::Positive)
    .or("`force`")
    .help("give the vertical stiffness, such as \"200 kN/m\"");
const PROGRESSION: Field = or_zero("progression", Dim::PRESSURE);
const FORCE: Field =
    Field::new("force", Value::Formula("N, of `depth`")).or("`stiffness` and `progression`");
const DAMPING: Field = or_zero("damping", Dim::DAMPING);
const RELAXATION: Field =
    Field::text("relaxation", "m, or along and across").sign(Sign::NotNegative).or("the radius");
const SLIP_DAMPING: Field = or_zero("slip_damping", Dim::TIME);
const LOW_SPEED: Field = Field::number("low_speed", Dim::VELOCITY)
    .sign(Sign::Positive)
    .or("0.5 m/s")
    .help("give a speed more than 0");
const TRAIL: Field = or_zero("trail", Dim::LENGTH);
const CAMBER: Field = Field::number("camber", Dim::NONE).or("0");
const ROLLING: Field = or_zero("rolling_resistance", Dim::NONE);

const STIFF_LONGITUDINAL: Field =
    Field::new("longitudinal", Value::NumberIn("N per unit of slip")).or("as `lateral`");
const STIFF_LATERAL: Field = Field::new("lateral", Value::NumberIn("N/rad"))
    .help("give the cornering stiffness, such as \"50 kN\"");
const CURVE_LONGITUDINAL: Field = Field::text("longitudinal", "table").or("as `lateral`");
const CURVE_LATERAL: Field =
    Field::text("lateral", "table").help("give a table of the numbers of the curve");

const fn tyre(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "tyre", word, label, fields }
}

/// In the order of [`TyreType`].
pub(super) const TYPES: [EntryType; 4] = [
    tyre(
        "linear",
        "a linear tyre",
        &[
            RADIUS,
            LOAD,
            STIFFNESS,
            PROGRESSION,
            FORCE,
            DAMPING,
            STIFF_LONGITUDINAL,
            STIFF_LATERAL,
            RELAXATION,
            SLIP_DAMPING,
            LOW_SPEED,
            TRAIL,
            CAMBER,
            ROLLING,
        ],
    ),
    tyre(
        "tanh",
        "a tyre by hyperbolic tangent",
        &[
            RADIUS,
            LOAD,
            STIFFNESS,
            PROGRESSION,
            FORCE,
            DAMPING,
            STIFF_LONGITUDINAL,
            STIFF_LATERAL,
            Field::number("friction", Dim::NONE)
                .sign(Sign::Positive)
                .or("1")
                .help("give the largest force over the load"),
            RELAXATION,
            SLIP_DAMPING,
            LOW_SPEED,
            TRAIL,
            CAMBER,
            ROLLING,
        ],
    ),
    tyre(
        "tmeasy",
        "a TMeasy tyre",
        &[
            RADIUS,
            LOAD,
            STIFFNESS,
            PROGRESSION,
            FORCE,
            DAMPING,
            CURVE_LONGITUDINAL,
            CURVE_LATERAL,
            RELAXATION,
            SLIP_DAMPING,
            LOW_SPEED,
            TRAIL,
            CAMBER,
            ROLLING,
        ],
    ),
    tyre(
        "magic-formula",
        "a tyre by the magic formula",
        &[
            RADIUS,
            LOAD,
            STIFFNESS,
            PROGRESSION,
            FORCE,
            DAMPING,
            CURVE_LONGITUDINAL,
            CURVE_LATERAL,
            RELAXATION,
            SLIP_DAMPING,
            LOW_SPEED,
            TRAIL,
            CAMBER,
            ROLLING,
        ],
    ),
];

impl TyreType {
    /// The fields of an entry of this type.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
