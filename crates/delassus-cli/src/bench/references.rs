//! The references of all cases: stored ones, and own ones for the rest.

use super::asked::Asked;
use super::cases::Case;
use super::making::{Made, make};
use super::{Bar, stored};
use crate::args::BenchArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::place::Place;
use crate::{console, report, signal};
use delassus::sim::brief;
use delassus::sim::compare::Reference;
use delassus::sim::pool;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Own references are kept here in the results folder, so that a run that goes on measures against the same ones.
const OWN: &str = "references";

/// Where a reference is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A closed form or a published solution.
    Exact,
    /// Made before and stored beside the set.
    Stored,
    /// Made for this table.
    Own,
}

impl Origin {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Exact => "exact",
            Origin::Stored => "stored",
            Origin::Own => "own",
        }
    }
}

/// The reference of a case.
pub struct Found {
    /// The values.
    pub reference: Reference,
    /// Checksum of its file.
    pub sha256: String,
    /// Where it is from.
    pub origin: Origin,
}

/// What is stored beside the set.
pub struct Given {
    list: Vec<Option<Found>>,
    /// Files that must not be written over.
    pub files: Vec<PathBuf>,
    /// References that belong to another text of their model.
    pub notes: Vec<Fault>,
}

/// The references of all cases.
pub struct All {
    /// In the order of the cases.
    pub list: Vec<Option<Found>>,
    /// Mechanisms that have nothing but an exact or published solution.
    pub exact: Vec<String>,
    /// Mechanisms with a reference that was made for this table.
    pub own: Vec<String>,
    /// Mechanisms without any.
    pub none: Vec<String>,
    /// What the reader should know about them.
    pub notes: Vec<Fault>,
}

fn found(case: &Case, path: &Path, origin: Origin) -> Result<(Option<Found>, bool), Box<Fault>> {
    let Some(stored) = stored::read(path)? else { return Ok((None, false)) };
    // an exact solution need not say to which text it belongs: runs contradict it if it belongs to another one
    let named = origin != Origin::Exact || !stored.model.is_empty();
    if named && stored.model != case.identity {
        return Ok((None, true));
    }
    if origin == Origin::Exact && stored.source.is_none() {
        return Err(stored::without_source(path));
    }
    let reference = stored::fit(&stored, case, path)?;
    Ok((Some(Found { reference, sha256: stored.sha256, origin }), false))
}

/// The exact solution of a case, if there is one.
fn exact(asked: &Asked, case: &Case) -> Result<(Option<Found>, bool), Box<Fault>> {
    found(case, &stored::path(&asked.folder.join(stored::EXACT), &case.name), Origin::Exact)
}

/// Reads the stored references; rejects those that do not fit.
pub fn given(asked: &Asked, cases: &[Case]) -> Result<Given, Failure> {
    let folder = asked.folder.join(stored::FOLDER);
    let (mut list, mut files, mut notes, mut faults) = (vec![], vec![], vec![], vec![]);
    for case in cases {
        let path = stored::path(&folder, &case.name);
        files.push(path.clone());
        let stored = found(case, &path, Origin::Stored);
        let stored = match stored {
            Ok((None, true)) => {
                let message =
                    format!("{} belongs to another text of {}", path.display(), case.shown());
                let help = "an own reference is made for this table; --make-references makes the stored one again";
                notes.push(Fault::new("N_REFERENCE_OLD", "", message).help(help));
                list.push(None);
                continue;
            }
            Ok((None, false)) => exact(asked, case),
            found => found,
        };
        match stored {
            Ok((found, old)) => {
                notes.extend(old.then(|| old_exact(case)));
                list.push(found);
            }
            Err(fault) => faults.push(*fault),
        }
    }
    if faults.is_empty() { Ok(Given { list, files, notes }) } else { Err(Failure::input(faults)) }
}

fn old_exact(case: &Case) -> Fault {
    let message = format!("the exact solution belongs to another text of {}", case.shown());
    let help = "compute it again from its source and give it the line `# model:` of the new text, or remove the file";
    Fault::new("N_REFERENCE_OLD", "", message).help(help)
}

/// Makes the references that are missing and keeps them in the results folder.
pub fn complete(
    asked: &Asked,
    cases: &[Case],
    given: Given,
    folder: &Path,
    show: bool,
) -> Result<All, Failure> {
    let Given { mut list, notes, .. } = given;
    let missing: Vec<usize> = (0..cases.len()).filter(|k| list[*k].is_none()).collect();
    let is_exact = |k: usize| list[k].as_ref().is_some_and(|f| f.origin == Origin::Exact);
    let exact = (0..cases.len()).filter(|k| is_exact(*k)).map(|k| cases[k].name.clone()).collect();
    let mut all = All { list: Vec::new(), exact, own: Vec::new(), none: Vec::new(), notes };
    let own = folder.join(OWN);
    if !missing.is_empty() {
        let bar = Bar::new(show, "references", missing.len());
        let made = pool::run(asked.jobs, missing.len(), &signal::stopped, |k| {
            let case = &cases[missing[k]];
            let done = one(case, &own, asked.max_cpu_s);
            bar.done(&case.name);
            done
        });
        for (k, made) in missing.iter().zip(made) {
            let case = &cases[*k];
            match made {
                Some(Ok(found)) => {
                    all.own.push(case.name.clone());
                    list[*k] = Some(found);
                }
                Some(Err(Lack::File(fault))) => return Err(Failure::file(*fault)),
                Some(Err(Lack::Reason(why))) if !signal::stopped() => {
                    let message = format!(
                        "{}: no reference, errors of its runs are not known: {why}",
                        case.name
                    );
                    let help =
                        "shorten the run (`analysis.end`), or allow more time with --max-time";
                    all.notes.push(Fault::new("N_NO_REFERENCE", "", message).help(help));
                    all.none.push(case.name.clone());
                }
                _ => all.none.push(case.name.clone()),
            }
        }
    }
    all.list = list;
    Ok(all)
}

