//! The first event in a step: it is searched for on the dense output, and reached by repeating the step until it ends
//! there.

use super::event_driven::{EventDriven, Halt, MISSED, REACH, SOONEST, STIFF};
use super::resolve::LATER;
use super::search::Span;
use super::sliders::Sliding;
use super::taking_over::Pressers;
use super::thresholds::Thresholds;
use super::trigger::Trigger;
use super::watch::{BOTH, realize};
use crate::error::{SimError, SimErrorKind};
use delassus_dae::{ContactPoint, PointId, Unilateral};
use delassus_nonsmooth::SlipState;

/// Number of repetitions of a shortened step within which an event has to turn up.
const REFINEMENTS: usize = 12;
/// Number of repetitions that halve all digits of the time of one that has turned up. Only the functions of pressed points
/// need them: they do not jump, and a contact that ends too early begins again inside.
const HALVED: usize = 60;
/// Fraction of a step that is tried in vain before an event that was predicted in its first half is not believed. The
/// refinements halve what is left, and get closer to its end than this.
const IN_VAIN: f64 = 0.99;
/// Number of halvings of a step that the method could not make.
const HALVINGS: usize = 12;
/// Cosine of the angle by which the direction of sliding turns in a step at whose end methods restart.
const TURNED: f64 = 0.5;
/// Length of a step, in [`Thresholds::dense`], below which it is not shortened because a closed point
/// moves.
const LEAST: f64 = 1e-3;
/// Number of searches of ever shorter steps for a missed event, or a point that moves.
const SEARCHES: usize = 40;

/// Where an event is reached.
pub(super) enum Met {
    /// Practically at the start of the step: methods divide by its length, and cannot make it that short.
    AtStart(Trigger),
    /// At its end.
    AtEnd(Trigger),
    /// After it, or not at all.
    Later,
}

/// What became of an event that was predicted in a step.
enum Sought {
    /// It happens at the end of the step as made now.
    Found(Trigger),
    /// The step could only be made shorter.
    Later,
    /// It does not happen: no step that was made ends behind it, almost up to the longest, which it is now.
    Refuted,
}

