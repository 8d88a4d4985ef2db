//! A run as an object: it is created, stepped, examined, saved, restored and finished. Samples on request are in
//! `requests`.

mod requests;

pub use requests::EarlySample;

use crate::blame;
use crate::clock::CpuClock;
use crate::contact::{self, Event};
use crate::contact_track::ContactTrack;
use crate::driver::DriverOptions;
use crate::engine::{Counts, Engine};
use crate::error::{InputError, SetupError, SimError};
use crate::load_track::LoadTrack;
use crate::motion_track::MotionTrack;
use crate::notes::{self, Note};
use crate::options::{RunLimits, RunOptions, check_abilities};
use crate::pace::{MAX_STEPS, Pace};
use crate::planted;
use crate::recorder::Recorder;
use crate::results::Results;
use crate::sample_times::rounding;
use crate::sink::{Patience, Sink, cut_at_non_finite};
use crate::smooth::Smooth;
use crate::state_ring::StateRing;
use crate::step_log::StepLog;
use crate::summary::{Status, Summary};
use crate::verdict::{Verdict, judge};
use delassus_dae::integrator::{MethodId, MethodInfo};
use delassus_dae::{
    Hermite, KktError, Problem, Settings, State, StepFailure, Tolerances, has_room,
};
use delassus_math::memory::{Memory, MemoryError, Remember, restore, save};
use delassus_model::spec::SchemeType;
use delassus_model::{Assembled, AssemblyReport, System};
use std::sync::Arc;
use std::time::Instant;

/// Approximate memory of a run per velocity and per row of a joint, bytes: method, factors, samples, motion.
const BYTES: [f64; 2] = [2600.0, 1600.0];
/// Number of steps between readings of the clock, after as many first ones.
const LOOK_EVERY: u64 = 16;

/// Results and summary, with the error that stopped the run if one did.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// Samples up to the end or to where the run stopped; none if they were passed on.
    pub results: Results,
    /// Summary.
    pub summary: Summary,
    /// Why it stopped early.
    pub error: Option<SimError>,
    /// The last accepted states, as many as were to be kept.
    pub states: StateRing,
    /// Poses of the bodies at the samples, if they were to be kept.
    pub motion: MotionTrack,
    /// Where they touched, and where events happened, if the motion was to be kept.
    pub touches: ContactTrack,
    /// Reactions and applied forces, if the motion was to be kept.
    pub loads: LoadTrack,
    /// Forces and moments in beams, if the motion was to be kept.
    pub sections: LoadTrack,
    /// Log of the steps.
    pub steps: StepLog,
    /// Events at contacts.
    pub events: Vec<Event>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// A run of a model.
///
/// Steps are chosen by the method and do not know an end: [`Simulation::advance_to`] passes the requested time, and
/// [`Simulation::state_at`] looks inside the last step. Samples are taken from the steps and do not shape them. The end
/// in the options determines how far samples and events are kept, nothing else.
///
/// ```
/// use delassus_sim::{RunOptions, Simulation};
///
/// fn run(model: &delassus_model::Assembled) -> Result<(), Box<dyn std::error::Error>> {
///     let options = RunOptions::from_model(model.system.model());
///     let mut sim = Simulation::new(model, &options)?;
///     sim.advance_to(0.5)?;
///     let here = sim.state_at(0.5);
///     let saved = sim.save();
///
///     let mut again = Simulation::restored(model, &options, &saved)?;
///     again.advance_to(1.0)?;
///     let outcome = again.finish();
///     Ok(())
/// }
/// ```
pub struct Simulation {
    sys: Arc<System>,
    start: State,
    start_acceleration: Vec<f64>,
    assembly: AssemblyReport,
    options: RunOptions,
    method: MethodInfo,
    tol: Tolerances,
    engine: Box<dyn Engine>,
    /// Values of the inputs from the end of the last step on.
    inputs: Vec<f64>,
    recorder: Recorder,
    states: StateRing,
    dense: Hermite,
    rejected: u64,
    pace: Pace,
    status: Status,
    error: Option<SimError>,
    clock: Instant,
    cpu: CpuClock,
    /// Time spent before it was restored: elapsed, and of the processor, s.
    spent: [f64; 2],
    /// Whether the user wants to stop.
    stop: fn() -> bool,
}

