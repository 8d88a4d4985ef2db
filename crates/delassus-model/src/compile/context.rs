//! Where faults are collected, and the services that every part of the compiler may use.

use super::params::Params;
use crate::{Diagnostic, Severity};
use delassus_expr::suggest;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// Beyond this number no further faults are looked for.
const MAX_FAULTS: usize = 50;
/// Number of copies of one entry that are examined after each of them was found faulty: with 100 000 copies of a faulty
/// link nobody learns from the last one.
const MAX_FAULTS_PER_ENTRY: usize = 20;
/// Number of names listed when none is near enough to be suggested.
const MAX_LISTED: usize = 8;

/// Parts of a model file, in the order in which faults are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Schema,
    Parameters,
    Input,
    Table,
    Gravity,
    Ground,
    Body,
    Joint,
    Force,
    /// Cross-sections of beams.
    BeamProfile,
    Material,
    Tyre,
    Road,
    Shape,
    Contact,
    Sensor,
    Analysis,
    Method,
    ContactTolerances,
}

/// A place in the model file. It becomes text only when a fault is reported: most paths never do.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) fn root(name: &'a str) -> Path<'a> {
        Path { parent: None, step: Step::Name(name) }
    }

    pub(super) fn field(&'a self, name: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Name(name) }
    }

    pub(super) fn index(&'a self, k: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(k) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}")?;
        }
        match self.step {
            Step::Name(name) if self.parent.is_some() => write!(f, ".{name}"),
            Step::Name(name) => f.write_str(name),
            Step::Index(k) => write!(f, "[{k}]"),
        }
    }
}

/// Faults and notes found so far.
#[derive(Default)]
pub(super) struct Sink(RefCell<Found>);

#[derive(Default)]
struct Found {
    errors: Vec<((Section, usize), Diagnostic)>,
    notes: Vec<((Section, usize), Diagnostic)>,
    /// Code and path of what was found in repeated entries, its index in its list, and whether it was found in one copy
    /// only: each is reported once.
    seen: BTreeMap<(&'static str, String), (usize, bool)>,
    faults_per_entry: BTreeMap<(Section, usize), usize>,
}

impl Sink {
    fn push(&self, key: (Section, usize), repeated: bool, diagnostic: Diagnostic) {
        let mut found = self.0.borrow_mut();
        let found = &mut *found;
        let is_error = diagnostic.severity == Severity::Error;
        if is_error {
            *found.faults_per_entry.entry(key).or_default() += 1;
        }
        if is_error && found.errors.len() >= MAX_FAULTS {
            return;
        }
        let list = if is_error { &mut found.errors } else { &mut found.notes };
        if repeated {
            let what = (diagnostic.code, diagnostic.path.clone());
            match found.seen.get_mut(&what) {
                None => {
                    found.seen.insert(what, (list.len(), true));
                }
                Some((place, only)) => {
                    if *only && let Some((_, first)) = list.get_mut(*place) {
                        first.message += ", and for other copies";
                    }
                    *only = false;
                    return;
                }
            }
        }
        list.push((key, diagnostic));
    }

    /// Whether looking further is pointless.
    pub(super) fn is_full(&self) -> bool {
        self.0.borrow().errors.len() >= MAX_FAULTS
    }

    pub(super) fn has_errors(&self) -> bool {
        !self.0.borrow().errors.is_empty()
    }

    /// Errors and notes in file order.
    pub(super) fn finish(self) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let found = self.0.into_inner();
        let sorted = |mut list: Vec<((Section, usize), Diagnostic)>| {
            list.sort_by_key(|(key, _)| *key);
            list.into_iter().map(|(_, d)| d).collect()
        };
        (sorted(found.errors), sorted(found.notes))
    }
}

/// Value of a repetition index.
pub(super) type Index = (Rc<str>, i64);

/// What the code that compiles one entry can access: parameters, indices, and where to report.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    pub(super) sink: &'a Sink,
    pub(super) params: &'a Params,
    pub(super) indices: &'a [Index],
    /// Start of the analysis, at which expressions of time are tried.
    pub(super) start: f64,
    section: Section,
    entry: usize,
}

