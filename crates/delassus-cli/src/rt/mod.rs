//! `delassus rt`: a model on the clock.
//!
//! Owns the order of things around the loop of `delassus-rt`: what is checked before it, which thread does what while
//! it runs, and what is told and written afterwards. The loop has a thread of its own; this one takes its rows.

mod args;
mod connect;
mod film;
mod keep;
mod report;
mod settings;
mod watch;

pub use args::RtArgs;

use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::files::{Rest, Writer};
use crate::output::Output;
use crate::place::Place;
use crate::prepare::{Prepared, prepare, setup_failure};
use crate::stage::{self, Shared};
use crate::{console, page, run_cmd, signal};
use connect::Connection;
use delassus::sim::ResultSize;
use delassus::sim::realtime::{RealTimeError, RealTimeOptions, StepStatus, Stepper};
use delassus_rt::{
    Counts, Ending, Gate, Layout, Monotonic, Outcome, Parts, Plan, Receiver, Sender, Sent, Tally,
    host, ring,
};
use keep::{Keep, Kept};
use report::RtReport;
use settings::RtSettings;
use std::thread;
use std::time::Duration;
use watch::Watch;

/// Time between two looks for rows.
const NAP: Duration = Duration::from_millis(3);
/// Largest memory of the rows on their way, bytes, and time for which they suffice, s.
const RING: (usize, f64) = (64 << 20, 2.0);

/// Runs it.
pub fn rt(a: &RtArgs) -> Result<Exit, Failure> {
    let s = settings::read(a)?;
    let mut prepared = prepare(&a.model, settings::of_model(a)?)?;
    let system = prepared.model.system.clone();
    let mut options = RealTimeOptions::of(&system, s.grid.period());
    let [contacts, sweeps] = s.contacts;
    options.contacts = contacts.map_or(options.contacts, |n| n as usize);
    options.sweeps = sweeps.map_or(options.sweeps, |n| n as u32);
    let stepper = Stepper::prepare(&prepared.model, &options);
    let stepper = stepper.map_err(|e| refused(&e, &prepared, s.rate))?;
    let (layout, places) = layout(&stepper);
    if a.describe {
        return console::print(&(layout.describe(s.rate).to_string() + "\n"));
    }
    let (every, sample) = interval(a, &s, &prepared);
    let output = folder(a);
    output.check(prepared.places.all_files(), &a.model.model, a.force)?;
    let t0 = prepared.model.state.t;
    if let (Some(path), Some(steps)) = (&output.folder, s.steps) {
        let columns = keep::channels(&system).len();
        let size = ResultSize::new(steps as f64 * s.grid.period(), sample, columns);
        size.check(&prepared.options.limits).map_err(|e| setup_failure(&e, &prepared.places))?;
        prepared.notes.extend(stage::room(path, size)?);
    }
    let end = s.steps.map_or(f64::INFINITY, |n| t0 + n as f64 * s.grid.period());
    if end.is_finite() {
        prepared.options.t_end = end;
    }
    prepared.notes.retain(|n| n.code != "N_INPUT_SPAN");
    prepared.notes.extend(prepared.places.beyond(t0, end));
    let mut link = connect::open(a, &layout, s.rate, &mut prepared.notes)?;
    announce(a, &link, &prepared.notes);
    signal::samples_are_written();
    let shown = output.folder.is_some() || a.live;
    let description = shown.then(|| page::describe(&prepared, &a.model.model));
    let mut place = Place::open(&output)?;
    let watch = match a.live {
        true => Some(Watch::start(description.as_ref(), !a.no_open, !(a.json || a.stdio))?),
        false => None,
    };
    let mut keep = Keep::begin(&system, description.as_ref(), place.as_mut(), watch)?;
    let gate = Gate::new(&layout, a.on_timeout.into(), s.patience);
    let plan = Plan {
        grid: s.grid,
        throttled: !a.unthrottled,
        steps: s.steps,
        on_overrun: a.overrun.into(),
        every,
    };
    let work = Work { stepper, gate, plan, places, priority: s.priority };
    let rows = shown.then(|| rows(&system, s.rate / every as f64));
    let done = go(work, &mut link, rows, &mut keep)?;
    if let Connection::Lines(lines) = &mut link {
        lines.finish();
    }
    let told = Told { a, s: &s, prepared: &prepared, t0, link: &link };
    told.finish(done, keep.finish(), description, &output, place)
}

/// Inputs and outputs: what the model was given is not among its outputs.
fn layout(stepper: &Stepper) -> (Layout, Vec<usize>) {
    let model = stepper.system().model();
    let sensors = model.sensors.iter().enumerate().filter(|(_, s)| !s.given);
    let (places, outputs) = sensors
        .map(|(k, s)| (k, delassus_rt::Output { name: s.name.clone(), unit: s.unit.clone() }))
        .unzip();
    (Layout::new(model.inputs.clone(), outputs), places)
}