impl Simulation {
    /// At the start of a model.
    pub fn new(model: &Assembled, opts: &RunOptions) -> Result<Simulation, SetupError> {
        planted::bug("setup");
        let endless = RunOptions { t_end: f64::INFINITY, sample: 1.0, ..opts.clone() };
        let opts = if opts.on_request { &endless } else { opts };
        let sys = model.system.clone();
        let t_start = model.state.t;
        opts.check(t_start)?;
        let choice = opts.choice()?;
        let method = choice.info();
        let tol = Tolerances {
            rtol: opts.rtol.unwrap_or(method.default_rtol),
            // atol is added to the relative part, which is scaled by the model's own size
            atol: opts.atol.unwrap_or(0.0),
        };
        check_abilities(&sys, &method)?;
        let (d, bodies) = (sys.dims(), sys.model().bodies.len());
        // two full matrices of doubles
        let full = if method.full_matrices { 16.0 * (d.nv as f64).powi(2) } else { 0.0 };
        let bytes = BYTES[0] * d.nv as f64 + BYTES[1] * d.n_vel as f64 + full;
        if !has_room(bytes) {
            return Err(SetupError::NoRoom { bodies, rows: d.n_vel, bytes });
        }
        let settings = Settings { tol, options: opts.options.clone(), ..Settings::default() };
        let channels = contact::channels(&sys);
        let (state, derived) = (&model.state, &model.derived);
        let (times, t_end) = ([opts.sample, opts.t_end], opts.t_end);
        let hands_on = opts.hand_on;
        let mut recorder =
            Recorder::with_contacts(&sys, state, derived, times, opts.limits, channels, hands_on)?;
        if opts.on_request {
            recorder.wait_for_requests();
        }
        if opts.keep_motion {
            recorder.track_motion(&sys);
        }
        let states = StateRing::new(opts.keep_states, &model.state, opts.limits.result_bytes)?;
        let driver_opts = DriverOptions {
            tol,
            step: opts.step,
            max_step: opts.max_step.unwrap_or(f64::INFINITY),
            max_steps: opts.max_steps.unwrap_or(MAX_STEPS),
        };
        let (clock, cpu) = (Instant::now(), CpuClock::start());
        let engine: Box<dyn Engine> = match choice.method {
            MethodId::Smooth(id) if !in_contact(&sys, opts) => {
                let made = Smooth::new(
                    sys.clone(),
                    id,
                    settings.clone(),
                    model.state.clone(),
                    driver_opts,
                );
                let smooth = made.map_err(|e| match e {
                    StepFailure::Kkt(e @ KktError::NoRoom { .. }) => SetupError::Kkt(e),
                    _ => SetupError::Setting {
                        code: "E_START",
                        what: "start",
                        message: format!("the method cannot start: {e}"),
                    },
                })?;
                Box::new(smooth)
            }
            method => {
                let runs = contact::Runs { method, settings: &settings, driver: driver_opts };
                Box::new(contact::ContactEngine::new(model, opts, runs, &mut recorder)?)
            }
        };
        match engine.counts().fixed_step {
            None => recorder.audit.expect(tol),
            Some(_) => recorder.watch_steps(&sys),
        }
        recorder.place_events(&sys, until(engine.events(), t_end), [engine.state(); 2]);
        let d = sys.dims();
        let mut sim = Simulation {
            dense: Hermite::new(d.nq, d.nv, d.nz),
            start: model.state.clone(),
            start_acceleration: model.derived.a.clone(),
            assembly: model.report.clone(),
            options: opts.clone(),
            inputs: model.state.z[sys.inputs()].to_vec(),
            sys,
            method,
            tol,
            engine,
            recorder,
            states,
            rejected: 0,
            pace: Pace::new(t_start),
            status: Status::Done,
            error: None,
            clock,
            cpu,
            spent: [0.0; 2],
            stop: || false,
        };
        sim.be_patient();
        Ok(sim)
    }

