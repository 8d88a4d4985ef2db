//! Arguments of `delassus bench`, read before anything is run.

use super::sheet::OFF;
use crate::args::BenchArgs;
use crate::compare_plan::{methods, numbers};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::{count, number};
use crate::settings::duration;
use delassus::expr::Dim;
use delassus::sim::compare::Plan;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Where the sets of the repository are.
const LIBRARY: &str = "models/library";

/// The method of each model file; where it names none, that of the program.
pub const DEFAULT: &str = "default";

/// What the arguments request.
#[derive(Debug)]
pub struct Asked {
    /// Name of the set.
    pub set: String,
    /// Folder of the set.
    pub folder: PathBuf,
    /// Methods by name, in the order given.
    pub methods: Vec<String>,
    /// Relative tolerances, loose before tight.
    pub rtols: Vec<f64>,
    /// Runs at a time.
    pub jobs: usize,
    /// Largest CPU time of one run, s.
    pub max_cpu_s: f64,
    /// A run with an error of more than so many tolerances is off.
    pub off: f64,
    /// Patterns of names of mechanisms; all if there are none.
    pub filter: Vec<String>,
    /// Codes of failures that are no reason for doubt.
    pub accept: Vec<String>,
}

impl Asked {
    /// Reads the arguments; reports all that cannot be read.
    pub fn read(a: &BenchArgs) -> Result<Asked, Failure> {
        let mut faults = Vec::new();
        let named = |name: &str| match name.trim() {
            DEFAULT => vec![DEFAULT.to_owned()],
            name => methods(name, &mut faults),
        };
        let mut methods: Vec<String> = a.methods.split(',').flat_map(named).collect();
        // a method that is named twice, or by two of its names, is one
        let mut seen = HashSet::new();
        methods.retain(|m| seen.insert(m.clone()));
        let rtols = a.rtols.as_ref().map_or(Ok(Plan::TOLERANCES.to_vec()), |text| {
            numbers("--rtols", text, Dim::NONE, "give some, as 1e-4,1e-6")
        });
        let mut rtols = rtols.map_err(|f| faults.extend(f)).unwrap_or_default();
        rtols.sort_by(|a, b| b.total_cmp(a));
        rtols.dedup();
        for bad in rtols.iter().filter(|r| !(1e-14..1.0).contains(*r)) {
            let message = format!("rtol ({bad:e}) must be at least 1e-14 and below 1");
            faults.push(Fault::new("E_TOLERANCE", "--rtols", message).help("give some, as 1e-6"));
        }
        let mut keep = |x: Result<f64, Box<Fault>>| x.map_err(|f| faults.push(*f)).ok();
        let max_cpu_s = a.max_time.as_ref().and_then(|t| keep(duration("--max-time", t)));
        let off = a.off.as_ref().and_then(|t| keep(factor("--off", t)));
        let jobs = a.jobs.as_ref().and_then(|t| keep(count("--jobs", t).map(|n| n as f64)));
        let filter = words(a.filter.as_deref());
        let accept = words(a.accept.as_deref());
        for bad in accept.iter().filter(|c| !c.starts_with("E_")) {
            let message = format!("`{bad}` is no code of an error");
            faults.push(Fault::new("E_USAGE", "--accept", message).help("give some, as E_STIFF"));
        }
        if !faults.is_empty() {
            return Err(Failure::input(faults));
        }
        let folder = folder(&a.set)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Asked {
            set: name(&folder),
            folder,
            methods,
            rtols,
            jobs: jobs.map_or(cores, |n| n as usize),
            max_cpu_s: max_cpu_s.unwrap_or(Plan::MAX_CPU_S),
            off: off.unwrap_or(OFF),
            filter,
            accept,
        })
    }
}

/// Words separated by commas.
fn words(list: Option<&str>) -> Vec<String> {
    let words = list.into_iter().flat_map(|l| l.split(','));
    words.map(|w| w.trim().to_owned()).filter(|w| !w.is_empty()).collect()
}

/// A number above zero.
fn factor(option: &str, text: &str) -> Result<f64, Box<Fault>> {
    let value = number(option, text, Dim::NONE)?;
    if value > 0.0 {
        return Ok(value);
    }
    let message = format!("the value is {value}, but must be above zero");
    Err(Box::new(Fault::new("E_RANGE", option, message).help("give a number such as 100")))
}

/// A folder as given, or a set of the library that is in this folder or in one above it.
fn folder(set: &Path) -> Result<PathBuf, Failure> {
    if set.is_dir() {
        return Ok(set.to_owned());
    }
    let one_word = set.components().count() == 1;
    let library = Path::new(LIBRARY).join(set);
    if one_word && library.is_dir() {
        return Ok(library);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().map(|dir| dir.join(&library)).find(|dir| dir.is_dir());
    if let (true, Some(found)) = (one_word, above) {
        return Ok(found);
    }
    let shown = set.display();
    let (code, message) = match set.exists() {
        true => ("E_BENCH_SET", format!("{shown} is not a folder")),
        false => ("E_FILE", format!("there is no folder {shown}")),
    };
    let help = format!(
        "give a folder with model files; inside the repository also the name of a set in {LIBRARY}: smooth, \
         impacts, flexible"
    );
    let fault = Fault::new(code, "SET", message).help(help);
    Err(Failure { exit: if set.exists() { Exit::Input } else { Exit::File }, faults: vec![fault] })
}

/// The name of a set is that of its folder.
fn name(folder: &Path) -> String {
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    real.file_name().map_or_else(|| "models".to_owned(), |n| n.to_string_lossy().into_owned())
}
