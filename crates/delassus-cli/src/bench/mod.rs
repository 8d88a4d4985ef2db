//! `delassus bench`: every mechanism of a folder with every method at several tolerances.
//!
//! `asked.rs` reads the arguments, `cases.rs` the mechanisms, `stored.rs` their references, which `making.rs` makes;
//! `runs.rs` makes the runs and keeps them in `journal.rs`; `sheet.rs` says what they mean; `text.rs`, `markdown.rs`,
//! `plots.rs` and `page.rs` show it.

mod asked;
mod cases;
mod journal;
mod making;
mod markdown;
mod page;
mod plots;
mod record;
mod references;
mod runs;
mod sheet;
mod stored;
mod text;

use crate::args::BenchArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::{Writer, Written};
use crate::output::{folder_for, real};
use crate::place::Place;
use crate::{console, report, signal};
use asked::Asked;
use cases::Case;
use delassus::dae::integrator::described;
use delassus::io::model_file::escape;
use delassus::io::results::write_parquet_table;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use journal::{JOURNAL, Journal};
use record::Run;
use serde::Serialize;
use sheet::{Known, Listed, Ranking, Sheet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The files of the results folder.
const CSV: &str = "bench.csv";
const PARQUET: &str = "bench.parquet";
const JSON: &str = "bench.json";
const HTML: &str = "bench.html";
const MARKDOWN: &str = "bench.md";

/// bench.json, and what `--json` prints.
#[derive(Debug, Serialize)]
struct BenchReport<'a> {
    status: &'static str,
    code: u8,
    set: &'a str,
    folder: String,
    version: &'static str,
    mechanisms: &'a [String],
    methods: &'a [String],
    rtols: &'a [f64],
    off_beyond: f64,
    /// Runs of the table, those that failed, and those that end far from their reference.
    runs: usize,
    failed: Vec<Ended<'a>>,
    off: Vec<Ended<'a>>,
    /// Mechanisms with no reference but an exact solution, with one that was made for this table, and without any.
    exact_references: &'a [String],
    own_references: &'a [String],
    no_reference: &'a [String],
    profiles: Vec<Asking<'a>>,
    stiffest: Option<&'a str>,
    files: &'a [Written],
    notes: &'a [Fault],
}

/// A run that gave no answer, or a wrong one.
#[derive(Debug, Serialize)]
struct Ended<'a> {
    mechanism: &'a str,
    method: &'a str,
    rtol: f64,
    code: Option<&'a str>,
    message: Option<&'a str>,
    error: Option<f64>,
}

impl<'a> Ended<'a> {
    fn of(run: &&'a Run) -> Ended<'a> {
        Ended {
            mechanism: &run.mechanism,
            method: &run.method,
            rtol: run.rtol,
            code: run.code.as_deref(),
            message: run.message.as_deref(),
            error: run.error.as_ref().map(|e| e.relative),
        }
    }
}

#[derive(Debug, Serialize)]
struct Asking<'a> {
    by: &'static str,
    level: f64,
    mechanisms: usize,
    methods: Vec<Listed<'a>>,
}

