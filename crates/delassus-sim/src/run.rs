//! One run of an assembled model, from settings to results.

use crate::blame;
use crate::clock::CpuClock;
use crate::contact::{self, Event};
use crate::contact_track::ContactTrack;
use crate::driver::{Driver, DriverOptions, Stepped};
use crate::engine::{Engine, Smooth};
use crate::error::{SetupError, SimError};
use crate::load_track::LoadTrack;
use crate::motion_track::MotionTrack;
use crate::recorder::{MEMORY_LIMIT, Recorder, Results};
use crate::state_ring::StateRing;
use crate::step_log::StepLog;
use crate::summary::{Status, Summary};
use crate::verdict::{Verdict, judge};
use delassus_dae::integrator::{
    self, Abilities, METHODS, MethodInfo, catalogue, described, info, make,
};
use delassus_dae::{Options, Problem, Settings, Tolerances};
use delassus_model::spec::SchemeType;
use delassus_model::{Assembled, ContactTolerances, Model, System};

/// Settings of a run; `None` = the method's default.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// Method by name. Where the scheme is time-stepping and this is a method of smooth motion, it is
    /// not used, and `moreau-jean` is.
    pub method: String,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Fixed step, s.
    pub step: Option<f64>,
    /// Largest adaptive step, s.
    pub max_step: Option<f64>,
    /// Largest number of steps.
    pub max_steps: Option<u64>,
    /// Options that only some methods have.
    pub options: Options,
    /// How contacts are treated, for models that have them; a time-stepping method needs its own
    /// scheme.
    pub scheme: SchemeType,
    /// Tolerances of contact.
    pub contact: ContactTolerances,
    /// End time, s.
    pub t_end: f64,
    /// Sample interval, s.
    pub sample: f64,
    /// How many of the last accepted states are kept for a look at what went wrong.
    pub keep_states: usize,
    /// Keep where all bodies were at the samples, for pictures of the motion.
    pub keep_motion: bool,
    /// Largest size of the results in memory, bytes; 4 GiB when left out.
    pub max_result_bytes: Option<u64>,
}

impl RunOptions {
    /// What the model file asks for. Its options for other methods than the chosen one stay
    /// behind.
    pub fn from_model(m: &Model) -> RunOptions {
        RunOptions::for_method(m, &m.method.name)
    }

    /// The same with another method, which takes those options of the file that it has. A
    /// time-stepping method brings its scheme; instead of time-stepping another one is hybrid.
    pub fn for_method(m: &Model, name: &str) -> RunOptions {
        let mut options = m.method.options.clone();
        if let Some(method) = described(name) {
            options.retain(|name| method.option(name).is_some());
        }
        let scheme = match m.method.scheme {
            _ if integrator::stepping(name).is_some() => SchemeType::TimeStepping,
            SchemeType::TimeStepping => SchemeType::Hybrid,
            other => other,
        };
        RunOptions {
            method: name.to_owned(),
            rtol: m.method.rtol,
            atol: m.method.atol,
            step: m.method.step,
            max_step: m.method.max_step,
            max_steps: m.method.max_steps,
            options,
            scheme,
            contact: m.contact_tolerances,
            t_end: m.analysis.end,
            sample: m.analysis.sample,
            keep_states: 0,
            keep_motion: false,
            max_result_bytes: None,
        }
    }

    /// Checks the settings against each other and against the start time.
    pub fn check(&self, t_start: f64) -> Result<(), SetupError> {
        let bad = |code, what, message: String| Err(SetupError::Setting { code, what, message });
        let Some(method) = described(&self.method) else {
            let known: Vec<&'static str> = catalogue().map(|m| m.name).collect();
            let suggestion =
                delassus_expr::suggest(&self.method, known.iter().copied()).map(str::to_owned);
            return Err(SetupError::UnknownMethod { name: self.method.clone(), suggestion, known });
        };
        if integrator::stepping(&self.method).is_some() && self.scheme != SchemeType::TimeStepping {
            let message = format!(
                "{} is a method of time-stepping, but the scheme is \"{}\"",
                self.method,
                self.scheme.name()
            );
            return bad("E_METHOD_SCHEME", "scheme", message);
        }
        let span = self.t_end - t_start;
        if !(span > 0.0 && span.is_finite()) {
            return bad(
                "E_TIME_SPEC",
                "end",
                format!("the end ({} s) must be after the start ({t_start} s)", self.t_end),
            );
        }
        if !(self.sample > 0.0 && self.sample.is_finite()) {
            return bad(
                "E_TIME_SPEC",
                "sample",
                format!("the sample interval ({} s) must be positive", self.sample),
            );
        }
        for (what, value) in [("step", self.step), ("max_step", self.max_step)] {
            if let Some(h) = value
                && !(h > 0.0 && h.is_finite())
            {
                return bad("E_TIME_SPEC", what, format!("{what} ({h} s) must be positive"));
            }
        }
        if let Some(h) = self.step
            && h > span
        {
            return bad(
                "E_TIME_SPEC",
                "step",
                format!("the step ({h} s) is longer than the run ({span} s)"),
            );
        }
        if let Some(r) = self.rtol
            && !((1e-14..1.0).contains(&r))
        {
            return bad(
                "E_TOLERANCE",
                "rtol",
                format!("rtol ({r}) must be at least 1e-14 and below 1"),
            );
        }
        if let Some(a) = self.atol
            && !(a > 0.0 && a.is_finite())
        {
            return bad("E_TOLERANCE", "atol", format!("atol ({a}) must be positive"));
        }
        self.options.check(&method)?;
        Ok(())
    }

