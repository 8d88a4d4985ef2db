//! The largest file that the process may write (`ulimit -f`).
//!
//! A process that writes beyond it is killed by a signal before the write can fail, so the limit is checked first.

use std::io;

/// Rejects a write that would make a file larger than allowed.
pub(super) fn check(end: u64) -> io::Result<()> {
    match limit() {
        Some(most) if end > most => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("files of this process may have {most} bytes at most (ulimit -f)"),
        )),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    static LIMIT: std::sync::OnceLock<Option<u64>> = std::sync::OnceLock::new();
    *LIMIT.get_or_init(|| getrlimit(Resource::Fsize).current)
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}
