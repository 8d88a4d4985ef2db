//! The journal of a benchmark: one line per finished run, on the disk before the next one begins.
//!
//! It outlives a kill at any moment. A line that was cut off is removed, and its run is made again.

use super::record::{Identity, Run};
use crate::exit::Failure;
use crate::fault::Fault;
use crate::output::refused;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The journal in the results folder; also marks it as made by this program.
pub const JOURNAL: &str = "journal.jsonl";

/// Lines are appended to it.
pub struct Journal {
    file: Mutex<File>,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal of a folder and reads the runs in it, the last one of each identity.
    pub fn open(folder: &Path) -> Result<(Journal, HashMap<Identity, Run>), Failure> {
        let path = folder.join(JOURNAL);
        let failed = |e: io::Error| Failure::file(refused(&path, &e));
        let options = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options
        };
        let mut file = options().open(&path).map_err(failed)?;
        let mut runs = HashMap::new();
        let (mut whole, mut line) = (0, Vec::new());
        let mut reader = BufReader::new(&mut file);
        loop {
            line.clear();
            let n = reader.read_until(b'\n', &mut line).map_err(failed)?;
            if n == 0 || line.last() != Some(&b'\n') {
                break;
            }
            whole += n as u64;
            // a damaged line is a run that is made again
            if let Ok(run) = serde_json::from_slice::<Run>(&line) {
                runs.insert(run.identity.clone(), run);
            }
        }
        file.set_len(whole).map_err(failed)?;
        file.seek(SeekFrom::Start(whole)).map_err(failed)?;
        Ok((Journal { file: Mutex::new(file), path }, runs))
    }

    /// Adds a run; when this returns it is on the disk.
    pub fn add(&self, run: &Run) -> Result<(), Box<Fault>> {
        let line = serde_json::to_string(run).map_err(io::Error::other).map(|l| l + "\n");
        let write = |line: String| {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        line.and_then(write).map_err(|e| Box::new(refused(&self.path, &e)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::run;
    use super::*;

    #[test]
    fn what_was_cut_off_is_gone_and_the_rest_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (run("a", "m", 1e-4, 1.0, None), run("b", "m", 1e-4, 2.0, None));
        let (journal, runs) = Journal::open(dir.path()).unwrap();
        assert!(runs.is_empty());
        for run in [&a, &b] {
            journal.add(run).unwrap();
        }
        drop(journal);
        let path = dir.path().join(JOURNAL);
        let text = std::fs::read_to_string(&path).unwrap();
        for cut in [1, 20, text.len() / 2 - 1] {
            std::fs::write(&path, &text[..text.len() - cut]).unwrap();
            let (journal, runs) = Journal::open(dir.path()).unwrap();
            assert_eq!(runs.len(), 1, "{cut}");
            journal.add(&b).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{cut}");
        }
        // a damaged line does not take the others with it, and the later of two runs counts
        let again = run("a", "m", 1e-4, 3.0, None);
        let line = serde_json::to_string(&again).unwrap();
        std::fs::write(&path, format!("{text}{{\"x\":\n{line}\n")).unwrap();
        let (_, runs) = Journal::open(dir.path()).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[&a.identity].cost.as_ref().unwrap().cpu_s, 3.0);
    }
}
