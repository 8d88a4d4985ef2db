//! Rigid contact and friction by all schemes.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../support/mod.rs"]
mod support;

mod drawn_forces;
mod edges_and_plates;
mod events;
mod gripping;
mod groups;
mod held_by_joints;
mod holes;
mod local_thresholds;
mod many;
mod shared_loads;
mod sliding_to_rest;
mod stepping;
mod stepping_cases;
mod storms;
mod walls;
