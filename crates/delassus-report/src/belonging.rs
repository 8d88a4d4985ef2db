//! Whether the files of a folder are the ones that its summary lists.

use crate::folder::{
    CONTACTS_BIN, DIAGNOSTICS_CSV, EVENTS_CSV, LOADS_BIN, MOTION_BIN, RESULTS_CSV, RESULTS_PARQUET,
    SCENE_JSON, SECTIONS_BIN, STEPS_CSV,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Files whose checksums a summary lists.
const KNOWN: [&str; 10] = [
    RESULTS_CSV,
    DIAGNOSTICS_CSV,
    RESULTS_PARQUET,
    SCENE_JSON,
    MOTION_BIN,
    CONTACTS_BIN,
    LOADS_BIN,
    SECTIONS_BIN,
    STEPS_CSV,
    EVENTS_CSV,
];

/// Files that differ from what the summary says.
#[derive(Debug, Default)]
pub(crate) struct Belonging {
    /// Their content is different.
    pub changed: Vec<&'static str>,
    /// The summary does not list them.
    pub foreign: Vec<&'static str>,
    /// They do not exist.
    pub missing: Vec<&'static str>,
}

impl Belonging {
    /// What is wrong with which file.
    pub fn problems(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        let changed = "does not belong to this run, or was changed since: its length or checksum is not the one in \
                       summary.json";
        let foreign = "does not belong to this run: summary.json does not list it";
        let missing = "the file is missing: summary.json lists it";
        [(&self.changed, changed), (&self.foreign, foreign), (&self.missing, missing)]
            .into_iter()
            .flat_map(|(names, what)| names.iter().map(move |name| (*name, what)))
    }
}

/// Compares the files of a folder with the list in its summary; no result if it has no list.
pub(crate) fn compare(summary: &Value, place: impl Fn(&str) -> PathBuf) -> Belonging {
    let mut out = Belonging::default();
    let Some(list) = summary.get("files").and_then(Value::as_array) else { return out };
    let named = |entry: &Value, name: &str| {
        let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
        path.rsplit(['/', '\\']).next() == Some(name)
    };
    for name in KNOWN {
        let path = place(name);
        // files requested outside the folder are listed after those in it
        let entry = list.iter().find(|e| named(e, name));
        let (Some(entry), true) = (entry, path.is_file()) else {
            match entry {
                Some(_) => out.missing.push(name),
                None if path.is_file() => out.foreign.push(name),
                None => {}
            }
            continue;
        };
        // a file of another length needs no checksum
        let bytes = entry.get("bytes").and_then(Value::as_u64);
        if bytes.is_some_and(|n| path.metadata().is_ok_and(|m| m.len() != n)) {
            out.changed.push(name);
            continue;
        }
        let told = entry.get("sha256").and_then(Value::as_str);
        let mut sha = Sha256::new();
        let read = File::open(&path).and_then(|mut f| io::copy(&mut f, &mut sha));
        let sum: String = sha.finalize().iter().map(|b| format!("{b:02x}")).collect();
        if read.is_ok() && told.is_some_and(|told| told != sum) {
            out.changed.push(name);
        }
    }
    out
}
