//! Faults and notes with their place in a file.

use super::Location;
use super::escape::escape;
use delassus_model::Severity;
use std::fmt;

/// One fault or note, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct FileFault {
    /// Stable code such as `E_NONFINITE`.
    pub code: &'static str,
    /// Error or note.
    pub severity: Severity,
    /// Where in the files.
    pub location: Location,
    /// Where in the model: `body.crank.mass`; empty for the file as a whole.
    pub path: String,
    /// What was found and which rule it breaks. Safe to print.
    pub message: String,
    /// What to do next. Safe to print.
    pub help: Option<String>,
    /// Another place that belongs to the fault, such as the first of two definitions.
    pub related: Option<Location>,
}

impl FileFault {
    pub(super) fn error(
        code: &'static str,
        location: Location,
        path: &str,
        message: impl AsRef<str>,
    ) -> Self {
        FileFault {
            code,
            severity: Severity::Error,
            location,
            path: escape(path),
            message: escape(message.as_ref()),
            help: None,
            related: None,
        }
    }

    pub(super) fn note(
        code: &'static str,
        location: Location,
        path: &str,
        message: impl AsRef<str>,
    ) -> Self {
        FileFault { severity: Severity::Note, ..FileFault::error(code, location, path, message) }
    }

    pub(super) fn help(mut self, text: impl AsRef<str>) -> Self {
        self.help = Some(escape(text.as_ref()));
        self
    }

    pub(super) fn related(mut self, location: Location) -> Self {
        self.related = Some(location);
        self
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.code)?;
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(place) = &self.related {
            write!(f, " (see {place})")?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}
