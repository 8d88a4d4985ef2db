//! A run as an object: its samples, states, inputs, ends and errors.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../support/mod.rs"]
mod support;

mod between_steps;
mod certify;
mod facade;
mod inputs;
mod prefix;
mod realtime;
mod requests;
mod restore;
mod sink;
