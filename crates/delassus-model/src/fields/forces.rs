//! Fields of forces.

use super::{COORDINATE, EntryType, Field, JOINT, Sign, Value};
use crate::spec::ForceType;
use delassus_expr::Dim;

const AT: Field =
    Field::text("at", "frame on a body").help("name a body or a marker, such as \"crank.tip\"");
const FRAME: Field = Field::text("frame", "frame of the components").or("ground");
const BETWEEN: Field = Field::text("between", "two frames");
const JOINT_OR_AXIS: Field = Field { default: Some("`between` and `axis`"), ..JOINT };
const BETWEEN_OR_JOINT: Field = Field { default: Some("`joint`"), ..BETWEEN };
const AXIS: Field = Field::new("axis", Value::Direction).or("z");
const ALLOW_NEGATIVE: Field = Field::new("allow_negative", Value::Flag).or("false");

const fn coefficient(name: &'static str, unit: &'static str) -> Field {
    Field::new(name, Value::NumberIn(unit)).sign(Sign::NotNegative).or("0")
}

const fn matrix(name: &'static str, what: &'static str) -> Field {
    Field::text(name, what).sign(Sign::NotNegative).or("0")
}

const fn force(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "force", word, label, fields }
}

/// In the order of [`ForceType`].
pub(super) const TYPES: [EntryType; 9] = [
    force(
        "force",
        "a force",
        &[
            AT,
            FRAME,
            Field::new("force", Value::Formula("N, 2 or 3 components"))
                .help("give 2 or 3 components in N, such as [0, \"-10*sin(t)\"]"),
        ],
    ),
    force(
        "torque",
        "a torque",
        &[
            AT,
            FRAME,
            Field::new(
                "torque",
                Value::Formula("N*m, 3 components, or 1 about z in a planar model"),
            )
            .help("give one number (about z) for a planar body, or 3 components, in N*m"),
        ],
    ),
    force(
        "spring",
        "a spring",
        &[
            BETWEEN,
            coefficient("stiffness", "N/m"),
            coefficient("damping", "N*s/m"),
            Field::number("length", Dim::LENGTH)
                .sign(Sign::NotNegative)
                .or("the distance at the start")
                .help("give a length of zero or more"),
            Field::new("force", Value::Formula("N, of `length` and `rate`")).or("linear"),
            ALLOW_NEGATIVE,
        ],
    ),
    force(
        "torsion",
        "a torsion element",
        &[
            JOINT_OR_AXIS,
            COORDINATE,
            BETWEEN_OR_JOINT,
            AXIS,
            coefficient("stiffness", "N*m/rad or N/m"),
            coefficient("damping", "N*m*s/rad or N*s/m"),
            Field::new("angle", Value::NumberIn("rad or m")).or("0"),
            Field::new("torque", Value::Formula("N*m or N, of `angle` and `rate`")).or("linear"),
            ALLOW_NEGATIVE,
        ],
    ),
    force(
        "bushing",
        "a bushing",
        &[
            BETWEEN,
            matrix("stiffness", "6 diagonal entries or 6×6, N/m and N*m/rad"),
            matrix("damping", "6 diagonal entries or 6×6, N*s/m and N*m*s/rad"),
            ALLOW_NEGATIVE,
        ],
    ),
    force(
        "actuator",
        "an actuator",
        &[
            JOINT_OR_AXIS,
            COORDINATE,
            BETWEEN_OR_JOINT,
            AXIS,
            Field::new("target", Value::Formula("rad, m or their rates"))
                .help("give the wanted value as a number or an expression of `t`"),
            Field::new("control", Value::Word(&["position", "rate"])).or("position"),
            coefficient("kp", "force per target"),
            coefficient("ki", "force per target and second"),
            coefficient("kd", "force per rate of the target"),
            ALLOW_NEGATIVE,
        ],
    ),
    force(
        "beam",
        "a beam element",
        &[
            BETWEEN,
            Field::number("length", Dim::LENGTH)
                .sign(Sign::Positive)
                .help("give the length of the unloaded element, such as \"0.2 m\""),
            Field::text("section", "cross-section").or("`EA` and others"),
            Field::text("material", "material").or("`EA` and others"),
            Field::new("shear", Value::Flag).or("true"),
            Field::new("EA", Value::NumberIn("N"))
                .sign(Sign::Positive)
                .or("`section` and `material`"),
            Field::text("GA", "N, or along y and z").sign(Sign::Positive).or("no shear"),
            Field::text("EI", "N*m^2, or about y and z")
                .sign(Sign::Positive)
                .or("`section` and `material`"),
            Field::new("GJ", Value::NumberIn("N*m^2"))
                .sign(Sign::Positive)
                .or("`section` and `material`"),
            coefficient("damping", "s"),
        ],
    ),
    force(
        "bearing",
        "a bearing",
        &[
            BETWEEN,
            AXIS,
            matrix("stiffness", "one number, 2 across the axis or 2×2, N/m"),
            matrix("damping", "one number, 2 across the axis or 2×2, N*s/m"),
            ALLOW_NEGATIVE,
        ],
    ),
    force(
        "tyre",
        "a tyre",
        &[
            AT,
            Field::new("axis", Value::Direction).or("y"),
            Field::text("tyre", "tyre").help("name an entry `[tyre.NAME]`"),
            Field::text("road", "road").or("the x-y plane"),
            Field::new("free", Value::Flag).or("false; true on planar bodies"),
        ],
    ),
];

impl ForceType {
    /// The fields of an entry of this type.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