/// Why there is no own reference.
enum Lack {
    File(Box<Fault>),
    Reason(String),
}

fn one(case: &Case, own: &Path, max_cpu_s: f64) -> Result<Found, Lack> {
    let path = stored::path(own, &case.name);
    if let Ok((Some(found), _)) = found(case, &path, Origin::Own) {
        return Ok(found);
    }
    let made = make(case, max_cpu_s, None).map_err(Lack::Reason)?;
    write(&path, &made.text).map_err(Lack::File)?;
    match found(case, &path, Origin::Own) {
        Ok((Some(found), _)) => Ok(found),
        Ok((None, _)) => Err(Lack::Reason("its file vanished".to_owned())),
        Err(fault) => Err(Lack::File(fault)),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Box<Fault>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let refused = |e: std::io::Error| Box::new(crate::output::refused(folder, &e));
    std::fs::create_dir_all(folder).map_err(refused)?;
    let first = |f: Failure| {
        let none = || Fault::new("E_OUTPUT", "", "the reference could not be written");
        Box::new(f.faults.into_iter().next().unwrap_or_else(none))
    };
    Writer::one(path, text.as_bytes()).map_err(first)
}

/// What became of one reference.
#[derive(Debug, Serialize)]
struct Told<'a> {
    mechanism: &'a str,
    made: bool,
    accuracy: Option<f64>,
    until: Option<f64>,
    end: f64,
    reason: Option<String>,
}

/// Makes the stored references of a set: those that are missing or belong to another text of their model; with
/// `--force` all of them.
pub fn make_all(a: &BenchArgs, asked: &Asked, cases: &[Case]) -> Result<Exit, Failure> {
    let folder = asked.folder.join(stored::FOLDER);
    let _held = Place::inside(&folder)?;
    let old = |case: &&Case| {
        let stored = stored::read(&stored::path(&folder, &case.name));
        a.force || !matches!(stored, Ok(Some(s)) if s.model == case.identity)
    };
    let todo: Vec<&Case> = cases.iter().filter(old).collect();
    // what is known exactly must confirm what is made
    let exact: Result<Vec<Option<Found>>, Box<Fault>> =
        todo.iter().map(|case| exact(asked, case).map(|(found, _)| found)).collect();
    let exact = exact.map_err(|fault| Failure::input(vec![*fault]))?;
    let bar = Bar::new(!a.quiet, "references", todo.len());
    let fault: Mutex<Option<Box<Fault>>> = Mutex::new(None);
    let stop = || signal::stopped() || fault.lock().is_ok_and(|f| f.is_some());
    let made = pool::run(asked.jobs, todo.len(), &stop, |k| {
        let case = todo[k];
        let made = make(case, asked.max_cpu_s, exact[k].as_ref().map(|f| &f.reference));
        if let Ok(m) = &made
            && let Err(e) = write(&stored::path(&folder, &case.name), &m.text)
            && let Ok(mut fault) = fault.lock()
        {
            *fault = Some(e);
        }
        bar.done(&case.name);
        if !a.quiet && !a.json && !signal::stopped() {
            // a line as soon as it is known: the whole set takes long
            let line = line(&case.name, &made);
            bar.0.suspend(|| console::print(&line).ok());
        }
        // one that was stopped says nothing about its mechanism
        let stopped = made.is_err() && signal::stopped();
        (!stopped).then(|| told(case, made))
    });
    drop(bar);
    if let Ok(Some(fault)) = fault.into_inner() {
        return Err(Failure::file(*fault));
    }
    let told: Vec<Told<'_>> = made.into_iter().flatten().flatten().collect();
    let missing = told.iter().filter(|t| !t.made).count();
    let exit = match () {
        () if signal::stopped() => Exit::Interrupted,
        () if missing > 0 => Exit::NotCertified,
        () => Exit::Done,
    };
    if a.json {
        console::print(&report::to_json(&told))?;
    } else if !a.quiet {
        let kept = cases.len() - todo.len();
        let made = told.len() - missing;
        console::print(&format!("{made} made, {kept} kept, {missing} not made\n"))?;
    }
    Ok(exit)
}

fn told<'a>(case: &'a Case, made: Result<Made, String>) -> Told<'a> {
    let end = case.prepared.options.t_end;
    match made {
        Ok(m) => Told {
            mechanism: &case.name,
            made: true,
            accuracy: Some(m.accuracy),
            until: Some(m.until),
            end,
            reason: m.doubt,
        },
        Err(reason) => Told {
            mechanism: &case.name,
            made: false,
            accuracy: None,
            until: None,
            end,
            reason: Some(reason),
        },
    }
}

fn line(name: &str, made: &Result<Made, String>) -> String {
    match made {
        Ok(m) if m.until >= m.end && m.doubt.is_none() => {
            format!("{name}: agreed to {:.0e}\n", m.accuracy)
        }
        Ok(m) if m.until >= m.end => {
            format!(
                "{name}: agreed to {:.0e}; {}\n",
                m.accuracy,
                m.doubt.as_deref().unwrap_or_default()
            )
        }
        Ok(m) => {
            let doubt = m.doubt.as_deref().unwrap_or_default();
            let (until, end) = (brief(m.until), brief(m.end));
            format!("{name}: agreed to {:.0e} up to {until} of {end} s: {doubt}\n", m.accuracy)
        }
        Err(why) => format!("{name}: NO REFERENCE: {why}\n"),
    }
}
