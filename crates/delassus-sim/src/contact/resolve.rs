//! What happens at an event: impacts, then the next mode, then a restart of the method.

use super::closed_points::{ClosedPoints, feature_function};
use super::event::EventKind;
use super::event_driven::{EventDriven, Halt};
use super::jump::{Bounces, HISTORY};
use super::storm::{Storm, Unrest};
use super::thresholds::Thresholds;
use super::trigger::Trigger;
use crate::error::{SimError, SimErrorKind};
use delassus_cone as cone;
use delassus_dae::{ContactPoint, Crowded, PointId, PointLaw, State, StepFailure, Unilateral};
use delassus_math::largest;
use delassus_nonsmooth::release::{Assume, Closed, SelectError, Selection, evaluate};
use delassus_nonsmooth::{Active, SlipState};
use std::fmt::Display;

/// Number of events without any progress in time before the run is given up.
const MAX_STUCK: u32 = 60;
/// How long trouble of unknown length is expected to last, in [`Thresholds::dense`].
pub(super) const PASSAGE: f64 = 10.0;
/// How far ahead features are evaluated when they change, in [`Thresholds::dense`].
pub(super) const LATER: f64 = 1e-2;
/// Distance, in lengths of the system, after which it is clear whether a corner passes an edge.
const CLEAR: f64 = 1e-7;
/// Allowed gap, in lengths of the system, of features that take over from others a moment later.
const TAKEN_OVER: f64 = 1e-7;
/// Allowed normal speed, in [`Thresholds::rest`], of a point that returns without having been seen to leave: its bounce
/// is below the resolution of positions, and over.
const BOUNCED: f64 = 1e4;
/// Allowed overlap, in lengths of the system, of a contact when it closes.
const MOVED: f64 = 1e-3;
/// Longest step while points are closed, at first, in characteristic times: a motion that is held has no error to limit
/// its steps, and a force that would release it must not be stepped over.
const CLOSED_STEP: f64 = 0.1;
/// Fraction of the time since the last event that such a step may take instead, if that is longer: what has lasted is
/// not likely to end at once.
const LASTED: f64 = 0.5;

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Resolves what happens at a state: impacts, then the next mode.
    pub(super) fn event(
        &mut self,
        mut s: State,
        trigger: &Trigger,
        active: &[Active],
    ) -> Result<(), Halt> {
        let th = self.thresholds();
        let mut returns = None;
        if s.t <= self.last_event {
            if let Trigger::Closes(id, _) = trigger {
                returns = Some(*id);
            }
            self.stuck += 1;
            self.turns.add(trigger, active);
            if self.stuck > MAX_STUCK {
                return Err(self.storm(&th));
            }
        } else {
            self.stuck = 0;
            self.turns.clear();
            self.turns.add(trigger, active);
        }
        self.last_event = s.t;
        let compliant = self.is_of_compliant(trigger);
        if !compliant && self.crowd.is_event_crowd(s.t, th.crowded, trigger.point()) {
            return Err(Halt::Storm { storm: self.crowd.storm(), lasts: th.crowded });
        }
        if *trigger != Trigger::Start {
            // methods that hold only positions or only velocities leave a small error in the other
            self.closed_points.project_onto_mode(&self.mode, &mut s).map_err(|e| setup(&e, s.t))?;
        }
        self.sample.copy_from(&s);
        self.realize_sample();
        self.update_pressed(&mut s, trigger)?;
        // I1: what touches, except what is just leaving
        let mut touching: Vec<(PointId, [u32; 2])> =
            active.iter().map(|a| (a.id, a.features)).collect();
        // bringing closed points back may have moved away a point that was about to close; it comes later, if at all
        if let Trigger::Closes(id, features) = trigger
            && !compliant
            && !(self.stuck == 0 && self.moved_off(*id, *features) > th.touching)
        {
            touching.push((*id, *features));
        }
        self.watch.touching(&*self.base, &self.ws, &th, &mut touching);
        self.dry_friction(&mut touching);
        touching.sort_by_key(|t| t.0);
        touching.dedup_by_key(|t| t.0);
        let mut leaving: Vec<PointId> = match trigger {
            Trigger::Releases(id) => vec![*id],
            Trigger::Reselect(next) => {
                let stays = |id: PointId| next.iter().any(|n| n.id == id);
                active.iter().map(|a| a.id).filter(|id| !stays(*id)).collect()
            }
            _ => Vec::new(),
        };
        if let Trigger::Changes(id) = trigger
            && !compliant
        {
            for (id, next) in self.next_features(&s, *id, active) {
                match next {
                    Some(features) => {
                        if let Some(t) = touching.iter_mut().find(|t| t.0 == id) {
                            t.1 = features;
                        }
                        self.note(s.t, EventKind::NormalChange, id);
                    }
                    None => {
                        self.watch.slides_off(id);
                        leaving.push(id);
                    }
                }
            }
        }
        touching.retain(|t| !leaving.contains(&t.0));
        self.refuse_overlap(trigger, active, &touching)?;
        self.drop_passing(&s, active, &mut touching, &th);
        let bounced = self.impacts(&mut s, &mut touching)?;
        let jumped = bounced.is_some();
        let faded = bounced.unwrap_or_default();
        // I2: what neither approaches nor leaves
        let rested = match trigger {
            Trigger::Stops(stopper) => self.bring_to_rest(&mut s, *stopper, active)?,
            _ => Vec::new(),
        };
        let points = evaluate(&*self.base, &self.ws, touching.iter().copied());
        // a bounce that is over is over for all touching points of its bodies: what holds one may hold the others
        let returned = points.iter().find(|(id, _)| returns == Some(*id));
        let returned = returned.map_or(&[][..], |(_, p)| &p.cols[..]);
        let own = points.iter().map(|(id, p)| (id, p, self.thresholds_at(*id, &p.cols, &s.v)));
        let closed: Vec<Closed> = own
            .filter(|(id, p, th)| {
                let returns = p.cols.iter().any(|c| returned.contains(c));
                let over = faded.contains(id) || returns && p.rate[0] <= BOUNCED * th.rest;
                over || self.stays(**id, p.rate[0], th)
            })
            .map(|(id, p, th)| Closed {
                id: *id,
                features: p.features,
                slow: th.slow,
                assume: match trigger {
                    Trigger::Slides(slider, d) if slider == id => Assume::Slides(*d),
                    Trigger::Stops(stopper) if stopper == id || rested.contains(id) => {
                        match p.rate[1].hypot(p.rate[2]) <= th.held() {
                            true => Assume::Rest,
                            false => Assume::Judge,
                        }
                    }
                    Trigger::Reselect(next) => begins_to_slide(*id, active, next),
                    _ if !jumped
                        && (compliant
                            || matches!(trigger, Trigger::Slides(..) | Trigger::Stops(..))) =>
                    {
                        goes_on_sliding(
                            active.iter().find(|a| a.id == *id),
                            self.base.law(*id),
                            p,
                            th.slow,
                        )
                    }
                    _ => Assume::Judge,
                },
            })
            .collect();
        let mut selection = self
            .selector
            .select(&*self.base, &mut self.ws, &s, &closed, th.still)
            .map_err(|e| self.select_failed(e, s.t))?;
        if !jumped
            && !matches!(trigger, Trigger::Start | Trigger::Closes(..) | Trigger::Appears(..))
        {
            self.leave_open(&mut selection, active);
        }
        self.count_held(s.t, &selection.active);
        self.log_changes(s.t, active, &selection.active, &leaving, jumped);
        let renew = matches!(trigger, Trigger::Reselect(_));
        self.enter(s, selection.active, active, Entry { jumped, renew })
    }

    /// Gap of a point at the realised sample, m; zero for points without a gap.
    fn moved_off(&self, id: PointId, features: [u32; 2]) -> f64 {
        if !matches!(self.base.law(id), PointLaw::Contact { .. }) {
            return 0.0;
        }
        let points = evaluate(&*self.base, &self.ws, std::iter::once((id, features)));
        largest(points.iter().map(|(_, p)| p.gap)) / self.base.gap_per_metre(id)
    }

    /// Sliding speed that counts as rest, m/s.
    fn stopped(&self, th: &Thresholds) -> f64 {
        th.stopped(&self.tolerances, self.driver.rtol())
    }

    /// A point that slides in space so slowly that friction will hold it before the positions show any difference: at
    /// the present state, at which the sample is realised.
    pub(super) fn held_soon(&mut self) -> Result<Option<PointId>, Halt> {
        let Some(id) = self.closed_points.asks(&self.mode) else { return Ok(None) };
        let mut s = self.driver.state().clone();
        let active = self.mode.active().to_vec();
        let rested = self.bring_to_rest(&mut s, id, &active)?;
        let th = self.thresholds();
        let closed: Vec<Closed> = active
            .iter()
            .map(|a| Closed {
                id: a.id,
                features: a.features,
                slow: th.slow * self.base.gap_per_metre(a.id),
                assume: if rested.contains(&a.id) { Assume::Rest } else { Assume::Judge },
            })
            .collect();
        let next = self.selector.select(&*self.base, &mut self.ws, &s, &closed, th.still);
        self.sample.copy_from(self.driver.state());
        self.realize_sample();
        let holds = |a: &Active| a.id == id && a.motion == SlipState::Stick;
        Ok(next.is_ok_and(|next| next.active.iter().any(holds)).then_some(id))
    }

    /// Removes the remaining speed of points that came to rest in space: friction would take its direction from it, and
    /// it has none. Where one stops, so do others that slow down and are as slow, and those that are left with no
    /// speed. Returns the points that are now at rest; the sample is realised at the state.
    fn bring_to_rest(
        &mut self,
        s: &mut State,
        stopper: PointId,
        active: &[Active],
    ) -> Result<Vec<PointId>, Halt> {
        let mut rested: Vec<PointId> = Vec::new();
        let in_space = (0..active.len()).filter(|k| self.mode.slides_in_space(*k));
        let sliders: Vec<Active> = in_space.map(|k| active[k]).collect();
        if sliders.iter().all(|a| a.id != stopper) {
            return Ok(rested);
        }
        loop {
            let first = rested.is_empty();
            let at = |a: &Active| (a.id, a.features);
            let points = evaluate(&*self.base, &self.ws, sliders.iter().map(at));
            let stops = |(id, p): &&(PointId, ContactPoint)| {
                let u = [p.rate[1], p.rate[2]];
                let slows = || p.acceleration_along(u, &self.driver.derived().a) < 0.0;
                let th = self.thresholds_at(*id, &p.cols, &s.v);
                // one that is not practically at rest was found to be held
                let slow = if *id == stopper { th.held() } else { self.stopped(&th) };
                u[0].hypot(u[1]) <= slow && (*id == stopper || !first || slows())
            };
            let all: Vec<PointId> = points.iter().filter(stops).map(|(id, _)| *id).collect();
            if all.len() <= rested.len() {
                return Ok(rested);
            }
            rested = all;
            let hold = |a: &Active| match rested.contains(&a.id) {
                true => Active { motion: SlipState::Stick, ..*a },
                false => *a,
            };
            let held: Vec<Active> = active.iter().map(hold).collect();
            let points = evaluate(&*self.base, &self.ws, active.iter().map(at));
            let set = self.selector.response.set(&*self.base, &self.ws, points);
            set.map_err(|e| no_response(&*self.base, &e, s.t))?;
            let mode = self.selector.mode(&self.base, &held, 1.0).map_err(|e| setup(&e, s.t))?;
            let mut held = ClosedPoints::new(&mode).map_err(|e| setup(&e, s.t))?;
            held.project_onto_mode(&mode, s).map_err(|e| setup(&e, s.t))?;
            self.sample.copy_from(s);
            self.realize_sample();
        }
    }

    /// Leaves points open that touch without load, if others caused the event: two corners that lift off at once would
    /// otherwise close and open in turn, each at the event of the other. A point that closes later is detected then.
    fn leave_open(&self, selection: &mut Selection, before: &[Active]) {
        let r = &self.selector.response;
        let loaded = |id: PointId| {
            r.members.iter().find(|m| m.id == id).is_none_or(|m| {
                matches!(m.law, PointLaw::DryFriction { .. })
                    || selection.forces[m.row] * r.w[m.row * r.n + m.row]
                        > self.selector.still[m.row]
            })
        };
        let stays: Vec<bool> = selection
            .active
            .iter()
            .map(|a| before.iter().any(|b| b.id == a.id) || loaded(a.id))
            .collect();
        let mut stays = stays.iter();
        selection.active.retain(|_| stays.next().copied().unwrap_or(true));
    }

    /// A contact that closes here must touch: bringing together bodies that overlap far would move them. What
    /// time-stepping hands back, and the start, were checked before.
    fn refuse_overlap(
        &self,
        trigger: &Trigger,
        active: &[Active],
        touching: &[(PointId, [u32; 2])],
    ) -> Result<(), Halt> {
        if *trigger == Trigger::Start {
            return Ok(());
        }
        let depth = MOVED * self.base.length();
        let new = touching.iter().filter(|t| active.iter().all(|a| a.id != t.0)).copied();
        let points = evaluate(&*self.base, &self.ws, new);
        let inside = |id: PointId, gap: f64| {
            matches!(self.base.law(id), PointLaw::Contact { .. }) && gap < -depth
        };
        match points.iter().find(|(id, p)| inside(*id, p.gap)) {
            Some((id, _)) => {
                Err(self.overlap(Some(format!("contact \"{}\"", self.base.point_name(*id)))).into())
            }
            None => Ok(()),
        }
    }

    /// Events without progress: the end of an accumulation in which several points take part in turn, or something
    /// else.
    fn storm(&self, th: &Thresholds) -> Halt {
        let last = self.history.iter().max_by(|a, b| {
            let [a, b] = [a.1, b.1].map(|b| b.times.last().copied().unwrap_or(f64::MIN));
            a.total_cmp(&b)
        });
        match last {
            Some((point, Bounces { times, .. }))
                if times.len() >= HISTORY
                    && times.iter().all(|t| self.last_event - t < th.dense) =>
            {
                Halt::Accumulation { rest: th.dense, point: *point }
            }
            _ => Halt::Storm { storm: self.turns.storm(), lasts: PASSAGE * th.dense },
        }
    }

    /// Evaluates the positions a moment later, s.
    pub(super) fn later<T>(
        &mut self,
        s: &State,
        moment: f64,
        look: impl FnOnce(&P, &P::Ws) -> T,
    ) -> T {
        let step: Vec<f64> = s.v.iter().map(|v| v * moment).collect();
        self.sample.copy_from(s);
        self.base.manifold().retract(&s.q, &step, &mut self.sample.q);
        self.realize_sample();
        let seen = look(&self.base, &self.ws);
        self.sample.copy_from(s);
        self.realize_sample();
        seen
    }

    /// The features that take over where those of a point end: those that face each other a moment later, because at
    /// the border itself both descriptions are equally good. `None`: there are none that touch, the point is at the end
    /// of what it slides on. The other closed points whose features end within this moment are included: corners that
    /// pass an edge at once must not leave it one by one.
    fn next_features(
        &mut self,
        s: &State,
        id: PointId,
        active: &[Active],
    ) -> Vec<(PointId, Option<[u32; 2]>)> {
        let mut cols = Vec::new();
        self.base.columns(id, &mut cols);
        let th = self.thresholds_at(id, &cols, &s.v);
        self.later(s, LATER * th.dense, |base, ws| {
            let mut point = ContactPoint::default();
            let mut ends = |a: &Active| {
                matches!(base.law(a.id), PointLaw::Contact { .. })
                    && base.position(ws, a.id, true, Some(a.features), &mut point)
                    && feature_function(base, ws, a.id, &point) < 0.0
            };
            let others = active.iter().filter(|a| a.id != id && ends(a)).map(|a| a.id);
            let ids: Vec<PointId> = std::iter::once(id).chain(others).collect();
            let next = |id: PointId| {
                let faces = base.position(ws, id, false, None, &mut point);
                (faces && point.gap.abs() <= TAKEN_OVER * base.length()).then_some(point.features)
            };
            let next: Vec<_> = ids.iter().copied().map(next).collect();
            ids.into_iter().zip(next).collect()
        })
    }

    /// Where two corners meet, one may seem to approach an edge of the other that it only passes beyond its end: points
    /// that do not come closer within a moment, as their rate predicts, are left out.
    fn drop_passing(
        &mut self,
        s: &State,
        active: &[Active],
        touching: &mut Vec<(PointId, [u32; 2])>,
        th: &Thresholds,
    ) {
        if touching.len() < 2 {
            return;
        }
        // long enough for its bodies to get clear of the border, where both descriptions are equally good
        let moment = |p: &ContactPoint| CLEAR * self.base.length() / self.fastest_of(&p.cols, &s.v);
        let mut fast = evaluate(&*self.base, &self.ws, touching.iter().copied());
        fast.retain(|(id, p)| {
            // approaches that exceed the round-off of positions
            let seen = 10.0 * th.zero / moment(p);
            matches!(self.base.law(*id), PointLaw::Contact { .. })
                && p.rate[0] < -seen.max(self.thresholds_at(*id, &p.cols, &s.v).rest)
                && active.iter().all(|a| a.id != *id)
        });
        let moment = largest(fast.iter().map(|(_, p)| moment(p)));
        if fast.is_empty() {
            return;
        }
        let passing = self.later(s, moment, |base, ws| {
            let mut point = ContactPoint::default();
            fast.retain(|(id, now)| {
                let faces = base.position(ws, *id, false, Some(now.features), &mut point);
                !(faces && point.gap <= now.gap + 0.5 * now.rate[0] * moment)
            });
            fast
        });
        for (id, _) in &passing {
            self.watch.disarm(*id);
        }
        touching.retain(|t| passing.iter().all(|(id, _)| *id != t.0));
    }

    /// A point of I1 that belongs to I2, by its own thresholds.
    fn stays(&self, id: PointId, rate: f64, th: &Thresholds) -> bool {
        match self.base.law(id) {
            PointLaw::Contact { .. } | PointLaw::OneWay => rate <= th.rest,
            PointLaw::DryFriction { .. } => true,
            PointLaw::Compliant => false,
        }
    }

    /// Adds dry friction, which has no gap and always takes part.
    fn dry_friction(&mut self, out: &mut Vec<(PointId, [u32; 2])>) {
        let mut ids = Vec::new();
        self.base.near(&self.ws, f64::NEG_INFINITY, &mut ids);
        for id in ids {
            if matches!(self.base.law(id), PointLaw::DryFriction { .. }) {
                out.push((id, [0, 0]));
            }
        }
    }

    /// Starts the smooth motion of a mode.
    fn enter(
        &mut self,
        mut s: State,
        next: Vec<Active>,
        before: &[Active],
        Entry { jumped, renew }: Entry,
    ) -> Result<(), Halt> {
        let t = s.t;
        let same = !renew
            && same_mode(&next, self.mode.active())
            && self.selector.pressed == self.mode.pressed();
        if !same {
            let speed = self.base.length() * self.closed_rate(&next, &s.v);
            self.mode = self.selector.mode(&self.base, &next, speed).map_err(|e| setup(&e, t))?;
            self.closed_points = ClosedPoints::new(&self.mode).map_err(|e| setup(&e, t))?;
            self.closed_points.set_inertia(&self.mode, &self.selector);
        }
        if !next.is_empty() && (!same || jumped) {
            self.closed_points.project_onto_mode(&self.mode, &mut s).map_err(|e| setup(&e, t))?;
        }
        let method =
            if same { None } else { Some((self.make)(&self.mode).map_err(|e| setup(&e, t))?) };
        self.is_stiff &= same;
        self.limit_closed();
        self.driver.restart(&self.mode, method, &s).map_err(|e| setup(&e, t))?;
        self.sample.copy_from(&s);
        self.realize_sample();
        let th = self.thresholds();
        let active = self.mode.active();
        for a in before.iter().filter(|a| active.iter().all(|b| b.id != a.id)) {
            self.watch.disarm(a.id);
        }
        self.watch_near(0.0, &th)?;
        self.closed_points.forget_slides();
        self.follow_sliding();
        Ok(())
    }

    /// Counts closed points with friction that joints already hold.
    fn count_held(&mut self, t: f64, closed: &[Active]) {
        let r = &self.selector.response;
        let held = |id: PointId| {
            let m = r.members.iter().find(|m| m.id == id);
            m.is_some_and(|m| m.law.is_rough() && m.law.rows() > 1 && !r.moves(m.row))
        };
        let names: Vec<String> =
            closed.iter().filter(|a| held(a.id)).map(|a| self.base.point_name(a.id)).collect();
        if !names.is_empty() {
            self.tally.held_by_joints.add(t, names);
        }
    }

    /// Fastest rate of the bodies of closed points, 1/s.
    fn closed_rate(&self, closed: &[Active], v: &[f64]) -> f64 {
        let mut cols = Vec::new();
        largest(closed.iter().map(|a| {
            self.base.columns(a.id, &mut cols);
            self.driver.rate_of(&cols, v)
        }))
    }

    /// Bounds steps while points are closed, by the rate of the motion so far.
    pub(super) fn limit_closed(&mut self) {
        let closed = !self.mode.active().is_empty();
        let lasted = LASTED * (self.driver.state().t - self.last_event);
        let longest = lasted.max(CLOSED_STEP / self.driver.rate());
        self.driver.set_limit(if closed { longest } else { f64::INFINITY });
    }

    /// Points whose forces or impulses are too many to be searched for.
    pub(super) fn crowd_of(&self, points: Vec<PointId>) -> Halt {
        let storm = Storm { unrest: Unrest::Crowd, points };
        Halt::Storm { storm, lasts: self.thresholds().crowded }
    }

    fn select_failed(&self, e: SelectError, t: f64) -> Halt {
        match &e {
            SelectError::NotFound { points, status: cone::Status::TooLarge, .. } => {
                self.crowd_of(points.clone())
            }
            SelectError::NoSolution { points } => {
                Halt::Painleve { detail: e.to_string(), points: points.clone() }
            }
            SelectError::NotFound { points, .. } => {
                Halt::Unsolved { detail: e.to_string(), points: points.clone() }
            }
            SelectError::Step(e) => no_response(&*self.base, e, t),
        }
    }
}

