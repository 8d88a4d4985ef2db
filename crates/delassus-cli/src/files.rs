//! Writes result files.

use crate::dump::Dump;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::output::{DIAGNOSTICS_CSV, Output, RESULTS_CSV, RESULTS_PARQUET, refused};
use crate::page::View;
use crate::prepare::hex;
use crate::stage::Stage;
use delassus::io::results::{
    Column, EventRow, WriteError, atomic_write, write_contacts, write_csv, write_events,
    write_motion, write_parquet_parts,
};
use delassus::sim::Results;
use delassus::sim::contact::Event;
use delassus_report::{
    CONTACTS_BIN, EVENTS_CSV, LOADS_BIN, MOTION_BIN, SCENE_JSON, SECTIONS_BIN, STEPS_CSV, Steps,
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that was written.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// Path as given or derived from the folder.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Checksum of the content.
    pub sha256: String,
}

impl Written {
    /// A file under the name by which it is reported.
    pub fn new(path: &Path, bytes: u64, sha256: String) -> Written {
        let path = delassus::io::model_file::escape(&path.display().to_string());
        Written { path, bytes, sha256 }
    }
}

/// What is written in addition to the samples.
pub struct Rest<'a> {
    /// What the files say about their origin.
    pub metadata: &'a [(String, String)],
    /// What the page needs.
    pub view: Option<&'a View>,
    /// What happened at contacts; none for models without contacts.
    pub events: Option<&'a [Event]>,
    /// The last states of a run that failed.
    pub dump: Option<&'a Dump>,
    /// A page is requested.
    pub page: bool,
}

/// Writes result files.
#[derive(Default)]
pub struct Writer {
    /// The folder was empty, and must be emptied again if not everything can be written.
    fresh: bool,
    written: Vec<Written>,
    paths: Vec<PathBuf>,
}

impl Writer {
    /// Writes all files of a run except the summary, which must list them. Files of the folder are written where they
    /// are made and listed under their final names.
    pub fn write(
        output: &Output,
        dir: Option<&Path>,
        stage: Option<&mut Stage>,
        rest: &Rest<'_>,
    ) -> Result<Writer, Box<Fault>> {
        let mut writer = Writer::default();
        if let (Some(dir), Some(stage)) = (dir, stage) {
            writer.samples(output, dir, stage, rest)?;
        }
        if let Some(file) = &output.events {
            writer.file(file, |w| write_events(w, rows(rest.events.unwrap_or_default())))?;
        }
        if let (Some(file), Some(dump)) = (&output.states, rest.dump) {
            let column =
                |(name, values)| Column { name, unit: "", frame: "", values, may_lack: false };
            let states: Vec<Column<'_>> = dump.columns().map(column).collect();
            writer.file(file, |w| write_csv(w, &states))?;
        }
        Ok(writer)
    }

