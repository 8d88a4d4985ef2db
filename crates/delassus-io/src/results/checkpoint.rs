//! Checkpoints: the memory of a run and a description of it, in one file that is either intact or rejected.
//!
//! ```text
//! "delassus checkpoint 1\n"   length of about, length of memory (u64, little endian)
//! about (JSON)                memory            SHA-256 of all before it
//! ```

use super::regular::read_regular;
use super::{WriteError, atomic_write};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::Path;
use thiserror::Error;

const NAME: &[u8] = b"delassus checkpoint ";
const FORMAT: u32 = 1;
const DIGEST: usize = 32;

/// Size of the largest checkpoint that is read, bytes.
const MOST: u64 = 1 << 32;

/// Why a file is not a checkpoint that can be resumed.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The system could not read it.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is some other kind of file.
    #[error("it is no checkpoint of delassus")]
    Foreign,
    /// It was written in another format.
    #[error("it is of format {found}, and this program reads format {FORMAT}")]
    OtherFormat {
        /// Its format.
        found: String,
    },
    /// It is shorter or longer than its header says.
    #[error("it has {found} bytes instead of {expected}: it was not written or copied in full")]
    Length {
        /// The number of bytes it should have.
        expected: u64,
        /// The number of bytes it has.
        found: u64,
    },
    /// Its checksum does not match.
    #[error("its checksum does not fit: some of its bytes were changed")]
    Damaged,
}

/// A checkpoint that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The description of the run, JSON.
    pub about: String,
    /// The memory of the run.
    pub memory: Vec<u8>,
}

/// Writes a checkpoint; the previous one is replaced as a whole.
pub fn write_checkpoint(path: &Path, about: &str, memory: &[u8]) -> Result<(), WriteError> {
    atomic_write(path, |w| {
        let mut sha = Sha256::new();
        let head = format!("{}{FORMAT}\n", String::from_utf8_lossy(NAME));
        let lengths = [about.len() as u64, memory.len() as u64].map(u64::to_le_bytes);
        for part in [head.as_bytes(), &lengths.concat(), about.as_bytes(), memory] {
            sha.update(part);
            w.write_all(part)?;
        }
        Ok(w.write_all(&sha.finalize())?)
    })
}

/// Reads a checkpoint.
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, CheckpointError> {
    parse(&read_regular(path, MOST)?)
}

fn parse(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let found = bytes.len() as u64;
    let rest = bytes.strip_prefix(NAME).ok_or(CheckpointError::Foreign)?;
    let end = rest.iter().take(12).position(|b| *b == b'\n').ok_or(CheckpointError::Foreign)?;
    let (format, rest) = rest.split_at(end);
    if format != FORMAT.to_string().as_bytes() {
        let found = String::from_utf8_lossy(format).escape_default().to_string();
        return Err(CheckpointError::OtherFormat { found });
    }
    let head = (NAME.len() + end + 1 + 16) as u64;
    let short = CheckpointError::Length { expected: head + DIGEST as u64, found };
    let Some((lengths, rest)) = rest[1..].split_at_checked(16) else { return Err(short) };
    let [about, memory] = [0, 8].map(|k| {
        let mut n = [0; 8];
        n.copy_from_slice(&lengths[k..k + 8]);
        u64::from_le_bytes(n)
    });
    let expected = head.saturating_add(about).saturating_add(memory).saturating_add(DIGEST as u64);
    if expected != found {
        return Err(CheckpointError::Length { expected, found });
    }
    let (content, digest) = bytes.split_at(bytes.len() - DIGEST);
    if Sha256::digest(content)[..] != *digest {
        return Err(CheckpointError::Damaged);
    }
    let (about, rest) = rest.split_at(about as usize);
    let about = String::from_utf8(about.to_vec()).map_err(|_| CheckpointError::Damaged)?;
    Ok(Checkpoint { about, memory: rest[..memory as usize].to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.bin");
        write_checkpoint(&path, "{\"t\":1}", &[1, 2, 3]).unwrap();
        let read = read_checkpoint(&path).unwrap();
        assert_eq!(read, Checkpoint { about: "{\"t\":1}".to_owned(), memory: vec![1, 2, 3] });
        let bytes = std::fs::read(&path).unwrap();
        for n in 0..bytes.len() {
            assert!(parse(&bytes[..n]).is_err(), "{n} bytes");
        }
        for k in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[k] ^= 1;
            assert!(parse(&flipped).is_err(), "byte {k}");
        }
        assert!(matches!(parse(b"a,b\n1,2\n"), Err(CheckpointError::Foreign)));
        let newer = [b"delassus checkpoint 27\n".as_slice(), &bytes[22..]].concat();
        let refused = parse(&newer).unwrap_err().to_string();
        assert!(refused.contains("format 27"), "{refused}");
    }
}
