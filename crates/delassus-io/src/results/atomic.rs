//! Writes whole files or none.

use super::{WriteError, size_limit};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The writer that [`atomic_write`] hands out: buffered, counts bytes, and remembers the first error of the system even
/// if a library in between swallows it.
#[derive(Debug)]
pub struct ResultWriter {
    inner: BufWriter<Counted>,
}

#[derive(Debug)]
struct Counted {
    file: File,
    /// A regular file, not a pipe or a device, which have no size.
    regular: bool,
    bytes: u64,
    failure: Option<io::Error>,
}

impl Counted {
    fn note(&mut self, e: io::Error) -> io::Error {
        let copy = match e.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(e.kind(), e.to_string()),
        };
        self.failure.get_or_insert(copy);
        e
    }
}

impl Write for Counted {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let end = if self.regular { self.bytes + buf.len() as u64 } else { 0 };
        match size_limit::check(end).and_then(|()| self.file.write(buf)) {
            Ok(n) => {
                self.bytes += n as u64;
                Ok(n)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e) => Err(self.note(e)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for ResultWriter {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.inner.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a file so that its name always refers to either the old content or the whole new content: temporary file in
/// the same folder, flush, sync, rename. After an error the temporary file is gone and the old one untouched.
///
/// A path that exists but is not a regular file (`/dev/stdout`, a pipe) is written directly: it must not be replaced by
/// a file.
pub fn atomic_write(
    path: &Path,
    write: impl FnOnce(&mut ResultWriter) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let failed = |source| WriteError::Io { path: Some(path.to_owned()), bytes_written: 0, source };
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let e = io::Error::new(io::ErrorKind::IsADirectory, "is a folder");
            return Err(failed(e));
        }
        Ok(meta) if !meta.is_file() => {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return fill(file, path, false, write);
        }
        _ => {}
    }
    // A link stays a link; the file it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (file, temporary) = create_beside(&target).map_err(failed)?;
    let mut guard = Temporary { path: temporary, armed: true };
    fill(file, path, true, write)?;
    fs::rename(&guard.path, &target).map_err(failed)?;
    guard.armed = false;
    sync_folder(&target);
    Ok(())
}

fn fill(
    file: File,
    path: &Path,
    regular: bool,
    write: impl FnOnce(&mut ResultWriter) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let counted = Counted { file, regular, bytes: 0, failure: None };
    let mut writer = ResultWriter { inner: BufWriter::new(counted) };
    let result = write(&mut writer).and_then(|()| {
        writer.inner.flush()?;
        if regular {
            writer.inner.get_ref().file.sync_all()?;
        }
        Ok(())
    });
    let Err(error) = result else { return Ok(()) };
    // The buffer is not flushed again: what is left of it belongs to a failed file.
    let (counted, _) = writer.inner.into_parts();
    Err(match (error, counted.failure) {
        (_, Some(source)) | (WriteError::Io { source, .. }, None) => {
            WriteError::Io { path: Some(path.to_owned()), bytes_written: counted.bytes, source }
        }
        (other, None) => other,
    })
}

/// Removes the temporary file unless it was renamed, also when the caller's code panics.
struct Temporary {
    path: PathBuf,
    armed: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.armed {
            // Nothing more can be done if the folder itself is gone.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A new file with a unique name beside the target: a rename works only within one file system.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no file name"));
    };
    for _ in 0..100 {
        let n = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut own = OsString::from(".");
        own.push(name);
        own.push(format!(".{}-{n}.tmp", std::process::id()));
        let path = target.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            // Left over from a killed run that had the same process id.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free temporary name"))
}

/// Makes the rename or the creation of a file durable. Not every file system can do this, and the content is already
/// safe, so a failure is not an error.
pub fn sync_folder(target: &Path) {
    #[cfg(unix)]
    if let Some(folder) = target.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if let Ok(handle) = File::open(folder) {
            let _ = handle.sync_all();
        }
    }
    #[cfg(not(unix))]
    let _ = target;
}
