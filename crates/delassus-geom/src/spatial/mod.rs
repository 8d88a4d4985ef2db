//! Spatial shapes: round ones by formula, flat-faced ones through [`poly`].

pub(crate) mod bvh;
pub(crate) mod closest;
pub(crate) mod hull;
mod patches;
pub(crate) mod poly;

pub use bvh::Aabb;
