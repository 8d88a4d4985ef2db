//! Curves in the xy plane: exact distances, normals and contact features.
//!
//! `element`: edges and arcs. `curve`: pieces in order, cut into chains by `chains`. `closest`: the
//! nearest feature of a chain. `profile`: what users write, checked by `validate`.

mod chains;
pub(crate) mod closest;
pub(crate) mod curve;
pub(crate) mod element;
pub(crate) mod intersect;
pub(crate) mod profile;
pub(crate) mod validate;

pub use profile::{Profile, ProfileBuilder};