    /// Continues from where [`Simulation::save`] was called, for the same model with the same options. What follows has
    /// the same bits as without the interruption.
    pub fn restored(
        model: &Assembled,
        opts: &RunOptions,
        saved: &[u8],
    ) -> Result<Simulation, RestoreError> {
        let mut sim = Simulation::new(model, opts)?;
        restore(&mut sim, saved)?;
        Ok(sim)
    }

    /// Everything that the rest of the run depends on, after a step at which it [can pause](Simulation::can_pause).
    pub fn save(&mut self) -> Vec<u8> {
        save(self)
    }

    /// What must be the same when it is restored: sizes, and all settings but the end.
    fn identity(&self) -> String {
        let (t_end, hand_on) = (0.0, false);
        let limits = RunLimits::default();
        let o = RunOptions { t_end, hand_on, limits, ..self.options.clone() };
        format!("{:?} from {:e} s, {o:?}", self.sys.dims(), self.start.t)
    }

    /// Whether it can be saved after this step. If not, it can after one of the next.
    pub fn can_pause(&self) -> bool {
        let recorder = &self.recorder;
        let whole = recorder.closed().is_none() && recorder.left_off().is_none();
        self.error.is_none() && whole && self.engine.can_pause()
    }

    /// From now on passes samples on instead of keeping them, beginning with those that it has: their number costs no
    /// memory. Requires [`RunOptions::hand_on`].
    pub fn hand_to(&mut self, sink: Box<dyn Sink>) {
        self.recorder.hand_to(sink);
    }

    /// From now on also asks whether to stop while one step takes long to record; samples then end inside it. The
    /// caller asks after each step, and [interrupts](Simulation::interrupt) the run.
    pub fn heed(&mut self, stop: fn() -> bool) {
        self.stop = stop;
        self.be_patient();
    }

    fn be_patient(&mut self) {
        let (cpu, limit, stop) = (self.cpu, self.options.limits.cpu_s, self.stop);
        self.recorder.heed(Patience { cpu, limit, stop });
    }

    /// Passes on all samples so far, for example before a saved state is written.
    pub fn hand_on(&mut self) {
        self.recorder.hand_on();
    }

    /// Makes one accepted step and records it. An error ends the run: every further call returns it again.
    pub fn step(&mut self) -> Result<(), SimError> {
        if let Some(e) = &self.error {
            return Err(e.clone());
        }
        let made = self.try_step();
        if let Err(e) = &made {
            self.status = Status::Failed;
            self.error = Some(e.clone());
        }
        made
    }

    fn try_step(&mut self) -> Result<(), SimError> {
        let Simulation { sys, engine, recorder, inputs, .. } = self;
        if engine.state().z[sys.inputs()] != **inputs {
            recorder.forget_power();
            let t = engine.state().t;
            let set = engine.set_inputs(inputs);
            set.map_err(|e| SimError::from_failure(&**sys, &e, t, 0.0))?;
        }
        planted::bug("step");
        if let Err(mut e) = engine.advance() {
            let start = (&self.start, &self.start_acceleration[..]);
            blame::explain(sys, [engine.before(), engine.state()], start, &mut e);
            return Err(e);
        }
        let (t0, t1) = (engine.before().t, engine.state().t);
        self.states.push(engine.state(), t1 - t0);
        planted::bug("record");
        if let Err(e) = engine.record(recorder) {
            let mut e = SimError::from_failure(&**sys, &e, t0, t1 - t0);
            blame::strongest_force(sys, engine.before(), &mut e);
            return Err(e);
        }
        // explicit methods are stopped for their stability within a few steps, which is more informative
        let patience = if self.method.stiff { 1 } else { 10 };
        let by_steps = self.options.scheme == SchemeType::TimeStepping;
        if !by_steps && recorder.audit.gains_from_nowhere(patience) {
            let moved = recorder.audit.moved();
            let mut e = SimError::energy_gained(self.method.name, t1, t1 - t0, moved);
            blame::strongest_force(sys, engine.state(), &mut e);
            return Err(e);
        }
        let events = until(engine.events(), self.options.t_end);
        recorder.place_events(sys, events, [engine.before(), engine.state()]);
        let counts = engine.counts();
        let rejected = counts.rejections.total();
        recorder.steps.add_rejected(rejected - self.rejected);
        self.rejected = rejected;
        recorder.offer()?;
        self.check_work(&counts)
    }

