//! `delassus report`, and how results folders are read.

use crate::args::ReportArgs;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::{REPORT_HTML, check_file};
use crate::place::is_busy;
use crate::report as faults;
use delassus::io::model_file::escape;
use delassus_report::{Report, UNFINISHED, read_folder};
use std::path::{Path, PathBuf};

/// Makes the page of a results folder again.
pub fn report(a: &ReportArgs) -> Result<Exit, Failure> {
    let folder = results_folder(&a.result);
    let page = a.output.clone().unwrap_or_else(|| folder.join(REPORT_HTML));
    let report = read(&folder)?;
    write(&page, &report)?;
    console::print(&format!("wrote {}\n", escape(&page.display().to_string())))
}

/// Writes the page of a report.
pub fn write(page: &Path, report: &Report) -> Result<(), Failure> {
    check_file("--output", page)?;
    Writer::one(page, report.html().as_bytes())
}

/// The folder, also when one of its files is named.
pub fn results_folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if path.is_file() && folder.as_os_str().is_empty() => PathBuf::from("."),
        Some(folder) if path.is_file() => folder.to_owned(),
        _ => path.to_owned(),
    }
}

/// Reads a results folder; what is wrong with its files is a warning.
pub fn read(folder: &Path) -> Result<Report, Failure> {
    let report = read_folder(folder).map_err(|e| {
        let fault = Fault::new("E_RESULT", "", e.to_string())
            .help("give the folder that `delassus run` wrote, such as out/MODEL");
        Failure::file(fault)
    })?;
    let shown = |p: &String| {
        Fault::new("N_RESULT", "", format!("{}: {p}", folder.display()))
            .help("what is good is shown; run the model again for the rest")
    };
    let mut notes: Vec<Fault> = report.problems.iter().map(shown).collect();
    let unfinished = folder.join(UNFINISHED);
    if unfinished.is_dir() {
        let ends = if is_busy(folder) { "still goes on" } else { "did not end" };
        let message = format!("{}: a run to this folder {ends}", folder.display());
        let help = format!("what it has so far: `delassus report {}`", unfinished.display());
        notes.push(Fault::new("N_RESULT", "", message).help(help));
    }
    faults::warnings(&notes);
    Ok(report)
}
