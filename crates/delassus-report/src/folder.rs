//! Reads a results folder: whatever is intact in it.

use crate::belonging;
use crate::channels::diagnostic;
use crate::description::Description;
use crate::report::{Report, ReportColumn, ReportEvent, Steps};
use delassus_io::results::{
    MotionFile, Salvaged, Thinning, open_regular, read_contacts, read_events, read_motion,
    read_regular, read_regular_text, salvage_thinned,
};
use serde_json::Value;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// What the model looks like.
pub const SCENE_JSON: &str = "scene.json";
/// Where the bodies were.
pub const MOTION_BIN: &str = "motion.bin";
/// Where they touched.
pub const CONTACTS_BIN: &str = "contacts.bin";
/// Reactions and applied forces.
pub const LOADS_BIN: &str = "loads.bin";
/// Forces and moments in beams.
pub const SECTIONS_BIN: &str = "sections.bin";
/// What the steps were like.
pub const STEPS_CSV: &str = "steps.csv";
/// Impacts and the like.
pub const EVENTS_CSV: &str = "events.csv";
/// Folder inside a results folder in which a run creates its files.
pub const UNFINISHED: &str = "delassus-unfinished";
/// Folder inside a results folder with the files of a completed run, before they are moved to their places.
pub const COMPLETE: &str = "delassus-complete";
/// Names of all files of the run, in that folder.
pub const FILES: &str = "files";
pub(crate) const RESULTS_PARQUET: &str = "results.parquet";
const SUMMARY_JSON: &str = "summary.json";
pub(crate) const RESULTS_CSV: &str = "results.csv";
pub(crate) const DIAGNOSTICS_CSV: &str = "diagnostics.csv";

/// Largest file that is read whole, bytes.
const MOST: u64 = 1 << 30;
/// Approximate largest number of column values that are kept: longer files are thinned.
const VALUES: f64 = (1 << 23) as f64;
/// Length of the beginning of a file from which its line length is estimated, bytes.
const BEGINNING: u64 = 1 << 16;

/// Why a folder holds no results.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be opened.
    #[error("cannot read {}: {source}", .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It contains nothing that a run wrote and that can be read.
    #[error("there are no results in {}{}", .path.display(), list(.problems))]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// What was found instead.
        problems: Vec<String>,
    },
}

fn list(problems: &[String]) -> String {
    if problems.is_empty() { String::new() } else { format!(" ({})", problems.join("; ")) }
}

/// Reads the results that `delassus run` left in a folder. Files that are missing, truncated, damaged, of another
/// version or of another run are named in [`Report::problems`], and the rest is kept; only a folder without anything
/// usable is an error. For a run that did not end, samples up to the last whole one are read.
pub fn read_folder(folder: &Path) -> Result<Report, FolderError> {
    read_thinned(folder, Thinning::Every(1))
}

/// Like [`read_folder`], with another way to bound the memory for long runs.
pub fn read_thinned(folder: &Path, thinning: Thinning) -> Result<Report, FolderError> {
    let io = |source| FolderError::Io { path: folder.to_owned(), source };
    if !std::fs::metadata(folder).map_err(io)?.is_dir() {
        let source = io::Error::new(io::ErrorKind::NotADirectory, "not a folder");
        return Err(FolderError::Io { path: folder.to_owned(), source });
    }
    let mut r = Report::default();
    let inner = folder.join(UNFINISHED);
    let some = |name: &&str| place_of(folder, name).is_file();
    let good = if [SUMMARY_JSON, RESULTS_CSV].iter().any(some) || !inner.is_dir() {
        let whole = folder.file_name().is_none_or(|n| !n.to_string_lossy().ends_with(UNFINISHED));
        read_files(folder, whole, thinning, &mut r)
    } else {
        read_files(&inner, false, thinning, &mut r)
    };
    if good == 0 {
        return Err(FolderError::Nothing { path: folder.to_owned(), problems: r.problems });
    }
    Ok(r)
}