impl<'a> Env<'a> {
    pub(super) fn new(sink: &'a Sink, params: &'a Params, start: f64, section: Section) -> Self {
        Env { sink, params, indices: &[], start, section, entry: 0 }
    }

    /// The same for an entry of the section.
    pub(super) fn at(self, entry: usize, indices: &'a [Index]) -> Self {
        Env { entry, indices, ..self }
    }

    /// Whether further copies of this entry need not be examined.
    pub(super) fn is_hopeless(&self) -> bool {
        let key = (self.section, self.entry);
        let found = self.sink.0.borrow();
        found.errors.len() >= MAX_FAULTS
            || found.faults_per_entry.get(&key).is_some_and(|n| *n >= MAX_FAULTS_PER_ENTRY)
    }

    /// Reports a fault or a note; in a repeated entry the text names the copy.
    pub(super) fn report(&self, mut diagnostic: Diagnostic) {
        if !self.indices.is_empty() {
            let values: Vec<String> =
                self.indices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            diagnostic.message += &format!(" (for {})", values.join(", "));
        }
        let key = (self.section, self.entry);
        self.sink.push(key, !self.indices.is_empty(), diagnostic);
    }

    pub(super) fn missing(&self, path: &Path<'_>, owner: &str, help: &str) {
        let field = path.to_string();
        let field = field.rsplit('.').next().unwrap_or_default();
        self.report(
            Diagnostic::error(
                "E_MISSING_FIELD",
                path.to_string(),
                format!("{owner} needs `{field}`, which is not given"),
            )
            .help(help),
        );
    }

    pub(super) fn shape(&self, path: &Path<'_>, found: usize, wanted: &str) {
        let entries = if found == 1 { "entry" } else { "entries" };
        self.report(
            Diagnostic::error(
                "E_SHAPE",
                path.to_string(),
                format!("found {found} {entries}, but {wanted} are needed"),
            )
            .help(format!("give {wanted}")),
        );
    }

    /// A number where a list is needed, or vice versa.
    pub(super) fn wrong_form(&self, path: &Path<'_>, found: &str, wanted: &str) {
        self.report(
            Diagnostic::error(
                "E_SHAPE",
                path.to_string(),
                format!("found {found}, but {wanted} is needed"),
            )
            .help(format!("give {wanted}")),
        );
    }

    pub(super) fn range(&self, path: &Path<'_>, message: String, help: &str) {
        self.report(Diagnostic::error("E_RANGE", path.to_string(), message).help(help));
    }

    /// Reports every field that is given but not among `used`.
    pub(super) fn unused(
        &self,
        path: &Path<'_>,
        owner: &str,
        given: &[(&'static str, bool)],
        used: &[&str],
    ) {
        for (field, _) in given.iter().filter(|(f, g)| *g && !used.contains(f)) {
            let help = match used {
                [] => format!("remove it; {owner} has no fields of this kind"),
                _ => format!("remove it; {owner} uses: {}", used.join(", ")),
            };
            self.report(
                Diagnostic::error(
                    "E_FIELD_UNUSED",
                    path.field(field).to_string(),
                    format!("`{field}` is given, but has no meaning for {owner}"),
                )
                .help(help),
            );
        }
    }

    /// Reports an unknown name, with the nearest one that exists.
    pub(super) fn unknown<'n>(
        &self,
        path: &Path<'_>,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) {
        // the search is too expensive to be repeated for every copy of a repeated entry
        if self.is_hopeless() {
            return;
        }
        let help = match suggest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let mut list: Vec<&str> = known.take(MAX_LISTED + 1).collect();
                if list.len() > MAX_LISTED {
                    list[MAX_LISTED] = "…";
                }
                match list.as_slice() {
                    [] => {
                        let what = what.trim_end_matches(" called");
                        format!("the model defines no {what}")
                    }
                    _ => format!("use one of: {}", list.join(", ")),
                }
            }
        };
        self.report(
            Diagnostic::error(
                "E_UNKNOWN_NAME",
                path.to_string(),
                format!("there is no {what} `{name}`"),
            )
            .help(help),
        );
    }
}
