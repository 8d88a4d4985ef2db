//! File texts and places in them.

use super::escape;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The text of one model file.
#[derive(PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceFile {
    pub(super) fn new(name: &str, text: String) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.match_indices('\n').map(|(i, _)| i + 1));
        SourceFile { name: escape::escape(name), text, line_starts }
    }

    /// Name as shown to the user: the path as it was given, or as reached through includes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, without a byte-order mark. For a file that is not UTF-8 this is the part before the first invalid
    /// byte; for one that is too large it is empty.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with control and direction-override characters replaced by harmless ones of the same length, so that
    /// spans stay valid and a snippet is safe to print.
    pub fn printable_text(&self) -> String {
        escape::mask(&self.text)
    }

    /// Line and column (in characters) of a byte offset, both from 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|&s| s <= offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        // Counting the bytes that begin a character also works inside one.
        let column =
            self.text.as_bytes()[start..offset].iter().filter(|b| (**b & 0xC0) != 0x80).count();
        (line, column + 1)
    }

    /// The line that holds a byte offset, and where it starts.
    pub(super) fn line_at(&self, offset: usize) -> (usize, &str) {
        let (line, _) = self.position(offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let rest = self.text.get(start..).unwrap_or("");
        (start, rest.split('\n').next().unwrap_or(""))
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({:?}, {} bytes)", self.name, self.text.len())
    }
}

/// A place in a model file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Bytes in [`SourceFile::text`].
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Location {
    pub(super) fn new(source: Arc<SourceFile>, span: Range<usize>) -> Self {
        // Whoever renders the span may slice the text with it.
        let text = source.text();
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = span.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let span = start..end;
        let (line, column) = source.position(span.start);
        Location { source, span, line, column }
    }

    /// Name of the file.
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// The text at this place.
    pub fn text(&self) -> &str {
        self.source.text().get(self.span.clone()).unwrap_or("")
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file(), self.line, self.column)
    }
}