/// The path of a file of a run, which may not have been moved into the folder yet. While results are being moved, a
/// file that the new run does not have is a remnant of the previous one: the path returned for it does not exist.
pub fn place_of(folder: &Path, name: &str) -> PathBuf {
    let moving = folder.join(COMPLETE).join(name);
    let list = read_regular_text(&folder.join(COMPLETE).join(FILES), MOST);
    let has = |list: &str| list.lines().any(|line| line == name);
    let nowhere = list.is_ok_and(|list| !has(&list));
    if nowhere || moving.is_file() { moving } else { folder.join(name) }
}

/// Reads what there is and returns how much of it is usable. A run that did not end has only some of the files.
fn read_files(folder: &Path, whole: bool, thinning: Thinning, r: &mut Report) -> usize {
    let mut good = 0;
    if let Some(text) = text(folder, SUMMARY_JSON, whole, &mut r.problems) {
        match serde_json::from_str::<Value>(&text) {
            Ok(summary) if summary.is_object() => {
                r.summary = summary;
                good += 1;
            }
            Ok(_) => problem(&mut r.problems, SUMMARY_JSON, "this is no summary of a run"),
            Err(e) if e.is_eof() => problem(&mut r.problems, SUMMARY_JSON, "the file is cut off"),
            Err(e) => problem(&mut r.problems, SUMMARY_JSON, &format!("not valid JSON: {e}")),
        }
    }
    let files = belonging::compare(&r.summary, |name| place_of(folder, name));
    let ours = |name: &str| !files.foreign.contains(&name);
    if let Some(text) =
        text(folder, SCENE_JSON, whole, &mut r.problems).filter(|_| ours(SCENE_JSON))
    {
        match Description::read(&text) {
            Ok(d) => {
                r.description = Some(d);
                good += 1;
            }
            Err(e) => problem(&mut r.problems, SCENE_JSON, &e),
        }
    }
    if ours(MOTION_BIN) {
        good += usize::from(motion(folder, whole, r));
    }
    if ours(CONTACTS_BIN) {
        contacts(folder, r);
    }
    if ours(LOADS_BIN) {
        loads(folder, r);
        sections(folder, r);
    }
    good += usize::from(columns(folder, whole, thinning, r));
    let steps = ours(STEPS_CSV)
        .then(|| table(folder, STEPS_CSV, false, Thinning::Every(1), &mut r.problems))
        .flatten();
    if let Some(Salvaged { table, .. }) = steps {
        let mut steps = Steps::default();
        for (name, list) in Steps::NAMES.iter().zip(steps.lists_mut()) {
            let rows = table.columns.first().map_or(0, Vec::len);
            *list = table.column(name).map_or_else(|| vec![f64::NAN; rows], <[f64]>::to_vec);
        }
        r.steps = steps;
    }
    let log = ours(EVENTS_CSV).then(|| text(folder, EVENTS_CSV, false, &mut r.problems)).flatten();
    if let Some(text) = log {
        let (events, wrong) = read_events(&text);
        r.events = events.into_iter().map(ReportEvent::from).collect();
        if let Some(wrong) = wrong {
            problem(&mut r.problems, EVENTS_CSV, &wrong);
        }
    }
    for (name, what) in files.problems() {
        let prefix = format!("{name}: ");
        if !r.problems.iter().any(|p| p.starts_with(&prefix)) {
            problem(&mut r.problems, name, what);
        }
    }
    if !whole {
        let of =
            r.description.as_ref().map_or(String::new(), |d| format!(" of {} s", d.model.t_end));
        let ends = match r.column_t.last() {
            Some(t) => format!("its samples reach t = {t} s{of}"),
            None => "it has no samples yet".to_owned(),
        };
        r.unfinished = true;
        r.problems.insert(0, format!("the run did not end: {ends}"));
    }
    good
}

fn problem(problems: &mut Vec<String>, file: &str, what: &str) {
    problems.push(format!("{file}: {what}"));
}

