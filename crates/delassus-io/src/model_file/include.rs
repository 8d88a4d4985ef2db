//! Where an include may point to.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Why an include is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It leaves the folder of the model, or is written in a way that might.
    Escape(&'static str),
    /// It does not exist or cannot be read.
    Io(io::Error),
}

/// Resolves a reference found in a file of folder `from` (both real paths, `from` inside
/// `root`) to the real path of a regular file inside `root`.
pub(super) fn resolve(reference: &str, from: &Path, root: &Path) -> Result<PathBuf, Refusal> {
    check_spelling(reference).map_err(Refusal::Escape)?;
    let inside = from.strip_prefix(root).unwrap_or(Path::new(""));
    let mut parts: Vec<&std::ffi::OsStr> = inside.iter().collect();
    for part in Path::new(reference).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name),
            // Counted on paper first, so that nothing outside is even looked at.
            Component::ParentDir => {
                if parts.pop().is_none() {
                    return Err(Refusal::Escape("it leaves the folder of the model"));
                }
            }
            Component::RootDir | Component::Prefix(_) => {
                return Err(Refusal::Escape("it is an absolute path"));
            }
        }
    }
    let path = root.join(parts.iter().collect::<PathBuf>());
    let real = fs::canonicalize(path).map_err(Refusal::Io)?;
    if !real.starts_with(root) {
        return Err(Refusal::Escape("a link leads out of the folder of the model"));
    }
    Ok(real)
}

/// Spellings that mean different things on different systems, or hide a path.
fn check_spelling(reference: &str) -> Result<(), &'static str> {
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
    } else if reference.starts_with('/') {
        Err("it is an absolute path")
    } else {
        Ok(())
    }
}
