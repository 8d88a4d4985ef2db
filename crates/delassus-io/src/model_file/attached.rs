//! Files that entries of a model refer to, such as meshes and tables: found and read like includes, with the same
//! bounds.

use super::Limits;
use super::include::{Refusal, resolve};
use super::limits::raise;
use super::node::At;
use super::read::{ReadError, read_bounded};
use super::report::Report;
use super::roots::Roots;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Where attached files may be, how much may be read, and what was read.
pub(super) struct Attached<'a> {
    pub limits: &'a Limits,
    pub roots: &'a Roots,
    /// Folder of each file of the model; `None` for a text.
    pub folders: &'a [Option<PathBuf>],
    /// Bytes read so far.
    pub total: u64,
    /// SHA-256 of each file that was read, in the order of reading.
    pub digests: Vec<[u8; 32]>,
    /// Real paths of these files.
    pub paths: Vec<PathBuf>,
}

/// A reference to a file, for messages.
#[derive(Clone, Copy)]
pub(super) struct Reference<'r> {
    /// As written.
    pub file: &'r str,
    pub at: At,
    /// Path of the key in the model.
    pub path: &'r str,
    /// Code of faults of the file itself.
    pub code: &'static str,
    /// What such files are, such as "meshes".
    pub kind: &'static str,
}

impl Reference<'_> {
    pub fn fault(&self, report: &mut Report, code: &'static str, message: String, help: &str) {
        report.error_with(code, self.at, self.path, message, |p| p.help(help));
    }
}

impl Attached<'_> {
    /// Where the file really is.
    pub fn find(&self, r: Reference<'_>, report: &mut Report) -> Option<PathBuf> {
        let Reference { file, kind, .. } = r;
        let Some(Some(folder)) = self.folders.get(r.at.file as usize) else {
            let message = format!("a model given as text has no folder to read {kind} from");
            r.fault(report, r.code, message, "save the model as a file and load that");
            return None;
        };
        match resolve(file, folder, self.roots) {
            Ok(real) => Some(real),
            Err(Refusal::Escape(why)) => {
                let message = format!("\"{file}\" is refused: {why} ({})", self.roots.shown());
                let help = "copy the file into the folder of the model, or allow its folder with \
                            --allow-dir DIR";
                r.fault(report, "E_PATH_ESCAPE", message, help);
                None
            }
            Err(Refusal::Io(e)) => {
                self.unreadable(r, &e, report);
                None
            }
        }
    }

    /// The content of a file that was found.
    pub fn read(&mut self, real: &Path, r: Reference<'_>, report: &mut Report) -> Option<Vec<u8>> {
        let bytes = match read_bounded(real, self.limits.max_file_bytes) {
            Ok(bytes) => bytes,
            Err(ReadError::Io(e)) => {
                self.unreadable(r, &e, report);
                return None;
            }
            Err(ReadError::TooLarge(size)) => {
                let max = self.limits.max_file_bytes;
                let message = format!("the file has {size} bytes, more than the limit of {max}");
                r.fault(report, "E_LIMIT", message, &raise("file-bytes"));
                return None;
            }
        };
        self.total += bytes.len() as u64;
        let max = self.limits.max_total_bytes;
        if self.total > max {
            let message = format!("the files of the model have more than {max} bytes together");
            r.fault(report, "E_LIMIT", message, &raise("total-bytes"));
            return None;
        }
        self.digests.push(Sha256::digest(&bytes).into());
        self.paths.push(real.to_owned());
        Some(bytes)
    }

    fn unreadable(&self, r: Reference<'_>, e: &std::io::Error, report: &mut Report) {
        let message = format!("\"{}\" cannot be read: {e}", r.file);
        let help = format!("{} are relative to the file they stand in", r.kind);
        r.fault(report, r.code, message, &help);
    }
}
