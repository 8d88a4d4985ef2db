//! Result files.

use crate::dump::Dump;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::output::{
    DIAGNOSTICS_CSV, Output, REPORT_HTML, RESULTS_CSV, RESULTS_PARQUET, SUMMARY_JSON, refused,
};
use crate::page::View;
use crate::prepare::hex;
use delassus::io::results::{
    Column, EventRow, WriteError, atomic_write, write_contacts, write_csv, write_events,
    write_motion, write_parquet,
};
use delassus::sim::Results;
use delassus::sim::contact::Event;
use delassus_report::{
    CONTACTS_BIN, EVENTS_CSV, LOADS_BIN, MOTION_BIN, SCENE_JSON, STEPS_CSV, Steps,
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that was written.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// Path as given or made from the folder.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// Checksum of the content.
    pub sha256: String,
}

/// Writes result files; folders it made and could not fill are removed again.
pub struct Writer {
    made: Vec<PathBuf>,
    written: Vec<Written>,
    paths: Vec<PathBuf>,
}

impl Writer {
    /// Writes all result files except the summary, which must know them.
    pub fn write(
        output: &Output,
        results: &Results,
        metadata: &[(String, String)],
        view: Option<&View>,
        events: Option<&[Event]>,
        dump: Option<&Dump>,
    ) -> Result<Writer, Failure> {
        let mut writer = Writer::new();
        match writer.write_all(output, results, metadata, view, events, dump) {
            Ok(()) => Ok(writer),
            Err(fault) => Err(writer.fail_at(fault, results)),
        }
    }

    fn new() -> Writer {
        Writer { made: Vec::new(), written: Vec::new(), paths: Vec::new() }
    }

    /// Writes texts into a folder, in order; all of them or none in a new folder.
    pub fn texts(folder: &Path, files: &[(&str, String)]) -> Result<Writer, Failure> {
        let mut writer = Writer::new();
        let mut all = || -> Result<(), Box<Fault>> {
            writer.make(folder)?;
            for (name, text) in files {
                writer.file(&folder.join(name), |w| Ok(w.write_all(text.as_bytes())?))?;
            }
            Ok(())
        };
        match all() {
            Ok(()) => Ok(writer),
            Err(fault) => Err(writer.fail(fault)),
        }
    }

    /// Writes one more text.
    pub fn text(mut self, path: &Path, text: &str) -> Result<(), Failure> {
        let written = self.file(path, |w| Ok(w.write_all(text.as_bytes())?));
        written.map_err(|fault| self.fail(fault))
    }

    /// Writes one file that belongs to no folder of results.
    pub fn one(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let mut writer = Writer::new();
        let written = writer.file(path, |w| Ok(w.write_all(bytes)?));
        written.map_err(|fault| writer.fail(fault))
    }

    /// Files written so far.
    pub fn written(&self) -> &[Written] {
        &self.written
    }

