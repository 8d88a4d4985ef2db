//! `delassus run`.

use crate::args::RunArgs;
use crate::checkpoint::{self, Saver};
use crate::dump::{self, Dump};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::{Rest, Writer, Written};
use crate::output::{Output, REPORT_HTML, SUMMARY_JSON};
use crate::place::Place;
use crate::prepare::{Prepared, prepare, setup_failure};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::stage::{self, Mark, Nowhere, Shared, Stage, growing};
use crate::trail::Trail;
use crate::{certify_text, console, page, report, signal, summary_text};
use delassus::io::results::{WriteError, atomic_write};
use delassus::sim::certify::Certificate;
use delassus::sim::contact::Event;
use delassus::sim::{
    self, DIAGNOSTICS, Note, Observer, ResultSize, Results, RunOutcome, SimError, SimErrorKind,
    Simulation, Status, Summary, Tone,
};
use delassus_report::{Description, MOTION_BIN};
use serde::Serialize;
use std::io::Write;

/// What is reported about a run, on the screen and in summary.json.
#[derive(Debug, Serialize)]
pub struct RunReport<'a> {
    /// Numbers of the run.
    #[serde(flatten)]
    pub summary: &'a Summary,
    /// Exit code.
    pub code: u8,
    /// The model as named on the command line.
    pub model_file: String,
    /// Identifies the content of the model.
    pub model_sha256: &'a str,
    /// Result files.
    pub files: &'a [Written],
    /// Unknown keys of the model file that were ignored.
    pub ignored_keys: usize,
    /// Notes for the user.
    pub notes: &'a [Fault],
    /// Why the run stopped early.
    pub errors: &'a [Fault],
    /// The judgement of independent families of methods, if they were used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<&'a Certificate>,
}

/// Where the results of a run go while it is in progress.
pub struct Target {
    /// What the model looks like, for pages.
    pub description: Option<Description>,
    /// Where samples are written; none if they are not requested.
    pub place: Option<Place>,
    /// The samples, once there are any.
    pub stage: Option<Shared>,
    /// The stage is a copy of samples that are kept in memory.
    copies: bool,
}

impl Target {
    /// Lets a simulation write its samples as it makes them; `marks` if it continues an earlier run.
    pub fn connect(&mut self, sim: &mut Simulation, marks: Option<&[Mark]>) -> Result<(), Failure> {
        let Some(place) = &mut self.place else {
            sim.hand_to(Box::new(Nowhere));
            return Ok(());
        };
        let scene = self.description.as_ref().map(Description::json);
        let channels = &sim.results().channels;
        let stage = match marks {
            Some(marks) => {
                place.take_up(scene.as_deref(), &growing())?;
                Stage::take_up(place.dir(), channels, marks)?
            }
            None => {
                place.begin(scene.as_deref())?;
                Stage::begin(place.dir(), channels, place.is_folder())?
            }
        };
        stage.lock().expect(page::bytes_per_sample(sim.recorder()));
        sim.hand_to(Box::new(stage.clone()));
        sim.hand_on();
        self.stage = Some(stage);
        Ok(())
    }

    /// Writes the new samples of a run that is kept in memory: they remain if it is killed.
    pub fn fill(&mut self, results: &Results) -> Result<(), Failure> {
        let Some(place) = &mut self.place else { return Ok(()) };
        if self.stage.is_none() {
            let scene = self.description.as_ref().map(Description::json);
            place.begin(scene.as_deref())?;
            self.stage = Some(Stage::begin(place.dir(), &results.channels, place.is_folder())?);
            self.copies = true;
        }
        match &self.stage {
            Some(stage) if self.copies => {
                let filled = stage.lock().fill(results);
                filled.map_err(|fault| self.lost(fault))
            }
            _ => Ok(()),
        }
    }

    /// How far the run had come when a file could not be written, and what is left of it.
    fn lost(&mut self, mut fault: Box<Fault>) -> Failure {
        if let Some(t) = self.stage.as_ref().and_then(|s| s.lock().reached()) {
            fault.message.push_str(&format!("; the run had reached t = {t} s"));
            if let Some(place) = &mut self.place
                && place.keep()
            {
                let kept = format!("; its samples are in {}", place.dir().display());
                fault.message.push_str(&kept);
            }
        }
        Failure::file(*fault)
    }
}

/// A completed integration.
pub struct Integrated {
    /// Its results.
    pub outcome: RunOutcome,
    /// The judgement of other families of methods.
    pub certificate: Option<Certificate>,
    /// What else went wrong.
    pub note: Option<Fault>,
}

impl From<RunOutcome> for Integrated {
    fn from(outcome: RunOutcome) -> Integrated {
        Integrated { outcome, certificate: None, note: None }
    }
}

