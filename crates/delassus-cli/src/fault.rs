//! One fault or note in the form in which it is printed.

use crate::window::Window;
use delassus::io::model_file::{FileFault, Location, escape, shorten_words};
use serde::Serialize;

/// One fault or note. All texts are safe to print.
#[derive(Debug, Clone, Serialize)]
pub struct Fault {
    /// Stable code such as `E_NONFINITE`.
    pub code: String,
    /// The file, if the fault is in one.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<usize>,
    /// Column in characters, from 1.
    pub column: Option<usize>,
    /// Place in the model (`body.crank.mass`) or option (`--step`).
    pub path: String,
    /// What was found and which rule it breaks.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Simulation time at which it happened, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// The lines of the file around the place.
    #[serde(skip)]
    pub window: Option<Window>,
}

impl Fault {
    /// A fault without a place in a file.
    pub fn new(code: &str, path: impl AsRef<str>, message: impl AsRef<str>) -> Self {
        Fault {
            code: code.to_owned(),
            file: None,
            line: None,
            column: None,
            path: shorten_words(&escape(path.as_ref())),
            message: shorten_words(&crate::console::safe(message.as_ref())),
            help: None,
            t: None,
            window: None,
        }
    }

    /// Adds the next action.
    pub fn help(mut self, text: impl AsRef<str>) -> Self {
        self.help = Some(shorten_words(&escape(text.as_ref())));
        self
    }

    /// Adds the place in a file.
    pub fn at(mut self, location: Option<&Location>) -> Self {
        if let Some(l) = location {
            self.file = Some(l.file().to_owned());
            self.line = Some(l.line);
            self.column = Some(l.column);
            self.window = Window::around(l);
        }
        self
    }

    /// `file:line:column`, or the file alone for faults of the whole model.
    pub fn place(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            _ => file.clone(),
        })
    }
}

impl From<&FileFault> for Fault {
    fn from(p: &FileFault) -> Self {
        let mut message = p.message.clone();
        if let Some(other) = &p.related {
            message.push_str(&format!(" (see {other})"));
        }
        let mut fault = Fault::new(p.code, &p.path, message).at(Some(&p.location));
        fault.help = p.help.as_deref().map(shorten_words);
        fault
    }
}
