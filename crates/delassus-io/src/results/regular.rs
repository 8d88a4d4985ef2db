//! Files that may be opened without waiting: opening a pipe waits for a writer, and a device has no end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file, or a link to one; anything else is refused before it is opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
    }
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// Reads a regular file of at most `most` bytes; a longer one is refused without being read.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large");
    let file = open_regular(path)?;
    if file.metadata()?.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // it may grow meanwhile
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The same for text.
pub fn read_regular_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read_regular(path, most)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8"))
}
