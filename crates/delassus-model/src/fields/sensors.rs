//! Fields of sensors.

use super::{COORDINATE, EntryType, Field, JOINT, Sign, Value};
use crate::spec::SensorType;
use delassus_expr::Dim;

const OF: Field = Field::text("of", "frame").help("name a body or a marker, such as \"crank.tip\"");
const FRAME: Field = Field::text("frame", "frame of the components").or("ground");

const fn component(words: &'static [&'static str]) -> Field {
    Field::new("component", Value::Word(words)).or("all, one column each")
}

const REACTING: Field = Field::text("joint", "joint or motion").help("name a joint");

const BEAM: Field = Field::text("of", "beam").help("name a body of type `beam` or `planar-beam`");
const AT: Field = Field::number("at", Dim::LENGTH)
    .sign(Sign::NotNegative)
    .help("give the distance along the beam, such as \"0.2 m\"");

const VECTOR: &[Field] = &[OF, FRAME, component(&["x", "y", "z", "norm"])];

const AMPLITUDE: &[Field] = &[
    Field::text("of", "modal body").help("name a body of type `modal` or `planar-modal`"),
    Field::number("mode", Dim::NONE)
        .sign(Sign::Positive)
        .or("all, one column each")
        .help("give the number of a mode, from 1"),
];

/// What is measured at a tyre.
pub(crate) const TYRE: [&str; 14] = [
    "fx", "fy", "fz", "mz", "slip", "angle", "depth", "camber", "x", "y", "z", "height", "ux", "uy",
];

const fn sensor(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "sensor", word, label, fields }
}

/// In the order of [`SensorType`].
pub(super) const TYPES: [EntryType; 18] = [
    sensor("position", "a position sensor", VECTOR),
    sensor("velocity", "a velocity sensor", VECTOR),
    sensor("acceleration", "an acceleration sensor", VECTOR),
    sensor("angle", "an angle sensor", &[OF, component(&["z"])]),
    sensor("rate", "a rate sensor", VECTOR),
    sensor("orientation", "an orientation sensor", &[OF, component(&["w", "x", "y", "z"])]),
    sensor("joint", "a joint sensor", &[JOINT, COORDINATE]),
    sensor("joint-rate", "a joint-rate sensor", &[JOINT, COORDINATE]),
    sensor("distance", "a distance sensor", &[Field::text("between", "two frames")]),
    sensor(
        "reaction",
        "a reaction sensor",
        &[REACTING, FRAME, component(&["fx", "fy", "fz", "tx", "ty", "tz", "fnorm", "tnorm"])],
    ),
    sensor(
        "energy",
        "an energy sensor",
        &[component(&["kinetic", "potential", "total", "dissipated", "work", "balance"])
            .or("total")],
    ),
    sensor(
        "eccentricity",
        "an eccentricity sensor",
        &[Field::text("joint", "revolute joint").help("name a revolute joint")],
    ),
    sensor(
        "section",
        "a section sensor",
        &[BEAM, AT, component(&["fx", "fy", "fz", "tx", "ty", "tz"])],
    ),
    sensor(
        "strain",
        "a strain sensor",
        &[BEAM, AT, component(&["ex", "ey", "ez", "kx", "ky", "kz"])],
    ),
    sensor("amplitude", "an amplitude sensor", AMPLITUDE),
    sensor("amplitude-rate", "an amplitude-rate sensor", AMPLITUDE),
    sensor(
        "tyre",
        "a tyre sensor",
        &[
            Field::text("tyre", "force of type `tyre`").help("name a force of type `tyre`"),
            component(&TYRE),
        ],
    ),
    sensor(
        "expression",
        "an expression sensor",
        &[
            Field::new("value", Value::Formula("any"))
                .help("give a formula of `t`, parameters, inputs and other sensors"),
            Field::text("unit", "unit shown with the column").or("1"),
        ],
    ),
];

impl SensorType {
    /// The fields of an entry of this type.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
