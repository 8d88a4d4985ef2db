//! From the description of a model to its system.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../compile_support/mod.rs"]
mod compile_support;

mod beams;
mod contact_models;
mod contacts;
mod elements;
mod modal;
mod sensors;
mod tables;
mod tyres;
mod values;
mod walk;
