//! Where results go, decided and checked before the run.

use crate::args::RunArgs;
use crate::checkpoint::CHECKPOINT_BIN;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use delassus_report::{
    COMPLETE, CONTACTS_BIN, EVENTS_CSV, LOADS_BIN, MOTION_BIN, SCENE_JSON, SECTIONS_BIN, STEPS_CSV,
    UNFINISHED,
};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Time and sensors.
pub const RESULTS_CSV: &str = "results.csv";
/// All columns.
pub const RESULTS_PARQUET: &str = "results.parquet";
/// Columns that are not sensors.
pub const DIAGNOSTICS_CSV: &str = "diagnostics.csv";
/// The page for the user.
pub const REPORT_HTML: &str = "report.html";
/// Also marks a folder as made by this program.
pub const SUMMARY_JSON: &str = "summary.json";

/// The files of a run in its folder; the summary comes last, because it vouches for the others.
pub const NAMES: [&str; 12] = [
    RESULTS_CSV,
    RESULTS_PARQUET,
    DIAGNOSTICS_CSV,
    REPORT_HTML,
    SCENE_JSON,
    MOTION_BIN,
    CONTACTS_BIN,
    LOADS_BIN,
    SECTIONS_BIN,
    STEPS_CSV,
    EVENTS_CSV,
    SUMMARY_JSON,
];

/// Whether a file was left behind by a command that was killed.
pub fn leftover(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let of =
        |file: &str| name.strip_prefix('.').is_some_and(|n| n.starts_with(&format!("{file}.")));
    let own = name.starts_with(".delassus-") || NAMES.iter().any(|n| of(n)) || of(CHECKPOINT_BIN);
    own && name.ends_with(".tmp")
}

/// What is written where.
#[derive(Debug)]
pub struct Output {
    /// Folder for everything.
    pub folder: Option<PathBuf>,
    /// Sensors.
    pub csv: Option<PathBuf>,
    /// All columns.
    pub parquet: Option<PathBuf>,
    /// What happened at contacts.
    pub events: Option<PathBuf>,
    /// The last states of a run that fails.
    pub states: Option<PathBuf>,
}

impl Output {
    /// What the arguments request.
    pub fn new(a: &RunArgs) -> Output {
        let own = a.csv.is_some() || a.parquet.is_some() || a.json;
        let default = || {
            let stem = a.model.model.file_stem().unwrap_or("model".as_ref());
            Path::new("out").join(stem)
        };
        Output {
            folder: a.out.clone().or_else(|| (!own).then(default)),
            csv: a.csv.clone(),
            parquet: a.parquet.clone(),
            events: a.events.clone(),
            states: a.dump_states.clone(),
        }
    }

    /// Rejects anything that would fail or destroy something, and leaves nothing behind.
    pub fn check<'f>(
        &self,
        sources: impl Iterator<Item = &'f str>,
        model: &Path,
        force: bool,
    ) -> Result<(), Failure> {
        let sources = real(sources.map(PathBuf::from).chain([model.to_owned()]));
        if let Some(folder) = &self.folder {
            folder_for(folder, &NAMES, SUMMARY_JSON, &sources, force)?;
            keep_sources(&folder.join(CHECKPOINT_BIN), &sources)?;
        }
        let files = [
            ("--csv", &self.csv),
            ("--parquet", &self.parquet),
            ("--events", &self.events),
            ("--dump-states", &self.states),
        ];
        let files = files.iter().filter_map(|(option, file)| Some((*option, file.as_deref()?)));
        let files: Vec<(&str, &Path)> = files.collect();
        for (k, (option, file)) in files.iter().enumerate() {
            check_target(option, file, &sources)?;
            if let Some((other, _)) = files[..k].iter().find(|(_, f)| f == file) {
                return Err(usage(&format!("{other} and {option} name the same file"), file));
            }
        }
        Ok(())
    }
}

/// The real paths of the files that must not be overwritten.
pub fn real(sources: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    sources.filter_map(|f| fs::canonicalize(f).ok()).collect()
}

