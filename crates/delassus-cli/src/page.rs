//! From a run in memory to the page that shows it.

use crate::files::rows;
use crate::prepare::Prepared;
use delassus::io::model_file::escape;
use delassus::io::results::{ContactPoints, ContactRow, MotionFile};
use delassus::model::PoseForm;
use delassus::sim::contact::Event;
use delassus::sim::{
    ContactTrack, LoadTrack, MotionTrack, Recorder, Results, RunOutcome, StepLog, TouchPoint,
};
use delassus_report::{Description, ModelInfo, Report, ReportColumn, ReportEvent, Steps};
use serde_json::Value;
use std::collections::BTreeMap;
use std::mem::take;
use std::path::Path;

/// What a model looks like, with its text.
pub fn describe(prepared: &Prepared, file: &Path) -> Description {
    let system = &prepared.model.system;
    let model = ModelInfo {
        title: system.model().title.clone(),
        file: escape(&file.display().to_string()),
        text: prepared.places.text(),
        sha256: prepared.hash.clone(),
        t_end: prepared.options.t_end,
    };
    Description::new(system, model, delassus::sim::DIAGNOSTICS.iter().copied())
}

/// What the page of a run needs in addition to its columns.
pub struct View {
    /// The model.
    pub description: Description,
    /// Where the bodies were.
    pub motion: MotionFile,
    /// Where they touched; none for models without contacts.
    pub contacts: Option<ContactPoints>,
    /// Reactions and applied forces; none for models without any.
    pub loads: Option<MotionFile>,
    /// Forces and moments in beams; none for models without any.
    pub sections: Option<MotionFile>,
    /// The log of the steps.
    pub steps: Steps,
}

impl View {
    /// The view of a run; nothing that is not finite is kept.
    pub fn new(description: Description, outcome: &mut RunOutcome) -> View {
        outcome.motion.truncate(outcome.summary.samples as usize);
        let contacts = !description.scene.contacts.is_empty();
        // data that is converted is not kept in both forms
        let track = take(&mut outcome.motion);
        let vectors = |v: LoadTrack| (v.count() > 0).then(|| loads(&v, &track));
        let forces = vectors(take(&mut outcome.loads));
        let sections = vectors(take(&mut outcome.sections));
        let touches = take(&mut outcome.touches);
        let rows = track.t().len();
        let contacts = contacts.then(|| contact_points(&touches, rows, &outcome.events));
        let motion = motion(&track, 0..rows);
        let steps = steps(&outcome.steps);
        View { contacts, loads: forces, sections, description, motion, steps }
    }

    /// Everything that a page shows.
    pub fn report(self, summary: &str, results: Results, events: &[Event]) -> Report {
        // written by this program a moment ago
        let summary: Value = serde_json::from_str(summary).unwrap_or_default();
        let samples = summary.get("samples").and_then(Value::as_u64).unwrap_or(0) as usize;
        let channels = results.channels.iter().zip(results.data);
        let columns = channels.enumerate().map(|(k, (channel, values))| {
            let known = self.description.channels.get(k).filter(|c| c.name == channel.name);
            let other = || delassus_report::diagnostic(&channel.name, &channel.unit);
            ReportColumn { info: known.cloned().unwrap_or_else(other), values }
        });
        Report {
            columns: columns.collect(),
            description: Some(self.description),
            summary,
            motion: self.motion,
            contacts: self.contacts.unwrap_or_default(),
            loads: self.loads.unwrap_or_default(),
            sections: self.sections.unwrap_or_default(),
            samples,
            column_t: results.t,
            steps: self.steps,
            events: rows(events).map(ReportEvent::from).collect(),
            unfinished: false,
            problems: Vec::new(),
        }
    }
}

/// Approximate size of the files of motion, loads and sections per sample, bytes.
pub fn bytes_per_sample(r: &Recorder) -> f64 {
    if r.motion.stride() == 0 {
        return 0.0;
    }
    let motion: usize = r.motion.forms().map(|f| f.width()).sum();
    let vectors = |v: &LoadTrack| match v.count() {
        0 => 0.0,
        n => (3 * n + 1) as f64 / v.stride() as f64,
    };
    let row = (motion + 1) as f64 + vectors(&r.loads) + vectors(&r.sections);
    8.1 * row / r.motion.stride() as f64
}

/// Loads at the rows of a motion, up to the first that is not finite: vectors instead of positions.
fn loads(track: &LoadTrack, motion: &MotionTrack) -> MotionFile {
    let mut out = MotionFile {
        forms: vec![PoseForm::Point; track.count()],
        stride: (track.stride() as u64 * motion.stride()) as u32,
        ..MotionFile::default()
    };
    for (k, t) in motion.t().iter().step_by(track.stride()).enumerate() {
        let Some(row) = track.row(k).filter(|r| r.iter().all(|x| x.is_finite())) else { break };
        out.t.push(*t);
        out.coordinates.extend_from_slice(row);
    }
    out
}

/// Contact points of the first `rows` rows, and the places of the events of a log; anything that is not finite is left
/// out.
fn contact_points(track: &ContactTrack, rows: usize, log: &[Event]) -> ContactPoints {
    let record = |row: usize, p: &TouchPoint, force: f64| ContactRow {
        row: row as u32,
        contact: p.contact as u32,
        at: p.at,
        normal: p.normal,
        force,
    };
    let finite =
        |r: &ContactRow| r.at.iter().chain(&r.normal).chain([&r.force]).all(|x| x.is_finite());
    let shown = track.points().iter().take_while(|(r, _)| *r < rows);
    // places are identified by the number of the event; its row is its present position in the log, and its impulse
    // includes what was added since
    let placed: BTreeMap<u64, &TouchPoint> =
        track.events().iter().map(|(id, p)| (*id, p)).collect();
    let event = |(row, e): (usize, &Event)| Some(record(row, placed.get(&e.id)?, e.impulse));
    ContactPoints {
        stride: track.stride() as u32,
        points: shown.map(|(row, p)| record(*row, p, p.force)).filter(finite).collect(),
        events: log.iter().enumerate().filter_map(event).filter(finite).collect(),
    }
}

/// Rows of a track as body frames.
pub fn motion(track: &MotionTrack, rows: impl Iterator<Item = usize>) -> MotionFile {
    let forms: Vec<PoseForm> = track.forms().collect();
    let mut out = MotionFile { stride: track.stride() as u32, ..MotionFile::default() };
    for row in rows {
        let Some(t) = track.t().get(row) else { break };
        out.t.push(*t);
        for (body, form) in forms.iter().enumerate() {
            let Some(pose) = track.pose(row, body) else { continue };
            form.pack(&pose, &mut out.coordinates);
        }
    }
    out.forms = forms;
    out
}

/// An empty motion of the bodies of a scene.
pub fn no_motion(d: &Description) -> MotionFile {
    let form = |kind: &str| PoseForm::from_scene(kind, d.scene.planar);
    let forms = d.scene.bodies.iter().skip(1).map(|b| form(&b.kind)).collect();
    MotionFile { forms, stride: 1, ..MotionFile::default() }
}

/// The log of steps up to the first entry that is not finite.
pub fn steps(log: &StepLog) -> Steps {
    let mut out = Steps::default();
    for row in log.rows() {
        let [position, velocity, acceleration] = row.drift;
        let numbers =
            [row.t, row.h, row.rejected, row.energy_error, position, velocity, acceleration];
        if !numbers.iter().all(|x| x.is_finite()) {
            break;
        }
        for (list, x) in out.lists_mut().into_iter().zip(numbers) {
            list.push(x);
        }
    }
    out
}
