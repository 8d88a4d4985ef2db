//! A model with contacts, run with events, by time-stepping, or with both.

use super::channels::{CHANNELS, Contacts};
use super::compliant::first_step;
use super::event::{Event, EventKind, EventLog};
use super::event_driven::{EventDriven, Halt, MakeError, MakeMethod};
use super::failures::{halt_error, start_failed, step_failed, too_many_steps};
use super::following::{FOLLOWING, FREE_FLIGHT, IMPACT};
use super::resolve::PASSAGE;
use super::stretch::Stepping;
use super::tally::{ContactTally, Occurrences};
use super::yielding::Handed;
use crate::driver::{DriverOptions, StepView};
use crate::engine::{Counts, Engine};
use crate::error::{SetupError, SimError};
use crate::options::RunOptions;
use crate::recorder::{Dynamics, Recorder};
use crate::touch::PointForce;
use delassus_dae::integrator::{MethodId, SmoothId, SteppingId};
use delassus_dae::{
    Derived, Hermite, KktError, Options, PointLaw, Problem, Settings, State, StepFailure,
    Unilateral,
};
use delassus_math::memory::{Memory, Remember};
use delassus_model::spec::SchemeType as Scheme;
use delassus_model::{Assembled, ContactTolerances, DEFAULT_SMOOTH, System};
use delassus_nonsmooth::{Active, Pressed, SlipState, stepping};
use std::sync::Arc;

/// The method for modes that are stiff by friction in space.
const STIFF: SmoothId = SmoothId::Radau5;
/// Number of steps of one passage of the hybrid.
const STEPS: f64 = 20.0;
/// Time within which new trouble counts as the same, in [`super::Thresholds::dense`].
const SOON: f64 = 100.0;
/// Default step of time-stepping, in characteristic times.
const STEP: f64 = 1e-3;
/// Longest step of a passage, in [`super::Thresholds::crowded`].
const LONGEST: f64 = 0.1;

/// Runs a model with contacts.
pub(crate) struct ContactEngine {
    sys: Arc<System>,
    events: EventDriven<System>,
    scheme: Scheme,
    tolerances: ContactTolerances,
    hand_overs: Occurrences,
    /// Time-stepping, once it was needed, and whether it is on.
    stepping: Option<Stepping<System>>,
    stepped: bool,
    /// Hand-overs in a row, each shortly after the one before, and the time of the last.
    in_a_row: u32,
    last_hand_back: f64,
    /// Why time-stepping takes over at the next step.
    waiting: Option<Halt>,
    max_steps: u64,
    /// Steps end at this time at the latest, s.
    stop: f64,
    /// The last step; taken out while it is recorded.
    last: Option<Box<Last>>,
    contacts: Contacts,
    look: Look,
    /// Time of the state that the event-driven part evaluated last, s.
    evaluated: f64,
    log: EventLog,
    /// Number of events of the event-driven part that are already in `log`.
    taken: usize,
    lost: f64,
    fed: f64,
}

/// A step with the multipliers of the model alone.
struct Last {
    from: State,
    to: State,
    d0: Derived,
    d1: Derived,
}

impl Last {
    /// Takes over the last step of an engine.
    fn copy(&mut self, engine: &ContactEngine) {
        if let Some(s) = engine.on() {
            self.from.copy_from(&s.from);
            self.to.copy_from(&s.to);
            self.d0.copy_from(s.derived());
            self.d1.copy_from(s.derived());
            return;
        }
        let (view, mode) = (engine.events.view(), engine.events.mode());
        self.from.copy_from(view.from);
        self.to.copy_from(view.to);
        for (own, d) in [(&mut self.d0, view.d0), (&mut self.d1, view.d1)] {
            own.a.copy_from_slice(&d.a);
            own.zdot.copy_from_slice(&d.zdot);
            mode.base_multipliers(&d.lambda, &mut own.lambda);
        }
    }
}

/// The state that time-stepping evaluated last, and scratch to evaluate it.
struct Look {
    sample: State,
    ws: <System as Problem>::Ws,
    point: delassus_dae::ContactPoint,
}

