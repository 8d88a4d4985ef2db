//! What the commands do and write.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[path = "../support/mod.rs"]
mod support;

mod analysis;
mod analysis_pages;
mod bench;
mod commands;
mod compare;
mod dump_states;
mod flexible_pages;
mod fmu;
mod live;
mod reliability;
mod report;
mod resume;
mod rotor;
mod rt;
mod runs;
mod signals;
mod stepping;
mod verdict;
mod whole_folders;
