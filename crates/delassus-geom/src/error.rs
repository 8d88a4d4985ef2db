//! What can be wrong with a shape, and pairs that are not supported.

use delassus_math::Plain;
use thiserror::Error;

/// Largest length of a shape, m: sums of squares of such lengths are still finite.
pub(crate) const LARGEST: f64 = 1e150;

/// A shape that cannot exist, with the fault and its place.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A size that has to be positive and finite.
    #[error("{what} is {}: it must be positive and finite", Plain(*value))]
    NotPositive {
        /// Which size.
        what: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// A number that is infinite or not a number.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// Of what.
        what: &'static str,
        /// Its index, from 0.
        index: usize,
    },
    /// A length whose square is not finite.
    #[error(
        "{what} is {value:e} m: lengths of shapes go up to {LARGEST:e} m, beyond which areas are no numbers"
    )]
    TooLarge {
        /// Which length.
        what: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// A direction without length.
    #[error("{what} has no direction: its length is zero")]
    NoDirection {
        /// Which direction.
        what: &'static str,
    },
    /// Too few corners for an area or a volume.
    #[error("{found} points are too few: at least {needed} are needed")]
    TooFewPoints {
        /// How many there are.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// Two consecutive points coincide.
    #[error("piece {element} of the profile has no length: two consecutive points coincide")]
    ZeroLength {
        /// Which piece, from 0.
        element: usize,
    },
    /// The contour has a gap.
    #[error("the profile is not closed: after piece {element} there is a gap of {} m", Plain(*gap))]
    NotClosed {
        /// After which piece.
        element: usize,
        /// How wide (m).
        gap: f64,
    },
    /// All points on a line.
    #[error("the profile encloses no area ({} m²)", Plain(*area))]
    NoArea {
        /// Area (m²).
        area: f64,
    },
    /// The contour is walked the wrong way round.
    #[error("the profile is clockwise (area {} m²): list its points counter-clockwise", Plain(*area))]
    Clockwise {
        /// Signed area (m²).
        area: f64,
    },
    /// The contour crosses or touches itself.
    #[error("pieces {first} and {second} of the profile meet at ({:.6}, {:.6})", at[0], at[1])]
    SelfIntersection {
        /// One piece, from 0.
        first: usize,
        /// The other.
        second: usize,
        /// Where (m).
        at: [f64; 2],
    },
    /// More neighbouring pieces than are compared.
    #[error(
        "{pieces} pieces of the profile run beside each other in more than {most} pairs, which is the limit: too many \
         to see whether they cross"
    )]
    TooTangled {
        /// Pieces of the contour.
        pieces: usize,
        /// Largest number of pairs that are compared.
        most: u64,
    },
    /// A fillet that does not fit on its edges.
    #[error("a fillet of {} m at point {point} does not fit on the edges beside it", Plain(*radius))]
    FilletTooLarge {
        /// Which point, from 0.
        point: usize,
        /// Radius (m).
        radius: f64,
    },
    /// A fillet at the end of an arc.
    #[error(
        "point {point} has a fillet beside an arc: fillets round corners of two straight pieces"
    )]
    FilletBesideArc {
        /// Which point, from 0.
        point: usize,
    },
    /// The points of a hull lie in one plane, on a line or in a point.
    #[error("the convex hull of {points} points has no volume")]
    FlatHull {
        /// How many points there are.
        points: usize,
    },
    /// The hull of the points could not be built.
    #[error("the convex hull of {points} points failed: {reason}")]
    HullFailed {
        /// How many points there are.
        points: usize,
        /// What the algorithm reported.
        reason: String,
    },
    /// A mesh with a fault.
    #[error(transparent)]
    Mesh(#[from] crate::mesh::MeshError),
}

impl ShapeError {
    /// The shape may be valid, but is too large to examine.
    pub fn is_limit(&self) -> bool {
        matches!(self, ShapeError::TooTangled { .. })
    }
}

/// Two kinds of shape between which no gap is defined here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no contact between {a} and {b}: {reason}")]
pub struct UnsupportedPair {
    /// Kind of the first shape.
    pub a: crate::ShapeKind,
    /// Kind of the second shape.
    pub b: crate::ShapeKind,
    /// Why not, and what to use instead.
    pub reason: &'static str,
}
