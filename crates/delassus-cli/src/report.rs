//! Faults and notes as text or JSON.

use crate::console;
use crate::exit::Exit;
use crate::fault::Fault;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity, SourceCode,
};
use serde::Serialize;
use std::fmt;

/// Prints why a command failed: a report on standard error, and one object on standard output if JSON is requested.
pub fn failure(exit: Exit, faults: &[Fault], json: bool) {
    if json {
        #[derive(Serialize)]
        struct Object<'a> {
            status: &'static str,
            code: u8,
            errors: &'a [Fault],
        }
        let object = Object { status: "error", code: exit.code(), errors: faults };
        // A closed pipe is no reason to change the exit code.
        let _ = console::print(&to_json(&object));
    }
    errors(faults);
}

/// One JSON object and a line end.
pub fn to_json(value: &impl Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => text + "\n",
        // Only maps whose keys are not text can fail, and there are none.
        Err(e) => {
            format!("{{\"status\":\"error\",\"code\":70,\"errors\":[{:?}]}}\n", e.to_string())
        }
    }
}

/// Prints all errors.
pub fn errors(faults: &[Fault]) {
    console::warn(&render(faults, Severity::Error));
    if faults.len() > 1 {
        console::warn(&format!("\n{} errors\n", faults.len()));
    }
}

/// Prints notes as warnings.
pub fn warnings(notes: &[Fault]) {
    console::warn(&render(notes, Severity::Warning));
}

fn render(faults: &[Fault], severity: Severity) -> String {
    let colour = console::colour();
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let mut handler =
        GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    if colour {
        handler = handler.with_width(100);
    } else {
        // A reader of a pipe wants one message per line.
        handler = handler.with_width(usize::from(u16::MAX)).with_wrap_lines(false);
    }
    let mut out = String::new();
    for fault in faults {
        let shown = Shown { fault, severity };
        if !out.is_empty() {
            out.push('\n');
        }
        if handler.render_report(&mut out, &shown).is_err() {
            out.push_str(&format!("{}: {}\n", fault.code, shown));
        }
    }
    out
}

/// A fault as miette expects it.
#[derive(Debug)]
struct Shown<'a> {
    fault: &'a Fault,
    severity: Severity,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fault.window.is_none()
            && let Some(place) = self.fault.place()
        {
            write!(f, "{place}: ")?;
        }
        if !self.fault.path.is_empty() {
            write!(f, "{}: ", self.fault.path)?;
        }
        f.write_str(&self.fault.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.fault.code))
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.fault.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let window = self.fault.window.as_ref()?;
        Some(window)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let window = self.fault.window.as_ref()?;
        let label = LabeledSpan::new_primary_with_span(None, window.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}
