//! Room on the disk.

use std::path::Path;

/// Bytes that can still be written to the file system of a folder; `None` where nobody knows.
#[cfg(unix)]
pub fn free_space(folder: &Path) -> Option<u64> {
    let s = rustix::fs::statvfs(folder).ok()?;
    // some file systems have no bound of their own and say nothing
    (s.f_blocks > 0).then(|| s.f_bavail.saturating_mul(s.f_frsize))
}

/// Bytes that can still be written to the file system of a folder; `None` where nobody knows.
#[cfg(not(unix))]
pub fn free_space(_: &Path) -> Option<u64> {
    None
}