/// How a mode is entered.
struct Entry {
    /// The velocity jumped.
    jumped: bool,
    /// Rows and shares are chosen again, even if the points do what they did.
    renew: bool,
}

/// A point that stuck and slides in the mode found a moment later, where its forces are beyond their limits and not
/// just at them.
fn begins_to_slide(id: PointId, before: &[Active], next: &[Active]) -> Assume {
    let motion = |all: &[Active]| all.iter().find(|a| a.id == id).map(|a| a.motion);
    match (motion(before), motion(next)) {
        (Some(SlipState::Stick), Some(SlipState::Slip(d))) => Assume::Slides(d),
        _ => Assume::Judge,
    }
}

/// A point that began to slide a moment ago, too slowly to be distinguished from rest, continues to slide if another
/// one causes the event: two that let go at once would otherwise stick again in turn, each at the event of the other.
/// Whether it stops, or turns, is its own event: so slow a motion has no direction yet.
fn goes_on_sliding(before: Option<&Active>, law: PointLaw, p: &ContactPoint, slow: f64) -> Assume {
    let Some(SlipState::Slip(d)) = before.map(|a| a.motion) else { return Assume::Judge };
    let speed = match law {
        PointLaw::DryFriction { .. } => p.rate[0].abs(),
        _ => p.rate[1].hypot(p.rate[2]),
    };
    if speed <= slow { Assume::Slides(d) } else { Assume::Judge }
}

