//! The event-driven method: smooth motion in a mode, an event, the next mode.
//!
//! After every step that passes the error test, before it is committed:
//!
//! 1. the first event in it is looked for on the dense output: an open point that closes
//!    (`search.rs`), a closed one whose force vanishes, friction that reaches its limit, sliding
//!    that stops, a feature that ends (`closed_points.rs`);
//! 2. the step is made again, up to the event, until the event function of the real end state is
//!    zero to round-off;
//! 3. the velocity jumps if points approach (`jump.rs`), and accelerations choose the next mode
//!    (`resolve.rs`).
//!
//! Index sets: I0 all points, I1 those that touch ([`Thresholds::touching`]), I2 those of I1 whose
//! normal speed is zero ([`Thresholds::rest`]), I3 those of I2 that do not slide
//! ([`Thresholds::slow`]).

use super::closed_points::{ClosedPoints, Sliding, Trigger};
use super::crowd::Crowd;
use super::event::Event;
use super::resolve::{crowded, setup};
use super::search::Span;
use super::squeeze::Squeeze;
use super::storm::{Storm, Turns, Unrest};
use super::tally::ContactTally;
use super::thresholds::Thresholds;
use super::watch::{BOTH, Watch, realize};
use crate::driver::{Driver, DriverOptions, StepView};
use crate::error::{SimError, SimErrorKind};
use delassus_cone as cone;
use delassus_dae::{
    Hermite, Integrator, KktError, PointId, PointLaw, State, StepFailure, Unilateral,
};
use delassus_math::largest;
use delassus_math::memory::{Memory, Remember};
use delassus_model::ContactTolerances;
use delassus_nonsmooth::release::Selector;
use delassus_nonsmooth::{Active, Mode, SlipState};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// Makes a method for a mode.
pub type MakeMethod<P> =
    Box<dyn Fn(&Mode<P>) -> Result<Box<dyn Integrator<Mode<P>>>, MakeError> + Send>;

