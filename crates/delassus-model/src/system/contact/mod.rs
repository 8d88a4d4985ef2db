//! One-sided interactions as points: [`delassus_dae::Unilateral`] for [`System`].
//!
//! There are two families. Interactions along scalars (stops, ropes, clutches, dry friction, sums of coordinates) are
//! in `scalars.rs`: their rows are made of the same scalars as joints. For contact of shapes, `pairs.rs` knows which
//! shapes can meet and how, `shapes.rs` where they are and which of them are near, `touch.rs` the gap between two
//! features with exact rates. Start reading at `point.rs`.

pub(crate) mod bristles;
pub(crate) mod curvature;
mod moving;
mod near;
pub(crate) mod pairs;
mod point;
mod questions;
pub(crate) mod scalars;
mod shape_point;
pub(crate) mod shapes;
mod touch;
mod view;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod feature_contract;

pub use view::ShapeView;

pub(crate) use near::Scratch;

use delassus_dae::PointId;
use pairs::Pairs;
use scalars::ScalarContact;
use shapes::ShapeLayout;

/// All one-sided interactions of a system.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contacts {
    /// Interactions along scalars; entry k has the ids with `pair` = k.
    pub scalars: Vec<ScalarContact>,
    pub shapes: Vec<ShapeLayout>,
    pub pairs: Pairs,
    pub prepared: shapes::Prepared,
    pub limits: ContactLimits,
    pub bristles: bristles::Bristles,
}

/// How many pairs and points may be near at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactLimits {
    /// Pairs of shapes whose boxes overlap: 32 bytes each.
    pub pairs: usize,
    /// Points that are watched: about a kilobyte each.
    pub points: usize,
}

impl ContactLimits {
    /// No limit.
    const NONE: ContactLimits = ContactLimits { pairs: usize::MAX, points: usize::MAX };
}

impl Default for ContactLimits {
    /// Either takes at most about 200 MB.
    fn default() -> Self {
        ContactLimits { pairs: 2_000_000, points: 200_000 }
    }
}

impl Contacts {
    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty() && self.pairs.is_empty()
    }
}

/// The meaning of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An interaction along scalars.
    Scalar(usize),
    /// Two shapes, the first with the lower number.
    Shapes(usize, usize),
}

/// Pair number of two shapes, a < b. They come after all interactions along scalars.
pub(crate) fn shape_pair(a: usize, b: usize) -> u64 {
    ((a as u64 + 1) << 32) | b as u64
}

pub(crate) fn owner(point: PointId) -> Owner {
    let (high, low) = ((point.pair >> 32) as usize, (point.pair & 0xffff_ffff) as usize);
    match high {
        0 => Owner::Scalar(low),
        a => Owner::Shapes(a - 1, low),
    }
}
