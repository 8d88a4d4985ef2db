//! What `delassus statics` and `delassus modes` have in common: notes, errors and where the answer goes.

use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::{check_target, real};
use crate::prepare::Prepared;
use crate::run_cmd::noted;
use crate::settings::duration;
use crate::signal::{TimeLimit, end_after};
use crate::{analysis_page, console, report};
use delassus::io::model_file::escape;
use delassus::sim::Note;
use delassus::sim::analysis::AnalysisError;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Holds an analysis to the CPU time that it may take, if there is a limit.
pub fn time_limit(given: Option<&str>, json: bool) -> Result<Option<TimeLimit>, Failure> {
    let limit = given.map(|text| duration("--max-time", text)).transpose();
    let limit = limit.map_err(|fault| Failure::input(vec![*fault]))?;
    Ok(limit.map(|most| end_after(most, json)))
}

/// A failed analysis as the end of the command.
pub fn failed(e: &AnalysisError) -> Failure {
    let fault = Fault::new(e.code, "", &e.message).help(&e.help);
    let exit = if e.input { Exit::Input } else { Exit::Numerical };
    Failure { exit, faults: vec![fault] }
}

/// Notes of assembly, then of the analysis.
pub fn all_notes(p: &Prepared, notes: &[Note]) -> Vec<Fault> {
    p.notes.iter().cloned().chain(notes.iter().map(noted)).collect()
}

/// Rejects a file for the answer that cannot be written or that the model was read from.
pub fn check_out(p: &Prepared, model: &Path, out: Option<&Path>) -> Result<(), Failure> {
    let Some(file) = out else { return Ok(()) };
    let sources = p.places.all_files().map(PathBuf::from).chain([model.to_owned()]);
    check_target("--out", file, &real(sources))
}

/// Where an answer goes.
pub struct Answer<'a> {
    /// JSON instead of text on the screen.
    pub as_json: bool,
    /// File for the JSON.
    pub out: Option<&'a Path>,
    /// File for the page, and what makes it.
    pub page: Option<(&'a Path, &'a dyn Fn() -> String)>,
}

/// Prints an answer as text or JSON and writes the files that were named.
pub fn answer(
    json: &impl Serialize,
    text: &str,
    notes: &[Fault],
    Answer { as_json, out, page }: Answer<'_>,
) -> Result<Exit, Failure> {
    let object = report::to_json(json);
    if let Some(file) = out {
        Writer::one(file, object.as_bytes())?;
    }
    if let Some((file, html)) = page {
        analysis_page::write(file, &html())?;
    }
    if as_json {
        return console::print(&object);
    }
    report::warnings(notes);
    let files = [("results", out), ("report", page.map(|(file, _)| file))];
    let wrote = files.into_iter().filter_map(|(what, file)| {
        Some(format!("  {what:<14} {}\n", escape(&file?.display().to_string())))
    });
    console::print(&format!("{text}{}", wrote.collect::<String>()))
}

/// Name of a model for the first line of an answer.
pub fn heading(p: &Prepared, file: &str) -> String {
    let title = &p.model.system.model().title;
    if title.is_empty() { file.to_owned() } else { format!("{file}: {title}") }
}

/// A number with as many digits as a reader wants to see.
pub fn digits(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&size) {
        format!("{x:.6}")
    } else {
        format!("{x:.6e}")
    }
}

/// Three numbers in brackets; what is rounding beside `size` is zero.
pub fn vector(v: &[f64; 3], size: f64) -> String {
    let shown = v.map(|x| if x.abs() <= 1e-12 * size { "0".to_owned() } else { digits(x) });
    format!("({})", shown.join(", "))
}