/// Why a method could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MakeError {
    /// There is none of this name.
    #[error("there is no method of the name \"{0}\"")]
    Unknown(&'static str),
    /// Its linear system could not be set up.
    #[error(transparent)]
    Kkt(#[from] KktError),
}

/// Steps of a real shortened step before its end is taken as the event.
const REFINEMENTS: usize = 12;
/// Halvings of a step that the method could not make.
const HALVINGS: usize = 12;
/// Part of the time that has passed, or of the characteristic time, within which an event counts as at
/// the start of its step.
const SOONEST: f64 = 1e-14;
/// Step times rate of turning beyond which explicit methods are not stable (about 3 for those of
/// order 5).
const STIFF: f64 = 2.0;
/// The same, of a step that friction keeps short.
const TURNING: f64 = 0.1;
/// Cosine of the angle by which the direction of sliding turns in a step at whose end methods begin again.
const TURNED: f64 = 0.5;
/// Length of a step, in [`Thresholds::dense`], below which it is not shortened because a closed point
/// moves.
const LEAST: f64 = 1e-3;
/// Points up to which all are watched, wherever they are.
const FEW: usize = 5000;
/// Searches of ever shorter steps for an event that was missed, or a point that moves.
const SEARCHES: usize = 40;
/// Overlap, in lengths of the system, that no error of a step explains.
pub(super) const MISSED: f64 = 1e-6;
/// Factor on the largest gap that a point can lose in a step by what is known at its start, for what is watched.
const REACH: f64 = 1.5;
/// Gap, in lengths of the system, within which points are watched whatever they do.
const CLOSE: f64 = 1e-3;

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
    Storm {
        /// What keeps happening, and where.
        storm: Storm,
        /// How long it is expected to last, s.
        lasts: f64,
    },
    /// Forces have no solution, or several (Painlevé).
    Painleve {
        /// What was found.
        detail: String,
        /// Points that take part.
        points: Vec<PointId>,
    },
    /// Forces were not found to the tolerance; whether there are any is not known.
    Unsolved {
        /// What was found.
        detail: String,
        /// Points that take part.
        points: Vec<PointId>,
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
    pub(super) base: Arc<P>,
    pub(super) mode: Mode<P>,
    pub(super) driver: Driver<Mode<P>>,
    pub(super) make: MakeMethod<P>,
    /// A method for stiff modes, and whether it is on.
    stiff: Option<MakeMethod<P>>,
    pub(super) is_stiff: bool,
    pub(super) selector: Selector,
    pub(super) ws: P::Ws,
    pub(super) closed_points: ClosedPoints<P>,
    pub(super) watch: Watch,
    dense: Hermite,
    pub(super) sample: State,
    pending: Option<Trigger>,
    pub(super) history: BTreeMap<PointId, Vec<f64>>,
    pub(super) squeeze: Squeeze,
    pub(super) cone: cone::Workspace,
    pub(super) stuck: u32,
    /// What happened at the time of the last event.
    pub(super) turns: Turns,
    pub(super) last_event: f64,
    pub(super) crowd: Crowd,
    /// So few points that all are watched all the time.
    few: bool,
    /// Gap within which points are watched at present, m.
    pub(super) reach: f64,
    /// Typical sizes of the coordinates.
    scale: Vec<f64>,
    pub(super) tolerances: ContactTolerances,
    /// What happened so far.
    pub log: Vec<Event>,
    /// What was given up so far.
    pub tally: ContactTally,
    /// Kinetic energy lost in impacts so far, J.
    pub lost: f64,
    /// Work of prescribed motions in impacts so far, J.
    pub fed: f64,
}

impl<P: Unilateral + 'static> Remember for EventDriven<P> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.mode.remember(m);
        self.is_stiff.remember(m);
        let mut state = self.driver.state().clone();
        state.remember(m);
        if m.reads() && !m.failed() && self.remake(&state).is_err() {
            m.fail("the method cannot start where it was");
        }
        let EventDriven {
            driver,
            closed_points,
            watch,
            sample,
            pending,
            history,
            squeeze,
            stuck,
            turns,
            last_event,
            crowd,
            reach,
            log,
            tally,
            lost,
            fed,
            base,
            // made again above
            mode: _,
            is_stiff: _,
            // scratch, and what a run is made with
            few: _,
            make: _,
            stiff: _,
            selector: _,
            ws: _,
            dense: _,
            cone: _,
            scale: _,
            tolerances: _,
        } = self;
        driver.remember(m);
        closed_points.remember(m);
        watch.remember(&**base, m);
        sample.remember(m);
        pending.remember(m);
        history.remember(m);
        squeeze.remember(m);
        stuck.remember(m);
        turns.remember(m);
        last_event.remember(m);
        crowd.remember(m);
        reach.remember(m);
        log.remember(m);
        tally.remember(m);
        lost.remember(m);
        fed.remember(m);
    }
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Makes method and closed points again for the mode that was restored.
    fn remake(&mut self, state: &State) -> Result<(), Halt> {
        let make = match &self.stiff {
            Some(stiff) if self.is_stiff => stiff,
            _ => &self.make,
        };
        let method = make(&self.mode).map_err(|e| setup(&e, state.t))?;
        self.closed_points = ClosedPoints::new(&self.mode).map_err(|e| setup(&e, state.t))?;
        let restarted = self.driver.restart(&self.mode, Some(method), state);
        restarted.map_err(|e| setup(&e, state.t))
    }

    /// For a state that fulfils the joints and has no overlap; [`EventDriven::resume`] starts it.
    pub fn new(
        base: Arc<P>,
        make: MakeMethod<P>,
        start: &State,
        opts: DriverOptions,
    ) -> Result<EventDriven<P>, Halt> {
        let mut selector = Selector::new(&*base).map_err(|e| setup(&e, start.t))?;
        let d = base.dims();
        let scale = base.wide_scales();
        let ws = base.workspace();
        let few = base.near_at_most(&ws, f64::INFINITY, FEW, &mut Vec::new()).is_ok();
        let mode = selector.mode(&base, &[], 1.0).map_err(|e| setup(&e, start.t))?;
        let method = make(&mode).map_err(|e| setup(&e, start.t))?;
        let driver =
            Driver::new(&mode, method, start.clone(), opts).map_err(|e| setup(&e, start.t))?;
        let closed_points = ClosedPoints::new(&mode).map_err(|e| setup(&e, start.t))?;
        selector.response.members.clear();
        Ok(EventDriven {
            dense: Hermite::new(d.nq, d.nv, d.nz),
            sample: start.clone(),
            base,
            mode,
            driver,
            make,
            stiff: None,
            is_stiff: false,
            selector,
            ws,
            closed_points,
            watch: Watch::default(),
            pending: None,
            history: BTreeMap::new(),
            squeeze: Squeeze::default(),
            cone: cone::Workspace::new(),
            stuck: 0,
            turns: Turns::default(),
            last_event: f64::NEG_INFINITY,
            crowd: Crowd::default(),
            few,
            reach: f64::INFINITY,
            scale,
            tolerances: ContactTolerances::default(),
            log: Vec::new(),
            tally: ContactTally::default(),
            lost: 0.0,
            fed: 0.0,
        })
    }

    /// Where the direction of friction in space makes a mode stiff for an explicit method, go on
    /// with a method made by this, until the mode ends.
    pub fn with_stiff(mut self, make: MakeMethod<P>) -> EventDriven<P> {
        self.stiff = Some(make);
        self
    }

    /// With other tolerances than those of a model that sets none.
    pub fn with_tolerances(mut self, tolerances: ContactTolerances) -> EventDriven<P> {
        self.tolerances = tolerances;
        self
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

    /// An event was met at the present state and has not been resolved yet.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Present state. An event that was met at its end has not been resolved yet.
    pub fn state(&self) -> &State {
        self.driver.state()
    }

    /// Thresholds at present.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds::new(&self.tolerances, self.base.length(), self.driver.rate())
    }

    /// Thresholds of a point at a state with velocities v, by what its own bodies do.
    pub(super) fn thresholds_at(&self, id: PointId, cols: &[usize], v: &[f64]) -> Thresholds {
        let rate = self.driver.rate_of(cols, v);
        Thresholds::new(&self.tolerances, self.base.length(), rate)
            .of_gap(self.base.gap_per_metre(id))
    }

    /// Steps end at this time at the latest, s.
    pub fn set_stop(&mut self, t: f64) {
        self.driver.set_stop(t);
    }

    /// Changes what is held, from the present time on.
    pub fn set_held(&mut self, values: &[f64]) {
        self.driver.set_held(&self.mode, values);
    }

    /// Goes on from a state that came from elsewhere: the start, or time-stepping.
    pub fn resume(&mut self, s: &State) -> Result<(), Halt> {
        self.pending = None;
        self.history.clear();
        self.stuck = 0;
        self.sample.copy_from(s);
        self.realize_sample();
        let th = self.thresholds();
        // what touches is enough to begin with
        self.reach = if self.few { f64::INFINITY } else { CLOSE * self.base.length() };
        let reach = self.reach;
        let watched = self.watch.update(&*self.base, &self.ws, std::iter::empty(), reach, &th);
        watched.map_err(|e| crowded(&*self.base, &e, s.t))?;
        self.event(s.clone(), &Trigger::Start, &[])
    }

    /// Makes one step, up to the next event at most; the event is resolved at the next call.
    pub fn advance(&mut self) -> Result<(), Halt> {
        loop {
            if let Some(trigger) = self.pending.take() {
                let state = self.driver.state().clone();
                if let Trigger::Kink(_) = trigger {
                    // the mode goes on, and the method begins again behind the kink
                    let restarted = self.driver.restart(&self.mode, None, &state);
                    restarted.map_err(|e| setup(&e, state.t))?;
                } else {
                    let active = self.mode.active().to_vec();
                    self.event(state, &trigger, &active)?;
                }
            }
            self.turn_stiff()?;
            if self.driver.meet_marks(&self.mode)? && !self.mode.active().is_empty() {
                // what held just before a force or a motion changed need not hold just after
                let state = self.driver.state().clone();
                let active = self.mode.active().to_vec();
                self.event(state, &Trigger::Start, &active)?;
            }
            self.driver.set_aim(self.closed_points.slides_for(&self.mode));
            self.driver.propose(&self.mode)?;
            let th = self.thresholds();
            if let Some((s, trigger)) = self.find_event(&th)? {
                let view = self.driver.proposal();
                let (t, h) = (view.from.t, view.to.t - view.from.t);
                let now = s * h <= SOONEST * (t.abs() + 1.0 / self.driver.rate());
                self.pending = match now {
                    true => Some(trigger),
                    false => self.meet(s * h, h, trigger)?,
                };
                if now {
                    // methods divide by the step: what is as good as at its start happens there
                    self.driver.drop_proposal();
                    continue;
                }
            }
            self.driver.commit();
            self.after_step(&th)?;
            if self.pending.is_none() {
                self.pending = self.held_soon()?.map(Trigger::Stops);
            }
            return Ok(());
        }
    }

    /// Goes on with the method for stiff modes where the direction of sliding turns faster than an
    /// explicit method can follow. It does not come back before the mode ends.
    pub(super) fn turn_stiff(&mut self) -> Result<(), Halt> {
        let Some(make) = &self.stiff else { return Ok(()) };
        if self.is_stiff || !self.mode.turns() {
            return Ok(());
        }
        let state = self.driver.state();
        let (a, h) = (&self.driver.derived().a, self.driver.next_step());
        if !(self.closed_points.turning_in(&self.mode, state, a, h) > STIFF) {
            return Ok(());
        }
        let state = state.clone();
        let method = make(&self.mode).map_err(|e| setup(&e, state.t))?;
        let restarted = self.driver.restart(&self.mode, Some(method), &state);
        restarted.map_err(|e| setup(&e, state.t))?;
        self.is_stiff = true;
        Ok(())
    }

    /// Whether friction at the end of a step of length h is that of its last part. In space, where sliding comes to
    /// its end, direction and force are those of the last instant alone: what the method left of a speed.
    pub fn ends_smoothly(&mut self, end: &State, h: f64) -> bool {
        !self.mode.turns() || self.closed_points.turning_rate(&self.mode, end) * h <= STIFF
    }

    /// After a step: whether steps with closed contacts have become too short to get anywhere, and
    /// what time-stepping may be asked to pass then.
    pub fn crawl(&mut self) -> Option<Halt> {
        let th = self.thresholds();
        if self.mode.active().is_empty() {
            return None;
        }
        let view = self.driver.view();
        let h = view.to.t - view.from.t;
        let (mode, loads) = (&self.mode, &mut self.closed_points);
        let mut turning = false;
        let turns = || {
            turning = mode.turns() && loads.turning_rate(mode, view.to) * h > TURNING;
            turning
        };
        if !self.crowd.is_crawling(view.to.t, th.crowded, turns) {
            return None;
        }
        let unrest = if turning { Unrest::Turning } else { Unrest::Steps };
        let points = mode.active().iter().map(|a| a.id).collect();
        Some(Halt::Storm { storm: Storm { unrest, points }, lasts: th.crowded })
    }

    /// Open points are looked at again where the step ended.
    fn after_step(&mut self, th: &Thresholds) -> Result<(), Halt> {
        self.sample.copy_from(self.driver.state());
        self.realize_sample();
        self.watch_near(0.0, th)?;
        self.follow_sliding();
        self.limit_closed();
        Ok(())
    }

    /// Takes over speeds and directions of points that slide in space, at the sample.
    pub(super) fn follow_sliding(&mut self) {
        let (base, driver, tol) = (&*self.base, &self.driver, &self.tolerances);
        let slow = |id: PointId, cols: &[usize]| {
            let rate = driver.rate_of(cols, &driver.state().v);
            let th = Thresholds::new(tol, base.length(), rate).of_gap(base.gap_per_metre(id));
            [th.stopped(tol, driver.rtol()), th.held()]
        };
        self.closed_points.follow(&mut self.mode, &self.ws, &driver.derived().a, slow);
    }

    pub(super) fn realize_sample(&mut self) {
        realize(&*self.base, &self.sample, &mut self.ws);
    }

    /// The first event in the proposed step. The step is refused and searched again, shorter, where
    /// a contact must have closed unseen, or where a closed point moves that should be held.
    fn find_event(&mut self, th: &Thresholds) -> Result<Option<(f64, Trigger)>, Halt> {
        let depth = MISSED * self.base.length();
        let (mut missed, mut strays) = (None, None);
        for _ in 0..SEARCHES {
            let parts = self.divide()?;
            let found = self.first_event(parts, th);
            if found.is_some() {
                return Ok(found);
            }
            missed = self.watch.missed(depth);
            let view = self.driver.proposal();
            let (t, h) = (view.from.t, view.to.t - view.from.t);
            if missed.is_some() {
                self.shorten(t, 0.5 * h)?;
                continue;
            }
            strays = self.closed_points.strays(&self.mode, view.to, th);
            match strays {
                None => return Ok(None),
                Some((k, speed)) if h <= LEAST * th.dense => return Err(self.stray(k, speed)),
                Some(_) => self.shorten(t, 0.25 * h)?,
            };
        }
        match (missed, strays) {
            (None, Some((k, speed))) => Err(self.stray(k, speed)),
            (id, _) => {
                let name = id.map(|id| format!("contact \"{}\"", self.base.point_name(id)));
                Err(self.overlap(name).into())
            }
        }
    }

    /// Bodies would have to be moved for a contact to close.
    pub(super) fn overlap(&self, name: Option<String>) -> SimError {
        let name = name.unwrap_or_default();
        SimError {
            kind: SimErrorKind::ContactMissed,
            t: self.driver.state().t,
            h: self.driver.next_step(),
            detail: format!("the bodies of {name} overlap without having been seen to touch"),
            blame: vec![name],
            help: "give a shorter max_step, or look at the shapes at this time; time-stepping pushes overlapping bodies apart"
                .to_owned(),
        }
    }

    /// Parts in which the proposed step is looked at; it is shortened where those would be too many.
    fn divide(&mut self) -> Result<usize, Halt> {
        loop {
            let view = self.driver.proposal();
            let (t, h) = (view.from.t, view.to.t - view.from.t);
            self.dense.fit(self.base.manifold(), view.from, view.d0, view.to, view.d1);
            let turning =
                self.mode.turns().then(|| self.closed_points.turning_rate(&self.mode, view.to));
            if turning.is_some_and(|rate| rate * h > STIFF) {
                self.dense.leave_end_open();
            }
            let surge = self.dense.surge(&self.scale);
            self.watch_further(surge)?;
            let view = self.driver.proposal();
            let ends = (view.from, view.to);
            let (parts, share) = self.watch.plan(&*self.base, &mut self.ws, ends, surge);
            if share >= 1.0 {
                return Ok(parts);
            }
            self.shorten(t, share * h)?;
        }
    }

    /// Makes the proposed step again with another length; where the method cannot, shorter still.
    /// The length that was made, s.
    fn shorten(&mut self, t: f64, h: f64) -> Result<f64, Halt> {
        let mut part = h;
        for _ in 0..HALVINGS {
            if self.driver.shorten(&self.mode, part).is_ok() {
                return Ok(part);
            }
            part *= 0.5;
        }
        let made = self.driver.shorten(&self.mode, part);
        made.map(|()| part).map_err(|e| SimError::from_failure(&self.mode, &e, t, h).into())
    }

    /// A closed point moves where it should be held.
    fn stray(&self, k: usize, speed: f64) -> Halt {
        let a = &self.mode.active()[k];
        let name = format!("contact \"{}\"", self.base.point_name(a.id));
        let held = if a.motion == SlipState::Stick { "is held by friction" } else { "is closed" };
        Halt::Error(SimError {
            kind: SimErrorKind::StickMoves,
            t: self.driver.state().t,
            h: 0.0,
            detail: format!(
                "{name} {held} and moves at {speed:.1e} m/s all the same: joints, motions and contacts that depended on each other contradict each other now"
            ),
            blame: vec![name],
            help: "use --scheme time-stepping, or remove one of the joints or motions that hold the same bodies".to_owned(),
        })
    }

    /// Speed of the fastest coordinate, angles at the length of the system, m/s.
    fn fastest(&self, v: &[f64]) -> f64 {
        let rates = v.iter().zip(&self.scale).map(|(v, s)| v.abs() / s);
        self.base.length() * largest(rates)
    }

    /// The same of these coordinates alone.
    pub(super) fn fastest_of(&self, cols: &[usize], v: &[f64]) -> f64 {
        let rates = cols.iter().map(|c| v[*c].abs() / self.scale[*c]);
        self.base.length() * largest(rates)
    }

    /// Watches the points that may close in the next step, by velocities and accelerations at the sample, where it
    /// starts; at least those within this gap, m.
    pub(super) fn watch_near(&mut self, least: f64, th: &Thresholds) -> Result<(), Halt> {
        if !self.few {
            let h = self.driver.next_step();
            let a = self.fastest(&self.driver.derived().a);
            let lost = BOTH * h * (self.fastest(&self.sample.v) + a * h);
            self.reach = (REACH * lost).max(least) + CLOSE * self.base.length();
        }
        let closed = self.mode.active().iter().map(|a| a.id);
        let watched = self.watch.update(&*self.base, &self.ws, closed, self.reach, th);
        watched.map_err(|e| crowded(&*self.base, &e, self.sample.t))
    }

    /// Watches more where the proposed step, with such a surge, moves bodies further than was foreseen.
    fn watch_further(&mut self, surge: f64) -> Result<(), Halt> {
        let view = self.driver.proposal();
        let speed = self.fastest(&view.from.v).max(self.fastest(&view.to.v));
        let lost = BOTH * (view.to.t - view.from.t) * (speed + surge * self.base.length());
        if lost > self.reach {
            self.sample.copy_from(view.from);
            self.realize_sample();
            self.watch_near(REACH * lost, &self.thresholds())?;
        }
        Ok(())
    }

    /// The first event in the proposed step, which [`EventDriven::divide`] has just looked at.
    fn first_event(&mut self, parts: usize, th: &Thresholds) -> Option<(f64, Trigger)> {
        let view = self.driver.proposal();
        let mut span =
            Span { dense: &mut self.dense, sample: &mut self.sample, from: view.from, to: view.to };
        let closing = self.watch.first(&*self.base, &mut self.ws, &mut span, parts, th);
        let mut first = closing.map(|c| (c.s, Trigger::Closes(c.id, c.features)));
        let limit = first.as_ref().map_or(1.0, |f| f.0);
        let soonest = SOONEST * (view.from.t.abs() + 1.0 / self.driver.rate());
        if let Some(load) = self.closed_points.first(
            &self.mode,
            &mut self.selector,
            &mut self.ws,
            &mut span,
            &view,
            limit,
            soonest / (view.to.t - view.from.t),
            th,
        ) {
            first = Some(load);
        }
        first
    }

    /// Makes the step again so that it ends at an event that was found after the time h. What happens there;
    /// `None` where it is still to come.
    fn meet(&mut self, h: f64, longest: f64, trigger: Trigger) -> Result<Option<Trigger>, Halt> {
        if let Trigger::Stops(id) = trigger
            && self.mode.turns()
        {
            let t = self.driver.state().t;
            let mut part = h;
            for _ in 0..HALVINGS {
                if part < longest {
                    part = self.shorten(t, part)?;
                }
                let end = self.driver.proposal().to;
                let Some(sliding) = self.closed_points.sliding(&self.mode, end, id) else { break };
                let Sliding { along, speed, rest } = sliding;
                if speed <= rest {
                    return Ok(Some(trigger));
                }
                if along > 0.0 {
                    // what methods remember of the time before friction turned misleads them
                    let turned = along < TURNED * speed;
                    return Ok(turned.then_some(Trigger::Kink(id)));
                }
                part *= 0.5;
            }
        }
        if let Trigger::Kink(_) = trigger {
            // forces that begin to change otherwise a little sooner or later do so by the square of that; their
            // function jumps where all loads vanish, and leads nowhere
            let t = self.driver.state().t;
            return Ok((self.shorten(t, h)? >= h).then_some(trigger));
        }
        Ok(self.refine(h, longest, &trigger)?.then_some(trigger))
    }

    /// Makes the step again until it ends where the event is; false where it could only be made
    /// shorter, and the event is still to come. The event stays between the longest step that ended before it and
    /// the shortest that ended behind: a function with a jump or a kink leads astray otherwise.
    fn refine(&mut self, h: f64, longest: f64, trigger: &Trigger) -> Result<bool, Halt> {
        let mut h = h;
        let mut last: Option<(f64, f64)> = None;
        let (mut before, mut behind) = (0.0, longest);
        let t0 = self.driver.state().t;
        for _ in 0..REFINEMENTS {
            if self.shorten(t0, h)? < h {
                return Ok(false);
            }
            let Some((value, slope)) = self.event_value(trigger) else { return Ok(true) };
            let slope = match (slope, last) {
                (Some(s), _) => s,
                (None, Some((h0, v0))) if h != h0 => (value - v0) / (h - h0),
                (None, _) => {
                    // a first guess by the value at a slightly shorter step
                    let shorter = h * (1.0 - 1e-4);
                    if self.shorten(t0, shorter)? < shorter {
                        return Ok(false);
                    }
                    match self.event_value(trigger) {
                        Some((v, _)) => (value - v) / (h - shorter),
                        None => return Ok(true),
                    }
                }
            };
            last = Some((h, value));
            match value > 0.0 {
                true => before = h.max(before),
                false => behind = h.min(behind),
            }
            if value == 0.0 {
                break;
            }
            let next = (h - value / slope).max(0.5 * h).min(1.5 * h);
            let next = match next > before && next < behind || next == h {
                true => next,
                false => 0.5 * (before + behind),
            };
            if (next - h).abs() <= 2.0 * f64::EPSILON * (t0.abs() + h) {
                break;
            }
            h = next;
        }
        Ok(self.shorten(t0, h)? >= h)
    }

    /// Value and, where known, slope of an event function at the end of the proposed step.
    fn event_value(&mut self, trigger: &Trigger) -> Option<(f64, Option<f64>)> {
        let view = self.driver.proposal();
        self.closed_points.value(&self.mode, &mut self.ws, view.to, trigger)
    }

    /// Accelerations and multipliers of the base at a state, contacts as in the present mode.
    pub(crate) fn evaluate(
        &mut self,
        s: &State,
        d: &mut delassus_dae::Derived,
    ) -> Result<(), StepFailure> {
        self.closed_points.derived(&self.mode, s, d)
    }

    /// Power lost by sliding at the state that was evaluated last, W.
    pub(crate) fn power_lost(&self) -> f64 {
        self.closed_points.power_lost()
    }

    /// Visits the closed points at the state that was evaluated last, with gap and forces.
    pub(crate) fn visit_closed(&mut self, mut f: impl FnMut(&Active, f64, [f64; 3])) {
        self.closed_points.share(&self.mode);
        for (k, a) in self.mode.active().iter().enumerate() {
            let (gap, force) = self.closed_points.force(&self.mode, k);
            f(a, gap, force);
        }
    }

    /// Looks whether the closed points are where they are said to be, at the state that was
    /// evaluated last, which is one at t.
    pub(crate) fn look_at_closed(&mut self, t: f64) {
        let (base, tally) = (&self.base, &mut self.tally);
        for (k, a) in self.mode.active().iter().enumerate() {
            let (gap, rate) = self.closed_points.kinematics(k);
            let name = || base.point_name(a.id);
            let speed = match base.law(a.id) {
                PointLaw::DryFriction { .. } => rate[0].abs(),
                PointLaw::OneWay => 0.0,
                PointLaw::Contact { .. } => {
                    tally.penetration.observe(-gap, t, name);
                    rate[1].hypot(rate[2])
                }
            };
            if a.motion == SlipState::Stick {
                tally.stick_speed.observe(speed, t, name);
            }
        }
    }

    /// The scratch of the base, realised at the state that was evaluated last.
    pub(crate) fn evaluated(&self) -> &P::Ws {
        self.closed_points.realized()
    }
}
