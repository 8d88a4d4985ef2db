//! Files that are read and written.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used
)] // tests

mod allowed_dirs;
mod fuzz;
mod includes;
mod lenient;
mod meshes;
mod model_files;
mod results;
mod tables;
