//! Samples on their way to the files of a run.

use crate::exit::Failure;
use crate::fault::Fault;
use crate::files::{Written, columns};
use crate::output::{DIAGNOSTICS_CSV, RESULTS_CSV, refused};
use delassus::io::results::{GrowingCsv, Spill, WriteError, free_space};
use delassus::sim::{Channel, Refused, ResultSize, Results, Sink, count_text, planted, size_text};
use delassus_report::MOTION_BIN;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Samples reach the files after this time at the latest.
const INTERVAL: Duration = Duration::from_millis(100);
/// Space that small files need at the end in addition to the samples, bytes.
const MARGIN: u64 = 512 << 10;
/// The largest number of values from which a page is made: longer columns are thinned.
const PAGE: usize = 1 << 20;
/// Bytes per value in all files together: minimum and typical.
const PER_VALUE: [f64; 2] = [18.0, 35.0];
/// The samples in an internal format, until the run ends.
const SPILL: &str = "samples.tmp";

/// The files that grow with the run, and whether they hold the sensors or the rest.
const GROWING: [(&str, bool); 2] = [(RESULTS_CSV, true), (DIAGNOSTICS_CSV, false)];

/// Names of the files that grow with the run.
pub fn growing() -> [&'static str; 2] {
    GROWING.map(|(name, _)| name)
}

/// The length and content of a file when a checkpoint was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mark {
    bytes: u64,
    sha256: String,
}

/// Where samples are written.
#[derive(Debug)]
pub struct Stage {
    dir: PathBuf,
    files: Vec<(bool, GrowingCsv)>,
    /// Kept until everything made from it exists.
    spill: Option<Spill>,
    /// Samples for a page.
    shown: Option<Results>,
    /// Bytes per sample in files that are written at the end.
    later: f64,
    /// The columns, without samples.
    names: Results,
    /// Time of the last sample, s.
    t: f64,
    taken: Instant,
    /// Number of calls between checks of the clock, and how many are left.
    stride: u32,
    left: u32,
}

/// A stage shared by the run and the command.
#[derive(Debug, Clone)]
pub struct Shared(Arc<Mutex<Stage>>);

impl Shared {
    /// The stage.
    pub fn lock(&self) -> MutexGuard<'_, Stage> {
        // rows are whole at any moment
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Sink for Shared {
    fn take(&mut self, samples: &Results) -> Result<(), Refused> {
        self.lock().take(samples)
    }

    fn due(&mut self) -> bool {
        self.lock().due()
    }
}

/// Discards samples that nobody requested.
#[derive(Debug)]
pub struct Nowhere;

impl Sink for Nowhere {
    fn take(&mut self, _: &Results) -> Result<(), Refused> {
        Ok(())
    }
}

impl Stage {
    /// New files: all that grow, or where single files are asked for the sensors alone.
    pub fn begin(dir: &Path, channels: &[Channel], all: bool) -> Result<Shared, Failure> {
        let names = empty(channels);
        let file = |(name, sensors): &(&str, bool)| {
            let columns = columns(&names, 0..0, |s| s == *sensors);
            Ok((*sensors, GrowingCsv::create(&dir.join(name), &columns)?))
        };
        let wanted = GROWING.iter().filter(|(_, sensors)| all || *sensors);
        let files = wanted.map(file).collect::<Result<Vec<_>, WriteError>>();
        let files = files.map_err(|e| failed(dir, &e))?;
        Stage::with(dir, names, files)
    }