/// Runs a set, or makes its references.
pub fn bench(a: &BenchArgs) -> Result<Exit, Failure> {
    let asked = Asked::read(a)?;
    let cases = cases::read(&asked)?;
    if a.make_references {
        return references::make_all(a, &asked, &cases);
    }
    let folder =
        a.out.clone().unwrap_or_else(|| Path::new("out").join(format!("bench-{}", asked.set)));
    let given = references::given(&asked, &cases)?;
    let plans = runs::plans(&asked, &cases)?;
    let sources = cases.iter().flat_map(|c| c.prepared.places.all_files().map(PathBuf::from));
    let sources = sources.chain(given.files.iter().cloned());
    let names = [CSV, PARQUET, JSON, HTML, MARKDOWN, JOURNAL];
    folder_for(&folder, &names, JOURNAL, &real(sources), a.force)?;
    let held = Place::inside(&folder)?;
    let show = !a.quiet;
    // the journal comes first: it marks the folder as one in which a benchmark goes on
    let journal = Journal::open(&folder)?;
    let found = references::complete(&asked, &cases, given, &folder, show)?;
    if show {
        report::warnings(&found.notes);
    }
    let made = runs::make(&asked, &cases, &plans, &found, journal, show)?;
    let known: Known = cases
        .iter()
        .zip(&found.list)
        .filter_map(|(c, r)| {
            let u = r.as_ref()?.reference.info.uncertainty.as_ref()?.relative;
            Some((c.name.clone(), u))
        })
        .collect();
    let runs: Vec<&Run> = made.runs.iter().collect();
    let names: Vec<String> = cases.iter().map(|c| c.name.clone()).collect();
    let sheet =
        Sheet::new(names, asked.methods.clone(), asked.rtols.clone(), &runs, &known, asked.off);
    let (off, failed): (Vec<&Run>, Vec<&Run>) =
        runs.iter().copied().filter(|r| !r.done || sheet.is_off(r)).partition(|r| r.done);
    let accepted = |r: &Run| r.code.as_ref().is_some_and(|c| asked.accept.contains(c));
    let unanswered = failed.iter().any(|r| !accepted(r));
    let doubt = !off.is_empty() || unanswered || !found.notes.is_empty() || !found.own.is_empty();
    let exit = match () {
        () if made.interrupted => Exit::Interrupted,
        () if runs.iter().all(|r| !r.done) => Exit::Numerical,
        () if a.strict && doubt => Exit::Doubtful,
        () => Exit::Done,
    };
    let rankings = sheet.rankings();
    let implicit = |m: &str| described(m).is_some_and(|m| m.stiff);
    let stiffest = sheet.stiffest(implicit).map(|(p, _)| p.to_owned());
    let view = text::View {
        asked: &asked,
        sheet: &sheet,
        rankings: &rankings,
        runs: &runs,
        failed: &failed,
        off: &off,
        found: &found,
        stiffest: stiffest.as_deref(),
        interrupted: made.interrupted,
        planned: made.planned,
        folder: &folder,
    };
    let files = write(&folder, &view)?;
    let json = report::to_json(&BenchReport {
        status: match exit {
            Exit::Done => "done",
            Exit::Interrupted => "interrupted",
            Exit::Doubtful => "doubtful",
            _ => "failed",
        },
        code: exit.code(),
        set: &asked.set,
        folder: escape(&asked.folder.display().to_string()),
        version: env!("CARGO_PKG_VERSION"),
        mechanisms: &sheet.mechanisms,
        methods: &asked.methods,
        rtols: &asked.rtols,
        off_beyond: asked.off,
        runs: runs.len(),
        failed: failed.iter().map(Ended::of).collect(),
        off: off.iter().map(Ended::of).collect(),
        exact_references: &found.exact,
        own_references: &found.own,
        no_reference: &found.none,
        profiles: rankings.iter().map(|r| asking(&sheet, r)).collect(),
        stiffest: stiffest.as_deref(),
        files: &files,
        notes: &found.notes,
    });
    Writer::one(&folder.join(JSON), json.as_bytes())?;
    drop(held);
    if a.json {
        console::print(&json)?;
    } else if show {
        console::print(&text::text(&view))?;
    }
    Ok(exit)
}

fn asking<'a>(sheet: &'a Sheet<'_>, r: &'a Ranking) -> Asking<'a> {
    Asking { by: r.by, level: r.level, mechanisms: r.mechanisms, methods: sheet.listed(r) }
}

/// Table, plots and page.
fn write(folder: &Path, view: &text::View<'_>) -> Result<Vec<Written>, Failure> {
    let mut texts = vec![
        (CSV, record::csv(view.runs)),
        (HTML, page::page(view)),
        (MARKDOWN, markdown::tables(view)),
    ];
    texts.extend(plots::plots(view));
    let writer = Writer::texts(folder, &texts)?;
    let mut parquet = Vec::new();
    let about = [
        ("set".to_owned(), view.asked.set.clone()),
        ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ];
    write_parquet_table(&mut parquet, &record::cells(view.runs), &about).map_err(|e| {
        let fault = Fault::new("E_OUTPUT", "", e.to_string());
        Failure::file(fault.help("please report this as a bug"))
    })?;
    Writer::one(&folder.join(PARQUET), &parquet)?;
    Ok(writer.written().to_vec())
}

/// Shows how many of some jobs are done.
struct Bar(ProgressBar);

impl Bar {
    fn new(show: bool, what: &str, total: usize) -> Bar {
        if !(show && std::io::stderr().is_terminal()) || total == 0 {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(
            Some(total as u64),
            ProgressDrawTarget::stderr_with_hz(10),
        );
        let style = format!("{{spinner}} {{pos}} of {{len}} {what}  {{msg}}  {{elapsed}}");
        match ProgressStyle::with_template(&style) {
            Ok(style) => Bar(bar.with_style(style)),
            Err(_) => Bar(bar),
        }
    }

    fn done(&self, name: &str) {
        self.0.set_message(name.to_owned());
        self.0.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Forwards signals to runs.
struct Stoppable;

impl delassus::sim::compare::Watch for Stoppable {
    fn stop(&self) -> bool {
        signal::stopped()
    }
}

impl Case {
    /// Its place for the reader of a message.
    fn shown(&self) -> String {
        escape(&self.file.display().to_string())
    }
}
