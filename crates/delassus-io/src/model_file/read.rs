//! Bounded reading of files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Why the bytes of a file were not read.
#[derive(Debug)]
pub(super) enum ReadError {
    Io(io::Error),
    /// Size in bytes, as far as it is known.
    TooLarge(u64),
}

impl From<io::Error> for ReadError {
    fn from(e: io::Error) -> Self {
        ReadError::Io(e)
    }
}

/// Reads a regular file of at most `max` bytes.
///
/// The size is checked first, so that a large file is rejected without being read; the read itself is bounded too,
/// because the file may grow in between. Pipes and devices are rejected before they are opened: opening a pipe blocks
/// until there is a writer.
pub(super) fn read_bounded(path: &Path, max: u64) -> Result<Vec<u8>, ReadError> {
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder").into());
    }
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    if meta.len() > max {
        return Err(ReadError::TooLarge(meta.len()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    let len = bytes.len() as u64;
    if len > max {
        return Err(ReadError::TooLarge(len));
    }
    Ok(bytes)
}

/// Text of the bytes without a byte-order mark, or the valid part and the offset in the file of the first invalid byte.
pub(super) fn to_text(bytes: Vec<u8>) -> Result<String, (String, usize)> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(match text.strip_prefix('\u{FEFF}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }),
        Err(e) => {
            let offset = e.utf8_error().valid_up_to();
            let good = String::from_utf8_lossy(&e.as_bytes()[..offset]);
            let good = good.strip_prefix('\u{FEFF}').unwrap_or(&good).to_owned();
            Err((good, offset))
        }
    }
}
