//! The few lines of a file that a report shows.

use delassus::io::model_file::Location;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Longer lines are shown in part.
const WIDTH: usize = 160;
/// Characters shown before the fault in a long line.
const BEFORE: usize = 40;

/// A line of a file and its neighbours. It knows its own place, so that a report neither scans nor prints more than
/// these lines, however large the file.
#[derive(Debug, Clone)]
pub struct Window {
    name: String,
    text: String,
    /// Lines of the file before the window.
    lines_before: usize,
    /// Column of the fault, from 0.
    column: usize,
    /// The fault inside the text.
    pub span: std::ops::Range<usize>,
}

impl Window {
    /// The line at a place and one line on each side; `None` if there is nothing to show.
    pub fn around(place: &Location) -> Option<Window> {
        let text = place.source.text();
        let line_start = text.get(..place.span.start)?.rfind('\n').map_or(0, |i| i + 1);
        let line_end = end_of_line(text, line_start);
        let line = text.get(line_start..line_end)?;
        if line.trim().is_empty() {
            return None;
        }
        let end = place.span.end.clamp(place.span.start, line_end);
        let (from, to, above) = if line.len() > WIDTH {
            let from = floor(text, place.span.start.saturating_sub(BEFORE).max(line_start));
            (from, floor(text, (from + WIDTH).min(line_end)), 0)
        } else {
            let before = text[..line_start.saturating_sub(1)].rfind('\n').map_or(0, |i| i + 1);
            let from = if line_start - before > WIDTH { line_start } else { before };
            let next = end_of_line(text, (line_end + 1).min(text.len()));
            let to = if next - line_end > WIDTH { line_end } else { next };
            (from, to, usize::from(from < line_start))
        };
        Some(Window {
            name: place.file().to_owned(),
            text: printable(text.get(from..to)?),
            lines_before: place.line - 1 - above,
            column: place.column - 1,
            span: place.span.start - from..end.min(to) - from,
        })
    }
}

fn end_of_line(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find('\n')).map_or(text.len(), |i| from + i)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The same number of bytes without anything that a terminal would interpret.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        let c_text: &str = c.encode_utf8(&mut buffer);
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push(' '),
            _ if delassus::io::model_file::escape(c_text) != c_text => match c.len_utf8() {
                1 => out.push('?'),
                2 => out.push('¿'),
                _ => out.push('\u{FFFD}'),
            },
            c => out.push(c),
        }
    }
    out
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        let column = if before == 0 { self.column } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line() + self.lines_before,
            column,
            inner.line_count(),
        )))
    }
}
