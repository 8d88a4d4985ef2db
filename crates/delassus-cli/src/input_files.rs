//! `--input FILE` and `--input-hold FILE`: inputs over time from CSV files.
//!
//! Owns the names, units and lines of such a file; what an input over time means is up to the model.

use crate::args::{InputArg, ModelOptions};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use delassus::expr::{Dim, parse_constant, suggest};
use delassus::io::results::{CsvError, CsvTable, read_csv_from, read_regular};
use delassus::model::spec::{Course, ModelSpec, Points};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// What the column of times may be called: as in result files, or in full.
const TIME: [&str; 2] = ["t", "time"];

/// A file that was read.
pub struct InputFile {
    option: &'static str,
    name: String,
    hold: bool,
    table: CsvTable,
    digest: [u8; 32],
}

/// The files that are to be read, with the option that names each.
pub fn named(options: &ModelOptions) -> impl Iterator<Item = (&'static str, &str)> {
    let plain = options.input.iter().filter_map(|given| match given {
        InputArg::File(path) => Some(("--input", path.as_str())),
        InputArg::Value(..) => None,
    });
    plain.chain(options.input_hold.iter().map(|path| ("--input-hold", path.as_str())))
}

/// Reads all files; each has at most so many bytes.
pub fn read(options: &ModelOptions, most: u64) -> Result<Vec<InputFile>, Failure> {
    named(options).map(|(option, name)| one(option, name, most)).collect()
}

fn one(option: &'static str, name: &str, most: u64) -> Result<InputFile, Failure> {
    let bytes = read_regular(Path::new(name), most).map_err(|e| {
        let fault = Fault::new("E_FILE", option, format!("cannot read {name}: {e}"));
        let help = "give NAME=VALUE, or the path of a CSV file with a column `t`";
        Failure { exit: Exit::File, faults: vec![fault.help(help)] }
    })?;
    let digest = Sha256::digest(&bytes).into();
    let mut file = InputFile {
        option,
        name: name.to_owned(),
        hold: option == "--input-hold",
        table: CsvTable::default(),
        digest,
    };
    file.table = read_csv_from(&bytes[..]).map_err(|e| {
        let (line, message) = match e {
            CsvError::Invalid { line, message } => (line, message),
            CsvError::Io(e) => (1, e.to_string()),
        };
        let help = "give a line of names, then lines of finite numbers with commas between";
        Failure::input(vec![file.fault("E_INPUT_FILE", line, &message).help(help)])
    })?;
    Ok(file)
}

impl InputFile {
    fn fault(&self, code: &str, line: usize, message: &str) -> Fault {
        let mut fault = Fault::new(code, self.option, message);
        (fault.file, fault.line, fault.column) = (Some(self.name.clone()), Some(line), Some(1));
        fault
    }

    /// Its path as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What identifies its content and its meaning.
    pub fn identity(&self) -> String {
        format!("{} {}", self.option, crate::prepare::hex(&self.digest))
    }

    /// First and last time, s.
    pub fn span(&self) -> Option<[f64; 2]> {
        let (k, size) = self.time().ok()?;
        let t = self.table.columns.get(k)?;
        Some([t.first()? * size, t.last()? * size])
    }

    /// The column of times and the size of its unit.
    fn time(&self) -> Result<(usize, f64), Box<Fault>> {
        let name = |text: &str| split(text).0.to_owned();
        let Some(k) = self.table.names.iter().position(|n| TIME.contains(&name(n).as_str())) else {
            let fault = self.fault("E_INPUT_FILE", 1, "there is no column `t` of times");
            return Err(Box::new(fault.help("name one column `t` or `time`")));
        };
        Ok((k, self.size(k, Dim::TIME)?))
    }

    /// The size of one of a column in SI; its unit must be of this kind.
    fn size(&self, k: usize, dim: Dim) -> Result<f64, Box<Fault>> {
        let (name, unit) = split(&self.table.names[k]);
        let Some(unit) = unit else { return Ok(1.0) };
        let (size, found) = unit_of(unit).ok_or_else(|| {
            let message = format!("`{unit}` of column `{name}` is not a unit");
            Box::new(self.fault("E_INPUT_FILE", 1, &message).help("write one such as `road [mm]`"))
        })?;
        if dim.accepts(found) {
            return Ok(size);
        }
        let message = format!("column `{name}` is in {found}, but {dim} was expected");
        Err(Box::new(
            self.fault("E_DIMENSION", 1, &message).help("give another unit, or none for SI"),
        ))
    }

