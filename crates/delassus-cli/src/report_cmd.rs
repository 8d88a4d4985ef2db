//! `delassus report`, and how results folders are read.

use crate::args::ReportArgs;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::{REPORT_HTML, check_file};
use crate::report as faults;
use delassus::io::model_file::escape;
use delassus_report::{Report, read_folder};
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
    faults::warnings(&report.problems.iter().map(shown).collect::<Vec<_>>());
    Ok(report)
}
