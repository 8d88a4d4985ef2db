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
            Field::new(
                "law",
                Value::Word(&[
                    "hertz",
                    "hunt-crossley",
                    "herbert-mcwhannell",
                    "lee-wang",
                    "lankarani-nikravesh",
                    "gonthier",
                    "flores",
                    "zhiying-qishao",
                    "hu-guo",
                    "exact",
                    "kelvin-voigt",
                ]),
            )
            .or("none: a rigid contact"),
            Field::new("stiffness", Value::NumberIn("N/m^exponent"))
                .sign(Sign::Positive)
                .or("by `material`; needed with `law`")
                .help("give the stiffness K of F = K δⁿ"),
            Field::number("exponent", Dim::NONE)
                .sign(Sign::Positive)
                .or("1.5")
                .help("3/2 is that of round bodies"),
            Field::text("material", "one material, or one of each side").or("none: `stiffness`"),
            Field::number("damping", Dim::DAMPING)
                .sign(Sign::NotNegative)
                .or("by `restitution`; law kelvin-voigt")
                .help("give a damping that is not negative"),
            Field::new("end", Value::Word(&["force", "gap"])).or("force; law kelvin-voigt"),
            Field::number("least_speed", Dim::VELOCITY)
                .sign(Sign::Positive)
                .or("0.1 mm/s")
                .help("laws divide by the approach speed"),
            Field::new("start", Value::Word(&["locate", "interpolate", "shrink"])).or("locate"),
            Field::number("max_start_depth", Dim::LENGTH)
                .sign(Sign::Positive)
                .or("none; needed with `start = \"shrink\"`")
                .help("say how deep a contact may begin, such as \"1 um\""),
            Field::number("min_start_step", Dim::TIME)
                .sign(Sign::Positive)
                .or("round-off of the time; with `start = \"shrink\"`")
                .help("say how short steps may become, such as \"1 us\""),
            Field::new(
                "friction_law",
                Value::Word(&["threlfall", "bengisu-akay", "ambrosio", "stribeck", "lugre"]),
            )
            .or("none: sticking and sliding; needed for friction with `law`"),
            Field::number("creep_speed", Dim::VELOCITY)
                .sign(Sign::Positive)
                .or("none; needed with `law` by all but lugre")
                .help("friction rises from zero to its size within this speed, such as \"1 mm/s\""),
            Field::number("dead_speed", Dim::VELOCITY).sign(Sign::NotNegative).or("0; ambrosio"),
            Field::number("fall_rate", Dim::known(-1, 0, 1))
                .sign(Sign::NotNegative)
                .or("none; needed by bengisu-akay")
                .help("say how fast friction falls beyond its peak, in s/m"),
            Field::number("stribeck_speed", Dim::VELOCITY)
                .sign(Sign::Positive)
                .or("none; needed by stribeck and lugre")
                .help("give the speed at which friction falls, such as \"50 mm/s\""),
            Field::number("stribeck_exponent", Dim::NONE)
                .sign(Sign::Positive)
                .or("2; stribeck and lugre")
                .help("1 falls at once, 2 begins flat"),
            Field::number("bristle_stiffness", Dim::known(-1, 0, 0))
                .sign(Sign::Positive)
                .or("none; needed by lugre")
                .help("give σ₀ over the normal force, in 1/m"),
            Field::number("bristle_damping", Dim::known(-1, 0, 1))
                .sign(Sign::NotNegative)
                .or("none; needed by lugre")
                .help("give σ₁ over the normal force, in s/m"),
            Field::number("viscous_friction", Dim::known(-1, 0, 1))
                .sign(Sign::NotNegative)
                .or("0; stribeck with `law`, and lugre"),
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
            Field::new("friction_law", Value::Word(&["stribeck"])).or("none: it falls at once"),
            Field::new("stribeck_speed", Value::NumberIn("rad/s or m/s"))
                .sign(Sign::Positive)
                .or("none; needed by stribeck")
                .help("give the speed at which friction falls, such as \"50 mm/s\""),
            Field::number("stribeck_exponent", Dim::NONE)
                .sign(Sign::Positive)
                .or("2; stribeck")
                .help("1 falls at once, 2 begins flat"),
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
    /// The fields of an entry of this type.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