impl Sought {
    fn at_end(reached: bool, trigger: Trigger) -> Sought {
        if reached { Sought::Found(trigger) } else { Sought::Later }
    }
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// The first event in the proposed step. The step is rejected and a shorter one searched, if a contact must have
    /// closed unnoticed, or if a closed point moves that should be held.
    pub(super) fn find_event(&mut self, th: &Thresholds) -> Result<Option<(f64, Trigger)>, Halt> {
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

    /// Number of parts in which the proposed step is searched; it is shortened if there would be too many.
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

    /// Watches more points if the proposed step, with such a surge, moves bodies further than was foreseen.
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

    /// The first event in the proposed step, which [`EventDriven::divide`] has just examined.
    fn first_event(&mut self, parts: usize, th: &Thresholds) -> Option<(f64, Trigger)> {
        let soonest = self.soonest();
        let view = self.driver.proposal();
        let mut span =
            Span { dense: &mut self.dense, sample: &mut self.sample, from: view.from, to: view.to };
        let pressers = Pressers { pressed: self.mode.pressed(), left: &self.courses.left };
        let closing = self.watch.first(&*self.base, &mut self.ws, &mut span, parts, th, pressers);
        let mut first = closing.map(|c| match c.inside {
            true => (c.s, Trigger::Appears(c.id, c.features)),
            false => (c.s, Trigger::Closes(c.id, c.features)),
        });
        let limit = first.as_ref().map_or(1.0, |f| f.0);
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
        let limit = first.as_ref().map_or(1.0, |f| f.0);
        if let Some(pressed) = self.closed_points.first_pressed(&self.mode, &mut span, &view, limit)
            && (pressed.0 < limit || first.is_none())
        {
            first = Some(pressed);
        }
        first
    }

    /// Repeats the step so that it ends at the first event in it, if there is one.
    pub(super) fn meet_any(&mut self, th: &Thresholds) -> Result<Met, Halt> {
        let (mut met, mut made) = (Met::Later, f64::INFINITY);
        self.closed_points.believe_all();
        for _ in 0..SEARCHES {
            let Some(first) = self.find_event(th)? else {
                // a step that was made shorter still ends before what was reached
                return Ok(if self.proposed() < made { Met::Later } else { met });
            };
            met = self.meet_first(first, th)?;
            made = self.proposed();
            let appears = matches!(&met, Met::AtEnd(Trigger::Appears(..)));
            if matches!(met, Met::AtStart(_)) || appears || !self.passes_start(th) {
                break;
            }
        }
        Ok(met)
    }

    /// Repeats the step so that it ends at an event that was found at part s of it.
    fn meet_first(
        &mut self,
        (mut s, mut trigger): (f64, Trigger),
        th: &Thresholds,
    ) -> Result<Met, Halt> {
        let (t, soonest) = (self.driver.state().t, self.soonest());
        for _ in 0..SEARCHES {
            let proposed = self.proposed();
            if s * proposed <= soonest {
                return Ok(Met::AtStart(trigger));
            }
            // where a contact may start deeper, the step ends after the event on purpose
            if let Some(met) = self.meet_start(s * proposed, proposed, &trigger)? {
                return Ok(met.map_or(Met::Later, Met::AtEnd));
            }
            let met = match self.meet(s * proposed, proposed, trigger.clone())? {
                Sought::Found(met) => met,
                Sought::Later => return Ok(Met::Later),
                Sought::Refuted => {
                    // where loads are round-off, the dense output has events that no state has; others may be behind
                    self.closed_points.disbelieve(&self.mode, &trigger);
                    match self.find_event(th)? {
                        Some(first) => (s, trigger) = first,
                        None => return Ok(Met::Later),
                    }
                    continue;
                }
            };
            let made = self.proposed();
            if made <= s * proposed + th.dense {
                return Ok(Met::AtEnd(met));
            }
            // it is later than it was first found to be: another one may come first
            match self.find_event(th)?.filter(|first| (1.0 - first.0) * made > th.dense) {
                Some(first) => (s, trigger) = first,
                None if self.proposed() >= made => return Ok(Met::AtEnd(met)),
                None => return Ok(Met::Later),
            }
        }
        let h = s * self.proposed();
        self.shorten(t, h)?;
        Ok(Met::Later)
    }

    /// Time after the start of a step, s, that counts as zero.
    fn soonest(&self) -> f64 {
        SOONEST * (self.driver.state().t.abs() + 1.0 / self.driver.rate())
    }

    /// Length of the proposed step, s.
    fn proposed(&self) -> f64 {
        let view = self.driver.proposal();
        view.to.t - view.from.t
    }

    /// Repeats the step so that it ends at an event that was found after the time h. Returns what happens there.
    fn meet(&mut self, h: f64, longest: f64, trigger: Trigger) -> Result<Sought, Halt> {
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
                    return Ok(Sought::Found(trigger));
                }
                if along > 0.0 {
                    // what methods remember of the time before friction turned misleads them
                    let turned = along < TURNED * speed;
                    return Ok(Sought::at_end(turned, Trigger::Kink(id)));
                }
                part *= 0.5;
            }
        }
        if let Trigger::Appears(id, _) = trigger {
            return Ok(Sought::at_end(self.meet_appearance(h, longest, id)?, trigger));
        }
        if let Trigger::Kink(_) = trigger {
            // a small error in the time of a kink affects forces only by its square; the function jumps where all loads
            // vanish, and is no guide
            let t = self.driver.state().t;
            return Ok(Sought::at_end(self.shorten(t, h)? >= h, trigger));
        }
        self.refine(h, longest, trigger)
    }

    /// Repeats the step until it ends where a point has just come to face the other shape, inside it; false if it does
    /// not in any step that is made, or is still to come. There is no function with a root: the search is between the
    /// last step that ended before and the first that ended after.
    fn meet_appearance(&mut self, told: f64, longest: f64, id: PointId) -> Result<bool, Halt> {
        let t0 = self.driver.state().t;
        let least = LATER * self.thresholds().dense;
        let (mut before, mut behind) = (0.0, None);
        let (mut h, mut stride) = (told, least);
        for _ in 0..SEARCHES {
            if self.shorten(t0, h)? < h {
                return Ok(false);
            }
            match self.is_inside(id) {
                true => behind = Some(h),
                false => before = h,
            }
            h = match behind {
                Some(behind) if behind - before <= least => break,
                None if h >= longest => break,
                None => (h + stride).min(longest),
                // the first ones are near the predicted one
                Some(behind) => (behind - stride).max(0.5 * (before + behind)),
            };
            stride *= 2.0;
        }
        let made = self.shorten(t0, behind.unwrap_or(told))?;
        Ok(behind.is_some_and(|behind| made >= behind))
    }

    /// Whether a point faces the other shape inside it at the end of the proposed step.
    fn is_inside(&mut self, id: PointId) -> bool {
        let end = self.driver.proposal().to;
        realize(&*self.base, end, &mut self.ws);
        let mut at = ContactPoint::default();
        self.base.position(&self.ws, id, false, None, &mut at) && at.gap < 0.0
    }

    /// Repeats the step until it ends at the event. The event stays between the longest step that ended before it and the
    /// shortest that ended after it: otherwise a function with a jump or a kink leads astray.
    fn refine(&mut self, h: f64, longest: f64, trigger: Trigger) -> Result<Sought, Halt> {
        let told = h;
        let mut h = h;
        let (mut last, mut found): (Option<(f64, f64)>, bool) = (None, false);
        let (mut before, mut behind) = (0.0, longest);
        let t0 = self.driver.state().t;
        for made in 0..HALVED {
            if made >= REFINEMENTS && !(found && trigger.is_of_pressed()) {
                break;
            }
            if self.shorten(t0, h)? < h {
                return Ok(Sought::Later);
            }
            let Some((value, slope)) = self.event_value(&trigger) else {
                return Ok(Sought::Found(trigger));
            };
            let slope = match (slope, last) {
                (Some(s), _) => s,
                (None, Some((h0, v0))) if h != h0 => (value - v0) / (h - h0),
                (None, _) => {
                    // a first guess by the value at a slightly shorter step
                    let shorter = h * (1.0 - 1e-4);
                    if self.shorten(t0, shorter)? < shorter {
                        return Ok(Sought::Later);
                    }
                    match self.event_value(&trigger) {
                        Some((v, _)) => (value - v) / (h - shorter),
                        None => return Ok(Sought::Found(trigger)),
                    }
                }
            };
            last = Some((h, value));
            match value > 0.0 {
                true => before = h.max(before),
                false => (behind, found) = (h.min(behind), true),
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
                found = true;
                break;
            }
            h = next;
        }
        if !found && trigger.is_of_pressed() {
            // the dense output of a long step may miss a contact whose depth is a thousandth of it, which no step that
            // is made does; up to there nothing else was found
            self.shorten(t0, told)?;
            return Ok(Sought::Later);
        }
        let reached = self.shorten(t0, h)? >= h;
        let in_vain = !found && told < 0.5 * longest && before > IN_VAIN * longest;
        if reached && in_vain && trigger.is_of_closed() {
            return Ok(Sought::Refuted);
        }
        Ok(Sought::at_end(reached, trigger))
    }

    /// Value and, where known, slope of an event function at the end of the proposed step.
    fn event_value(&mut self, trigger: &Trigger) -> Option<(f64, Option<f64>)> {
        let view = self.driver.proposal();
        self.closed_points.value(&self.mode, &mut self.ws, view.to, trigger)
    }

    /// Repeats the proposed step with another length; if the method cannot, shorter still. Returns the length made, s.
    pub(super) fn shorten(&mut self, t: f64, h: f64) -> Result<f64, Halt> {
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
}
