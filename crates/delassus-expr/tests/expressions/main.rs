//! Expressions, their derivatives and errors.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

mod derivatives;
mod errors;
mod over_time;
mod random;
