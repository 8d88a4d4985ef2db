//! Linear solvers and ranks.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../common/mod.rs"]
mod common;

mod coupled_kkt;
mod fixed_kkt;
mod mass_kkt;
mod rank;
mod ranked_kkt;
mod tangent_kkt;
