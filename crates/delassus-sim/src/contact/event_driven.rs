//! The event-driven method: smooth motion in a mode, an event, the next mode.
//!
//! After every step that passes the error test, before it is committed:
//!
//! 1. the first event in it is looked for on the dense output: an open point that closes
//!    (`watch.rs`), a closed one whose force vanishes, friction that reaches its limit, sliding
//!    that stops, a feature that ends (`loads.rs`);
//! 2. the step is made again, up to the event, until the event function of the real end state is
//!    zero to round-off;
//! 3. the velocity jumps if points approach ([`delassus_nonsmooth::impact`]), and accelerations
//!    choose the next mode ([`delassus_nonsmooth::release`]).
//!
//! Index sets: I0 all points, I1 those that touch ([`Thresholds::touching`]), I2 those of I1 whose
//! normal speed is zero ([`Thresholds::rest`]), I3 those of I2 that do not slide
//! ([`Thresholds::slow`]).

use super::event::{Event, EventKind};
use super::loads::{Loads, Trigger};
use super::thresholds::Thresholds;
use super::watch::{Span, Watch};
use crate::driver::{Driver, DriverOptions, StepView, Stepped};
use crate::error::{SimError, SimErrorKind};
use delassus_cone as cone;
use delassus_dae::{Hermite, Integrator, KktError, Law, PointId, State, StepFailure, Unilateral};
use delassus_nonsmooth::impact;
use delassus_nonsmooth::release::{Assume, Closed, SelectError, Selector, evaluate};
use delassus_nonsmooth::{Active, Member, Mode, Motion};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Makes a method for a mode.
pub type MakeMethod<P> =
    Box<dyn Fn(&Mode<P>) -> Result<Box<dyn Integrator<Mode<P>>>, KktError> + Send>;

/// Steps of a real shortened step before its end is taken as the event.
const REFINEMENTS: usize = 12;
/// Events without any progress in time before the run is given up.
const MAX_STUCK: u32 = 60;
/// Impacts of one point whose spacing is looked at.
const HISTORY: usize = 4;
/// How far ahead features are asked for when they change, in [`Thresholds::dense`].
const LATER: f64 = 1e-2;
/// Distance, in lengths of the system, within which two points of a pair are logged as one.
const TWIN: f64 = 1e-7;
/// Sliding speed, in [`Thresholds::slow`], that may be left where sliding stops.
const STOPPED: f64 = 1e4;
/// Part of the span within which an event counts as at the start of its step.
const SOONEST: f64 = 1e-14;
/// Points up to which all are watched, wherever they are.
const FEW: usize = 5000;
/// Parts of the run that a step takes at most while points are closed: a motion that is held has
/// no error to limit its steps, and a force that would release it must not be stepped over.
const CLOSED_STEPS: f64 = 1000.0;
/// Factor on the largest gap that a point can lose in a step, for what is watched.
const REACH: f64 = 4.0;

/// Why the event-driven method cannot go on by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt {
    /// Impacts accumulate: the rest of the infinite sequence takes about this long, s.
    Accumulation {
        /// Time until the limit, s.
        rest: f64,
        /// Point.
        point: PointId,
    },
    /// Many events without progress.
    Storm,
    /// Forces have no solution, or several (Painlevé).
    Painleve {
        /// What was found.
        detail: String,
    },
    /// An error that ends the run.
    Error(SimError),
}

impl From<SimError> for Halt {
    fn from(e: SimError) -> Self {
        Halt::Error(e)
    }
}

