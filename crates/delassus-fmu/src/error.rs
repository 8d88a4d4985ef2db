//! Why an FMU cannot be written, read or started.

use thiserror::Error;

/// What was found, the rule it breaks, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{code}: {message}")]
pub struct FmuError {
    /// Stable code.
    pub code: &'static str,
    /// What was found and which rule it breaks.
    pub message: String,
    /// What to do next.
    pub help: String,
}

impl FmuError {
    /// A fault of this code.
    pub fn new(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        FmuError { code, message: message.into(), help: help.into() }
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(path: &std::path::Path, e: &std::io::Error) -> Self {
        let message = format!("cannot read {}: {e}", path.display());
        FmuError::new("E_FILE", message, "check the path")
    }
}
