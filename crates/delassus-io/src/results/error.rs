//! Why a result file was not written.

use std::io;
use std::path::PathBuf;

/// Why a result file was not written. The file of that name, if there was one, is unchanged
/// when the writing went through [`super::atomic_write`].
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system reported an error: disk full, no permission, folder gone.
    #[error("cannot write {} ({bytes_written} bytes written): {source}", shown(.path))]
    Io {
        /// The file, if known.
        path: Option<PathBuf>,
        /// Number of bytes that had been passed to the system.
        bytes_written: u64,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A result is not a finite number.
    #[error("column `{column}`, row {row}: the value is not finite")]
    NonFinite {
        /// Name of the column.
        column: String,
        /// Row from 0.
        row: usize,
    },
    /// Columns of different length.
    #[error("column `{column}` has {found} rows instead of {expected}")]
    Length {
        /// Name of the column.
        column: String,
        /// Rows of the first column.
        expected: usize,
        /// Rows of this column.
        found: usize,
    },
    /// Two columns of the same name.
    #[error("two columns are named `{column}`")]
    DuplicateColumn {
        /// The name.
        column: String,
    },
    /// The Parquet library reported an error.
    #[error("Parquet: {0}")]
    Parquet(String),
}

impl From<io::Error> for WriteError {
    fn from(source: io::Error) -> Self {
        WriteError::Io { path: None, bytes_written: 0, source }
    }
}

fn shown(path: &Option<PathBuf>) -> String {
    match path {
        Some(path) => path.display().to_string(),
        None => "the results".to_owned(),
    }
}