/// Runs a model and writes its results.
pub fn run(a: &RunArgs) -> Result<Exit, Failure> {
    checkpoint::interval(a)?;
    run_watched(a, true, |prepared, target| {
        let sim = Simulation::new(&prepared.model, &prepared.options);
        let mut sim = sim.map_err(|e| setup_failure(&e, &prepared.places))?;
        target.connect(&mut sim, None)?;
        integrate(sim, a, prepared, target)
    })
}

/// The same with another way to integrate, which forwards samples or keeps them.
pub fn run_watched(
    a: &RunArgs,
    hand_on: bool,
    integrate: impl FnOnce(&Prepared, &mut Target) -> Result<Integrated, Failure>,
) -> Result<Exit, Failure> {
    let settings = Settings::read(&a.how).map_err(Failure::input)?;
    signal::samples_are_written();
    // several concurrent runs have their own clocks
    let limit = settings.max_time().filter(|_| hand_on);
    let time_limit = limit.map(|t| signal::end_after(t, a.json));
    sim::planted::bug("prepare");
    let mut prepared = prepare(&a.model, settings)?;
    if a.dump_states.is_some() {
        prepared.options.keep_states = dump::STATES;
    }
    let output = Output::new(a);
    output.check(prepared.places.all_files(), &a.model.model, a.force)?;
    let (o, t) = (&prepared.options, prepared.model.state.t);
    let columns = prepared.model.system.model().sensors.len() + DIAGNOSTICS.len();
    let size = ResultSize::new(o.t_end - t, o.sample, columns);
    size.check(&o.limits).map_err(|e| setup_failure(&e, &prepared.places))?;
    if let Some(path) = [&output.folder, &output.csv, &output.parquet].into_iter().flatten().next()
    {
        prepared.notes.extend(stage::room(path, size)?);
    }
    if !a.quiet {
        report::warnings(&prepared.notes);
    }
    let description = output.folder.is_some().then(|| page::describe(&prepared, &a.model.model));
    prepared.options.keep_motion = description.is_some();
    prepared.options.hand_on = hand_on;
    let mut target =
        Target { description, place: Place::open(&output)?, stage: None, copies: false };
    sim::planted::bug("run");
    let Integrated { mut outcome, certificate, note } = integrate(&prepared, &mut target)?;
    drop(time_limit);
    target.fill(&outcome.results)?;
    let errors: Vec<Fault> = outcome.error.iter().map(|e| stopped(e, &prepared)).collect();
    let doubted = outcome.summary.verdict.tone > Tone::Good;
    let lost = outcome.error.as_ref().is_some_and(|e| e.kind == SimErrorKind::Output);
    let exit = match outcome.summary.status {
        Status::Done if certificate.as_ref().is_some_and(|c| !c.certified) => Exit::NotCertified,
        Status::Done if a.strict && doubted => Exit::Doubtful,
        Status::Done => Exit::Done,
        Status::Failed if lost => Exit::File,
        Status::Failed => Exit::Numerical,
        Status::Interrupted => Exit::Interrupted,
    };
    sim::planted::bug("write");
    let metadata = outcome.summary.metadata(&prepared.hash);
    let asked = a.dump_states.is_some() && exit == Exit::Numerical;
    let dump = asked.then(|| Dump::new(&prepared.model.system, &outcome.states));
    let view = target.description.take().map(|d| page::View::new(d, &mut outcome));
    let has_contacts = prepared.model.system.has_contacts();
    let rest = Rest {
        metadata: &metadata,
        view: view.as_ref(),
        events: has_contacts.then_some(outcome.events.as_slice()),
        dump: dump.as_ref(),
        page: !a.no_report && view.is_some(),
    };
    let stage = target.stage.clone();
    let mut samples = stage.as_ref().map(Shared::lock);
    let dir = target.place.as_ref().map(|p| p.dir().to_owned());
    let written = Writer::write(&output, dir.as_deref(), samples.as_deref_mut(), &rest);
    drop(samples);
    let writer = written.map_err(|fault| {
        // Both failures are reported; that of the files determines the exit code.
        report::errors(&errors);
        target.lost(fault)
    })?;
    let files = writer.written().to_vec();
    let after: Vec<Fault> = note.into_iter().chain(outcome.notes.iter().map(noted)).collect();
    if !a.quiet {
        report::warnings(&after);
    }
    let notes: Vec<Fault> = prepared.notes.iter().cloned().chain(after).collect();
    let report = RunReport {
        summary: &outcome.summary,
        code: exit.code(),
        model_file: delassus::io::model_file::escape(&a.model.model.display().to_string()),
        model_sha256: &prepared.hash,
        files: &files,
        ignored_keys: prepared.ignored_keys,
        notes: &notes,
        errors: &errors,
        certificate: certificate.as_ref(),
    };
    let json = report::to_json(&report);
    sim::planted::bug("page");
    let (place, stage) = (target.place.as_ref(), target.stage.as_ref());
    let view = view.filter(|_| !a.no_report);
    let finished = finish(place, stage, &json, view, &outcome.events);
    let finished = finished.map_err(|fault| target.lost(fault))?;
    sim::planted::bug("commit");
    if let Some(place) = target.place.take() {
        place.commit()?;
    }
    // a user who frees disk space, or allows more time, can continue from there
    let late = outcome.error.as_ref().is_some_and(|e| e.kind == SimErrorKind::TimeLimit);
    if let (Some(folder), false) = (&output.folder, lost || late || exit == Exit::Interrupted) {
        checkpoint::remove(folder);
    }
    if !errors.is_empty() {
        report::errors(&errors);
    }
    if a.json {
        console::print(&json)?;
    } else if !a.quiet {
        console::print(&summary_text::text(&report, output.folder.as_deref(), !a.no_report))?;
        if let Some(certificate) = &certificate {
            console::print(&certify_text::text(certificate))?;
        }
    }
    match finished {
        Some(fault) => Err(Failure::file(*fault)),
        None => Ok(exit),
    }
}

