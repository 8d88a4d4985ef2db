//! Collects problems while files are read.

use super::node::At;
use super::{FileFault, Location, SourceFile};
use std::collections::HashSet;
use std::sync::Arc;

/// The largest number of problems shown.
pub(super) const MAX_PROBLEMS: usize = 50;

/// The largest number of problems kept before they are sorted; enough that the first 50 in file order are the right
/// ones in practice, and a bound on memory for a file with a million faults.
const MAX_KEPT: usize = 1_000;

/// The files read so far and what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub files: Vec<Arc<SourceFile>>,
    pub problems: Vec<(At, FileFault)>,
    /// Unknown keys are ignored instead of rejected.
    pub lenient: bool,
    /// Places of the ignored keys.
    pub ignored: HashSet<At>,
    /// A note for each ignored key, as far as they are kept.
    pub notes: Vec<(At, FileFault)>,
}

impl Report {
    /// Adds a file; its number goes into the places of its nodes.
    pub fn add_file(&mut self, name: &str, text: String) -> usize {
        self.files.push(Arc::new(SourceFile::new(name, text)));
        self.files.len() - 1
    }

    pub fn location(&self, at: At) -> Location {
        location(&self.files, at)
    }

    pub fn is_full(&self) -> bool {
        self.problems.len() >= MAX_KEPT
    }

    /// Adds a fault, completed by `f`.
    pub fn error_with(
        &mut self,
        code: &'static str,
        at: At,
        path: &str,
        message: impl AsRef<str>,
        f: impl FnOnce(FileFault) -> FileFault,
    ) {
        if !self.is_full() {
            let problem = f(FileFault::error(code, self.location(at), path, message));
            self.problems.push((at, problem));
        }
    }

    /// Adds a fault.
    pub fn error(&mut self, code: &'static str, at: At, path: &str, message: impl AsRef<str>) {
        self.error_with(code, at, path, message, |p| p);
    }

    /// Records a key that is ignored.
    pub fn ignore(&mut self, at: At, path: &str, message: &str, help: impl FnOnce() -> String) {
        self.ignored.insert(at);
        if self.notes.len() < MAX_KEPT {
            let note = FileFault::note("N_UNKNOWN_KEY", self.location(at), path, message);
            self.notes.push((at, note.help(help())));
        }
    }

    /// An empty report on the same files, for one of several readings of a value.
    pub fn trial(&self) -> Report {
        Report { files: self.files.clone(), lenient: self.lenient, ..Report::default() }
    }

    /// How bad it is: faults count first, then ignored keys.
    pub fn badness(&self) -> (usize, usize) {
        (self.problems.len(), self.ignored.len())
    }

    /// Takes over what a trial found.
    pub fn adopt(&mut self, mut trial: Report) {
        self.problems.append(&mut trial.problems);
        self.notes.append(&mut trial.notes);
        self.ignored.extend(trial.ignored);
    }

    /// The first notes in file order.
    pub fn take_notes(&mut self) -> Vec<FileFault> {
        first(std::mem::take(&mut self.notes))
    }

    /// The first problems in file order, then the first notes.
    pub fn into_problems(mut self) -> Vec<FileFault> {
        let notes = self.take_notes();
        let mut list = first(self.problems);
        list.extend(notes);
        list
    }
}

fn first(mut list: Vec<(At, FileFault)>) -> Vec<FileFault> {
    list.sort_by_key(|(at, _)| (at.file, at.start));
    list.truncate(MAX_PROBLEMS);
    list.into_iter().map(|(_, p)| p).collect()
}

pub(super) fn location(files: &[Arc<SourceFile>], at: At) -> Location {
    let source = match files.get(at.file as usize) {
        Some(file) => Arc::clone(file),
        None => Arc::new(SourceFile::new("", String::new())),
    };
    Location::new(source, at.span())
}