/// The content of a file, unless it is missing or cannot be read. Only a file that is needed is reported as missing.
fn bytes(folder: &Path, name: &str, needed: bool, problems: &mut Vec<String>) -> Option<Vec<u8>> {
    match read_regular(&place_of(folder, name), MOST) {
        Ok(out) => return Some(out),
        Err(e) if e.kind() == io::ErrorKind::FileTooLarge => {
            problem(problems, name, "the file is too large");
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if needed {
                problem(problems, name, "the file is missing");
            }
        }
        Err(e) => problem(problems, name, &format!("cannot be read: {e}")),
    }
    None
}

fn text(folder: &Path, name: &str, needed: bool, problems: &mut Vec<String>) -> Option<String> {
    match String::from_utf8(bytes(folder, name, needed, problems)?) {
        Ok(text) => Some(text),
        Err(_) => {
            problem(problems, name, "the file is not UTF-8");
            None
        }
    }
}

fn table(
    folder: &Path,
    name: &str,
    needed: bool,
    thinning: Thinning,
    problems: &mut Vec<String>,
) -> Option<Salvaged> {
    let file = match open_regular(&place_of(folder, name)) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if needed {
                problem(problems, name, "the file is missing");
            }
            return None;
        }
        Err(e) => {
            problem(problems, name, &format!("cannot be read: {e}"));
            return None;
        }
    };
    let read = salvage_thinned(BufReader::new(file), thinning);
    for what in &read.problems {
        problem(problems, name, what);
    }
    (!read.table.names.is_empty()).then_some(read)
}

fn motion(folder: &Path, whole: bool, r: &mut Report) -> bool {
    let Some(bytes) = bytes(folder, MOTION_BIN, whole, &mut r.problems) else { return false };
    let read = match read_motion(&bytes) {
        Ok(read) => read,
        Err(e) => {
            problem(&mut r.problems, MOTION_BIN, &e);
            return false;
        }
    };
    // in a run that did not end, the last rows may be incomplete
    if let Some(what) = read.problem.as_ref().filter(|_| whole) {
        problem(&mut r.problems, MOTION_BIN, what);
    }
    let bodies = r.description.as_ref().map(|d| d.scene.bodies.len());
    if bodies.is_some_and(|n| n != read.motion.forms.len() + 1) {
        problem(&mut r.problems, MOTION_BIN, "does not have the bodies of scene.json");
        return false;
    }
    if read.motion.coordinates.iter().any(|x| !x.is_finite()) {
        problem(&mut r.problems, MOTION_BIN, "some positions are not finite");
    }
    r.motion = read.motion;
    true
}

/// Points of contact; models without any have no such file.
fn contacts(folder: &Path, r: &mut Report) {
    let Some(bytes) = bytes(folder, CONTACTS_BIN, false, &mut r.problems) else { return };
    match read_contacts(&bytes) {
        Ok((points, wrong)) => {
            r.contacts = points;
            if let Some(wrong) = wrong {
                problem(&mut r.problems, CONTACTS_BIN, &wrong);
            }
        }
        Err(e) => problem(&mut r.problems, CONTACTS_BIN, &e),
    }
}

/// Reactions and applied forces; models without any have no such file.
fn loads(folder: &Path, r: &mut Report) {
    let known = r.description.as_ref().map(|d| d.scene.loads());
    if let Some(read) = vectors(folder, LOADS_BIN, (known, "forces"), &mut r.problems) {
        r.loads = read;
    }
}

/// Forces and moments in beams; models without any, and folders of earlier versions, have no such file.
fn sections(folder: &Path, r: &mut Report) {
    let known = r.description.as_ref().map(|d| d.scene.section_vectors());
    if let Some(read) = vectors(folder, SECTIONS_BIN, (known, "beams"), &mut r.problems) {
        r.sections = read;
    }
}

/// A file of vectors over time, which has as many as are known by a name.
fn vectors(
    folder: &Path,
    name: &str,
    (known, word): (Option<usize>, &str),
    problems: &mut Vec<String>,
) -> Option<MotionFile> {
    let bytes = bytes(folder, name, false, problems)?;
    let read = match read_motion(&bytes) {
        Ok(read) => read,
        Err(e) => {
            problem(problems, name, &e);
            return None;
        }
    };
    if let Some(what) = &read.problem {
        problem(problems, name, what);
    }
    if known.is_some_and(|n| n != read.motion.forms.len()) {
        problem(problems, name, &format!("does not have the {word} of scene.json"));
        return None;
    }
    Some(read.motion)
}