/// What a run is created with.
pub(crate) struct Runs<'a> {
    /// The method that runs, of time-stepping with that scheme.
    pub method: MethodId,
    pub settings: &'a Settings,
    pub driver: DriverOptions,
}

impl ContactEngine {
    pub fn new(
        model: &Assembled,
        opts: &RunOptions,
        Runs { method, settings, driver }: Runs<'_>,
        recorder: &mut Recorder,
    ) -> Result<ContactEngine, SetupError> {
        let sys = model.system.clone();
        let by_steps = opts.scheme == Scheme::TimeStepping;
        let scheme = stepping_scheme(method, &opts.options);
        // with time-stepping the event-driven part is idle
        let (id, settings) = match method {
            MethodId::Stepping(_) => (DEFAULT_SMOOTH, Settings::default()),
            MethodId::Smooth(id) => (id, settings.clone()),
        };
        let makes = |id: SmoothId, settings: Settings| -> MakeMethod<System> {
            Box::new(move |m: &_| id.make(m, &settings).map_err(MakeError::from))
        };
        let stiff = (!method.info().stiff && driver.step.is_none()).then(|| {
            let settings = Settings { options: Options::default(), ..settings.clone() };
            makes(STIFF, settings)
        });
        let mut events = EventDriven::new(sys.clone(), makes(id, settings), &model.state, driver)
            .map_err(|h| SetupError::Contacts(halt_error(&sys, h, model.state.t)))?;
        if let Some(stiff) = stiff {
            events = events.with_stiff(stiff);
        }
        events = events.with_tolerances(opts.contact);
        if opts.scheme == Scheme::Hybrid {
            events = events.leaving_large_problems();
        }
        let d = sys.dims();
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        let mut engine = ContactEngine {
            contacts: Contacts::new(&sys),
            look: Look {
                sample: model.state.clone(),
                ws: sys.workspace(),
                point: delassus_dae::ContactPoint::default(),
            },
            sys,
            events,
            scheme: opts.scheme,
            tolerances: opts.contact,
            hand_overs: Occurrences::default(),
            stepping: None,
            stepped: false,
            in_a_row: 0,
            last_hand_back: f64::NEG_INFINITY,
            waiting: None,
            max_steps: driver.max_steps,
            stop: f64::INFINITY,
            last: Some(Box::new(Last {
                from: model.state.clone(),
                to: model.state.clone(),
                d0: derived.clone(),
                d1: derived,
            })),
            evaluated: model.state.t,
            log: EventLog::default(),
            taken: 0,
            lost: 0.0,
            fed: 0.0,
        };
        if by_steps {
            let h = driver.step.unwrap_or_else(|| STEP / engine.events.driver().rate());
            let s = &model.state;
            let pull = gravity_norm(&engine.sys);
            let mut stepping = Stepping::new(&*engine.sys, scheme, s, h, pull, &opts.contact)?;
            let none = Handed::default();
            let restarted = stepping.take_over(&*engine.sys, s, h, f64::INFINITY, none);
            restarted.map_err(|e| start_failed(&e))?;
            engine.stepping = Some(stepping);
            engine.stepped = true;
        } else if let Err(halt) = engine.events.resume(&model.state) {
            let start = model.state.clone();
            engine.start_stepping(halt, start).map_err(SetupError::Contacts)?;
        }
        engine.take_events();
        let sys = engine.sys.clone();
        recorder.restart_with(&sys, &mut engine).map_err(|e| start_failed(&e))?;
        Ok(engine)
    }

    /// Moves new events of the event-driven part to the log of the run.
    fn take_events(&mut self) {
        for e in &self.events.log[self.taken..] {
            self.log.push(e.clone());
        }
        self.taken = self.events.log.len();
    }

