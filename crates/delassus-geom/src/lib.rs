//! Signed gaps between shapes, for contact dynamics.
//!
//! Owns: shapes and their checks, the features with which they touch, gaps, normals and contact points, the search for
//! near pairs, meshes from STL and OBJ bytes. Must not know: bodies, forces, time, files.
//!
//! Every contact point is reduced to two [`Feature`]s fixed in the frames of the two shapes, so that the
//! mechanics can write down gap, gradient and second derivatives exactly. Start reading at [`Pair`].
//!
//! ```
//! use delassus_geom::{Pair, Pose, Profile, Shape};
//! let ground = Shape::half_plane([0.0, 0.0], [0.0, 1.0])?;
//! let block = Shape::profile(&Profile::rectangle(2.0, 1.0)?);
//! let pair = Pair::new(&ground, &block)?;
//! let (fixed, tilted) = (Pose::identity(), Pose::planar(0.0, 1.0, 0.1));
//! let mut contacts = Vec::new();
//! pair.near(&fixed, &tilted, 0.7, &mut contacts);
//! // Both lower corners are within 0.7 m; the left one is nearer.
//! assert_eq!(contacts.len(), 2);
//! let left = 1.0 - 0.1f64.sin() - 0.5 * 0.1f64.cos();
//! assert!(contacts.iter().any(|c| (c.gap - left).abs() < 1e-15 && c.normal.y == 1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod broad;
mod cone;
mod contact;
mod error;
mod feature;
pub mod mesh;
mod overlap;
mod pair;
mod planar;
mod pose;
mod shape;
mod spatial;

pub use broad::Broad;
pub use contact::Contact;
pub use error::{ShapeError, UnsupportedPair};
pub use feature::{Feature, feature_gap, placed_gap};
pub use mesh::{MeshError, TriMesh, parse_obj, parse_stl};
pub use overlap::overlap_depth;
pub use pair::{Pair, Search};
pub use planar::{Profile, ProfileBuilder};
pub use pose::Pose;
pub use shape::{Shape, ShapeKind};
pub use spatial::Aabb;
