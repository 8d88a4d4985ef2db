//! Faults and notes with a stable code and a place in the model.

use std::fmt;
use std::ops::Range;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The model is rejected.
    Error,
    /// The model runs, but the user should know.
    Note,
}

/// One fault or note.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Stable code such as `E_NONFINITE`.
    pub code: &'static str,
    /// Error or note.
    pub severity: Severity,
    /// Place in the model: `body.crank.mass`, `body.crank.position[0]`.
    pub path: String,
    /// Byte range inside the value's text, for faults in an expression.
    pub within: Option<Range<usize>>,
    /// What was found and which rule it breaks.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Another place that belongs to the fault (first definition of a duplicate, …).
    pub related: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            path: path.into(),
            within: None,
            message: message.into(),
            help: None,
            related: None,
        }
    }

    /// A note.
    pub fn note(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(code, path, message) }
    }

    /// Adds the next action.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds the byte range within the value.
    pub fn within(mut self, span: Range<usize>) -> Self {
        self.within = Some(span);
        self
    }

    /// Adds a second place.
    pub fn related(mut self, path: impl Into<String>) -> Self {
        self.related = Some(path.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.code, self.path, self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}