    /// Ends a run that takes more time or memory than allowed, or that will not come to its end.
    fn check_work(&mut self, counts: &Counts) -> Result<(), SimError> {
        let Simulation { sys, engine, options, pace, .. } = self;
        let (before, now) = (engine.before(), engine.state());
        let (h, limits) = (now.t - before.t, options.limits);
        if let Some(t) = self.recorder.left_off().filter(|_| !(self.stop)()) {
            let samples = self.recorder.samples();
            return Err(SimError::too_many_samples(limits.cpu_s, samples, options.sample, t, h));
        }
        if now.t >= options.t_end {
            return Ok(());
        }
        let busy = |mut e: SimError| {
            blame::busy(sys, now, engine.events(), counts.steps, &mut e);
            e
        };
        if engine.events().len() > limits.events {
            return Err(busy(SimError::too_many_events(limits.events, now.t, h)));
        }
        let looks = counts.steps < LOOK_EVERY || counts.steps.is_multiple_of(LOOK_EVERY);
        if limits.cpu_s < f64::INFINITY && looks {
            // the time spent before it was restored belongs to another process
            if self.cpu.seconds() > limits.cpu_s {
                return Err(busy(SimError::out_of_time(limits.cpu_s, counts.steps, now.t, h)));
            }
        }
        // whoever specifies the number of steps gets them
        let free = options.max_steps.is_none() && !options.on_request;
        let limited = counts.limited_by;
        let hopeless = pace.hopeless(counts.steps, now.t, options.t_end, limited.is_some());
        match (hopeless.filter(|_| free), limited) {
            (Some(rest), Some((fastest, stable))) => {
                let able = notes::for_stiff(sys);
                let words = [self.method.name, &*sys.dof_name(fastest.dof)];
                let work = [counts.steps as f64, rest];
                Err(SimError::stiff(words, work, [fastest.rate, stable], [now.t, h], &able))
            }
            (Some(rest), None) => Err(busy(SimError::hopeless(counts.steps, rest, now.t, h))),
            (None, _) => Ok(()),
        }
    }

    /// Steps until the requested time is reached or passed. The state there is available from [`Simulation::state_at`].
    pub fn advance_to(&mut self, t: f64) -> Result<(), SimError> {
        while !self.reached(t) {
            self.step()?;
        }
        Ok(())
    }

    /// The same with a last step that ends at this time, for inputs that are set there. Steps, and with them results
    /// within the tolerance, depend on the requested times.
    pub fn advance_exactly_to(&mut self, t: f64) -> Result<(), SimError> {
        self.engine.set_stop(t);
        let mut made = Ok(());
        // events at this very time happen in the next step
        while made.is_ok() && !self.came_to(t) {
            made = self.step();
        }
        self.engine.set_stop(f64::INFINITY);
        made
    }