    /// One step of time-stepping; the event-driven method continues after it if everything is calm.
    fn advance_stepping(&mut self) -> Result<(), SimError> {
        let th = self.events.thresholds();
        let Some(stepping) = &mut self.stepping else { return self.advance_events() };
        if self.scheme == Scheme::Hybrid && stepping.is_calm() {
            let t = stepping.to.t;
            self.stepped = false;
            self.last_hand_back = t;
            self.log.push(Event::without_jump(t, EventKind::HandBack, None));
            let state = stepping.to.clone();
            self.events.take_over_pressed(stepping.hand_over_pressed());
            let resumed = self.events.resume(&state);
            return match resumed {
                Ok(()) => self.advance_events(),
                // the driver of events is still where it ended last
                Err(halt) => self.hand_over(halt, state),
            };
        }
        let (t, h) = (stepping.to.t, stepping.h);
        if stepping.steps >= self.max_steps {
            return Err(too_many_steps(stepping.steps, t, h));
        }
        let made = stepping.advance(&*self.sys, &th, self.stop, &mut self.log);
        made.map_err(|e| step_failed(&self.sys, &e, t, h))
    }

    fn advance_events(&mut self) -> Result<(), SimError> {
        if let Some(halt) = self.waiting.take() {
            return self.hand_over(halt, self.events.state().clone());
        }
        let made = self.events.advance();
        self.take_events();
        if let Err(halt) = made {
            return self.hand_over(halt, self.events.state().clone());
        }
        if self.scheme == Scheme::Hybrid {
            self.waiting = self.events.crawl();
        }
        Ok(())
    }

    /// Time-stepping takes over from a state where the event-driven method cannot continue.
    fn hand_over(&mut self, halt: Halt, from: State) -> Result<(), SimError> {
        self.start_stepping(halt, from)?;
        self.advance_stepping()
    }

    fn start_stepping(&mut self, halt: Halt, s: State) -> Result<(), SimError> {
        self.take_events();
        let t = s.t;
        if self.scheme != Scheme::Hybrid || matches!(halt, Halt::Error(_)) {
            return Err(halt_error(&self.sys, halt, t));
        }
        let th = self.events.thresholds();
        let cause = match &halt {
            Halt::Accumulation { point, .. } => Some(*point),
            Halt::Storm { storm, .. } => storm.points.first().copied(),
            _ => None,
        };
        // how long the trouble is expected to last; longer if it returns soon
        let lasts = match &halt {
            Halt::Accumulation { rest, .. } => rest.max(0.1 * th.dense),
            Halt::Storm { lasts, .. } => *lasts,
            Halt::TooMany(_) => th.crowded,
            _ => PASSAGE * th.dense,
        };
        let soon = t - self.last_hand_back < lasts.max(SOON * th.dense);
        self.in_a_row = if soon { self.in_a_row + 1 } else { 0 };
        let least = lasts * f64::from(1 << self.in_a_row.min(20));
        let h = (least / STEPS).min(LONGEST * th.crowded).max(1e-13 * t.abs());
        let handed = self.events.hand_over_pressed();
        // compliant contacts are resolved meanwhile
        let shown = handed.0.iter().filter(|p| !p.slack);
        let shown = shown.filter_map(|p| first_step(&*self.sys, p.id, &p.onset));
        let h = shown.fold(h, f64::min);
        let mut stepping = match self.stepping.take() {
            Some(s) => s,
            None => self.passage(&s, h).map_err(|e| step_failed(&self.sys, &e.into(), t, h))?,
        };
        let taken = stepping.take_over(&*self.sys, &s, h, least, handed);
        taken.map_err(|e| step_failed(&self.sys, &e, t, h))?;
        self.stepping = Some(stepping);
        self.stepped = true;
        self.note(t, EventKind::HandOver);
        self.hand_overs.add(t, cause.map(|id| self.sys.point_name(id)));
        Ok(())
    }

    /// Time-stepping of the hybrid.
    fn passage(&self, s: &State, h: f64) -> Result<Stepping<System>, KktError> {
        let (sys, pull) = (&*self.sys, gravity_norm(&self.sys));
        Stepping::new(sys, HAND_OVER, s, h, pull, &self.tolerances)
    }