/// Rejects a folder that cannot hold these files, that contains other files but not the one that marks it as made by
/// this program, or in which a source would be replaced.
pub fn folder_for(
    folder: &Path,
    names: &[&str],
    mark: &str,
    sources: &[PathBuf],
    force: bool,
) -> Result<(), Failure> {
    check_folder(folder, mark, force)?;
    names.iter().try_for_each(|name| keep_sources(&folder.join(name), sources))
}

fn usage(message: &str, path: &Path) -> Failure {
    let fault = Fault::new("E_OUTPUT", "", format!("{message}: {}", path.display()))
        .help("give another file name");
    Failure { exit: Exit::Input, faults: vec![fault] }
}

fn keep_sources(target: &Path, sources: &[PathBuf]) -> Result<(), Failure> {
    match fs::canonicalize(target) {
        Ok(real) if sources.contains(&real) => {
            Err(usage("the results would replace the model file or the reference", target))
        }
        _ => Ok(()),
    }
}

fn check_folder(folder: &Path, mark: &str, force: bool) -> Result<(), Failure> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            let used = entries.flatten().any(|e| !leftover(&e.file_name()));
            let own = [mark, CHECKPOINT_BIN].iter().any(|m| folder.join(m).is_file())
                || [UNFINISHED, COMPLETE].iter().any(|m| folder.join(m).is_dir());
            if used && !force && !own {
                let message = format!(
                    "the folder {} holds files that are not results of delassus",
                    folder.display()
                );
                let fault = Fault::new("E_OUTPUT_EXISTS", "--out", message)
                    .help("choose another folder with --out, or add --force");
                return Err(Failure::file(fault));
            }
            probe(folder)
        }
        Err(_) => probe(&existing(folder)),
    }
}

/// Rejects a file that cannot be written, or that is one of the sources.
pub fn check_target(option: &str, file: &Path, sources: &[PathBuf]) -> Result<(), Failure> {
    keep_sources(file, sources)?;
    check_file(option, file)
}

/// Rejects a file whose name does not end as those of its kind do: what is written over by mistake, a model or another
/// file of the results, ends otherwise. Returns the ending; none for a pipe or device.
pub fn check_ending(option: &str, file: &Path, endings: &[&str]) -> Result<String, Failure> {
    let ending = file.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let special = fs::metadata(file).is_ok_and(|m| !m.is_file() && !m.is_dir());
    if special || endings.contains(&ending.as_str()) {
        return Ok(ending);
    }
    let all = endings.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" or ");
    let message = format!("the name of {} does not end with {all}", file.display());
    let fault = Fault::new("E_OUTPUT", option, message).help("give a name that ends so");
    Err(Failure::input(vec![fault]))
}

pub fn check_file(option: &str, file: &Path) -> Result<(), Failure> {
    match fs::metadata(file) {
        Ok(meta) if meta.is_dir() => {
            let message = format!("{} is a folder", file.display());
            let fault = Fault::new("E_OUTPUT", option, message).help("give the name of a file");
            return Err(Failure::file(fault));
        }
        // A pipe or device is opened only when there is something to write.
        Ok(meta) if !meta.is_file() => return Ok(()),
        _ => {}
    }
    let folder = match file.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    probe(folder)
}

/// The nearest existing folder above (or a file in its place).
pub fn existing(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if above.as_os_str().is_empty() {
            break;
        }
        if above.exists() {
            return above.to_owned();
        }
    }
    PathBuf::from(".")
}

/// Creates and removes a file: the only reliable test of whether a folder can be written.
fn probe(folder: &Path) -> Result<(), Failure> {
    let name = folder.join(format!(".delassus-{}.tmp", std::process::id()));
    let made = OpenOptions::new().write(true).create_new(true).open(&name);
    match made.and_then(|file| {
        drop(file);
        fs::remove_file(&name)
    }) {
        Ok(()) => Ok(()),
        Err(e) => Err(Failure::file(refused(folder, &e))),
    }
}

/// The fault for a path that cannot be written.
pub fn refused(path: &Path, e: &io::Error) -> Fault {
    let message = format!("cannot write to {}: {e}", path.display());
    Fault::new("E_OUTPUT", "", message)
        .help("choose a folder that exists and may be written to, and check the space on the disk")
}
