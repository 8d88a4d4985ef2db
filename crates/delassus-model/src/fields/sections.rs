//! Fields of cross-sections.

use super::{EntryType, Field, Sign};
use crate::spec::SectionType;
use delassus_expr::Dim;

const fn size(name: &'static str, help: &'static str) -> Field {
    Field::number(name, Dim::LENGTH).sign(Sign::Positive).help(help)
}

const HEIGHT: Field = size("height", "give the extent along y, such as \"20 mm\"");
const WIDTH: Field = size("width", "give the extent along z, such as \"10 mm\"");
const RADIUS: Field = size("radius", "give the outer radius, such as \"10 mm\"");
const SHEAR: Field = Field::text("shear", "shear factors along y and z");
const BY_SHAPE: Field = SHEAR.or("by the shape");

const fn section(word: &'static str, label: &'static str, fields: &'static [Field]) -> EntryType {
    EntryType { section: "section", word, label, fields }
}

/// In the order of [`SectionType`].
pub(super) const TYPES: [EntryType; 5] = [
    section("rectangle", "a rectangle", &[HEIGHT, WIDTH, BY_SHAPE]),
    section("circle", "a circle", &[RADIUS, BY_SHAPE]),
    section(
        "tube",
        "a tube",
        &[RADIUS, size("thickness", "give the thickness of the wall, such as \"1 mm\""), BY_SHAPE],
    ),
    section(
        "i-beam",
        "an I",
        &[
            HEIGHT,
            WIDTH,
            size("web", "give the thickness of the web, such as \"5 mm\""),
            size("flange", "give the thickness of a flange, such as \"8 mm\""),
            BY_SHAPE,
        ],
    ),
    section(
        "general",
        "a general section",
        &[
            Field::number("area", Dim::AREA)
                .sign(Sign::Positive)
                .help("give the area, such as \"2e-4 m^2\""),
            Field::text("inertia", "second moments about y and z, m^4")
                .help("give the second moments of area about y and z in m^4"),
            Field::number("torsion", Dim::known(4, 0, 0))
                .sign(Sign::Positive)
                .or("unknown: planar beams only")
                .help("give the torsion constant J in m^4"),
            SHEAR.or("1 and 1"),
        ],
    ),
];

impl SectionType {
    /// What an entry of this type may say.
    pub fn entry(self) -> &'static EntryType {
        &TYPES[self as usize]
    }
}