    fn note(&mut self, t: f64, kind: EventKind) {
        self.log.push(Event::without_jump(t, kind, None));
    }

    /// Passes the last step to a recorder that calls the engine back, and therefore needs it separately.
    fn with_last(
        &mut self,
        see: impl FnOnce(&System, &StepView<'_>, &mut dyn Dynamics) -> Result<(), StepFailure>,
    ) -> Result<(), StepFailure> {
        let Some(mut last) = self.last.take() else { return Ok(()) };
        last.copy(self);
        let Last { from, to, d0, d1 } = &*last;
        let sys = self.sys.clone();
        let seen = see(&sys, &StepView { from, d0, to, d1 }, self);
        self.last = Some(last);
        seen
    }

    /// Energy that compliant contacts store at the state that time-stepping evaluated last.
    fn look_at_pressed(&mut self) {
        let Some(stepping) = &mut self.stepping else { return };
        let Look { sample: s, ws, point } = &mut self.look;
        stepping.stored = 0.0;
        if stepping.has_pressed() {
            self.sys.realize_position(s.t, &s.q, &s.z, ws);
            stepping.stored = stepping.stored_at(&*self.sys, ws, point);
        }
    }

    /// Time-stepping, where it is on.
    fn on(&self) -> Option<&Stepping<System>> {
        self.stepping.as_ref().filter(|_| self.stepped)
    }
}

impl Remember for ContactEngine {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let there = m.case(u8::from(self.stepping.is_some()), 2) == 1;
        if there && self.stepping.is_none() {
            // its initial content is overwritten
            match self.passage(&self.look.sample, 1.0) {
                Ok(stepping) => self.stepping = Some(stepping),
                Err(_) => m.fail("time-stepping cannot be begun"),
            }
        }
        if !there {
            self.stepping = None;
        }
        let ContactEngine {
            events,
            hand_overs,
            stepping,
            stepped,
            in_a_row,
            last_hand_back,
            log,
            taken,
            lost,
            fed,
            // the engine does not pause while something is waiting
            waiting: _,
            // what it is created with, and scratch
            sys: _,
            scheme: _,
            tolerances: _,
            max_steps: _,
            stop: _,
            last: _,
            contacts: _,
            look: _,
            evaluated: _,
        } = self;
        events.remember(m);
        hand_overs.remember(m);
        if let Some(stepping) = stepping {
            stepping.remember(m);
        }
        stepped.remember(m);
        in_a_row.remember(m);
        last_hand_back.remember(m);
        log.remember(m);
        taken.remember(m);
        lost.remember(m);
        fed.remember(m);
    }
}

impl Engine for ContactEngine {
    fn advance(&mut self) -> Result<(), SimError> {
        if self.stepped { self.advance_stepping() } else { self.advance_events() }
    }

    fn is_pending(&self) -> bool {
        match self.on() {
            Some(s) => self.scheme == Scheme::Hybrid && s.is_calm(),
            None => self.waiting.is_some() || self.events.is_pending(),
        }
    }

    fn set_stop(&mut self, t: f64) {
        self.events.set_stop(t);
        self.stop = t;
    }

    fn set_inputs(&mut self, values: &[f64]) -> Result<(), StepFailure> {
        match self.stepping.as_mut().filter(|_| self.stepped) {
            Some(stepping) => stepping.set_held(&*self.sys, values),
            None => {
                self.events.set_held(values);
                Ok(())
            }
        }
    }

    fn state(&self) -> &State {
        match self.on() {
            Some(s) => &s.to,
            None => self.events.state(),
        }
    }

    fn before(&self) -> &State {
        match self.on() {
            Some(s) => &s.from,
            None => self.events.view().from,
        }
    }

