//! Impacts, friction and time-stepping on small problems.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../jointed/mod.rs"]
mod jointed;
#[path = "../linear/mod.rs"]
mod linear;
#[path = "../planar/mod.rs"]
mod planar;
#[path = "../spheres/mod.rs"]
mod spheres;

mod friction;
mod impact_random;
mod impacts;
mod stepping;
mod stepping_bodies;