/// Runs a system with points event by event.
pub struct EventDriven<P: Unilateral + 'static> {
    base: Arc<P>,
    mode: Mode<P>,
    driver: Driver<Mode<P>>,
    make: MakeMethod<P>,
    selector: Selector,
    ws: P::Ws,
    loads: Loads<P>,
    watch: Watch,
    dense: Hermite,
    sample: State,
    pending: Option<Trigger>,
    history: BTreeMap<PointId, Vec<f64>>,
    cone: cone::Workspace,
    stuck: u32,
    last_event: f64,
    /// So few points that all are watched all the time.
    few: bool,
    /// Typical sizes of the coordinates.
    scale: Vec<f64>,
    /// What happened so far.
    pub log: Vec<Event>,
    /// Kinetic energy lost in impacts so far, J.
    pub lost: f64,
    /// Work of prescribed motions in impacts so far, J.
    pub fed: f64,
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// For a state that fulfils the joints and has no overlap; [`EventDriven::resume`] starts it.
    pub fn new(
        base: Arc<P>,
        make: MakeMethod<P>,
        start: &State,
        opts: DriverOptions,
    ) -> Result<EventDriven<P>, Halt> {
        let mut selector = Selector::new(&*base).map_err(|e| setup(e.into(), start.t))?;
        let d = base.dims();
        let scale = base.scales().q;
        let ws = base.workspace();
        let mode = selector.mode(&base, &[], 1.0).map_err(|e| setup(e.into(), start.t))?;
        let method = make(&mode).map_err(|e| setup(e.into(), start.t))?;
        let driver =
            Driver::new(&mode, method, start.clone(), opts).map_err(|e| setup(e, start.t))?;
        let loads = Loads::new(&mode).map_err(|e| setup(e.into(), start.t))?;
        selector.response.members.clear();
        Ok(EventDriven {
            dense: Hermite::new(d.nq, d.nv, d.nz),
            sample: start.clone(),
            base,
            mode,
            driver,
            make,
            selector,
            ws,
            loads,
            watch: Watch::default(),
            pending: None,
            history: BTreeMap::new(),
            cone: cone::Workspace::new(),
            stuck: 0,
            last_event: f64::NEG_INFINITY,
            few: true,
            scale,
            log: Vec::new(),
            lost: 0.0,
            fed: 0.0,
        })
    }

    /// The driver below, for counts and the last step.
    pub fn driver(&self) -> &Driver<Mode<P>> {
        &self.driver
    }

    /// The mode at present.
    pub fn mode(&self) -> &Mode<P> {
        &self.mode
    }

    /// The last committed step.
    pub fn view(&self) -> StepView<'_> {
        self.driver.view()
    }

    /// Present state. An event that was met at its end has not been resolved yet.
    pub fn state(&self) -> &State {
        self.driver.state()
    }

    /// Thresholds at present.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds::new(self.base.length(), self.driver.rate().max(self.driver.least_rate()))
    }

    /// Goes on from a state that came from elsewhere: the start, or time-stepping.
    pub fn resume(&mut self, s: &State) -> Result<(), Halt> {
        self.pending = None;
        self.history.clear();
        self.stuck = 0;
        self.sample.copy_from(s);
        self.realize_sample();
        let th = self.thresholds();
        self.watch.update(&*self.base, &self.ws, &[], f64::INFINITY, &th);
        self.few = self.watch.count() <= FEW;
        self.event(s.clone(), &Trigger::Start, &[])
    }

    /// Makes one step, up to the next event at most; the event is resolved at the next call.
    pub fn advance(&mut self) -> Result<Stepped, Halt> {
        loop {
            if let Some(trigger) = self.pending.take() {
                let state = self.driver.state().clone();
                let active = self.mode.active().to_vec();
                self.event(state, &trigger, &active)?;
            }
            if self.driver.propose(&self.mode)? == Stepped::Finished {
                return Ok(Stepped::Finished);
            }
            let th = self.thresholds();
            let parts = self.divide()?;
            if let Some((s, trigger)) = self.first_event(parts, &th) {
                let view = self.driver.proposal();
                let (t, h) = (view.from.t, view.to.t - view.from.t);
                let now = s * h <= SOONEST * (t.abs() + self.driver.span());
                if !now {
                    self.refine(s * h, h, &trigger)?;
                }
                self.pending = Some(trigger);
                if now {
                    // methods divide by the step: what is as good as at its start happens there
                    self.driver.drop_proposal();
                    continue;
                }
            }
            self.driver.commit();
            self.after_step(&th);
            return Ok(Stepped::Step);
        }
    }

    /// Open points are looked at again where the step ended.
    fn after_step(&mut self, th: &Thresholds) {
        self.sample.copy_from(self.driver.state());
        self.realize_sample();
        let closed: Vec<PointId> = self.mode.active().iter().map(|a| a.id).collect();
        self.watch.update(&*self.base, &self.ws, &closed, self.reach(), th);
    }

    fn realize_sample(&mut self) {
        let s = &self.sample;
        self.base.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        self.base.realize_velocity(&s.v, &s.z, &mut self.ws);
    }

    /// Parts in which the proposed step is looked at; it is shortened where those would be too many.
    fn divide(&mut self) -> Result<(usize, f64), Halt> {
        let view = self.driver.proposal();
        let h = view.to.t - view.from.t;
        let motion = h * self.fastest(&view.from.v).max(self.fastest(&view.to.v));
        let (parts, share) = self.watch.parts(motion);
        if share < 1.0 {
            let (t, h) = (view.from.t, share * h);
            if let Err(e) = self.driver.shorten(&self.mode, h) {
                return Err(SimError::from_failure(&self.mode, &e, t, h).into());
            }
        }
        Ok((parts, motion * share))
    }

    /// Speed of the fastest coordinate, angles at the length of the system, m/s.
    fn fastest(&self, v: &[f64]) -> f64 {
        let rates = v.iter().zip(&self.scale).map(|(v, s)| v.abs() / s);
        self.base.length() * rates.fold(0.0, f64::max)
    }

    /// Gap that may be lost in the next steps.
    fn reach(&self) -> f64 {
        if self.few {
            return f64::INFINITY;
        }
        let length = self.base.length();
        let fastest = self.fastest(&self.driver.state().v).max(length * self.driver.rate());
        REACH * fastest * self.driver.next_step() + 1e-3 * length
    }

    /// The first event in the proposed step, as part of it.
    fn first_event(
        &mut self,
        (parts, reach): (usize, f64),
        th: &Thresholds,
    ) -> Option<(f64, Trigger)> {
        let view = self.driver.proposal();
        let m = self.base.manifold();
        self.dense.fit(m, view.from, view.d0, view.to, view.d1);
        let mut span =
            Span { dense: &mut self.dense, sample: &mut self.sample, from: view.from, to: view.to };
        let closing =
            self.watch.first(&*self.base, &mut self.ws, &mut span, parts, 2.0 * reach, th);
        let mut first = closing.map(|c| (c.s, Trigger::Closes(c.id, c.features)));
        let limit = first.as_ref().map_or(1.0, |f| f.0);
        if let Some(load) = self.loads.first(
            &self.mode,
            &mut self.selector,
            &mut self.ws,
            &mut span,
            &view,
            limit,
            th,
        ) {
            first = Some(load);
        }
        first
    }

    /// Makes the step again until it ends where the event is.
    fn refine(&mut self, h: f64, longest: f64, trigger: &Trigger) -> Result<(), Halt> {
        let mut h = h;
        let mut last: Option<(f64, f64)> = None;
        let t0 = self.driver.state().t;
        for _ in 0..REFINEMENTS {
            let at = self.driver.state().t;
            if let Err(e) = self.driver.shorten(&self.mode, h) {
                return Err(SimError::from_failure(&self.mode, &e, at, h).into());
            }
            let view = self.driver.proposal();
            let Some((value, slope)) = self.loads.value(&self.mode, &mut self.ws, view.to, trigger)
            else {
                return Ok(());
            };
            let slope = match (slope, last) {
                (Some(s), _) => s,
                (None, Some((h0, v0))) if h != h0 => (value - v0) / (h - h0),
                (None, _) => {
                    // a first guess by the value at a slightly shorter step
                    let shorter = h * (1.0 - 1e-4);
                    if let Err(e) = self.driver.shorten(&self.mode, shorter) {
                        return Err(SimError::from_failure(&self.mode, &e, at, h).into());
                    }
                    let view = self.driver.proposal();
                    match self.loads.value(&self.mode, &mut self.ws, view.to, trigger) {
                        Some((v, _)) => (value - v) / (h - shorter),
                        None => return Ok(()),
                    }
                }
            };
            last = Some((h, value));
            let change = -value / slope;
            if !change.is_finite() {
                break;
            }
            let next = (h + change).clamp(0.5 * h, (1.5 * h).min(longest));
            if (next - h).abs() <= 2.0 * f64::EPSILON * (t0.abs() + h) {
                break;
            }
            h = next;
        }
        if let Err(e) = self.driver.shorten(&self.mode, h) {
            return Err(SimError::from_failure(&self.mode, &e, t0, h).into());
        }
        Ok(())
    }

    /// Resolves what happens at a state: impacts, then the next mode.
    fn event(&mut self, mut s: State, trigger: &Trigger, active: &[Active]) -> Result<(), Halt> {
        let th = self.thresholds();
        if s.t <= self.last_event {
            self.stuck += 1;
            if self.stuck > MAX_STUCK {
                return Err(Halt::Storm);
            }
        } else {
            self.stuck = 0;
        }
        self.last_event = s.t;
        if *trigger != Trigger::Start {
            // methods that hold positions or velocities alone leave a little of the other
            self.loads.settle(&self.mode, &mut s).map_err(|e| setup(e, s.t))?;
        }
        self.sample.copy_from(&s);
        self.realize_sample();
        // I1: what touches, except what is just leaving
        let mut touching: Vec<(PointId, [u32; 2])> =
            active.iter().map(|a| (a.id, a.features)).collect();
        if let Trigger::Closes(id, features) = trigger {
            touching.push((*id, *features));
        }
        self.watch.touching(&*self.base, &self.ws, &th, &mut touching);
        self.dry_friction(&mut touching);
        touching.sort_by_key(|t| t.0);
        touching.dedup_by_key(|t| t.0);
        if let Trigger::Changes(id) = trigger {
            if let Some(features) = self.next_features(&s, *id, &th)
                && let Some(t) = touching.iter_mut().find(|t| t.0 == *id)
            {
                t.1 = features;
            }
            self.note(s.t, EventKind::NormalChange, *id);
        }
        let leaving = match trigger {
            Trigger::Releases(id) => Some(*id),
            _ => None,
        };
        touching.retain(|t| Some(t.0) != leaving);
        let jumped = self.impacts(&mut s, &touching, &th)?;
        // I2: what neither approaches nor leaves
        let points = evaluate(&*self.base, &self.ws, touching.iter().copied());
        let closed: Vec<Closed> = points
            .iter()
            .filter(|(id, p)| self.stays(*id, p.rate[0], &th))
            .map(|(id, p)| Closed {
                id: *id,
                features: p.features,
                assume: match trigger {
                    Trigger::Slides(slider, d) if slider == id => Assume::Slides(*d),
                    // what is left across the direction of sliding is the error of the motion
                    Trigger::Stops(stopper)
                        if stopper == id && p.rate[1].hypot(p.rate[2]) <= STOPPED * th.slow =>
                    {
                        Assume::Rest
                    }
                    _ => Assume::Judge,
                },
            })
            .collect();
        let selection = self
            .selector
            .select(&*self.base, &mut self.ws, &s, &closed, th.slow)
            .map_err(|e| self.select_failed(e, s.t))?;
        self.log_changes(s.t, active, &selection.active, leaving, jumped);
        self.enter(s, selection.active, active, jumped)
    }

    /// The features that take over: those that face each other a moment later, because at the
    /// border itself both descriptions are as good. `None`: the point goes on as it is.
    fn next_features(&mut self, s: &State, id: PointId, th: &Thresholds) -> Option<[u32; 2]> {
        let moment = LATER * th.dense;
        let step: Vec<f64> = s.v.iter().map(|v| v * moment).collect();
        self.sample.copy_from(s);
        self.base.manifold().retract(&s.q, &step, &mut self.sample.q);
        self.realize_sample();
        let mut point = delassus_dae::Point::default();
        let found = self.base.position(&self.ws, id, false, None, &mut point);
        self.sample.copy_from(s);
        self.realize_sample();
        found.then_some(point.features)
    }

    /// A point of I1 that belongs to I2.
    fn stays(&self, id: PointId, rate: f64, th: &Thresholds) -> bool {
        match self.base.law(id) {
            Law::Contact { .. } | Law::OneWay => rate <= th.rest,
            Law::DryFriction { .. } => true,
        }
    }

    /// Dry friction has no gap and always takes part.
    fn dry_friction(&mut self, out: &mut Vec<(PointId, [u32; 2])>) {
        let mut ids = Vec::new();
        self.base.near(&self.ws, 0.0, &mut ids);
        for id in ids {
            if matches!(self.base.law(id), Law::DryFriction { .. }) {
                out.push((id, [0, 0]));
            }
        }
    }

    /// The jump of the velocity where points of I1 approach; true if there was one.
    fn impacts(
        &mut self,
        s: &mut State,
        touching: &[(PointId, [u32; 2])],
        th: &Thresholds,
    ) -> Result<bool, Halt> {
        let points = evaluate(&*self.base, &self.ws, touching.iter().copied());
        let approaches = |id: PointId, rate: f64| {
            !matches!(self.base.law(id), Law::DryFriction { .. }) && rate < -th.rest
        };
        if !points.iter().any(|(id, p)| approaches(*id, p.rate[0])) {
            return Ok(false);
        }
        self.selector
            .response
            .set(&*self.base, &self.ws, points)
            .map_err(|e| Halt::Error(SimError::from_failure(&*self.base, &e, s.t, 0.0)))?;
        let r = &self.selector.response;
        let mut before = Vec::new();
        r.rates(&mut before);
        let jump = impact::resolve(r, &before, self.base.sequential_impacts(), &mut self.cone)
            .map_err(|e| Halt::Painleve { detail: e.to_string() })?;
        let kinetic = |base: &P, ws: &P::Ws| base.energies(ws).unwrap_or_default().kinetic;
        let kinetic_before = kinetic(&self.base, &self.ws);
        r.apply(&jump.impulse, &mut s.v);
        self.lost -= jump.energy;
        let mut accumulates = None;
        let logged = self.log.len();
        for m in &r.members {
            let rows = m.row..m.row + m.law.rows();
            let lost: f64 = rows
                .clone()
                .map(|i| -0.5 * jump.impulse[i] * (jump.before[i] + jump.after[i]))
                .sum();
            if jump.impulse[m.row] <= 0.0 && jump.before[m.row] >= -th.rest {
                continue;
            }
            // corners of both shapes may describe one place
            let twin = |x: &&Member| {
                let d = (0..3).map(|i| (x.at.at[i] - m.at.at[i]).powi(2)).sum::<f64>().sqrt();
                x.id.pair == m.id.pair && m.at.normal != [0.0; 3] && d <= TWIN * self.base.length()
            };
            let first = r.members.iter().take_while(|x| x.id != m.id).find(twin).map(|x| x.id);
            let place =
                first.and_then(|id| self.log[logged..].iter().position(|e| e.point == Some(id)));
            match place {
                Some(k) => {
                    self.log[logged + k].impulse += jump.impulse[m.row];
                    self.log[logged + k].energy_lost += lost;
                }
                None => self.log.push(Event {
                    t: s.t,
                    kind: EventKind::Impact,
                    point: Some(m.id),
                    contact: self.base.point_name(m.id),
                    speed_before: jump.before[m.row],
                    speed_after: jump.after[m.row],
                    impulse: jump.impulse[m.row],
                    energy_lost: lost,
                }),
            }
            let times = self.history.entry(m.id).or_default();
            times.push(s.t);
            if times.len() > HISTORY {
                times.remove(0);
            }
            if let Some(rest) = accumulation(times, th.dense) {
                accumulates = Some(Halt::Accumulation { rest, point: m.id });
            }
        }
        self.sample.copy_from(s);
        self.realize_sample();
        // what is driven from outside (a shaking table) does work on what it hits
        self.fed += kinetic(&self.base, &self.ws) - kinetic_before - jump.energy;
        if let Some(halt) = accumulates {
            // the impact itself is done: whoever takes over goes on from here
            let state = s.clone();
            self.driver
                .restart(&self.mode, None, &state)
                .map_err(|e| Halt::Error(SimError::from_failure(&*self.base, &e, s.t, 0.0)))?;
            return Err(halt);
        }
        Ok(true)
    }

    /// Starts the smooth motion of a mode.
    fn enter(
        &mut self,
        mut s: State,
        next: Vec<Active>,
        before: &[Active],
        jumped: bool,
    ) -> Result<(), Halt> {
        let t = s.t;
        let failed = |e: StepFailure| setup(e, t);
        let same = same_mode(&next, self.mode.active());
        if !same {
            let speed = self.base.length() * self.driver.rate().max(self.driver.least_rate());
            self.mode =
                self.selector.mode(&self.base, &next, speed).map_err(|e| failed(e.into()))?;
            self.loads = Loads::new(&self.mode).map_err(|e| failed(e.into()))?;
            self.loads.set_inertia(&self.mode, &self.selector);
        }
        if !next.is_empty() && (!same || jumped) {
            self.loads.settle(&self.mode, &mut s).map_err(failed)?;
        }
        let method =
            if same { None } else { Some((self.make)(&self.mode).map_err(|e| failed(e.into()))?) };
        let held = if next.is_empty() { f64::INFINITY } else { self.driver.span() / CLOSED_STEPS };
        self.driver.set_limit(held);
        self.driver.restart(&self.mode, method, &s).map_err(failed)?;
        self.sample.copy_from(&s);
        self.realize_sample();
        let th = self.thresholds();
        let closed: Vec<PointId> = self.mode.active().iter().map(|a| a.id).collect();
        for a in before.iter().filter(|a| !closed.contains(&a.id)) {
            self.watch.disarm(a.id);
        }
        self.watch.update(&*self.base, &self.ws, &closed, self.reach(), &th);
        Ok(())
    }

    fn select_failed(&self, e: SelectError, t: f64) -> Halt {
        match e {
            SelectError::NoSolution { .. } => Halt::Painleve { detail: e.to_string() },
            SelectError::Step(e) => Halt::Error(SimError::from_failure(&*self.base, &e, t, 0.0)),
        }
    }

    fn note(&mut self, t: f64, kind: EventKind, id: PointId) {
        let name = self.base.point_name(id);
        self.log.push(Event::without_jump(t, kind, Some((id, name))));
    }

    /// Writes what changed from one mode to the next to the log.
    fn log_changes(
        &mut self,
        t: f64,
        before: &[Active],
        after: &[Active],
        leaving: Option<PointId>,
        jumped: bool,
    ) {
        let rough = |id: PointId| matches!(self.base.law(id), Law::DryFriction { .. });
        let mut notes = Vec::new();
        for b in before {
            match after.iter().find(|a| a.id == b.id) {
                None if !jumped || leaving == Some(b.id) => {
                    notes.push((EventKind::Release, b.id));
                }
                None => {}
                Some(a) => match (b.motion, a.motion) {
                    (Motion::Slip(_), Motion::Stick) => notes.push((EventKind::Stick, a.id)),
                    (Motion::Stick, Motion::Slip(_)) => notes.push((EventKind::Slip, a.id)),
                    (Motion::Slip(d), Motion::Slip(e)) if d[0] * e[0] + d[1] * e[1] < 0.0 => {
                        notes.push((EventKind::Reverse, a.id));
                    }
                    _ => {}
                },
            }
        }
        for a in after {
            if !before.iter().any(|b| b.id == a.id) && !rough(a.id) {
                notes.push((EventKind::Close, a.id));
            }
        }
        for (kind, id) in notes {
            self.note(t, kind, id);
        }
    }
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Accelerations and multipliers of the base at a state, contacts as in the present mode.
    pub(crate) fn evaluate(
        &mut self,
        s: &State,
        d: &mut delassus_dae::Derived,
    ) -> Result<(), StepFailure> {
        self.loads.derived(&self.mode, s, d)
    }

    /// Power lost by sliding at the state that was evaluated last, W.
    pub(crate) fn power_lost(&self) -> f64 {
        self.loads.power_lost()
    }

    /// Visits the closed points at the state that was evaluated last: id, gap, forces, motion.
    pub(crate) fn visit_closed(&self, mut f: impl FnMut(PointId, f64, [f64; 3], Motion)) {
        for (k, a) in self.mode.active().iter().enumerate() {
            let (gap, force) = self.loads.force(&self.mode, k);
            f(a.id, gap, force, a.motion);
        }
    }

    /// The scratch of the base, realised at the state that was evaluated last.
    pub(crate) fn evaluated(&self) -> &P::Ws {
        self.loads.realized()
    }
}

/// An error at the start of something.
fn setup(e: StepFailure, t: f64) -> Halt {
    Halt::Error(SimError {
        kind: SimErrorKind::Singular,
        t,
        h: 0.0,
        detail: format!("the method cannot start after an event: {e}"),
        blame: Vec::new(),
        help: "look at the contacts that are closed at this time".to_owned(),
    })
}

/// Time that the rest of an infinite sequence of impacts will take, where their spacing shrinks
/// and has become shorter than `dense`.
fn accumulation(times: &[f64], dense: f64) -> Option<f64> {
    let [.., a, b, c, d] = times else { return None };
    let gaps = [b - a, c - b, d - c];
    let ratio = gaps[2] / gaps[1];
    (gaps[2] < dense && gaps[2] < gaps[1] && gaps[1] < gaps[0])
        .then(|| gaps[2] * ratio / (1.0 - ratio))
}

/// The same rows and the same direction of friction.
fn same_mode(a: &[Active], b: &[Active]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.id == b.id
                && a.features == b.features
                && match (a.motion, b.motion) {
                    (Motion::Slip(d), Motion::Slip(e)) => d == e,
                    (x, y) => x == y,
                }
        })
}
