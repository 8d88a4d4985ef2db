//! Free space on the disk.

use std::path::Path;

/// Bytes that can still be written to the file system of a folder; `None` if this is not known.
#[cfg(unix)]
pub fn free_space(folder: &Path) -> Option<u64> {
    let s = rustix::fs::statvfs(folder).ok()?;
    // some file systems have no limit of their own and report nothing
    (s.f_blocks > 0).then(|| s.f_bavail.saturating_mul(s.f_frsize))
}

/// Bytes that can still be written to the file system of a folder; `None` if this is not known.
#[cfg(not(unix))]
pub fn free_space(_: &Path) -> Option<u64> {
    None
}