    /// The method that runs.
    fn effective(&self) -> Option<MethodInfo> {
        let named = described(&self.method)?;
        let smooth = info(&self.method).is_some();
        let replaced = smooth && self.scheme == SchemeType::TimeStepping;
        Some(if replaced { integrator::MOREAU_JEAN } else { named })
    }
}

/// What the equations need of a method. Singular positions are not known before the run.
fn needs(p: &System) -> Abilities {
    let (d, s) = (p.dims(), p.structure());
    Abilities {
        redundant: s.independent_rows.is_some(),
        delicate: s.rank.holds_by_a_thread(),
        singular: false,
        rolling: d.n_vel > d.n_pos,
        auxiliary: d.nz > 0,
        massless: s.mass_floor.iter().any(|m| *m > 0.0),
        events: p.has_contacts(),
    }
}

/// Methods that can run these equations.
pub fn able_methods(p: &System) -> Vec<MethodInfo> {
    let needs = needs(p);
    METHODS.iter().filter(|m| m.can.missing(&needs).is_empty()).copied().collect()
}

/// Refuses a method that cannot do what the equations need, and names those that can.
fn check_abilities(p: &System, method: &MethodInfo) -> Result<(), SetupError> {
    let missing = method.can.missing(&needs(p));
    if missing.is_empty() {
        return Ok(());
    }
    Err(SetupError::MethodCannot {
        method: method.name,
        missing,
        able: able_methods(p).iter().map(|m| m.name).collect(),
    })
}

