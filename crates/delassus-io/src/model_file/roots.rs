//! The folders from which files may be included.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The folder of the model and the additional ones that were allowed.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// Real path of the folder of the model.
    pub model: PathBuf,
    allowed: Vec<Allowed>,
}

#[derive(Debug)]
struct Allowed {
    real: PathBuf,
    /// As the user named it, which differs from the real path if symbolic links lead to the folder.
    given: PathBuf,
}

impl Roots {
    /// Fails with the first folder that is not a folder.
    pub fn new(model: PathBuf, dirs: &[PathBuf]) -> Result<Roots, (PathBuf, io::Error)> {
        let allowed = |dir: &PathBuf| {
            let real = fs::canonicalize(dir)?;
            if !fs::metadata(&real)?.is_dir() {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, "is no folder"));
            }
            let given = on_paper(Path::new(""), &std::path::absolute(dir)?, Path::new(""));
            Ok(Allowed { given: given.unwrap_or_else(|| real.clone()), real })
        };
        let list = dirs.iter().map(|dir| allowed(dir).map_err(|e| (dir.clone(), e)));
        Ok(Roots { model, allowed: list.collect::<Result<_, _>>()? })
    }

    /// Whether folders other than that of the model are allowed.
    pub fn are_widened(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Whether a path, not yet looked up on disk, is spelled as one inside.
    pub fn seem_to_hold(&self, path: &Path) -> bool {
        self.hold(path) || self.allowed.iter().any(|a| path.starts_with(&a.given))
    }

    /// Whether a real path is inside.
    pub fn hold(&self, real: &Path) -> bool {
        real.starts_with(&self.model) || self.allowed.iter().any(|a| real.starts_with(&a.real))
    }

    /// For messages: the folder of the model, then the others.
    pub fn shown(&self) -> String {
        let mut text = format!("root: {}", self.model.display());
        for (i, a) in self.allowed.iter().enumerate() {
            text.push_str(if i == 0 { "; allowed: " } else { ", " });
            text.push_str(&a.real.display().to_string());
        }
        text
    }
}

/// The path of a reference in a file of folder `from`, without looking at the disk. `None` if it leads above `floor`,
/// or above the root of the file system.
pub(super) fn on_paper(from: &Path, reference: &Path, floor: &Path) -> Option<PathBuf> {
    let mut path = from.to_owned();
    for part in reference.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if path == floor || !path.pop() => return None,
            Component::ParentDir => {}
            // An absolute path replaces what was there.
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => path.push(part),
        }
    }
    Some(path)
}