    /// Writes texts into a folder, in order; if it was empty, all of them or none.
    pub fn texts(folder: &Path, files: &[(&str, String)]) -> Result<Writer, Failure> {
        let fresh = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        let mut writer = Writer { fresh, ..Writer::default() };
        let mut all = || -> Result<(), Box<Fault>> {
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

    /// Writes one file that does not belong to a results folder.
    pub fn one(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let mut writer = Writer::default();
        let written = writer.file(path, |w| Ok(w.write_all(bytes)?));
        written.map_err(|fault| writer.fail(fault))
    }

    /// Files written so far.
    pub fn written(&self) -> &[Written] {
        &self.written
    }

    /// Everything made from samples.
    fn samples(
        &mut self,
        output: &Output,
        dir: &Path,
        stage: &mut Stage,
        rest: &Rest<'_>,
    ) -> Result<(), Box<Fault>> {
        let place = |name: &str, folder: &Path| (dir.join(name), folder.join(name));
        if let Some(folder) = &output.folder {
            for (name, sensors) in [(RESULTS_CSV, true), (DIAGNOSTICS_CSV, false)] {
                let path = folder.join(name);
                let written = stage.written(sensors, &path).map_err(|e| refusal(&path, e))?;
                self.written.push(written);
            }
            let parquet = place(RESULTS_PARQUET, folder);
            self.made_in(parquet, |w| whole_parquet(w, stage, rest.metadata))?;
        }
        // files of the folder come first in the list
        let own = self.written.len();
        if let Some(file) = &output.csv {
            self.file(file, |w| stage.copy(w))?;
        }
        if let Some(file) = &output.parquet {
            self.file(file, |w| whole_parquet(w, stage, rest.metadata))?;
        }
        let mut beside = self.written.split_off(own);
        stage.close(rest.page).map_err(|e| refusal(dir, e))?;
        if let Some(folder) = &output.folder {
            if let Some(view) = rest.view {
                self.view(|name| place(name, folder), view)?;
            }
            if let Some(events) = rest.events {
                self.made_in(place(EVENTS_CSV, folder), |w| write_events(w, rows(events)))?;
            }
        }
        self.written.append(&mut beside);
        Ok(())
    }

    /// Everything that the page needs.
    fn view(
        &mut self,
        place: impl Fn(&str) -> (PathBuf, PathBuf),
        view: &View,
    ) -> Result<(), Box<Fault>> {
        let lists = Steps::NAMES.iter().zip(Steps::UNITS).zip(view.steps.lists());
        let steps: Vec<Column<'_>> = lists
            .map(|((name, unit), values)| Column { name, unit, frame: "", values, may_lack: false })
            .collect();
        self.made_in(place(STEPS_CSV), |w| write_csv(w, &steps))?;
        self.made_in(place(MOTION_BIN), |w| write_motion(w, &view.motion))?;
        if let Some(list) = &view.loads {
            self.made_in(place(LOADS_BIN), |w| write_motion(w, list))?;
        }
        if let Some(list) = &view.sections {
            self.made_in(place(SECTIONS_BIN), |w| write_motion(w, list))?;
        }
        if let Some(points) = &view.contacts {
            self.made_in(place(CONTACTS_BIN), |w| write_contacts(w, points))?;
        }
        let scene = view.description.json();
        self.made_in(place(SCENE_JSON), |w| Ok(w.write_all(scene.as_bytes())?))
    }

    fn file(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut Tee<'_>) -> Result<(), WriteError>,
    ) -> Result<(), Box<Fault>> {
        self.made_in((path.to_owned(), path.to_owned()), fill)
    }

    /// Writes a file in one place and lists it under another.
    fn made_in(
        &mut self,
        (path, named): (PathBuf, PathBuf),
        fill: impl FnOnce(&mut Tee<'_>) -> Result<(), WriteError>,
    ) -> Result<(), Box<Fault>> {
        let mut sha = Sha256::new();
        let mut bytes = 0;
        let result =
            atomic_write(&path, |w| fill(&mut Tee { inner: w, sha: &mut sha, bytes: &mut bytes }));
        match result {
            Ok(()) => {}
            // A reader that closes a pipe has seen what it wanted.
            Err(WriteError::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {}
            Err(e) => return Err(refusal(&path, e)),
        }
        self.paths.push(path);
        self.written.push(Written::new(&named, bytes, hex(&sha.finalize())));
        Ok(())
    }

    fn fail(&self, fault: Box<Fault>) -> Failure {
        // The next command would take a folder without a summary for a foreign one.
        if self.fresh {
            self.paths.iter().for_each(|file| drop(fs::remove_file(file)));
        }
        Failure::file(*fault)
    }
}

/// The fault for a file that could not be written.
fn refusal(path: &Path, e: WriteError) -> Box<Fault> {
    match e {
        WriteError::Io { source, bytes_written, .. } => {
            let mut fault = refused(path, &source);
            let written = format!(" ({bytes_written} bytes written)");
            fault.message.push_str(&written);
            Box::new(fault)
        }
        other => {
            let message = format!("{}: {other}", path.display());
            Box::new(Fault::new("E_OUTPUT", "", message).help("please report this as a bug"))
        }
    }
}

/// All samples of all columns.
fn whole_parquet(
    w: &mut Tee<'_>,
    stage: &mut Stage,
    metadata: &[(String, String)],
) -> Result<(), WriteError> {
    let names = stage.names().clone();
    let columns = columns(&names, 0..0, |_| true);
    let rows = stage.rows();
    write_parquet_parts(w, &columns, rows, metadata, |column, rows, out| {
        stage.read(column, rows, out)
    })
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
        depth: e.depth,
    })
}

/// At some samples: time and the sensors, or time and the other columns.
pub fn columns(
    results: &Results,
    rows: Range<usize>,
    wanted: impl Fn(bool) -> bool,
) -> Vec<Column<'_>> {
    let part = |values: &'_ Vec<f64>| -> Range<usize> { rows.start..rows.end.min(values.len()) };
    let t = &results.t[part(&results.t)];
    let mut list = vec![Column { name: "t", unit: "s", frame: "", values: t, may_lack: false }];
    let all = results.channels.iter().zip(&results.data);
    list.extend(all.filter(|(c, _)| wanted(c.sensor)).map(|(c, values)| Column {
        name: &c.name,
        unit: &c.unit,
        frame: &c.frame,
        values: &values[part(values)],
        may_lack: c.may_lack(),
    }));
    list
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