    /// The files of a run that is continued, which must be unchanged.
    pub fn take_up(dir: &Path, channels: &[Channel], marks: &[Mark]) -> Result<Shared, Failure> {
        let other = |name: &str, e: &dyn std::fmt::Display| {
            let message = format!("{}: {e}", dir.join(name).display());
            let help = "the samples before the checkpoint are lost: run the model again";
            Failure::file(Fault::new("E_CHECKPOINT", "", message).help(help))
        };
        let names = empty(channels);
        let (mut files, mut readers, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for ((name, sensors), mark) in GROWING.iter().zip(marks) {
            let own = columns(&names, 0..0, |s| s == *sensors);
            let was = (mark.bytes, mark.sha256.as_str());
            let opened = GrowingCsv::reopen(&dir.join(name), &own, was);
            let (file, rows) = opened.map_err(|e| match e {
                WriteError::Io { source, .. } => other(name, &source),
                e => other(name, &e),
            })?;
            files.push((*sensors, file));
            readers.push((name, rows));
            let mine = channels.iter().enumerate().filter(|(_, c)| c.sensor == *sensors);
            places.push(mine.map(|(k, _)| k).collect::<Vec<_>>());
        }
        let shared = Stage::with(dir, names, files)?;
        let mut stage = shared.lock();
        loop {
            let mut some = empty(channels);
            for ((name, rows), places) in readers.iter_mut().zip(&places) {
                let mut read = vec![Vec::new(); places.len() + 1];
                rows.next(4096, &mut read).map_err(|e| other(name, &e))?;
                let mut read = read.into_iter();
                some.t = read.next().unwrap_or_default();
                places.iter().zip(read).for_each(|(k, column)| some.data[*k] = column);
            }
            let n = some.t.len();
            if some.data.iter().any(|c| c.len() != n) {
                return Err(other(GROWING[1].0, &"it has other rows than results.csv"));
            }
            let Some(t) = some.t.last() else { break };
            stage.t = *t;
            let columns = std::iter::once(&some.t).chain(&some.data).map(Vec::as_slice);
            let pushed = stage.spill().and_then(|s| s.push(columns));
            pushed.map_err(|e| failed(dir, &e.into()))?;
        }
        drop(stage);
        Ok(shared)
    }

    fn with(dir: &Path, names: Results, files: Vec<(bool, GrowingCsv)>) -> Result<Shared, Failure> {
        let spill = Spill::create(&dir.join(SPILL), names.channels.len() + 1);
        let spill = spill.map_err(|e| failed(dir, &e.into()))?;
        let now = Instant::now();
        let (dir, t) = (dir.to_owned(), f64::NAN);
        Ok(Shared(Arc::new(Mutex::new(Stage {
            dir,
            files,
            spill: Some(spill),
            shown: None,
            later: 0.0,
            names,
            t,
            taken: now,
            stride: 1,
            left: 0,
        }))))
    }

    fn spill(&mut self) -> io::Result<&mut Spill> {
        let gone = || io::Error::new(io::ErrorKind::NotFound, "the samples are no longer there");
        self.spill.as_mut().ok_or_else(gone)
    }

    /// Announces how many bytes per sample will be written at the end, in addition to the samples themselves.
    pub fn expect(&mut self, later: f64) {
        self.later = later;
    }

    /// Takes over samples of a run that is kept in memory: those after the ones already taken.
    pub fn fill(&mut self, results: &Results) -> Result<(), Box<Fault>> {
        let taken = self.take_from(results, self.rows());
        taken.map_err(|e| {
            let help = "choose another folder, and check the space on the disk";
            Box::new(Fault::new("E_OUTPUT", "", e.why).help(help))
        })
    }

    fn take(&mut self, r: &Results) -> Result<(), Refused> {
        self.take_from(r, 0)
    }

    /// The samples from one on.
    fn take_from(&mut self, r: &Results, first: usize) -> Result<(), Refused> {
        planted::bug("sink");
        self.taken = Instant::now();
        let refused = |taken: usize, t: f64, why: String| Refused { taken: taken as u64, t, why };
        let new = r.t.len().saturating_sub(first);
        self.look(new).map_err(|why| refused(0, self.t, why))?;
        let (mut from, mut some) = (first, 4096);
        while from < r.t.len() {
            let to = r.t.len().min(from + some);
            match self.push(r, from..to) {
                Ok(()) => (from, self.t) = (to, r.t[to - 1]),
                // as many as there is space for
                Err(_) if to - from > 1 => some = (to - from) / 2,
                Err(e) => return Err(refused(from - first, self.t, e.to_string())),
            }
        }
        Ok(())
    }

    /// All of the rows, or none.
    fn push(&mut self, r: &Results, rows: Range<usize>) -> Result<(), WriteError> {
        for k in 0..self.files.len() {
            let (sensors, file) = &mut self.files[k];
            if let Err(e) = file.push(&columns(r, rows.clone(), |s| s == *sensors)) {
                self.files[..k].iter_mut().for_each(|(_, f)| f.undo());
                return Err(e);
            }
        }
        let values = std::iter::once(&r.t).chain(&r.data).map(|c| &c[rows.clone()]);
        self.spill().and_then(|s| s.push(values)).map_err(|source| {
            self.files.iter_mut().for_each(|(_, f)| f.undo());
            let bytes_written = self.spill.as_ref().map_or(0, Spill::bytes);
            WriteError::Io { path: Some(self.dir.join(SPILL)), bytes_written, source }
        })
    }

    /// Whether the folder still exists, and has space for this many samples and for what is written at the end.
    fn look(&self, samples: usize) -> Result<(), String> {
        if let Some((_, file)) = self.files.iter().find(|(_, f)| !f.path().exists()) {
            return Err(format!(
                "{} is gone: its folder was moved or deleted",
                file.path().display()
            ));
        }
        let (rows, own) = self.spill.as_ref().map_or((0, 0), |s| (s.rows(), s.bytes()));
        let wide = PER_VALUE[1] * (self.names.channels.len() + 2) as f64 + 2.0 * self.later;
        // once the Parquet file exists, the file it was made from is removed
        let end = own.max((rows as f64 * self.later) as u64) + MARGIN;
        let needed = end + (samples as f64 * wide) as u64;
        match free_space(&self.dir) {
            Some(free) if free < needed => Err(format!(
                "the disk of {} is full: {} are left, and completing the results takes {}",
                self.dir.display(),
                size_text(free as f64),
                size_text(needed as f64)
            )),
            _ => Ok(()),
        }
    }

    fn due(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return false;
        }
        let passed = self.taken.elapsed();
        // a few checks per interval, whatever a step costs
        self.stride = match passed < INTERVAL / 8 {
            true => (2 * self.stride).min(1 << 16),
            false => (self.stride / 2).max(1),
        };
        self.left = self.stride;
        passed >= INTERVAL
    }

