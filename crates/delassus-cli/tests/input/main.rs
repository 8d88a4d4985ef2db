//! The input of the command: files, options and limits, including hostile ones.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../support/mod.rs"]
mod support;

mod allow_dir;
mod bad_clearance;
mod bad_contact;
mod bad_input;
mod bad_law;
mod extremes;
mod fuzzing;
mod input_files;
mod lenient;
mod limits;
mod method_options;
