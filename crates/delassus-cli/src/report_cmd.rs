//! `delassus report`, and how results folders are read.

use crate::args::ReportArgs;
use crate::console;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::{REPORT_HTML, SUMMARY_JSON, check_ending, check_file};
use crate::place::is_busy;
use crate::report as faults;
use delassus::io::model_file::escape;
use delassus::io::results::{Thinning, read_regular_text};
use delassus_report::{COMPLETE, Report, UNFINISHED, place_of};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Makes the page of a results folder again.
pub fn report(a: &ReportArgs) -> Result<Exit, Failure> {
    let folder = results_folder(&a.result);
    let page = a.output.clone().unwrap_or_else(|| folder.join(REPORT_HTML));
    check_ending("--output", &page, &["html", "htm"])?;
    write_of(&folder, &page, &read(&folder)?)?;
    console::print(&format!("wrote {}\n", escape(&page.display().to_string())))
}

/// Writes the page of the report that was read from a folder, unless a run has since put other results there.
pub fn write_of(folder: &Path, page: &Path, report: &Report) -> Result<(), Failure> {
    let html = report.html();
    let now = read_regular_text(&place_of(folder, SUMMARY_JSON), 1 << 30).unwrap_or_default();
    let now: Value = serde_json::from_str(&now).unwrap_or_default();
    if now.is_object() && now != report.summary {
        let message = format!("{}: a run has just replaced these results", folder.display());
        let fault = Fault::new("E_RESULT", "", message).help("give the command again");
        return Err(Failure::file(fault));
    }
    check_file("--output", page)?;
    Writer::one(page, html.as_bytes())
}

/// The folder, even if one of its files is named.
pub fn results_folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if path.is_file() && folder.as_os_str().is_empty() => PathBuf::from("."),
        Some(folder) if path.is_file() => folder.to_owned(),
        _ => path.to_owned(),
    }
}

/// Reads a results folder; problems with its files are warnings. Columns of long runs are thinned to some rows.
pub fn read(folder: &Path) -> Result<Report, Failure> {
    read_thinned(folder, Thinning::Every(1))
}

/// The same for curves: thinning of long runs preserves their peaks.
pub fn read_peaks(folder: &Path) -> Result<Report, Failure> {
    let report = read_thinned(folder, Thinning::Peaks(1))?;
    let (rows, samples) = (report.column_t.len(), report.samples);
    if rows < samples {
        let several = (2 * samples).div_ceil(rows.max(1));
        let message = format!(
            "{}: each {several} of {samples} samples are drawn as their least and their largest value",
            folder.display()
        );
        let help = "results.csv and results.parquet have all of them";
        faults::warnings(&[Fault::new("N_THINNED", "", message).help(help)]);
    }
    Ok(report)
}

fn read_thinned(folder: &Path, thinning: Thinning) -> Result<Report, Failure> {
    let running = match folder.parent() {
        Some(outer) if folder.ends_with(UNFINISHED) => outer,
        _ => folder,
    };
    // files that are being moved to their places will be there in a moment
    for _ in 0..100 {
        if !(running.join(COMPLETE).is_dir() && is_busy(running)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut report = delassus_report::read_thinned(folder, thinning).map_err(|e| {
        let fault = Fault::new("E_RESULT", "", e.to_string())
            .help("give the folder that `delassus run` wrote, such as out/MODEL");
        Failure::file(fault)
    })?;
    let goes_on = is_busy(running);
    if let (true, true, Some(told)) = (report.unfinished, goes_on, report.problems.first_mut()) {
        *told = told.replacen("did not end", "still goes on", 1);
    }
    let shown = |p: &String| {
        Fault::new("N_RESULT", "", format!("{}: {p}", folder.display()))
            .help("what is good is shown; run the model again for the rest")
    };
    let mut notes: Vec<Fault> = report.problems.iter().map(shown).collect();
    let later = folder.join(UNFINISHED);
    if later.is_dir() && !report.unfinished {
        let ends = if goes_on { "still goes on" } else { "did not end" };
        let message = format!("{}: a later run to this folder {ends}", folder.display());
        let help = format!("`delassus report {}` shows what it has", later.display());
        notes.push(Fault::new("N_RESULT", "", message).help(help));
    }
    faults::warnings(&notes);
    Ok(report)
}