    /// What a checkpoint records about the files, which are durable from here on.
    pub fn marks(&mut self) -> io::Result<Vec<Mark>> {
        let mark = |(_, f): &(bool, GrowingCsv)| {
            f.sync()?;
            Ok(Mark { bytes: f.bytes(), sha256: f.sha256() })
        };
        self.files.iter().map(mark).collect()
    }

    /// Time of the last sample, s.
    pub fn reached(&self) -> Option<f64> {
        (!self.t.is_nan()).then_some(self.t)
    }

    /// The columns, without samples.
    pub fn names(&self) -> &Results {
        &self.names
    }

    /// The sensors, or the rest, under the name by which they are reported.
    pub fn written(&self, sensors: bool, path: &Path) -> Result<Written, WriteError> {
        let missing = || WriteError::from(io::Error::from(io::ErrorKind::NotFound));
        let (_, file) = self.files.iter().find(|(s, _)| *s == sensors).ok_or_else(missing)?;
        file.sync()?;
        Ok(Written::new(path, file.bytes(), file.sha256()))
    }

    /// Number of samples that can be read.
    pub fn rows(&self) -> usize {
        self.spill.as_ref().map_or(0, Spill::rows)
    }

    /// Some rows of a column; time is the first column.
    pub fn read(
        &mut self,
        column: usize,
        rows: Range<usize>,
        out: &mut Vec<f64>,
    ) -> Result<(), WriteError> {
        Ok(self.spill()?.read(column, rows, out)?)
    }

    /// Writes a copy of the sensors.
    pub fn copy(&self, w: &mut dyn Write) -> Result<(), WriteError> {
        let mut file = fs::File::open(self.dir.join(RESULTS_CSV))?;
        io::copy(&mut file, w)?;
        Ok(())
    }

    /// Samples for a page: all of them, or equally spaced rows of a long run, and the last one.
    fn thinned(&mut self) -> Result<Results, WriteError> {
        let (rows, columns) = (self.rows(), self.names.channels.len() + 1);
        let stride = rows.saturating_mul(columns).div_ceil(PAGE).max(1);
        let mut lists = Vec::with_capacity(columns);
        let mut part = Vec::new();
        for column in 0..columns {
            let mut list = Vec::with_capacity(rows / stride + 2);
            let wide = stride * (65536 / stride).max(1);
            for from in (0..rows).step_by(wide) {
                part.clear();
                self.read(column, from..rows.min(from + wide), &mut part)?;
                list.extend(part.iter().step_by(stride));
            }
            if stride > 1 && rows % stride != 1 {
                list.extend(part.last());
            }
            lists.push(list);
        }
        let mut lists = lists.into_iter();
        let t = lists.next().unwrap_or_default();
        Ok(Results { channels: self.names.channels.clone(), t, data: lists.collect() })
    }

    /// Everything made from the samples exists, except for a page: frees space on the disk.
    pub fn close(&mut self, page: bool) -> Result<(), WriteError> {
        self.shown = if page { Some(self.thinned()?) } else { None };
        self.spill = None;
        for name in [SPILL, MOTION_BIN] {
            let _ = fs::remove_file(self.dir.join(name));
        }
        Ok(())
    }

    /// Samples for the page.
    pub fn shown(&mut self) -> Option<Results> {
        self.shown.take()
    }
}

fn empty(channels: &[Channel]) -> Results {
    Results { channels: channels.to_vec(), t: Vec::new(), data: vec![Vec::new(); channels.len()] }
}

fn failed(dir: &Path, e: &WriteError) -> Failure {
    match e {
        WriteError::Io { source, .. } => Failure::file(refused(dir, source)),
        other => Failure::file(Fault::new("E_OUTPUT", "", format!("{}: {other}", dir.display()))),
    }
}

/// Checks the space that this many samples will take on the disk of a folder: an error if it cannot be enough, a note
/// if it is much of what is left.
pub fn room(folder: &Path, size: ResultSize) -> Result<Option<Fault>, Failure> {
    let ResultSize { samples, columns } = size;
    let Some(free) = free_space(&crate::output::existing(folder)) else { return Ok(None) };
    let [least, about] = PER_VALUE.map(|b| b * samples * (columns + 2) as f64);
    let help = "sample less often, run a shorter span, or choose another disk with --out";
    let told = |code: &str, bytes: f64, word: &str| {
        let message = format!(
            "{} samples of {columns} columns take {word} {} on the disk, and {} are left there",
            count_text(samples),
            size_text(bytes),
            size_text(free as f64)
        );
        Fault::new(code, "analysis.sample", message).help(help)
    };
    if least > free as f64 {
        return Err(Failure::file(told("E_DISK_FULL", least, "at least")));
    }
    Ok((about > 0.5 * free as f64).then(|| told("N_DISK_FULL", about, "about")))
}
