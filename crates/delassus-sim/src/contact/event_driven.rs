//! The event-driven method: smooth motion in a mode, an event, the next mode.
//!
//! After every step that passes the error test, before it is committed:
//!
//! 1. the first event in it is searched for on the dense output: an open point that closes (`search.rs`), a closed one
//!    whose force vanishes, friction that reaches its limit, sliding that stops, a feature that ends
//!    (`closed_points.rs`);
//! 2. the step is repeated up to the event, until the event function of the real end state is zero to round-off;
//! 3. the velocity jumps if points approach (`jump.rs`), and accelerations choose the next mode (`resolve.rs`).
//!
//! Index sets: I0 all points, I1 those that touch ([`Thresholds::touching`]), I2 those of I1 whose
//! normal speed is zero ([`Thresholds::rest`]), I3 those of I2 that do not slide
//! ([`Thresholds::slow`]).

use super::closed_points::ClosedPoints;
use super::courses::Courses;
use super::crowd::{Crowd, SEARCHED_BYTES, SEARCHED_ROWS};
use super::event::Event;
use super::jump::Bounces;
use super::locate::Met;
use super::resolve::{crowded, setup};
use super::squeeze::Squeeze;
use super::storm::{Storm, Turns, Unrest};
use super::tally::ContactTally;
use super::thresholds::Thresholds;
use super::trigger::Trigger;
use super::watch::{BOTH, Watch, realize};
use crate::driver::{Driver, DriverOptions, StepView};
use crate::error::SimError;
use delassus_cone as cone;
use delassus_dae::{
    Hermite, Integrator, KktError, PointId, PointLaw, State, StepFailure, Unilateral,
};
use delassus_math::largest;
use delassus_model::ContactTolerances;
use delassus_nonsmooth::release::Selector;
use delassus_nonsmooth::{Active, Mode, Pressed, SlipState};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// Creates a method for a mode.
pub type MakeMethod<P> =
    Box<dyn Fn(&Mode<P>) -> Result<Box<dyn Integrator<Mode<P>>>, MakeError> + Send>;