/// Steps from row to row, and the interval that this is, s.
fn interval(a: &RtArgs, s: &RtSettings, prepared: &Prepared) -> (u64, f64) {
    let period = s.grid.period();
    let wanted = s.sample.unwrap_or(prepared.options.sample);
    let every = (wanted / period).round().clamp(1.0, 1e15);
    let found = every * period;
    if s.sample.is_some() && !((found - wanted).abs() <= 1e-6 * wanted) && !a.quiet {
        let message = format!("{wanted} s is no multiple of the period: rows are {found} s apart");
        let help = "give a multiple of the period";
        crate::report::warnings(&[Fault::new("N_RT_SAMPLE", "--sample", message).help(help)]);
    }
    (every as u64, found)
}

fn folder(a: &RtArgs) -> Output {
    let default = || (!(a.json || a.stdio)).then(|| keep::default_folder(&a.model.model));
    let folder = a.out.clone().or_else(default);
    Output { folder, csv: None, parquet: None, events: None, states: None }
}

/// A ring for rows that come so many times per second.
fn rows(system: &delassus::model::System, per_second: f64) -> (Sender, Receiver) {
    let width = keep::row_width(system);
    let most = (RING.0 / (8 * width)).max(16);
    ring(((RING.1 * per_second).ceil().clamp(256.0, 1e9) as usize).min(most), width)
}

/// What is printed before the loop.
fn announce(a: &RtArgs, link: &Connection, notes: &[Fault]) {
    if a.quiet {
        return;
    }
    crate::report::warnings(notes);
    if let Connection::Udp(udp) = link
        && let Ok(address) = udp.address()
    {
        console::warn(&format!("listening on {address} (UDP)\n"));
    }
}

/// What the thread of the loop needs.
struct Work {
    stepper: Stepper,
    gate: Gate,
    plan: Plan,
    places: Vec<usize>,
    priority: Option<u8>,
}

/// What it leaves.
struct Done {
    out: Outcome,
    tally: Tally,
    counts: Counts,
    t: f64,
    failure: Option<String>,
    priority: Option<u8>,
    memory: bool,
    notes: Vec<Fault>,
}

/// Runs the loop in a thread of its own, and takes its rows in this one.
fn go(
    work: Work,
    link: &mut Connection,
    rows: Option<(Sender, Receiver)>,
    keep: &mut Keep<'_>,
) -> Result<Done, Failure> {
    let (mut to, mut from) = rows.unzip();
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("loop".to_owned()).stack_size(host::STACK);
        let started = builder.spawn_scoped(scope, move || looped(work, link, to.as_mut()));
        let handle = started.map_err(|e| {
            let message = format!("no thread could be started for the loop: {e}");
            Failure::file(Fault::new("E_LIMIT", "", message).help("allow more threads (ulimit -u)"))
        })?;
        while !handle.is_finished() {
            if from.as_mut().is_none_or(|from| keep.drain(from) == 0) {
                thread::sleep(NAP);
            }
        }
        if let Some(from) = &mut from {
            keep.drain(from);
        }
        handle.join().map_err(|cause| std::panic::resume_unwind(cause))
    })
}

fn looped(work: Work, link: &mut Connection, rows: Option<&mut Sender>) -> Done {
    let Work { mut stepper, mut gate, plan, places, priority } = work;
    let (mut tally, mut clock, mut notes) = (Tally::default(), Monotonic::default(), Vec::new());
    host::touch_stack();
    let mut asked = |code, what: &str, help: &str, done: Result<(), String>| {
        if let Err(e) = &done {
            let message = format!("the system does not grant {what}: {e}");
            notes.push(Fault::new(code, "", message).help(help));
        }
        done.is_ok()
    };
    // nobody is served by a test of endurance that lets nothing else run
    let memory = plan.throttled
        && asked(
            "N_RT_MEMORY",
            "locked memory",
            "raise the limit (ulimit -l), or expect late steps when memory is short",
            host::lock_memory(),
        );
    let priority = priority.filter(|_| plan.throttled).filter(|n| {
        let help = "run as root, with CAP_SYS_NICE or a limit of rtprio, or expect late steps when other programs run (--priority none does not ask)";
        asked("N_RT_PRIORITY", "real-time priority", help, host::prefer(*n))
    });
    let parts = Parts {
        plant: &mut stepper,
        clock: &mut clock,
        link,
        gate: &mut gate,
        tally: &mut tally,
        outputs: &places,
        rows,
    };
    let out = delassus_rt::run(parts, &plan, signal::stopped);
    let (t, failure) = (stepper.time(), stepper.failure());
    Done { out, tally, counts: gate.counts(), t, failure, priority, memory, notes }
}