/// Writes the summary and the page beside the other files of a folder. If the page cannot be written, this is reported,
/// and the rest remains valid.
pub fn finish(
    place: Option<&Place>,
    stage: Option<&Shared>,
    json: &str,
    view: Option<page::View>,
    events: &[Event],
) -> Result<Option<Box<Fault>>, Box<Fault>> {
    let (Some(place), Some(stage)) = (place, stage) else { return Ok(None) };
    let refused = |e: &WriteError| {
        Box::new(Fault::new("E_OUTPUT", "", e.to_string()).help("check the space on the disk"))
    };
    if place.is_folder() {
        let written =
            atomic_write(&place.dir().join(SUMMARY_JSON), |w| Ok(w.write_all(json.as_bytes())?));
        written.map_err(|e| refused(&e))?;
    }
    let Some((view, shown)) = view.zip(stage.lock().shown()) else { return Ok(None) };
    let html = view.report(json, shown, events).html();
    let written =
        atomic_write(&place.dir().join(REPORT_HTML), |w| Ok(w.write_all(html.as_bytes())?));
    Ok(written.err().map(|e| refused(&e)))
}

/// Takes a simulation to its end, with a progress bar and checkpoints as the arguments request.
pub fn integrate(
    mut sim: Simulation,
    a: &RunArgs,
    prepared: &Prepared,
    target: &Target,
) -> Result<Integrated, Failure> {
    sim.heed(signal::stopped);
    let mut progress = Progress::new(prepared.model.state.t, prepared.options.t_end, !a.quiet);
    let (every, folder) = (checkpoint::interval(a)?, Output::new(a).folder);
    let path = target.place.as_ref().filter(|p| p.is_folder()).map(|p| p.dir().join(MOTION_BIN));
    let mut trail = Trail::new(&mut progress, path.as_deref(), sim.recorder());
    let Some(((every, folder), stage)) = every.zip(folder).zip(target.stage.clone()) else {
        let outcome = sim::watch(sim, &mut trail);
        progress.clear();
        return Ok(outcome.into());
    };
    let mut saver = Saver::new(&mut trail, every, &folder, a, prepared, stage)?;
    let outcome = sim::watch(sim, &mut saver);
    let note = saver.fault.take();
    progress.clear();
    Ok(Integrated { outcome, certificate: None, note })
}

/// Integrates with an observer, and stops on a signal if the observer does.
pub fn watched(prepared: &Prepared, observer: &mut dyn Observer) -> Result<RunOutcome, Failure> {
    let outcome = sim::run(&prepared.model, &prepared.options, observer);
    outcome.map_err(|e| setup_failure(&e, &prepared.places))
}

/// A note of the library.
pub fn noted(note: &Note) -> Fault {
    let fault = Fault { t: note.t, ..Fault::new(note.code, note.path, &note.message) };
    match &note.help {
        Some(help) => fault.help(help),
        None => fault,
    }
}

fn stopped(e: &SimError, prepared: &Prepared) -> Fault {
    if e.kind == SimErrorKind::NotFinite {
        let fault = prepared.places.fault(e.kind.code(), &e.blame.join(", "), &e.detail);
        return fault.help(&e.help);
    }
    let t = summary_text::brief(e.t);
    if e.kind == SimErrorKind::Output {
        let message = format!("stopped at t = {t} s, up to where samples are kept: {}", e.detail);
        return Fault::new(e.kind.code(), "", message).help(&e.help);
    }
    let message = format!("stopped at t = {t} s (step {:.3e} s): {}", e.h, e.detail);
    Fault::new(e.kind.code(), e.blame.join(", "), message).help(&e.help)
}
