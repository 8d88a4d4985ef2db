//! Shapes, pairs of shapes, meshes.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../common/mod.rs"]
mod common;

mod broad;
mod mesh_files;
mod mesh_pairs;
mod overlap;
mod planar_pairs;
mod planar_random;
mod shapes;
mod spatial_pairs;
