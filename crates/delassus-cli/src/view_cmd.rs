//! `delassus view`.

use crate::args::{ModelArgs, RunArgs, ViewArgs};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::live::{self, Live};
use crate::output::{REPORT_HTML, SUMMARY_JSON, refused};
use crate::{open, report_cmd, run_cmd};
use delassus_report::SCENE_JSON;
use std::fs::DirBuilder;
use std::path::{Path, PathBuf};

/// Shows a run in the browser.
pub fn view(a: &ViewArgs) -> Result<Exit, Failure> {
    if is_page(&a.target) {
        if a.live {
            let message = format!("{} is a page that is whole", a.target.display());
            let fault = Fault::new("E_USAGE", "--live", message).help("give a model file");
            return Err(Failure::input(vec![fault]));
        }
        open::show(&address(&a.target), !a.no_open);
        return Ok(Exit::Done);
    }
    if is_result(&a.target) {
        if a.live {
            let message = format!("{} holds results of a run that is over", a.target.display());
            let fault = Fault::new("E_USAGE", "--live", message).help("give a model file");
            return Err(Failure::input(vec![fault]));
        }
        return show_result(a);
    }
    let folder = match &a.out {
        Some(folder) => folder.clone(),
        None => temporary()?,
    };
    let run = RunArgs {
        model: ModelArgs { model: a.target.clone(), options: a.options.clone() },
        how: a.how.clone(),
        out: Some(folder.clone()),
        force: a.force,
        quiet: true,
        ..RunArgs::default()
    };
    let done = if a.live { live::run(&run, &folder, !a.no_open) } else { run_cmd::run(&run) };
    if done.is_err() && a.out.is_none() {
        // nothing was written into it
        let _ = std::fs::remove_dir(&folder);
    }
    let exit = done?;
    // a live page has shown everything; the one that remains is only printed
    open::show(&address(&folder.join(REPORT_HTML)), !a.no_open && !a.live);
    Ok(exit)
}

/// A page of an analysis, which is not the page of a results folder.
fn is_page(path: &Path) -> bool {
    let html = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html"));
    let of_folder = path.file_name().is_some_and(|n| n == REPORT_HTML)
        && [SUMMARY_JSON, SCENE_JSON].iter().any(|n| path.with_file_name(n).exists());
    html && path.is_file() && !of_folder
}

/// A folder, or a file that is in the folder of a run: no model has such a name.
fn is_result(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.is_dir() || name == REPORT_HTML || name == "summary.json" || name == "scene.json"
}

fn show_result(a: &ViewArgs) -> Result<Exit, Failure> {
    let folder = report_cmd::results_folder(&a.target);
    let mut page = folder.join(REPORT_HTML);
    let report = report_cmd::read(&folder)?;
    // a page made before something happened to the files would not mention it
    if (!page.is_file() || !report.problems.is_empty())
        && report_cmd::write_of(&folder, &page, &report).is_err()
    {
        // a folder that cannot be written can be viewed all the same
        page = temporary()?.join(REPORT_HTML);
        report_cmd::write_of(&folder, &page, &report)?;
    }
    open::show(&address(&page), !a.no_open);
    Ok(Exit::Done)
}

fn address(page: &Path) -> String {
    let whole = std::fs::canonicalize(page).unwrap_or_else(|_| page.to_owned());
    whole.display().to_string()
}

/// A new folder that only the user can read.
fn temporary() -> Result<PathBuf, Failure> {
    let folder = std::env::temp_dir().join(format!("delassus-view-{}", &Live::token()?[..12]));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(|e| Failure::file(refused(&folder, &e)))?;
    Ok(folder)
}
