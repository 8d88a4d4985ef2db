//! Stored references: a small CSV file per mechanism, with remarks that say what it is worth.
//!
//! ```text
//! # reference of heavy_top: Heavy top
//! # model: 3f…                                   checksum of the model without title and description
//! # made by: mdop5 rtol 1e-11 (explicit), …      the first one is stored, the others confirm it
//! # agreed: 1e-8 of each column, up to 2 s
//! # uncertainty: 1.2e-10,3e-9                    half-width of each column after t, in its unit
//! t,tip.x,tip.y
//! 0.08,…
//! ```
//!
//! A closed form or a published solution has a folder of its own, and `# source:` in place of the first four lines.

use super::cases::Case;
use crate::fault::Fault;
use crate::prepare::hex;
use delassus::io::results::{CsvError, CsvTable, read_csv_from, read_regular_text};
use delassus::sim::Channel;
use delassus::sim::compare::Reference;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Folder of the references inside that of the set.
pub const FOLDER: &str = "reference";
/// Folder of exact and published solutions. They confirm references when these are made, and take their place where
/// there are none.
pub const EXACT: &str = "exact";
/// Largest file.
const MAX_BYTES: u64 = 1 << 20;
/// What to do about a file that cannot be used.
const HELP: &str =
    "make it again with --make-references, which is what `cargo xtask library --make` does";

/// A reference that was read.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Checksum of the model it belongs to; empty if it does not say.
    pub model: String,
    /// Where an exact solution is from.
    pub source: Option<String>,
    /// Half-widths of the columns after `t`.
    pub widths: Vec<f64>,
    /// The values.
    pub table: CsvTable,
    /// Checksum of the file.
    pub sha256: String,
}

/// Where the reference of a mechanism is.
pub fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.csv"))
}

/// Reads a file; none if there is none.
pub fn read(path: &Path) -> Result<Option<Stored>, Box<Fault>> {
    let wrong = |message: String| {
        let message = format!("{}: {message}", path.display());
        Box::new(Fault::new("E_REFERENCE", "", message).help(HELP))
    };
    let text = match read_regular_text(path, MAX_BYTES) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(wrong(format!("cannot read: {e}"))),
    };
    let remark = |key: &str| {
        let lines = text.lines().take_while(|l| l.starts_with('#'));
        let mut values =
            lines.filter_map(|l| l.strip_prefix("# ")?.strip_prefix(key)?.strip_prefix(": "));
        values.next().map(str::trim)
    };
    let table = read_csv_from(text.as_bytes()).map_err(|e| match e {
        CsvError::Invalid { line, message } => wrong(format!("line {line}: {message}")),
        e => wrong(e.to_string()),
    })?;
    let widths =
        remark("uncertainty").ok_or_else(|| wrong("no line `# uncertainty: …`".to_owned()))?;
    let width = |x: &str| x.trim().parse::<f64>().ok().filter(|x| *x >= 0.0 && x.is_finite());
    let widths: Option<Vec<f64>> = widths.split(',').map(width).collect();
    let widths = widths.filter(|w| w.len() + 1 == table.names.len()).ok_or_else(|| {
        wrong("`# uncertainty:` must have one number for each column after t".to_owned())
    })?;
    if table.names.first().map(String::as_str) != Some("t") {
        return Err(wrong("the first column must be `t`".to_owned()));
    }
    Ok(Some(Stored {
        model: remark("model").unwrap_or_default().to_owned(),
        source: remark("source").filter(|s| !s.is_empty()).map(str::to_owned),
        widths,
        table,
        sha256: hex(&Sha256::digest(&text)),
    }))
}

/// An exact solution must say where it is from.
pub fn without_source(path: &Path) -> Box<Fault> {
    let message = format!("{}: no line `# source: …`", path.display());
    let help =
        "say from which formula or publication the solution is, as `# source: Kepler's equation`";
    Box::new(Fault::new("E_REFERENCE", "", message).help(help))
}

/// The reference of a case, against which runs are measured. Every column must be a sensor.
pub fn fit(stored: &Stored, case: &Case, path: &Path) -> Result<Reference, Box<Fault>> {
    let model = case.prepared.model.system.model();
    let wrong = |message: String| {
        let message = format!("{} does not fit {}: {message}", path.display(), case.file.display());
        Box::new(Fault::new("E_REFERENCE", "", message).help(HELP))
    };
    let names = &stored.table.names[1..];
    let known = |n: &&String| model.sensors.iter().any(|s| s.name == **n);
    if let Some(foreign) = names.iter().find(|n| !known(n)) {
        let sensors: Vec<&str> = model.sensors.iter().map(|s| s.name.as_str()).collect();
        return Err(wrong(format!(
            "its column `{foreign}` is no sensor (sensors: {})",
            sensors.join(", ")
        )));
    }
    let columns: Vec<(String, Vec<f64>)> =
        stored.table.names.iter().cloned().zip(stored.table.columns.iter().cloned()).collect();
    let sensors: Vec<Channel> = model.sensors.iter().map(Channel::from).collect();
    let options = &case.prepared.options;
    let span = [case.prepared.model.state.t, options.sample, options.t_end];
    let shown = path.display().to_string();
    let reference = Reference::from_table(&shown, &columns, &sensors, span)
        .map_err(|e| wrong(e.to_string()))?;
    if reference.info.times < stored.table.columns[0].len() {
        let [start, sample, end] = span;
        return Err(wrong(format!(
            "some of its times are no sample times of the run (every {sample} s from {start} to {end} s)"
        )));
    }
    // in the order of the columns of the reference, which is that of the sensors
    let width =
        |name: &String| names.iter().position(|n| n == name).and_then(|k| stored.widths.get(k));
    let widths: Vec<f64> = reference.info.columns.iter().filter_map(width).copied().collect();
    Ok(reference.known_to(&widths))
}