/// Hears of progress and may stop the run.
pub trait Observer {
    /// Called after every accepted step.
    fn stepped(&mut self, t: f64, steps: u64);
    /// Called after every accepted step with all that is recorded so far.
    fn recorded(&mut self, _: &Recorder) {}
    /// Called after every accepted step with the log of events so far.
    fn happened(&mut self, _: &[Event]) {}
    /// True when the run is to stop after this step.
    fn stop(&self) -> bool;
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn stepped(&mut self, _: f64, _: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

/// Results and summary, with the error that stopped the run if one did.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// Samples up to the end or to where the run stopped.
    pub results: Results,
    /// Summary.
    pub summary: Summary,
    /// Why it stopped early.
    pub error: Option<SimError>,
    /// The last accepted states, as many as were to be kept.
    pub states: StateRing,
    /// Where the bodies were at the samples, if that was to be kept.
    pub motion: MotionTrack,
    /// Where they touched, and where events happened, if the motion was to be kept.
    pub touches: ContactTrack,
    /// Reactions and applied forces, if the motion was to be kept.
    pub loads: LoadTrack,
    /// What the steps were like.
    pub steps: StepLog,
    /// What happened at contacts.
    pub events: Vec<Event>,
}

/// Runs an assembled model.
pub fn run(
    model: &Assembled,
    opts: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, SetupError> {
    let sys = &model.system;
    let t_start = model.state.t;
    opts.check(t_start)?;
    let method = opts.effective().ok_or_else(|| unknown(&opts.method))?;
    let tol = Tolerances {
        rtol: opts.rtol.unwrap_or(method.default_rtol),
        // atol is added to the relative part, which is scaled by the model's own size
        atol: opts.atol.unwrap_or(0.0),
    };
    check_abilities(sys, &method)?;
    let settings = Settings { tol, options: opts.options.clone(), ..Settings::default() };
    let memory = opts.max_result_bytes.unwrap_or(MEMORY_LIMIT);
    let channels = contact::channels(sys);
    let (state, derived) = (&model.state, &model.derived);
    let (sample, t_end) = (opts.sample, opts.t_end);
    let mut recorder =
        Recorder::with_contacts(sys, state, derived, sample, t_end, memory, channels)?;
    if opts.keep_motion {
        recorder.track_motion(sys);
    }
    let mut states = StateRing::new(opts.keep_states, &model.state, memory)?;
    let driver_opts = DriverOptions {
        tol,
        step: opts.step,
        max_step: opts.max_step.unwrap_or(f64::INFINITY),
        max_steps: opts.max_steps.unwrap_or(100_000_000),
        t_end: opts.t_end,
        pass_end: true,
    };
    let clock = std::time::Instant::now();
    let cpu = CpuClock::start();
    let mut error = None;
    let mut status = Status::Done;
    let by_steps = opts.scheme == SchemeType::TimeStepping;
    let mut engine: Box<dyn Engine + '_> = if sys.has_contacts() || by_steps {
        let runs = contact::Runs { method, settings: &settings, driver: driver_opts };
        Box::new(contact::ContactEngine::new(model, opts, runs, &mut recorder)?)
    } else {
        let method = make(&opts.method, sys, &settings).ok_or_else(|| unknown(&opts.method))??;
        let driver = Driver::new(sys, method, model.state.clone(), driver_opts);
        let driver = driver.map_err(|e| SetupError::Setting {
            code: "E_START",
            what: "start",
            message: format!("the method cannot start: {e}"),
        })?;
        Box::new(Smooth { sys, driver, fed: 0.0 })
    };
    match engine.counts().fixed_step {
        None => recorder.audit.expect(tol),
        Some(_) => recorder.watch_time(sys),
    }
    // explicit methods are stopped for their stability within a few steps, which says more
    let gained = if method.stiff { 1 } else { 10 };
    let mut rejected = 0;
    recorder.place_events(sys, engine.events(), [engine.state(); 2]);
    loop {
        match engine.advance() {
            Ok(Stepped::Finished) => break,
            Ok(Stepped::Step) => {
                let (t0, t1) = (engine.before().t, engine.state().t);
                states.push(engine.state(), t1 - t0);
                if let Err(e) = engine.record(&mut recorder) {
                    status = Status::Failed;
                    let mut e = SimError::from_failure(sys, &e, t0, t1 - t0);
                    blame::strongest_force(sys, engine.before(), &mut e);
                    error = Some(e);
                    break;
                }
                if !by_steps && recorder.audit.from_nowhere(gained) {
                    status = Status::Failed;
                    let moved = recorder.audit.moved();
                    error = Some(SimError::energy_gained(method.name, t1, t1 - t0, moved));
                    break;
                }
                recorder.place_events(sys, engine.events(), [engine.before(), engine.state()]);
                let counts = engine.counts();
                let now = counts.rejections.total();
                recorder.steps.add_rejected(now - rejected);
                rejected = now;
                observer.stepped(t1.min(t_end), counts.steps);
                observer.recorded(&recorder);
                observer.happened(engine.events());
                if observer.stop() {
                    status = Status::Interrupted;
                    break;
                }
            }
            Err(mut e) => {
                status = Status::Failed;
                let start = (&model.state, &model.derived.a[..]);
                blame::explain(sys, [engine.before(), engine.state()], start, &mut e);
                error = Some(e);
                break;
            }
        }
    }
    let counts = engine.counts();
    let events = engine.events().to_vec();
    let tally = engine.contact();
    let energy = recorder.audit.balance(recorder.steps.rows());
    let t_reached = engine.state().t.min(t_end);
    drop(engine);
    let (wall_s, cpu_s) = (clock.elapsed().as_secs_f64(), cpu.seconds());
    let (work, r) = (counts.work, counts.rejections);
    let scheme = (sys.has_contacts() || by_steps).then_some(opts.scheme);
    let mut summary = Summary {
        status,
        model: sys.model().title.clone(),
        method: method.name.to_owned(),
        scheme: scheme.map(SchemeType::name),
        version: env!("CARGO_PKG_VERSION"),
        rtol: counts.fixed_step.is_none().then_some(tol.rtol),
        atol: counts.fixed_step.is_none().then_some(tol.atol),
        step: counts.fixed_step,
        step_chosen: opts.step.is_none() && counts.fixed_step.is_some(),
        t_start,
        t_end: t_reached,
        steps: counts.steps,
        rejected: r.total(),
        rejected_by_error: r.error,
        rejected_by_convergence: r.convergence + r.non_finite,
        singular_hops: counts.hops,
        first_singular_hop: counts.first_hop,
        stiff_since: counts.stiff_since,
        evaluations: work.evaluations,
        factorizations: work.factorizations,
        newton_iterations: work.newton,
        projections: work.projections,
        wall_s,
        cpu_s,
        max_position_drift: recorder.drift[0],
        max_velocity_drift: recorder.drift[1],
        max_sample_position_drift: recorder.sample_drift[0],
        max_sample_velocity_drift: recorder.sample_drift[1],
        stepped_over: recorder.stepped_over.clone(),
        max_acceleration_drift: recorder.drift[2],
        energy_error: energy.error,
        energy,
        events: events.len() as u64,
        contact_tolerances: tally.is_some().then_some(opts.contact),
        contact: tally,
        length: sys.length_scale(),
        rate: recorder.audit.fastest,
        samples: recorder.results.t.len() as u64,
        mobility: model.report.mobility,
        redundant: model.report.redundancy.len(),
        rank_gap: model.report.rank_gap,
        non_unique_reactions: model.report.non_unique.clone(),
        error: error.as_ref().map(|e| e.kind.code().to_owned()),
        verdict: Verdict::default(),
    };
    summary.verdict = judge(&summary);
    let Recorder { results, motion, touches, loads, steps, .. } = recorder;
    Ok(RunOutcome { results, summary, error, states, motion, touches, loads, steps, events })
}

fn unknown(name: &str) -> SetupError {
    SetupError::UnknownMethod {
        name: name.to_owned(),
        suggestion: None,
        known: catalogue().map(|m| m.name).collect(),
    }
}
