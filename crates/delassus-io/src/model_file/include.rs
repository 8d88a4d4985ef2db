//! Where an include may point.

use super::roots::{Roots, on_paper};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why an include is rejected.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It leaves the folder of the model, or is written in a way that might.
    Escape(&'static str),
    /// It does not exist or cannot be read.
    Io(io::Error),
}

/// Resolves a reference found in a file of folder `from` (a real path inside the roots) to the
/// real path of a file inside the roots.
pub(super) fn resolve(reference: &str, from: &Path, roots: &Roots) -> Result<PathBuf, Refusal> {
    check_spelling(reference, roots.are_widened()).map_err(Refusal::Escape)?;
    // Resolved from the spelling alone first, so that nothing outside is even looked at.
    let (floor, outside) = match roots.are_widened() {
        false => (roots.model.as_path(), "it leaves the folder of the model"),
        true => (Path::new(""), "it is neither in the folder of the model nor in an allowed one"),
    };
    let path = on_paper(from, Path::new(reference), floor)
        .filter(|path| roots.seem_to_hold(path))
        .ok_or(Refusal::Escape(outside))?;
    let real = fs::canonicalize(path).map_err(Refusal::Io)?;
    if !roots.hold(&real) {
        return Err(Refusal::Escape(match roots.are_widened() {
            false => "a link leads out of the folder of the model",
            true => "a link leads out of the folder of the model and of those allowed",
        }));
    }
    Ok(real)
}

/// Rejects spellings that mean different things on different systems, or hide a path.
fn check_spelling(reference: &str, absolute: bool) -> Result<(), &'static str> {
    let scheme = reference.split_once(':').is_some_and(|(s, _)| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if reference.is_empty() {
        Err("it is empty")
    } else if reference.contains('\0') {
        Err("it contains a NUL character")
    } else if reference.contains('\\') {
        Err("it contains a backslash; write folders with `/`")
    } else if reference.contains('%') {
        Err("it contains `%`; percent-encoding is not used in model files")
    } else if scheme {
        Err("it has a scheme or drive; only files beside the model can be included")
    } else if reference.starts_with('/') && !absolute {
        Err("it is an absolute path")
    } else {
        Ok(())
    }
}