/// What is known when the loop is over.
struct Told<'a> {
    a: &'a RtArgs,
    s: &'a RtSettings,
    prepared: &'a Prepared,
    t0: f64,
    link: &'a Connection,
}

impl Told<'_> {
    /// Writes files, summary and page, and prints the report.
    fn finish(
        &self,
        done: Done,
        mut kept: Kept,
        description: Option<delassus_report::Description>,
        output: &Output,
        place: Option<Place>,
    ) -> Result<Exit, Failure> {
        let Told { a, prepared, .. } = self;
        let mut r = self.report(done, &kept);
        let view = description.filter(|_| place.is_some()).map(|d| kept.view(d));
        let metadata = [
            ("delassus.version", r.version.to_owned()),
            ("delassus.model", r.model.clone()),
            ("delassus.model_sha256", r.model_sha256.clone()),
            ("delassus.method", r.method.to_owned()),
            ("delassus.status", r.status.to_owned()),
        ];
        let metadata = metadata.map(|(k, v)| (k.to_owned(), v));
        let rest =
            Rest { metadata: &metadata, view: view.as_ref(), events: None, dump: None, page: true };
        let mut samples = kept.stage.as_ref().map(Shared::lock);
        let dir = place.as_ref().map(|p| p.dir().to_owned());
        let written = Writer::write(output, dir.as_deref(), samples.as_deref_mut(), &rest);
        drop(samples);
        r.files = written.map_err(|fault| Failure::file(*fault))?.written().to_vec();
        let json = crate::report::to_json(&r);
        let finished = run_cmd::finish(place.as_ref(), kept.stage.as_ref(), &json, view, &[]);
        let finished = finished.map_err(|fault| Failure::file(*fault))?;
        if let Some(place) = place {
            place.commit()?;
        }
        if let Some(watch) = kept.watch.take() {
            watch.finish(&json);
        }
        if !a.quiet {
            let before = prepared.notes.len();
            crate::report::warnings(&r.notes[before..]);
        }
        if !r.errors.is_empty() {
            crate::report::errors(&r.errors);
        }
        let page = finished.is_none();
        let text = report::text(&r, output.folder.as_deref(), page);
        match (a.json, a.stdio, a.quiet) {
            // lines before it: the object is one of them
            (true, true, _) => {
                console::print(&(serde_json::to_string(&r).unwrap_or_default() + "\n"))?
            }
            (true, ..) => console::print(&json)?,
            (_, true, false) => {
                console::warn(&text);
                Exit::Done
            }
            (_, _, false) => console::print(&text)?,
            _ => Exit::Done,
        };
        if let Some(fault) = finished {
            return Err(Failure::file(*fault));
        }
        Ok(if r.code == Exit::File.code() { Exit::File } else { self.exit(&r) })
    }

    fn exit(&self, r: &RtReport) -> Exit {
        let all = [Exit::Done, Exit::Interrupted, Exit::Deadline, Exit::Numerical];
        all.into_iter().find(|e| e.code() == r.code).unwrap_or(Exit::Internal)
    }

    fn report(&self, done: Done, kept: &Kept) -> RtReport {
        let Told { a, s, prepared, t0, link } = self;
        let period = s.grid.period();
        let Done { out, tally, counts, t, failure, priority, memory, notes } = done;
        let figures = tally.figures(out.clock);
        let (status, mut exit) = report::ending(&out.ending);
        let mut errors: Vec<Fault> =
            self.error(&out.ending, failure.as_deref()).into_iter().collect();
        if let Some(fault) = &kept.fault {
            errors.push(fault.clone());
            exit = if exit == Exit::Done { Exit::File } else { exit };
        }
        let mut all = prepared.notes.clone();
        all.extend(notes);
        all.extend(self.notes(&out, figures.missed, kept));
        let (page_faults, switches) = report::counted(out.usage);
        let (inputs, sent): (Option<Counts>, Option<Sent>) = match link {
            Connection::Alone(_) => (None, None),
            Connection::Udp(udp) => (Some(counts), Some(udp.sent())),
            Connection::Lines(_) => (Some(counts), None),
        };
        RtReport {
            status,
            code: exit.code(),
            model: prepared.model.system.model().title.clone(),
            model_file: delassus::io::model_file::escape(&a.model.model.display().to_string()),
            model_sha256: prepared.hash.clone(),
            version: env!("CARGO_PKG_VERSION"),
            method: "lin-euler",
            step: period,
            rate_hz: s.rate,
            throttled: !a.unthrottled,
            t_start: *t0,
            t_end: t,
            samples: kept.rows,
            rows_lost: out.rows_lost + kept.not_finite,
            max_position_drift: out.drift,
            flags: report::flags(&out),
            inputs,
            sent,
            priority,
            memory_locked: memory,
            page_faults,
            switches,
            verdict: report::judge(&figures, &out, !a.unthrottled, period),
            figures,
            files: Vec::new(),
            notes: all,
            errors,
        }
    }

    /// Why the run ended early.
    fn error(&self, ending: &Ending, failure: Option<&str>) -> Option<Fault> {
        let period_us = self.s.grid.period() * 1e6;
        match ending {
            Ending::Done | Ending::Closed | Ending::Interrupted => None,
            Ending::Overrun(o) => {
                let message = format!(
                    "step {} ended {:.1} µs after its time, {:.6} s after the start; a period has {period_us} µs",
                    o.step, o.late_us, o.at_s
                );
                let help = "choose a lower rate or a smaller model, keep other programs away, or go on with --overrun skip";
                Some(Fault::new("E_RT_OVERRUN", "--overrun", message).help(help))
            }
            Ending::Inputs => {
                let n = self.s.patience;
                let message = format!("no good message with inputs came for more than {n} periods");
                let help = "see what was refused in the figures, raise --timeout, or go on with --on-timeout hold";
                Some(Fault::new("E_RT_INPUT", "--on-timeout", message).help(help))
            }
            Ending::Model => {
                let message = format!(
                    "the model could not make a step: {}",
                    failure.unwrap_or("its result would not be finite")
                );
                let help =
                    "run it with error control first (delassus run), and see `delassus check --rt`";
                Some(Fault::new("E_RT_STEP", "", message).help(help))
            }
        }
    }

    /// What went less well than it could.
    fn notes(&self, out: &Outcome, missed: u64, kept: &Kept) -> Vec<Fault> {
        let mut notes = Vec::new();
        if missed > 0 && !matches!(out.ending, Ending::Overrun(_)) {
            let message = format!("{missed} steps were late: the model fell behind the clock");
            let help = "the figures list them; choose a lower rate, or keep other programs away";
            notes.push(Fault::new("N_RT_LATE", "", message).help(help));
        }
        if report::is_apart(out) {
            let message = format!("the constraints are missed by up to {:.2e}", out.drift);
            let help =
                "a higher rate, or run it with error control; `delassus check` shows redundancy";
            notes.push(Fault::new("N_RT_APART", "", message).help(help));
        }
        let (lost, odd) = (out.rows_lost, kept.not_finite);
        if lost + odd > 0 {
            let message = format!(
                "{} rows are missing in the results: {lost} for lack of room, {odd} with numbers that are not finite",
                lost + odd
            );
            let help = "the loop did not wait for them; sample less often";
            notes.push(Fault::new("N_RT_ROWS", "--sample", message).help(help));
        }
        if let Connection::Lines(lines) = self.link
            && lines.lost() > 0
        {
            let message = format!("{} lines were not read in time and left out", lines.lost());
            notes.push(Fault::new("N_RT_LINES", "--stdio", message).help("read them faster"));
        }
        for (flag, name) in StepStatus::ALL {
            let bit = delassus_rt::status::of_model(flag.bits()).trailing_zeros() as usize % 32;
            let n = out.flagged[bit];
            if n > 0 && !flag.stopped() {
                let message = format!("{n} steps with the flag {name}");
                let help = "the how-to \"Real time\" says what it means";
                notes.push(Fault::new("N_RT_STEP", "", message).help(help));
            }
        }
        notes
    }
}

/// Why a model cannot run so.
fn refused(e: &RealTimeError, prepared: &Prepared, rate: f64) -> Failure {
    let code = e.code();
    let (path, help) = match e {
        RealTimeError::Unstable(_) => ("--rate", "choose a higher rate, or soften what is stiff"),
        RealTimeError::Setting { .. } => ("--rate", "give another value"),
        RealTimeError::Option(_) => ("--method-option", "`delassus methods lin-euler` lists them"),
        RealTimeError::Element { .. } => ("", "run the model with `delassus run`, or leave it out"),
        _ => ("", "`delassus check` shows joints, degrees of freedom and redundancy"),
    };
    let message = format!("at {rate} Hz: {e}");
    let fault = match path {
        "" => prepared.places.fault(code, "", &message),
        option => Fault::new(code, option, message),
    };
    let exit = if code == "E_START" { Exit::Numerical } else { Exit::Input };
    Failure { exit, faults: vec![fault.help(help)] }
}
