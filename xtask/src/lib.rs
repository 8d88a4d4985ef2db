//! Checks of the documents of this repository against the repository itself.
//!
//! Documents go stale silently: a folder is renamed, a link goes nowhere, an error code is added that no page explains.
//! [`check_repository`] finds these; it reads files and changes nothing.

mod codes;
mod markdown;
mod repository;

pub use repository::{Fault, check_repository};

use std::path::Path;

/// The root of the repository in which this crate was built.
pub fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}
