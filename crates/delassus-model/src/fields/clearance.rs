//! Fields of joints with clearance: the play itself, and those of the contact that it becomes.

use super::contacts::TYPES;
use super::{Field, Sign, Value};
use delassus_expr::Dim;

/// Fields of a contact of shapes that a joint with clearance has too, under the same names.
pub(crate) const OF_CONTACT: [&str; 23] = [
    "restitution",
    "restitution_law",
    "friction",
    "static_friction",
    "law",
    "stiffness",
    "exponent",
    "material",
    "damping",
    "end",
    "least_speed",
    "start",
    "max_start_depth",
    "min_start_step",
    "friction_law",
    "creep_speed",
    "dead_speed",
    "fall_rate",
    "stribeck_speed",
    "stribeck_exponent",
    "bristle_stiffness",
    "bristle_damping",
    "viscous_friction",
];

pub(super) const CLEARANCE: Field = Field::number("clearance", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none: an ideal joint")
    .help("give the room on each side when the joint is in the middle, such as \"0.5 mm\"");
pub(super) const BEARING: Field = Field::number("radius", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none; needed with `clearance`")
    .help("give the radius of the bearing, the hole on the first body, such as \"10 mm\"");
pub(super) const SOCKET: Field = Field::number("radius", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none; needed with `clearance`")
    .help("give the radius of the socket, the hollow on the first body, such as \"10 mm\"");
pub(super) const JOURNAL_LENGTH: Field = Field::number("length", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none; needed with `clearance` in space")
    .help("give the length of the journal along the axis, such as \"30 mm\"");
pub(super) const LENGTH: Field = Field::number("length", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none; needed with `clearance`")
    .help("give the length of the block along the axis, such as \"100 mm\"");
pub(super) const WIDTH: Field = Field::number("width", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none; needed with `clearance`")
    .help("give the width of the block across the axis, such as \"50 mm\"");
pub(super) const HEIGHT: Field = Field::number("height", Dim::LENGTH)
    .sign(Sign::Positive)
    .or("none; needed with `clearance` in space")
    .help("give the height of the block, across axis and width, such as \"30 mm\"");
pub(super) const EXAGGERATE: Field = Field::number("exaggerate", Dim::NONE)
    .sign(Sign::Positive)
    .or("none: play is magnified when the viewer is asked to")
    .help("give how many times larger the play is drawn, such as 50; results do not change");

/// Fields of an ideal joint, followed by those of its play: `N` in total.
pub(super) const fn with_play<const N: usize>(ideal: &[Field], play: &[Field]) -> [Field; N] {
    let mut out = [CLEARANCE; N];
    let mut at = 0;
    let mut k = 0;
    while k < ideal.len() {
        out[at] = ideal[k];
        (at, k) = (at + 1, k + 1);
    }
    k = 0;
    while k < play.len() {
        out[at] = play[k];
        (at, k) = (at + 1, k + 1);
    }
    k = 0;
    while k < OF_CONTACT.len() {
        out[at] = of_contact(OF_CONTACT[k]);
        (at, k) = (at + 1, k + 1);
    }
    assert!(at == N, "the number of fields is another");
    out
}

/// A field of contacts of shapes, which are the first type of contact.
const fn of_contact(name: &str) -> Field {
    let fields = TYPES[0].fields;
    let mut k = 0;
    while k < fields.len() {
        if same(fields[k].name, name) {
            return fields[k];
        }
        k += 1;
    }
    Field::new("", Value::Flag)
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut k = 0;
    while k < a.len() {
        if a[k] != b[k] {
            return false;
        }
        k += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_fields_of_contacts() {
        for name in OF_CONTACT {
            assert_eq!(of_contact(name).name, name);
        }
    }
}