/// Approximate number of lines of a file, and the number of names in its first line.
fn size(folder: &Path, name: &str) -> (f64, f64) {
    let path = place_of(folder, name);
    let mut text = Vec::new();
    let read = open_regular(&path).and_then(|f| f.take(BEGINNING).read_to_end(&mut text));
    let bytes = std::fs::metadata(&path).map_or(0, |m| m.len()) as f64;
    let lines = text.iter().filter(|b| **b == b'\n').count() as f64;
    let head = text.split(|b| *b == b'\n').next().unwrap_or_default();
    let names = head.iter().filter(|b| **b == b',').count() as f64 + 1.0;
    if read.is_ok() { (bytes * lines / (text.len() as f64).max(1.0), names) } else { (0.0, 0.0) }
}

/// Sensors, then diagnostics at the same times.
fn columns(folder: &Path, whole: bool, thinning: Thinning, r: &mut Report) -> bool {
    let sizes = [RESULTS_CSV, DIAGNOSTICS_CSV].map(|name| size(folder, name));
    // the same for both, or they would have different times
    let values = sizes[0].0.max(sizes[1].0) * (sizes[0].1 + sizes[1].1);
    let thinning = thinning.of((values / VALUES).ceil() as usize);
    let mut wrong = Vec::new();
    let mut tables = [RESULTS_CSV, DIAGNOSTICS_CSV]
        .map(|name| (name, table(folder, name, true, thinning, &mut wrong)));
    if whole {
        r.problems.append(&mut wrong);
    } else {
        // rows of one may have been written and those of the other not: what is there counts, the rest is not known
        let lines = tables.iter().filter_map(|(_, t)| t.as_ref()).map(|t| t.rows).max();
        for read in tables.iter_mut().filter_map(|(_, t)| t.as_mut()) {
            let behind = lines.is_some_and(|most| read.rows < most);
            if behind && thinning != thinning.of(1) {
                // its last rows stand for fewer samples than those of the other
                read.table.columns.iter_mut().for_each(|c| c.truncate(c.len().saturating_sub(2)));
            }
            read.rows = lines.unwrap_or(0);
        }
    }
    // a file truncated at the end of a line looks whole; only the others reveal it
    let rows = |t: &Salvaged| t.rows;
    let told = r.summary.get("samples").and_then(Value::as_u64).unwrap_or(0) as usize;
    let most = tables.iter().filter_map(|(_, t)| t.as_ref().map(rows)).max().unwrap_or(0);
    for (file, table) in &tables {
        let prefix = format!("{file}: ");
        let Some(n) = table.as_ref().map(rows) else { continue };
        if n < most.max(told) && !r.problems.iter().any(|p| p.starts_with(&prefix)) {
            let what = format!("the file is cut off: {n} of {} samples", most.max(told));
            problem(&mut r.problems, file, &what);
        }
    }
    let known = r.description.as_ref().map(|d| d.channels.clone()).unwrap_or_default();
    for (file, table) in tables {
        let Some(Salvaged { table, rows, .. }) = table else { continue };
        r.samples = r.samples.max(rows);
        let Some(t) = table.column("t").map(<[f64]>::to_vec) else {
            problem(&mut r.problems, file, "there is no column `t`");
            continue;
        };
        if t.iter().zip(&r.column_t).any(|(a, b)| a != b) {
            problem(&mut r.problems, file, "its times are not those of results.csv");
            continue;
        }
        if t.len() > r.column_t.len() {
            r.column_t = t;
        }
        for (name, values) in table.names.into_iter().zip(table.columns) {
            if name == "t" {
                continue;
            }
            let info = known.iter().find(|c| c.name == name).cloned();
            let info = info.unwrap_or_else(|| diagnostic(&name, ""));
            r.columns.push(ReportColumn { info, values });
        }
    }
    // one of the files may be truncated
    for c in &mut r.columns {
        c.values.resize(r.column_t.len(), f64::NAN);
    }
    !r.column_t.is_empty()
}