    /// Times in seconds, which must rise.
    fn times(&self) -> Result<(usize, Vec<f64>), Box<Fault>> {
        let (k, size) = self.time()?;
        let t: Vec<f64> = self.table.columns[k].iter().map(|t| t * size).collect();
        if t.is_empty() {
            let fault = self.fault("E_INPUT_FILE", 2, "there are no values below the names");
            return Err(Box::new(fault.help("give at least one line of numbers")));
        }
        match t.windows(2).position(|w| !(w[0] < w[1])) {
            Some(row) => {
                let message = format!("the time {} does not follow {}", t[row + 1], t[row]);
                // the line of names is the first one
                let fault = self.fault("E_INPUT_FILE", row + 3, &message);
                let help = "sort the lines; for a jump between two lines use --input-hold";
                Err(Box::new(fault.help(help)))
            }
            None => Ok((k, t)),
        }
    }
}

/// `road [mm]` as name and unit.
fn split(column: &str) -> (&str, Option<&str>) {
    let text = column.trim();
    match text.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((name, unit)) => (name.trim(), Some(unit.trim())),
        None => (text, None),
    }
}

fn unit_of(unit: &str) -> Option<(f64, Dim)> {
    if unit == "1" {
        return Some((1.0, Dim::NONE));
    }
    parse_constant(&format!("1 [{unit}]"), &()).ok()
}

/// Gives the inputs of the files their values over time. Every input then has values: from a file, from the command
/// line, or the `default` of the model.
pub fn apply(spec: &mut ModelSpec, files: &[InputFile], given: &[InputArg]) -> Result<(), Failure> {
    let mut faults: Vec<Fault> = Vec::new();
    let set = |name: &str| given.iter().any(|g| matches!(g, InputArg::Value(n, _) if n == name));
    for file in files {
        let (time, t) = match file.times() {
            Ok(found) => found,
            Err(fault) => {
                faults.push(*fault);
                continue;
            }
        };
        for k in (0..file.table.names.len()).filter(|k| *k != time) {
            let (name, _) = split(&file.table.names[k]);
            let known: Vec<&str> = spec.input.iter().map(|(n, _)| n).collect();
            let Some(place) = known.iter().position(|n| *n == name) else {
                let help = match suggest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if known.is_empty() => "the model has no inputs".to_owned(),
                    None => format!("inputs: {}; leave other columns out", known.join(", ")),
                };
                let message = format!("column `{name}` is no input of the model");
                faults.push(file.fault("E_UNKNOWN_NAME", 1, &message).help(help));
                continue;
            };
            let input = &mut spec.input.0[place].1;
            if input.course.is_some() || set(name) {
                let message = format!("the input `{name}` is given twice");
                faults.push(file.fault("E_DUPLICATE", 1, &message).help("leave one of them out"));
                continue;
            }
            let dim = match input.unit.as_deref() {
                Some(unit) => unit_of(unit).map_or(Dim::Any, |u| u.1),
                None => Dim::NONE,
            };
            match file.size(k, dim) {
                Ok(size) => {
                    let y = file.table.columns[k].iter().map(|y| y * size).collect();
                    let points = Points { x: t.clone(), y };
                    input.course = Some(Arc::new(Course { points, hold: file.hold }));
                }
                Err(fault) => faults.push(*fault),
            }
        }
    }
    if let (Some(file), true) = (files.first(), faults.is_empty()) {
        for (name, input) in spec.input.iter() {
            if input.course.is_none() && input.default.is_none() && !set(name) {
                let message = format!("no value for the input `{name}`");
                let help =
                    "add a column, give --input NAME=VALUE, or write its `default` in the model";
                faults.push(file.fault("E_INPUT_FILE", 1, &message).help(help));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure::input(faults)) }
}

/// Tells where a run goes beyond the times of a file.
pub fn beyond(files: &[InputFile], t_start: f64, t_end: f64) -> Vec<Fault> {
    let mut notes = Vec::new();
    for file in files {
        let Some([first, last]) = file.span() else { continue };
        let (early, late) = (t_start < first, t_end > last);
        if !early && !late {
            continue;
        }
        let message = format!(
            "the file has values from {first} s to {last} s, and the run goes from {t_start} s to {t_end} s: \
             the first and the last value hold beyond"
        );
        let mut note = Fault::new("N_INPUT_SPAN", file.option, message)
            .help("add lines to the file, or end the run with --end");
        note.file = Some(file.name.clone());
        notes.push(note);
    }
    notes
}
