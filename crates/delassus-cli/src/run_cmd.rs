//! `delassus run`.

use crate::args::RunArgs;
use crate::checkpoint::{self, Saver};
use crate::dump::{self, Dump};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::{Writer, Written};
use crate::output::Output;
use crate::prepare::{Prepared, prepare, setup_failure};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::{certify_text, console, page, report, signal, summary_text};
use delassus::sim::certify::Certificate;
use delassus::sim::{
    self, Note, Observer, RunOutcome, SimError, SimErrorKind, Simulation, Status, Summary, Tone,
};
use delassus_report::Description;
use serde::Serialize;

/// What is said about a run, on the screen and in summary.json.
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
    /// Things the user should know.
    pub notes: &'a [Fault],
    /// Why the run stopped early.
    pub errors: &'a [Fault],
    /// What independent families of methods say of it, if they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<&'a Certificate>,
}

/// A run that was made.
pub struct Integrated {
    /// Its results.
    pub outcome: RunOutcome,
    /// What other families of methods say of it.
    pub certificate: Option<Certificate>,
    /// What went wrong beside it.
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
    run_watched(a, |prepared, _| {
        let sim = Simulation::new(&prepared.model, &prepared.options);
        integrate(sim.map_err(|e| setup_failure(&e, &prepared.places))?, a, prepared)
    })
}

/// The same with another way to integrate; it gets what the model looks like.
pub fn run_watched(
    a: &RunArgs,
    integrate: impl FnOnce(&Prepared, Option<&Description>) -> Result<Integrated, Failure>,
) -> Result<Exit, Failure> {
    let settings = Settings::read(a).map_err(Failure::input)?;
    let mut prepared = prepare(&a.model, settings)?;
    if a.dump_states.is_some() {
        prepared.options.keep_states = dump::STATES;
    }
    let output = Output::new(a);
    output.check(prepared.places.files(), &a.model.model, a.force)?;
    if !a.quiet {
        report::warnings(&prepared.notes);
    }
    let description = output.folder.is_some().then(|| page::describe(&prepared, &a.model.model));
    prepared.options.keep_motion = description.is_some();
    let Integrated { mut outcome, certificate, note } = integrate(&prepared, description.as_ref())?;
    let errors: Vec<Fault> = outcome.error.iter().map(|e| stopped(e, &prepared)).collect();
    let doubted = outcome.summary.verdict.tone > Tone::Good;
    let exit = match outcome.summary.status {
        Status::Done if certificate.as_ref().is_some_and(|c| !c.certified) => Exit::NotCertified,
        Status::Done if a.strict && doubted => Exit::Doubtful,
        Status::Done => Exit::Done,
        Status::Failed => Exit::Numerical,
        Status::Interrupted => Exit::Interrupted,
    };
    let metadata = outcome.summary.metadata(&prepared.hash);
    let asked = a.dump_states.is_some() && exit == Exit::Numerical;
    let dump = asked.then(|| Dump::new(&prepared.model.system, &outcome.states));
    let view = description.map(|d| page::View::new(d, &mut outcome));
    let has_contacts = prepared.model.system.has_contacts();
    let written = Writer::write(
        &output,
        &outcome.results,
        &metadata,
        view.as_ref(),
        has_contacts.then_some(outcome.events.as_slice()),
        dump.as_ref(),
    );
    let mut writer = written.inspect_err(|_| {
        // Both failures count; the one of the files gives the exit code.
        report::errors(&errors);
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
    if let Some(folder) = &output.folder {
        writer.summary(folder, &json, &outcome.results)?;
        let wanted = view.filter(|_| !a.no_report);
        let html = wanted.map(|v| v.report(&json, &outcome.results, &outcome.events).html());
        writer.page(folder, html.as_deref())?;
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
    Ok(exit)
}

/// Takes a simulation to its end, with a progress bar and checkpoints as the arguments want them.
pub fn integrate(sim: Simulation, a: &RunArgs, prepared: &Prepared) -> Result<Integrated, Failure> {
    signal::listen();
    let mut progress = Progress::new(prepared.model.state.t, prepared.options.t_end, !a.quiet);
    let (every, folder) = (checkpoint::interval(a)?, Output::new(a).folder);
    let Some((every, folder)) = every.zip(folder) else {
        let outcome = sim::watch(sim, &mut progress);
        progress.clear();
        return Ok(outcome.into());
    };
    let mut saver = Saver::new(&mut progress, every, &folder, a, prepared)?;
    let outcome = sim::watch(sim, &mut saver);
    let note = saver.fault.take();
    progress.clear();
    if outcome.summary.status != Status::Interrupted {
        checkpoint::remove(&folder);
    }
    Ok(Integrated { outcome, certificate: None, note })
}

/// Integrates with an observer, and stops on a signal if the observer does.
pub fn watched(prepared: &Prepared, observer: &mut dyn Observer) -> Result<RunOutcome, Failure> {
    signal::listen();
    let outcome = sim::run(&prepared.model, &prepared.options, observer);
    outcome.map_err(|e| setup_failure(&e, &prepared.places))
}

/// A note of the library.
fn noted(note: &Note) -> Fault {
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
    let message = format!("stopped at t = {t} s (step {:.3e} s): {}", e.h, e.detail);
    Fault::new(e.kind.code(), e.blame.join(", "), message).help(&e.help)
}
