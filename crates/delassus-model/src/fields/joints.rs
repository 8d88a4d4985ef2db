//! Fields of joints, couplings and prescribed motions.

use super::clearance::{
    BEARING, CLEARANCE, EXAGGERATE, HEIGHT, JOURNAL_LENGTH, LENGTH, OF_CONTACT, SOCKET, WIDTH,
    with_play,
};
use super::{COORDINATE, EntryType, Field, JOINT, Sign, Value};
use crate::spec::JointType;
use delassus_expr::Dim;

const BETWEEN: Field = Field::text("between", "two frames");
const AXIS: Field = Field::new("axis", Value::Direction).or("z");
const ALONG: Field = Field::new("axis", Value::Direction).or("x");
const NORMAL: Field = Field::new("axis", Value::Direction).or("z; in a planar model y");
const AXIS2: Field = Field::new("axis2", Value::Direction).or("the components of `axis`");
const INITIAL_RATE: Field =
    Field::new("initial_rate", Value::NumberIn("rad/s or m/s")).or("what the bodies say");
const PITCH: Field = Field::number("pitch", Dim::LENGTH)
    .sign(Sign::NotZero)
    .help("give the advance per revolution in m");
const JOINTS: Field =
    Field::text("joints", "two joints").help("name the two joints, such as [\"pin1\", \"pin2\"]");

const TURNS: &[Field] = &[BETWEEN, AXIS, AXIS2, INITIAL_RATE];
const SLIDES: &[Field] = &[BETWEEN, ALONG, AXIS2, INITIAL_RATE];
const JOURNAL: &[Field] = &[CLEARANCE, EXAGGERATE, BEARING, JOURNAL_LENGTH];
const BALL: &[Field] = &[CLEARANCE, EXAGGERATE, SOCKET];
const BLOCK: &[Field] = &[CLEARANCE, EXAGGERATE, LENGTH, WIDTH, HEIGHT];
const REVOLUTE: &[Field] = &with_play::<{ 4 + 4 + OF_CONTACT.len() }>(TURNS, JOURNAL);
const SPHERICAL: &[Field] = &with_play::<{ 1 + 3 + OF_CONTACT.len() }>(&[BETWEEN], BALL);
const PRISMATIC: &[Field] = &with_play::<{ 4 + 5 + OF_CONTACT.len() }>(SLIDES, BLOCK);

const fn joint(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "joint", word, label, fields }
}

/// In the order of [`JointType`].
pub(super) const TYPES: [EntryType; 17] = [
    joint("revolute", "a revolute joint", REVOLUTE),
    joint("prismatic", "a prismatic joint", PRISMATIC),
    joint("cylindrical", "a cylindrical joint", TURNS),
    joint("spherical", "a spherical joint", SPHERICAL),
    joint(
        "universal",
        "a universal joint",
        &[
            BETWEEN,
            AXIS,
            Field::new("axis2", Value::Direction)
                .help("give the direction of the pin on the second body, perpendicular to `axis`"),
        ],
    ),
    joint("planar", "a planar joint", TURNS),
    joint("fixed", "a fixed joint", &[BETWEEN]),
    joint("screw", "a screw joint", &[BETWEEN, AXIS, AXIS2, PITCH, INITIAL_RATE]),
    joint(
        "distance",
        "a distance joint",
        &[
            BETWEEN,
            Field::number("length", Dim::LENGTH)
                .sign(Sign::Positive)
                .or("the distance at the start")
                .help("give a positive length"),
        ],
    ),
    joint("point-on-line", "a point-on-line joint", &[BETWEEN, ALONG]),
    joint("point-on-plane", "a point-on-plane joint", &[BETWEEN, NORMAL]),
    joint("parallel-axes", "a parallel-axes joint", &[BETWEEN, AXIS, AXIS2]),
    joint(
        "gear",
        "a gear",
        &[
            JOINTS,
            Field::number("ratio", Dim::NONE).sign(Sign::NotZero).help(
                "give the rate of the first joint divided by that of the second, negative for an \
                 external pair",
            ),
        ],
    ),
    joint("rack", "a rack", &[JOINTS, PITCH]),
    joint(
        "coupling",
        "a coupling",
        &[
            Field::text("terms", "list of { joint, coordinate, coefficient }")
                .help("give terms such as { joint = \"pin\", coefficient = 1 }"),
            Field::new("offset", Value::NumberIn("that of the terms")).or("the value at the start"),
        ],
    ),
    joint(
        "motion",
        "a motion",
        &[
            Field { default: Some("`between` and `axis`"), ..JOINT },
            Field { default: Some("`joint`"), ..BETWEEN },
            Field { default: Some("z for an angle, x for a position"), ..AXIS },
            AXIS2,
            COORDINATE,
            Field::new("value", Value::Formula("rad or m"))
                .help("give the coordinate as an expression of `t`, such as \"2*pi*t\""),
        ],
    ),
    joint(
        "rolling",
        "a rolling joint",
        &[
            BETWEEN,
            NORMAL,
            Field::new("axis2", Value::Direction).or("z; a sphere has none"),
            Field::number("radius", Dim::LENGTH)
                .sign(Sign::Positive)
                .help("give a positive radius in m"),
            Field::new("shape", Value::Word(&["disc", "sphere"])).or("disc"),
        ],
    ),
];

impl JointType {
    /// The fields of an entry of this type.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
