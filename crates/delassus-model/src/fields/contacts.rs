//! Fields of contacts, stops, ropes, clutches and dry friction.

use super::{COORDINATE, EntryType, Field, JOINT, Sign, Value};
use crate::spec::ContactType;
use delassus_expr::Dim;

const RESTITUTION: Field = Field::number("restitution", Dim::NONE).sign(Sign::NotNegative).or("0");
const RESTITUTION_LAW: Field =
    Field::new("restitution_law", Value::Word(&["newton", "poisson", "energetic"])).or("newton");
const FRICTION: Field = Field::number("friction", Dim::NONE).sign(Sign::NotNegative).or("0");
const STATIC_FRICTION: Field =
    Field::number("static_friction", Dim::NONE).sign(Sign::NotNegative).or("`friction`");
const ALLOW_OVERLAP: Field = Field::new("allow_overlap", Value::Flag).or("false");

const fn contact(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "contact", word, label, fields }
}

/// In the order of [`ContactType`].
pub(super) const TYPES: [EntryType; 6] = [
    contact(
        "shapes",
        "a contact of shapes",
        &[
            Field::text("between", "two shapes, patterns or lists")
                .or("`among`")
                .help("name two shapes, such as [\"ball\", \"floor\"], or give `among`"),
            Field::text("among", "shapes and patterns").or("`between`"),
            RESTITUTION,
            RESTITUTION_LAW,
            FRICTION,
            STATIC_FRICTION,
            ALLOW_OVERLAP,
        ],
    ),
    contact(
        "limit",
        "a limit",
        &[
            JOINT,
            COORDINATE,
            Field::new("lower", Value::NumberIn("rad or m")).or("none"),
            Field::new("upper", Value::NumberIn("rad or m")).or("none"),
            RESTITUTION,
            RESTITUTION_LAW,
            ALLOW_OVERLAP,
        ],
    ),
    contact(
        "rope",
        "a rope",
        &[
            Field::text("between", "two frames"),
            Field::number("length", Dim::LENGTH)
                .sign(Sign::Positive)
                .or("the distance at the start")
                .help("give the largest distance of the two ends"),
            RESTITUTION,
            RESTITUTION_LAW,
            ALLOW_OVERLAP,
        ],
    ),
    contact(
        "one-way",
        "a one-way clutch",
        &[JOINT, COORDINATE, Field::number("direction", Dim::NONE).sign(Sign::NotZero).or("1")],
    ),
    contact(
        "dry-friction",
        "dry friction",
        &[
            JOINT,
            COORDINATE,
            Field::new("bound", Value::NumberIn("N*m or N"))
                .sign(Sign::NotNegative)
                .help("give the force (N) or torque (N m) of friction"),
            Field::new("static_bound", Value::NumberIn("N*m or N"))
                .sign(Sign::NotNegative)
                .or("`bound`"),
        ],
    ),
    contact(
        "coordinates",
        "a contact of coordinates",
        &[
            Field::text("gap", "list of { joint, coordinate, factor }")
                .help("give terms, such as [{ joint = \"slide\", factor = 1 }]"),
            Field::new("offset", Value::NumberIn("that of the terms")).or("0"),
            Field::text("slip", "list of { joint, coordinate, factor }")
                .or("none; needed with friction")
                .help("say what slips, such as [{ joint = \"slide\", factor = 1 }]"),
            RESTITUTION,
            RESTITUTION_LAW,
            FRICTION,
            STATIC_FRICTION,
            ALLOW_OVERLAP,
        ],
    ),
];

impl ContactType {
    /// What an entry of this type may say.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