    /// Writes the page into the folder, or takes that of an earlier run away. The results are
    /// there already and stay.
    pub fn page(mut self, folder: &Path, html: Option<&str>) -> Result<(), Failure> {
        let path = folder.join(REPORT_HTML);
        match html {
            Some(html) => {
                let written = self.file(&path, |w| Ok(w.write_all(html.as_bytes())?));
                written.map_err(|fault| Failure::file(*fault))
            }
            None => match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    Err(Failure::file(refused(&path, &e)))
                }
                _ => Ok(()),
            },
        }
    }

    /// Writes the summary into the folder.
    pub fn summary(&mut self, folder: &Path, text: &str, results: &Results) -> Result<(), Failure> {
        let written = self.file(&folder.join(SUMMARY_JSON), |w| Ok(w.write_all(text.as_bytes())?));
        written.map_err(|fault| self.fail_at(fault, results))
    }

    fn write_all(
        &mut self,
        output: &Output,
        results: &Results,
        metadata: &[(String, String)],
        view: Option<&View>,
        events: Option<&[Event]>,
        dump: Option<&Dump>,
    ) -> Result<(), Box<Fault>> {
        let sensors = columns(results, |sensor| sensor);
        let all = columns(results, |_| true);
        if let Some(folder) = &output.folder {
            self.make(folder)?;
            self.file(&folder.join(RESULTS_CSV), |w| write_csv(w, &sensors))?;
            let others = columns(results, |sensor| !sensor);
            self.file(&folder.join(DIAGNOSTICS_CSV), |w| write_csv(w, &others))?;
            self.file(&folder.join(RESULTS_PARQUET), |w| write_parquet(w, &all, metadata))?;
            if let Some(view) = view {
                self.view(folder, view)?;
            }
            let log = folder.join(EVENTS_CSV);
            match events {
                Some(events) => self.file(&log, |w| write_events(w, rows(events)))?,
                // of an earlier run of another model
                None => drop(fs::remove_file(&log)),
            }
        }
        if let Some(file) = &output.events {
            self.file(file, |w| write_events(w, rows(events.unwrap_or_default())))?;
        }
        if let Some(file) = &output.csv {
            self.file(file, |w| write_csv(w, &sensors))?;
        }
        if let Some(file) = &output.parquet {
            self.file(file, |w| write_parquet(w, &all, metadata))?;
        }
        if let (Some(file), Some(dump)) = (&output.states, dump) {
            let column =
                |(name, values)| Column { name, unit: "", frame: "", values, may_lack: false };
            let states: Vec<Column<'_>> = dump.columns().map(column).collect();
            self.file(file, |w| write_csv(w, &states))?;
        }
        Ok(())
    }

    /// What pictures need.
    fn view(&mut self, folder: &Path, view: &View) -> Result<(), Box<Fault>> {
        let lists = Steps::NAMES.iter().zip(Steps::UNITS).zip(view.steps.lists());
        let steps: Vec<Column<'_>> = lists
            .map(|((name, unit), values)| Column { name, unit, frame: "", values, may_lack: false })
            .collect();
        self.file(&folder.join(STEPS_CSV), |w| write_csv(w, &steps))?;
        self.file(&folder.join(MOTION_BIN), |w| write_motion(w, &view.motion))?;
        let loads = folder.join(LOADS_BIN);
        match &view.loads {
            Some(list) => self.file(&loads, |w| write_motion(w, list))?,
            None => drop(fs::remove_file(&loads)),
        }
        let contacts = folder.join(CONTACTS_BIN);
        match &view.contacts {
            Some(points) => self.file(&contacts, |w| write_contacts(w, points))?,
            // of an earlier run of another model
            None => drop(fs::remove_file(&contacts)),
        }
        let scene = view.description.json();
        self.file(&folder.join(SCENE_JSON), |w| Ok(w.write_all(scene.as_bytes())?))
    }

    fn make(&mut self, folder: &Path) -> Result<(), Box<Fault>> {
        let missing = folder.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        self.made = missing.map(Path::to_owned).collect();
        fs::create_dir_all(folder).map_err(|e| Box::new(refused(folder, &e)))
    }

    fn file(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut Tee<'_>) -> Result<(), WriteError>,
    ) -> Result<(), Box<Fault>> {
        let mut sha = Sha256::new();
        let mut bytes = 0;
        let result =
            atomic_write(path, |w| fill(&mut Tee { inner: w, sha: &mut sha, bytes: &mut bytes }));
        match result {
            Ok(()) => {}
            // A reader of a pipe that went away has seen what it wanted.
            Err(WriteError::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {}
            Err(WriteError::Io { source, bytes_written, .. }) => {
                let mut fault = refused(path, &source);
                let written = format!(" ({bytes_written} bytes written)");
                fault.message.push_str(&written);
                return Err(Box::new(fault));
            }
            Err(other) => {
                let message = format!("{}: {other}", path.display());
                let fault = Fault::new("E_OUTPUT", "", message).help("please report this as a bug");
                return Err(Box::new(fault));
            }
        }
        self.paths.push(path.to_owned());
        self.written.push(Written {
            path: delassus::io::model_file::escape(&path.display().to_string()),
            bytes,
            sha256: hex(&sha.finalize()),
        });
        Ok(())
    }

    fn fail_at(&self, mut fault: Box<Fault>, results: &Results) -> Failure {
        if let Some(t) = results.t.last() {
            let reached = format!("; the run had reached t = {t} s");
            fault.message.push_str(&reached);
        }
        self.fail(fault)
    }

    fn fail(&self, fault: Box<Fault>) -> Failure {
        // A new folder without its summary would be taken for a foreign one by the next run.
        if let Some(folder) = self.made.first() {
            for file in self.paths.iter().filter(|f| f.parent() == Some(folder)) {
                let _ = fs::remove_file(file);
            }
        }
        for folder in &self.made {
            // Only empty ones go.
            let _ = fs::remove_dir(folder);
        }
        Failure::file(*fault)
    }
}

/// Events as lines of the file.
pub fn rows<'e>(events: impl IntoIterator<Item = &'e Event>) -> impl Iterator<Item = EventRow> {
    events.into_iter().map(|e| EventRow {
        t: e.t,
        kind: e.kind.name().to_owned(),
        contact: e.contact.clone(),
        speed_before: e.speed_before,
        speed_after: e.speed_after,
        impulse: e.impulse,
        energy_lost: e.energy_lost,
    })
}

/// Time and the sensors, or time and the others.
fn columns(results: &Results, wanted: impl Fn(bool) -> bool) -> Vec<Column<'_>> {
    let mut list = vec![time(results)];
    let all = results.channels.iter().zip(&results.data);
    list.extend(all.filter(|(c, _)| wanted(c.sensor)).map(|(c, values)| Column {
        name: &c.name,
        unit: &c.unit,
        frame: &c.frame,
        values,
        may_lack: c.may_lack(),
    }));
    list
}

fn time(results: &Results) -> Column<'_> {
    Column { name: "t", unit: "s", frame: "", values: &results.t, may_lack: false }
}

/// Counts and hashes what passes through.
struct Tee<'a> {
    inner: &'a mut (dyn Write + Send),
    sha: &'a mut Sha256,
    bytes: &'a mut u64,
}

impl Write for Tee<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buf)?;
        self.sha.update(buf.get(..n).unwrap_or_default());
        *self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
