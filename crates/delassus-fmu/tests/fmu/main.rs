//! FMUs through the functions that a host calls.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

mod archives;
mod bits;
mod calls;
mod export;
mod heap;
mod panics;
mod random_calls;
mod slopes;
mod solving;
mod states;
mod support;
