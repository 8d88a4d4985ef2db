//! One-sided interactions.

use super::{Coordinate, Frame, ShapeId};
use delassus_dae::Restitution;

/// A one-sided interaction.
#[derive(Debug, Clone)]
pub struct Contact {
    /// Name.
    pub name: String,
    /// Kind with its data.
    pub kind: ContactKind,
    /// May start with a negative gap.
    pub allow_overlap: bool,
}

impl Contact {
    /// How it bounces; `None` for what cannot.
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
}

/// Kinds of one-sided interaction with their data.
#[derive(Debug, Clone)]
pub enum ContactKind {
    /// Shapes that do not enter each other: each of `a` with each of `b`, or every pair among
    /// `a` where there is no `b`; pairs on one body are left out.
    Shapes {
        /// One side, ascending.
        a: Vec<ShapeId>,
        /// Other side, ascending.
        b: Option<Vec<ShapeId>>,
        /// Bounce and friction.
        surface: Surface,
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
