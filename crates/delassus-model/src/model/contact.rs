//! One-sided interactions.

use super::{ContactLaw, Coordinate, Frame, ShapeId};
use delassus_dae::friction_law::Falling;
use delassus_dae::{Restitution, RestitutionLaw};

/// A one-sided interaction.
#[derive(Debug, Clone)]
pub struct Contact {
    /// Name.
    pub name: String,
    /// Kind with its data.
    pub kind: ContactKind,
    /// May start with a negative gap.
    pub allow_overlap: bool,
    /// The joint whose play it is, for contacts that are not in the file themselves.
    pub of_joint: Option<String>,
}

impl Contact {
    /// A contact of the file.
    pub fn new(name: &str, kind: ContactKind, allow_overlap: bool) -> Contact {
        Contact { name: name.to_owned(), kind, allow_overlap, of_joint: None }
    }

    /// Its place in the file: its own entry, or that of the joint whose play it is.
    pub fn path(&self) -> String {
        match &self.of_joint {
            Some(joint) => format!("joint.{joint}"),
            None => format!("contact.{}", self.name),
        }
    }

    /// Its restitution; `None` for contacts that cannot bounce.
    pub fn restitution(&self) -> Option<Restitution> {
        match &self.kind {
            ContactKind::Shapes { surface, .. } | ContactKind::Coordinates { surface, .. } => {
                Some(surface.restitution)
            }
            ContactKind::Limit { restitution, .. } | ContactKind::Rope { restitution, .. } => {
                Some(*restitution)
            }
            ContactKind::OneWay { .. } | ContactKind::DryFriction { .. } => None,
        }
    }
}

/// Bounce and friction of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Bounce.
    pub restitution: Restitution,
    /// Sliding friction.
    pub friction: f64,
    /// Friction that must be overcome to start sliding, ≥ `friction`.
    pub static_friction: f64,
    /// How sliding friction falls with the speed, from the static value; `None`: at once.
    pub falling: Option<Falling>,
}

impl Surface {
    /// Neither bounce nor friction.
    pub const SMOOTH: Surface = Surface {
        restitution: Restitution { e: 0.0, law: RestitutionLaw::Newton },
        friction: 0.0,
        static_friction: 0.0,
        falling: None,
    };
}

/// Kinds of one-sided interaction with their data.
#[derive(Debug, Clone)]
pub enum ContactKind {
    /// Shapes that do not penetrate each other: each of `a` with each of `b`, or every pair among `a` if there is no
    /// `b`; pairs on one body are left out.
    Shapes {
        /// One side, ascending.
        a: Vec<ShapeId>,
        /// Other side, ascending.
        b: Option<Vec<ShapeId>>,
        /// Bounce and friction of a rigid contact.
        surface: Surface,
        /// Law of a compliant contact, which has neither.
        law: Option<ContactLaw>,
    },
    /// Stops of a coordinate; at least one is given.
    Limit {
        /// Coordinate.
        coordinate: Coordinate,
        /// Smallest value.
        lower: Option<f64>,
        /// Largest value.
        upper: Option<f64>,
        /// Bounce.
        restitution: Restitution,
    },
    /// Distance of two points that must not exceed a length.
    Rope {
        /// First point.
        a: Frame,
        /// Second point.
        b: Frame,
        /// Length, m; `None`: the distance at the start.
        length: Option<f64>,
        /// Bounce.
        restitution: Restitution,
    },
    /// Rate of a coordinate that must not become negative (times `sign`).
    OneWay {
        /// Coordinate.
        coordinate: Coordinate,
        /// 1 or −1.
        sign: f64,
    },
    /// Friction along a coordinate.
    DryFriction {
        /// Coordinate.
        coordinate: Coordinate,
        /// Force while it slides.
        bound: f64,
        /// Force that must be overcome to start.
        bound_static: f64,
        /// How it falls with the speed from the second to the first; `None`: at once.
        falling: Option<Falling>,
    },
    /// Gap that is a sum of coordinates.
    Coordinates {
        /// Terms of the gap.
        gap: Vec<(Coordinate, f64)>,
        /// Its constant part.
        offset: f64,
        /// Terms of the slip velocity; none without friction.
        slip: Vec<(Coordinate, f64)>,
        /// Bounce and friction.
        surface: Surface,
    },
}
