//! Cone complementarity problems.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/heap.rs"]
mod heap;

mod dense;
mod joints;
mod sparse;