    /// Names and values of the inputs, in the order of the model.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.sys.model().inputs.iter().map(|i| i.name.as_str());
        names.zip(self.inputs.iter().copied())
    }

    /// Sets an input from the end of the last step on, in SI units. Samples up to there, and the state, show the
    /// previous value. A rejected value changes nothing, and the run can continue.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), InputError> {
        let inputs = &self.sys.model().inputs;
        match inputs.iter().position(|i| i.name == name) {
            Some(index) => self.set_input_at(index, value),
            None => Err(InputError::Unknown {
                name: name.to_owned(),
                known: inputs.iter().map(|i| i.name.clone()).collect(),
            }),
        }
    }

    /// The same for an input by its index in [`Simulation::inputs`].
    pub fn set_input_at(&mut self, index: usize, value: f64) -> Result<(), InputError> {
        let inputs = &self.sys.model().inputs;
        let Some(input) = inputs.get(index) else {
            return Err(InputError::NoSuchPlace { index, count: inputs.len() });
        };
        if !input.allows(value) {
            return Err(InputError::Value {
                name: input.name.clone(),
                value,
                bounds: input.bounds,
            });
        }
        self.inputs[index] = value;
        Ok(())
    }

    /// Whether it has reached a time, to rounding, and has done everything that happens there.
    pub fn reached(&self, t: f64) -> bool {
        self.came_to(t) && !(self.engine.state().t <= t && self.engine.is_pending())
    }

    fn came_to(&self, t: f64) -> bool {
        let (now, before) = (self.engine.state().t, self.engine.before().t);
        t - now <= rounding(before, now)
    }

    /// State at the end of the last step.
    pub fn state(&self) -> &State {
        self.engine.state()
    }

    /// State at a time inside the last step, by the interpolation that samples come from.
    pub fn state_at(&mut self, t: f64) -> State {
        let mut out = self.engine.state().clone();
        if t < out.t {
            self.engine.interpolate(&mut self.dense, t, &mut out);
        }
        out
    }

    /// The model.
    pub fn system(&self) -> &System {
        &self.sys
    }

    /// The settings of the run.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// Accepted steps so far.
    pub fn steps(&self) -> u64 {
        self.engine.counts().steps
    }

    /// Events at contacts so far, up to the end in the options.
    pub fn events(&self) -> &[Event] {
        until(self.engine.events(), self.options.t_end)
    }

    /// What was recorded so far.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Samples so far that have not been passed on.
    pub fn results(&self) -> &Results {
        &self.recorder.results
    }

    /// The user wants to stop: the outcome will say so.
    pub fn interrupt(&mut self) {
        if self.error.is_none() {
            self.status = Status::Interrupted;
        }
    }

    /// Summary so far, whether or not the end was reached.
    pub fn summary(&self) -> Summary {
        let Simulation { sys, engine, recorder, options, .. } = self;
        let counts = engine.counts();
        let energy = recorder.audit.balance(recorder.steps.rows());
        let tally = engine.contact();
        let (work, r) = (counts.work, counts.rejections);
        let adaptive = counts.fixed_step.is_none();
        let mut summary = Summary {
            status: self.status,
            model: sys.model().title.clone(),
            method: self.method.name.to_owned(),
            scheme: in_contact(sys, options).then_some(options.scheme.name()),
            version: env!("CARGO_PKG_VERSION"),
            rtol: adaptive.then_some(self.tol.rtol),
            atol: adaptive.then_some(self.tol.atol),
            step: counts.fixed_step,
            step_chosen: options.step.is_none() && !adaptive,
            t_start: self.start.t,
            t_end: match recorder.left_off() {
                Some(t) => t,
                None if self.reached(options.t_end) => options.t_end,
                None => engine.state().t,
            },
            steps: counts.steps,
            rejected: r.total(),
            rejected_by_error: r.error,
            rejected_by_convergence: r.convergence + r.non_finite,
            singular_hops: counts.hops,
            first_singular_hop: counts.first_hop,
            branch_changes: counts.branches.0,
            first_branch_change: counts.branches.1.map(|(t, _)| t),
            branch_miss: counts.branches.1.map(|(_, level)| level * sys.length_scale()),
            stiff_since: counts.stiff_since,
            local_errors: counts
                .local_errors
                .map(|n| n * (self.tol.rtol + self.tol.atol / sys.length_scale())),
            evaluations: work.evaluations,
            factorizations: work.factorizations,
            newton_iterations: work.newton,
            projections: work.projections,
            wall_s: self.spent[0] + self.clock.elapsed().as_secs_f64(),
            cpu_s: self.spent[1] + self.cpu.seconds(),
            max_position_drift: recorder.drift[0],
            max_velocity_drift: recorder.drift[1],
            max_sample_position_drift: recorder.sample_drift[0],
            max_sample_velocity_drift: recorder.sample_drift[1],
            stepped_over: recorder.stepped_over.clone(),
            target_jumped: recorder.target_jumped.clone(),
            reversed_steps: recorder.reversed().0,
            reversed_since: recorder.reversed().1,
            max_acceleration_drift: recorder.drift[2],
            energy_error: energy.error,
            energy,
            events: self.events().len() as u64,
            contact_tolerances: tally.is_some().then_some(options.contact),
            contact: tally,
            length: sys.length_scale(),
            rate: recorder.audit.fastest,
            samples: recorder.samples(),
            mobility: self.assembly.mobility,
            assembly_moved: self.assembly.farthest_moved().cloned(),
            start_energy_taken: self.assembly.start_energy[0] - self.assembly.start_energy[1],
            redundant: self.assembly.redundancy.len(),
            rank_gap: self.assembly.rank_gap,
            non_unique_reactions: self.assembly.non_unique.clone(),
            error: self.error.as_ref().map(|e| e.kind.code().to_owned()),
            verdict: Verdict::default(),
        };
        summary.verdict = judge(&summary);
        summary
    }

    /// Ends the run where it is. Non-finite results are never returned: the run counts as failed from there on.
    pub fn finish(mut self) -> RunOutcome {
        planted::bug("finish");
        self.recorder.hand_on();
        let cut = cut_at_non_finite(&mut self.recorder.results);
        if let Some(e) = cut.or_else(|| self.recorder.closed().cloned()) {
            (self.status, self.error) = (Status::Failed, Some(e));
        }
        let summary = self.summary();
        let notes = notes::notes(&self.sys, &self.options, &summary);
        let events = self.events().to_vec();
        let Recorder { results, motion, touches, loads, sections, steps, .. } = self.recorder;
        let (states, error) = (self.states, self.error);
        RunOutcome {
            results,
            summary,
            error,
            states,
            motion,
            touches,
            loads,
            sections,
            steps,
            events,
            notes,
        }
    }
}

