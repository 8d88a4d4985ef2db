//! Pages, folders and surfaces.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

mod flexible;
mod folders;
mod pages;
mod surfaces;
