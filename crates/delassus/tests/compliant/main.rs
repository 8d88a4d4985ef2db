//! Compliant contact: laws of the normal force on whole models.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../support/mod.rs"]
mod support;

mod clearance;
mod edges;
mod falling;
mod friction;
mod impacts;
mod modes_of_play;
mod play;
mod play_in_channels;
mod play_in_space;
mod stepping;
mod steps;
mod tangents;
