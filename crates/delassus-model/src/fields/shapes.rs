//! Fields of shapes.

use super::{EntryType, Field, Sign, Value};
use crate::spec::ShapeType;
use delassus_expr::Dim;

const BODY: Field = Field::text("body", "frame on a body or on the ground")
    .help("name a body or a marker, such as \"wheel\", or \"ground\"");
const AT: Field = Field::new("at", Value::Vector("m")).or("the origin of the frame");
const ANGLE: Field = Field::number("angle", Dim::NONE).or("0");
const ORIENTATION: Field = Field::text("orientation", "rotation").or("that of the frame");
const RADIUS: Field = Field::number("radius", Dim::LENGTH)
    .sign(Sign::Positive)
    .help("give a radius in m, such as 0.1");
const POINT: &str = "give a point in the frame of the shape, m";
const FROM: Field = Field::new("from", Value::Vector("m")).help(POINT);
const TO: Field = Field::new("to", Value::Vector("m")).help(POINT);
const FROM_OR_LENGTH: Field = FROM.or("`length`");
const TO_OR_LENGTH: Field = TO.or("`length`");
const LENGTH: Field = Field::number("length", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("`from` and `to`")
    .help("give a length in m, such as 0.3");
const NORMAL: Field = Field::new("normal", Value::Direction).or("y in the plane, z in space");
const HOLLOW: Field = Field::new("hollow", Value::Flag).or("false");
const POINTS: Field =
    Field::text("points", "list of points, m; of a profile also { at, fillet, arc }");

const LONG: &[Field] =
    &[BODY, AT, ANGLE, ORIENTATION, RADIUS, FROM_OR_LENGTH, TO_OR_LENGTH, LENGTH];

const fn shape(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "shape", word, label, fields }
}

/// In the order of [`ShapeType`].
pub(super) const TYPES: [EntryType; 13] = [
    shape("point", "a point", &[BODY, AT]),
    shape("circle", "a circle", &[BODY, AT, RADIUS]),
    shape("segment", "a segment", &[BODY, AT, ANGLE, FROM, TO]),
    shape("half-plane", "a half-plane", &[BODY, AT, ANGLE, NORMAL]),
    shape(
        "arc",
        "an arc",
        &[
            BODY,
            AT,
            ANGLE,
            RADIUS,
            Field::number("from_angle", Dim::NONE).or("0"),
            Field::number("to_angle", Dim::NONE).or("2π"),
            HOLLOW,
        ],
    ),
    shape("profile", "a profile", &[BODY, AT, ANGLE, POINTS, HOLLOW]),
    shape("sphere", "a sphere", &[BODY, AT, RADIUS]),
    shape("half-space", "a half-space", &[BODY, AT, ANGLE, ORIENTATION, NORMAL]),
    shape("capsule", "a capsule", LONG),
    shape(
        "box",
        "a box",
        &[BODY, AT, ANGLE, ORIENTATION, Field::new("size", Value::Vector("m")).help(POINT)],
    ),
    shape("cylinder", "a cylinder", LONG),
    shape("hull", "a hull", &[BODY, AT, ANGLE, ORIENTATION, POINTS]),
    shape(
        "mesh",
        "a mesh",
        &[
            BODY,
            AT,
            ANGLE,
            ORIENTATION,
            Field::text("file", "STL or OBJ file").help("name an STL or OBJ file beside the model"),
            Field::new("scale", Value::NumberIn("m per unit of the file"))
                .sign(Sign::Positive)
                .or("1")
                .help("give metres per unit of the file, such as 0.001 for millimetres"),
        ],
    ),
];

impl ShapeType {
    /// The fields of an entry of this type.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
