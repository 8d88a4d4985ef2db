//! Flexible bodies from finite elements.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

mod common;
mod frequencies;
mod integrals;
mod refusals;
mod rotating;
