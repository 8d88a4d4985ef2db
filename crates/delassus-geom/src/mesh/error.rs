//! What can be wrong with a mesh, and where.

use thiserror::Error;

/// A mesh that cannot be used for contact. Triangles and vertices count from 0, lines from 1.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// No triangle at all.
    #[error("the mesh has no triangles")]
    Empty,
    /// More triangles than is sensible.
    #[error("the mesh has {found} triangles, more than the {limit} that are read")]
    TooMany {
        /// How many it has, or claims to have.
        found: usize,
        /// How many are read.
        limit: usize,
    },
    /// A coordinate that is infinite or not a number.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// Which vertex.
        vertex: usize,
    },
    /// The header of a binary STL file does not match its length.
    #[error(
        "the header announces {declared} triangles ({expected} bytes), the file has {bytes} bytes"
    )]
    LyingCount {
        /// Triangles announced.
        declared: usize,
        /// Number of bytes this would need.
        expected: usize,
        /// Actual number of bytes.
        bytes: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are {vertices}")]
    IndexOutOfRange {
        /// Which triangle.
        triangle: usize,
        /// The index as written.
        index: i64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} has no area")]
    Degenerate {
        /// Which triangle.
        triangle: usize,
    },
    /// An edge with only one triangle: the surface has a hole.
    #[error(
        "the surface is open: the edge of triangle {triangle} from {from:?} to {to:?} has no neighbour"
    )]
    OpenEdge {
        /// Which triangle.
        triangle: usize,
        /// One end (m).
        from: [f64; 3],
        /// The other end (m).
        to: [f64; 3],
    },
    /// An edge with more than two triangles, or two that are walked the same way round.
    #[error(
        "triangles {first} and {second} walk the edge from {from:?} to {to:?} the same way: the surface is not a manifold, or one of them is turned over"
    )]
    NonManifoldEdge {
        /// One triangle.
        first: usize,
        /// Another one.
        second: usize,
        /// One end (m).
        from: [f64; 3],
        /// The other end (m).
        to: [f64; 3],
    },
    /// All triangles face inwards.
    #[error("the surface is turned inside out: its volume is {volume} m³")]
    Inverted {
        /// Signed volume (m³).
        volume: f64,
    },
    /// A line of a text file that cannot be read.
    #[error("line {line}: {what}")]
    Syntax {
        /// Which line.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// The file ends too early.
    #[error("the file ends after {bytes} bytes, before the first triangle")]
    Truncated {
        /// Actual number of bytes.
        bytes: usize,
    },
}