    fn record(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure> {
        // impacts since the last step happened at its start
        let lost = self.events.lost + self.stepping.as_ref().map_or(0.0, |s| s.lost);
        let fed = self.events.fed + self.events.driver().fed;
        recorder.jump(lost - self.lost, fed - self.fed);
        (self.lost, self.fed) = (lost, fed);
        self.with_last(|sys, step, engine| recorder.record_with(sys, step, Some(engine)))
    }

    fn sample(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure> {
        self.with_last(|sys, step, engine| recorder.sample_again(sys, step, Some(engine)))
    }

    fn can_pause(&self) -> bool {
        self.waiting.is_none()
    }

    fn interpolate(&self, dense: &mut Hermite, t: f64, out: &mut State) {
        let m = self.sys.manifold();
        match self.on() {
            Some(s) => dense.fit(m, &s.from, s.derived(), &s.to, s.derived()),
            None => {
                let StepView { from, d0, to, d1 } = self.events.view();
                dense.fit(m, from, d0, to, d1);
            }
        }
        dense.at(m, t, out);
    }

    fn counts(&self) -> Counts {
        let d = self.events.driver();
        let stepping = self.stepping.as_ref();
        Counts {
            steps: d.steps + stepping.map_or(0, |s| s.steps),
            rejections: d.rejections,
            hops: d.hops,
            first_hop: d.first_hop,
            branches: d.branches(),
            stiff_since: d.stiff_since(),
            limited_by: d.limited_by(),
            local_errors: d.local_errors(),
            fixed_step: match self.scheme {
                Scheme::TimeStepping => stepping.map(|s| s.h),
                _ => d.fixed_step(),
            },
            work: d.work(),
        }
    }

    fn events(&self) -> &[Event] {
        &self.log
    }

    fn contact(&self) -> Option<ContactTally> {
        let stepping = self.stepping.as_ref().map(|s| &s.tally);
        let mut tally = self.events.tally.clone();
        tally.hand_overs.clone_from(&self.hand_overs);
        Some(stepping.map_or(tally.clone(), |s| tally.join(s)))
    }
}

impl Dynamics for ContactEngine {
    fn evaluate(&mut self, s: &State, d: &mut Derived) -> Result<(), StepFailure> {
        if let Some(stepping) = self.on() {
            d.copy_from(stepping.derived());
            self.look.sample.copy_from(s);
            self.look_at_pressed();
            return Ok(());
        }
        self.events.evaluate(s, d)?;
        self.evaluated = s.t;
        // other states inside a step are for integrals; only ends count, and samples whose channels are requested
        if s.t == self.events.state().t {
            self.events.look_at_closed(s.t);
        }
        Ok(())
    }

    fn ends_smoothly(&mut self, end: &State, h: f64) -> bool {
        self.stepped || self.events.ends_smoothly(end, h)
    }

    fn lost(&self) -> f64 {
        // time-stepping counts all losses by impulses
        if self.stepped { 0.0 } else { self.events.power_lost() }
    }

    fn stored(&self) -> f64 {
        match self.on() {
            Some(s) => s.stored,
            None => self.events.stored(),
        }
    }

    fn channels(&mut self, out: &mut [f64], mut points: Option<&mut Vec<PointForce>>) {
        if let Some(points) = &mut points {
            points.clear();
        }
        let (out, play) = out.split_at_mut(self.contacts.len() * CHANNELS.len());
        play.fill(FREE_FLIGHT);
        for c in out.chunks_exact_mut(CHANNELS.len()) {
            c.copy_from_slice(&[f64::INFINITY, 0.0, 0.0, 0.0]);
        }
        let (contacts, look) = (&mut self.contacts, &mut self.look);
        let sys = &*self.sys;
        if !self.stepped {
            self.events.look_at_closed(self.evaluated);
        } else {
            let s = &look.sample;
            sys.realize_position(s.t, &s.q, &s.z, &mut look.ws);
        }
        let th = self.events.thresholds();
        let mut add = |point: PointForce, gap: f64, slides: bool, does: f64| {
            let PointForce { id, force, .. } = point;
            if let Some(points) = &mut points {
                points.push(point);
            }
            let k = contacts.index(sys, id) * CHANNELS.len();
            out[k] = out[k].min(gap);
            out[k + 1] += force[0];
            out[k + 2] += force[1].hypot(force[2]);
            out[k + 3] = f64::max(out[k + 3], if slides { 2.0 } else { 1.0 });
            if let Some(joint) = contacts.joint(sys, id) {
                play[joint] = f64::max(play[joint], does);
            }
        };
        let (mut load, mut pull) = (0.0, (0.0, None));
        match self.stepping.as_ref().filter(|_| self.stepped) {
            Some(s) => {
                s.visit_pressed(|point, force| {
                    let &Pressed { id, features, .. } = point;
                    let gap = sys.gap(&look.ws, id, Some(features), &mut look.point);
                    let gap = gap.unwrap_or(f64::INFINITY);
                    add(PointForce { id, features, force }, gap, false, FOLLOWING);
                });
                s.visit(|i, force| {
                    if force != [0.0; 3] {
                        let along = match i.law {
                            PointLaw::DryFriction { .. } => i.after[0].abs(),
                            _ => i.after[1].hypot(i.after[2]),
                        };
                        let slides = i.law.is_rough() && along > s.sliding_speed(&th);
                        // forces are means over the step, the gap is that at the sample
                        let (id, features) = (i.id, i.at.features);
                        let gap = sys.gap(&look.ws, id, Some(features), &mut look.point);
                        let gap = gap.unwrap_or(f64::INFINITY);
                        add(PointForce { id, features, force }, gap, slides, FOLLOWING);
                    }
                });
            }
            None => {
                self.events.visit_closed(|&Active { id, features, motion }, gap, force| {
                    let slides = matches!(motion, SlipState::Slip(_));
                    add(PointForce { id, features, force }, gap, slides, FOLLOWING);
                    if !matches!(sys.law(id), PointLaw::DryFriction { .. }) {
                        load += force[0].abs();
                        if -force[0] > pull.0 {
                            pull = (-force[0], Some(id));
                        }
                    }
                });
                self.events.visit_pressed(|&Pressed { id, features, .. }, gap, force| {
                    add(PointForce { id, features, force }, gap, false, IMPACT);
                });
                let mut points = std::mem::take(&mut contacts.pressed);
                let joint_of = |id| contacts.joint(sys, id);
                self.events.tell_following(joint_of, play, &mut points);
                contacts.pressed = points;
            }
        }
        let inside = self.evaluated < self.events.state().t;
        let tally = &mut self.events.tally;
        tally.load = f64::max(tally.load, load);
        // at the end of a step the event there is still to come
        if let (force, Some(id)) = pull
            && inside
        {
            tally.pull.observe(force, self.evaluated, || sys.point_name(id));
        }
        // with many pairs, time-stepping examines only those that act
        if !self.stepped {
            contacts.gaps(sys, self.events.evaluated(), out);
        } else if sys.has_few_pairs() {
            contacts.gaps(sys, &look.ws, out);
        }
        // shapes that do not face each other, or were not examined, have no gap
        for c in out.chunks_exact_mut(CHANNELS.len()).filter(|c| c[0].is_infinite()) {
            c[0] = f64::NAN;
        }
    }
}

/// The time-stepping method of the hybrid.
const HAND_OVER: stepping::Scheme = stepping::Scheme::MoreauJean { theta: 0.5 };

/// A time-stepping method with its options; that of the hybrid for any other method.
fn stepping_scheme(method: MethodId, options: &Options) -> stepping::Scheme {
    let number = |name| options.number(&method.info(), name);
    match method {
        MethodId::Smooth(_) => HAND_OVER,
        MethodId::Stepping(SteppingId::MoreauJean) => {
            stepping::Scheme::MoreauJean { theta: number("theta") }
        }
        MethodId::Stepping(SteppingId::SchatzmanPaoli) => stepping::Scheme::SchatzmanPaoli,
        MethodId::Stepping(SteppingId::NonsmoothGenAlpha) => {
            stepping::Scheme::NonsmoothGenAlpha { rho: number("rho_inf") }
        }
    }
}

fn gravity_norm(sys: &System) -> f64 {
    sys.model().gravity.norm()
}