impl Remember for Simulation {
    fn remember(&mut self, m: &mut Memory<'_>) {
        m.same_text(&self.identity());
        if m.failed() {
            return;
        }
        let mut spent = [
            self.spent[0] + self.clock.elapsed().as_secs_f64(),
            self.spent[1] + self.cpu.seconds(),
        ];
        spent.remember(m);
        if m.reads() {
            (self.spent, self.clock, self.cpu) = (spent, Instant::now(), CpuClock::start());
            self.be_patient();
        }
        self.engine.remember(m);
        self.inputs.remember(m);
        self.recorder.remember(m);
        self.states.remember(m);
        self.rejected.remember(m);
        self.pace.remember(m);
    }
}

/// Why a run cannot continue from a saved state.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RestoreError {
    /// It could not even be started.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The saved state belongs to another run.
    #[error("what was saved does not fit this run: {0}")]
    Memory(#[from] MemoryError),
}

/// The events of a log up to a time.
fn until(log: &[Event], t: f64) -> &[Event] {
    &log[..log.partition_point(|e| e.t <= t)]
}

/// Whether contacts are treated, or the scheme is one of contact.
fn in_contact(sys: &System, opts: &RunOptions) -> bool {
    sys.has_contacts() || opts.scheme == SchemeType::TimeStepping
}