/// Why a method could not be created.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MakeError {
    /// There is none of this name.
    #[error("there is no method of the name \"{0}\"")]
    Unknown(&'static str),
    /// Its linear system could not be set up.
    #[error(transparent)]
    Kkt(#[from] KktError),
}

/// Fraction of the elapsed time, or of the characteristic time, within which an event counts as at the start of its
/// step.
pub(super) const SOONEST: f64 = 1e-14;
/// Step times rate of turning beyond which explicit methods are not stable (about 3 for those of
/// order 5).
pub(super) const STIFF: f64 = 2.0;
/// The same, for a step that friction keeps short.
const TURNING: f64 = 0.1;
/// Error of velocities, in [`ContactTolerances::slow`], that rounded friction leaves open where a point sets off or
/// comes to rest in space: its direction is that of a speed within the rounding. Steps that resolve it are lost.
const OPEN: f64 = 100.0;
/// Number of points up to which all are watched, wherever they are.
const FEW: usize = 5000;
/// Overlap, in lengths of the system, that no error of a step explains.
pub(super) const MISSED: f64 = 1e-6;
/// Factor on the largest gap that a point can lose in a step, judged by its start, within which points are watched.
pub(super) const REACH: f64 = 1.5;
/// Gap, in lengths of the system, within which points are always watched.
const CLOSE: f64 = 1e-3;

/// Why the event-driven method cannot continue by itself.
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
    /// Forces were not found to the tolerance; whether any exist is not known.
    Unsolved {
        /// What was found.
        detail: String,
        /// Points that take part.
        points: Vec<PointId>,
    },
    /// Too many points touch at once for solving their forces together; time-stepping needs less memory.
    TooMany(SimError),
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
    pub(super) stiff: Option<MakeMethod<P>>,
    pub(super) is_stiff: bool,
    pub(super) selector: Selector,
    pub(super) ws: P::Ws,
    pub(super) closed_points: ClosedPoints<P>,
    pub(super) watch: Watch,
    pub(super) dense: Hermite,
    pub(super) sample: State,
    pub(super) pending: Option<Trigger>,
    pub(super) history: BTreeMap<PointId, Bounces>,
    pub(super) squeeze: Squeeze,
    /// History of compliant contacts since they began.
    pub(super) courses: Courses,
    pub(super) cone: cone::Workspace,
    pub(super) stuck: u32,
    /// What happened at the time of the last event.
    pub(super) turns: Turns,
    pub(super) last_event: f64,
    pub(super) crowd: Crowd,
    /// There are so few points that all are always watched.
    pub(super) few: bool,
    /// Gap within which points are watched at present, m.
    pub(super) reach: f64,
    /// Typical sizes of the coordinates.
    pub(super) scale: Vec<f64>,
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

impl<P: Unilateral + 'static> EventDriven<P> {
    /// For a state that satisfies the joints and has no overlap; [`EventDriven::resume`] starts it.
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
            courses: Courses::default(),
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

    /// Where the direction of friction in space makes a mode stiff for an explicit method, continue with a method
    /// created by this, until the mode ends.
    pub fn with_stiff(mut self, make: MakeMethod<P>) -> EventDriven<P> {
        self.stiff = Some(make);
        self
    }

    /// With tolerances other than the defaults.
    pub fn with_tolerances(mut self, tolerances: ContactTolerances) -> EventDriven<P> {
        self.tolerances = tolerances;
        self
    }

    /// Gives up where forces at very many points would have to be searched for, so that another method can continue.
    pub(crate) fn leaving_large_problems(mut self) -> EventDriven<P> {
        self.cone.most_rows = Some(SEARCHED_ROWS);
        self.selector.cone.most_rows = Some(SEARCHED_ROWS);
        self.selector.response.most_bytes = SEARCHED_BYTES;
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

    /// An event was reached at the present state and has not been resolved yet.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Present state. An event reached at its end has not been resolved yet.
    pub fn state(&self) -> &State {
        self.driver.state()
    }

    /// Thresholds at present.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds::new(&self.tolerances, self.base.length(), self.driver.rate())
    }

    /// Thresholds of a point at a state with velocities v, according to the motion of its own bodies.
    pub(super) fn thresholds_at(&self, id: PointId, cols: &[usize], v: &[f64]) -> Thresholds {
        let rate = self.driver.rate_of(cols, v);
        Thresholds::new(&self.tolerances, self.base.length(), rate)
            .of_gap(self.base.gap_per_metre(id))
    }

    /// Steps end at this time at the latest, s.
    pub fn set_stop(&mut self, t: f64) {
        self.driver.set_stop(t);
    }

    /// Changes the held states, from the present time on.
    pub fn set_held(&mut self, values: &[f64]) {
        self.driver.set_held(&self.mode, values);
    }

    /// Continues from a state that came from elsewhere: the start, or time-stepping. Lasting compliant contacts are
    /// taken over before it.
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
                    // the mode continues, and the method restarts after the kink
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
            let begins = self.courses.aim.take().unwrap_or(f64::INFINITY);
            self.driver.set_aim(self.closed_points.slides_for(&self.mode).min(begins));
            let creeps = self.mode.turns() && self.closed_points.creeps(&self.mode);
            self.driver.leave_open(if creeps { OPEN * self.tolerances.slow } else { 0.0 });
            self.driver.propose(&self.mode)?;
            let th = self.thresholds();
            match self.meet_any(&th)? {
                Met::AtStart(trigger) => {
                    self.pending = Some(trigger);
                    self.driver.drop_proposal();
                    continue;
                }
                Met::AtEnd(trigger) => self.pending = Some(trigger),
                Met::Later => {}
            }
            self.driver.commit();
            self.after_step(&th)?;
            if self.pending.is_none() {
                self.pending = self.held_soon()?.map(Trigger::Stops);
            }
            return Ok(());
        }
    }

    /// Continues with the method for stiff modes where the direction of sliding turns faster than an explicit method
    /// can follow. It does not switch back before the mode ends.
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

    /// Whether friction at the end of a step of length h is that of its last part. In space, where sliding comes to its
    /// end, direction and force are those of the last instant only: the remainder of a speed.
    pub fn ends_smoothly(&mut self, end: &State, h: f64) -> bool {
        !self.mode.turns() || self.closed_points.turning_rate(&self.mode, end) * h <= STIFF
    }

    /// After a step: whether steps with closed contacts have become too short to make progress, and what time-stepping
    /// should pass in that case.
    pub fn crawl(&mut self) -> Option<Halt> {
        let th = self.thresholds();
        // a compliant contact keeps steps short while it acts, and time-stepping would be no better
        if self.mode.active().is_empty() || self.mode.pressed().iter().any(|p| !p.slack) {
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
        if !self.crowd.is_crawling((h, view.to.t), th.crowded, self.driver.rtol(), turns) {
            return None;
        }
        let unrest = if turning { Unrest::Turning } else { Unrest::Steps };
        let points = mode.active().iter().map(|a| a.id).collect();
        Some(Halt::Storm { storm: Storm { unrest, points }, lasts: th.crowded })
    }

    /// Examines open points again where the step ended.
    fn after_step(&mut self, th: &Thresholds) -> Result<(), Halt> {
        self.follow_pressed();
        self.sample.copy_from(self.driver.state());
        self.realize_sample();
        self.watch_near(0.0, th)?;
        self.follow_sliding();
        self.limit_closed();
        Ok(())
    }

    /// Records speeds and directions of points that slide in space, at the sample.
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

    /// Speed of the fastest coordinate, angles at the length of the system, m/s.
    pub(super) fn fastest(&self, v: &[f64]) -> f64 {
        let rates = v.iter().zip(&self.scale).map(|(v, s)| v.abs() / s);
        self.base.length() * largest(rates)
    }

    /// The same of these coordinates alone.
    pub(super) fn fastest_of(&self, cols: &[usize], v: &[f64]) -> f64 {
        let rates = cols.iter().map(|c| v[*c].abs() / self.scale[*c]);
        self.base.length() * largest(rates)
    }

    /// Watches the points that may close in the next step, judged by velocities and accelerations at the sample, where
    /// it starts; at least those within this gap, m.
    pub(super) fn watch_near(&mut self, least: f64, th: &Thresholds) -> Result<(), Halt> {
        if !self.few {
            let h = self.driver.next_step();
            let a = self.fastest(&self.driver.derived().a);
            let lost = BOTH * h * (self.fastest(&self.sample.v) + a * h);
            self.reach = (REACH * lost).max(least) + CLOSE * self.base.length();
        }
        let pressed = self.mode.pressed().iter().map(|p| p.id);
        let closed = self.mode.active().iter().map(|a| a.id).chain(pressed);
        let watched = self.watch.update(&*self.base, &self.ws, closed, self.reach, th);
        watched.map_err(|e| crowded(&*self.base, &e, self.sample.t))
    }

    /// Accelerations and multipliers of the base at a state, with contacts as in the present mode.
    pub(crate) fn evaluate(
        &mut self,
        s: &State,
        d: &mut delassus_dae::Derived,
    ) -> Result<(), StepFailure> {
        self.closed_points.derived(&self.mode, s, d)
    }

    /// Power lost by sliding and by compliant contact at the state that was evaluated last, W.
    pub(crate) fn power_lost(&self) -> f64 {
        self.closed_points.power_lost()
    }

    /// Energy stored by compliant contact at the state that was evaluated last, J.
    pub(crate) fn stored(&self) -> f64 {
        self.closed_points.stored(&self.mode)
    }

    /// Visits the pressed points of compliant contact at the state that was evaluated last, with gap and forces.
    pub(crate) fn visit_pressed(&self, mut f: impl FnMut(&Pressed, f64, [f64; 3])) {
        let pressing = &self.closed_points.ws.pressing;
        for (k, p) in self.mode.pressed().iter().enumerate() {
            f(p, pressing.points[k].gap, pressing.force(k));
        }
    }

    /// Visits the closed points at the state that was evaluated last, with gap and forces.
    pub(crate) fn visit_closed(&mut self, mut f: impl FnMut(&Active, f64, [f64; 3])) {
        self.closed_points.share(&self.mode);
        for (k, a) in self.mode.active().iter().enumerate() {
            let (gap, force) = self.closed_points.force(&self.mode, k);
            f(a, gap, force);
        }
    }

    /// Checks whether the closed points are where they should be, at the state that was evaluated last, which is one at
    /// t.
    pub(crate) fn look_at_closed(&mut self, t: f64) {
        let (base, tally) = (&self.base, &mut self.tally);
        for (k, a) in self.mode.active().iter().enumerate() {
            let (gap, rate) = self.closed_points.kinematics(k);
            let name = || base.point_name(a.id);
            let speed = match base.law(a.id) {
                PointLaw::DryFriction { .. } => rate[0].abs(),
                PointLaw::Compliant | PointLaw::OneWay => 0.0,
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