/// An error at the start of something.
pub(super) fn setup(e: &dyn Display, t: f64) -> Halt {
    Halt::Error(SimError {
        kind: SimErrorKind::Singular,
        t,
        h: 0.0,
        detail: format!("the method cannot start after an event: {e}"),
        blame: Vec::new(),
        help: "look at the contacts that are closed at this time".to_owned(),
    })
}

/// The response of the system to forces at points is not known.
pub(super) fn no_response<P: Unilateral>(p: &P, e: &StepFailure, t: f64) -> Halt {
    let error = SimError::from_failure(p, e, t, 0.0);
    match e {
        StepFailure::NoRoom { example, .. } => {
            Halt::TooMany(error.at_contact(example.map(|id| p.point_name(id))))
        }
        _ => Halt::Error(error),
    }
}

/// More points are near each other than is allowed.
pub(super) fn crowded<P: Unilateral>(p: &P, e: &Crowded, t: f64) -> Halt {
    let names = e.example.map(|id| format!("contact \"{}\"", p.point_name(id)));
    Halt::Error(SimError::crowded(e, names.into_iter().collect(), t))
}

/// Whether both have the same rows and the same direction of friction.
fn same_mode(a: &[Active], b: &[Active]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.id == b.id
                && a.features == b.features
                && match (a.motion, b.motion) {
                    (SlipState::Slip(d), SlipState::Slip(e)) => d == e,
                    (x, y) => x == y,
                }
        })
}
