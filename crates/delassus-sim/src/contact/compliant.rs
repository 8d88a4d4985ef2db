//! Compliant contact as a source of events: points that touch and part, and the history of each contact in between.
//!
//! The approach speed is latched where the gap is zero to round-off ([`EventDriven::update_pressed`]); while the
//! contact lasts it is a force of the mode (`delassus_nonsmooth::Pressed`), and methods know nothing of it.

use super::courses::{Courses, Instant};
use super::event::EventKind;
use super::event_driven::{EventDriven, Halt};
use super::resolve::{LATER, setup};
use super::root::falling_root;
use super::taking_over::{Left, Presser, Pressers, acts_beside, bend};
use super::thresholds::Thresholds;
use super::trigger::Trigger;
use super::watch::Inside;
use crate::lobatto;
use delassus_dae::{ContactPoint, Onset, PointId, PointLaw, State, Unilateral};
use delassus_nonsmooth::Pressed;
use delassus_nonsmooth::release::evaluate;
use std::ops::Range;

/// Largest fraction of the duration of a free impact for the first step of a contact: the step before it did not know
/// about the contact, and a multistage method would look far inside.
const FIRST_STEP: f64 = 0.05;
/// Jump of the depth, in lengths of the system, that is allowed when features take over from others.
const TAKEN_OVER: f64 = 1e-6;

/// Two tangents in ground components.
pub(super) type Tangents = [[f64; 3]; 2];

/// Tangents of a point in space.
pub(super) fn frame(at: &ContactPoint) -> Tangents {
    let (n, t) = (at.normal, at.tangent);
    let across = |i: usize, j: usize| n[i] * t[j] - n[j] * t[i];
    [t, [across(1, 2), across(2, 0), across(0, 1)]]
}

/// Auxiliary states of the bristles of a point.
pub(super) fn bristles<P: Unilateral>(base: &P, id: PointId) -> Option<Range<usize>> {
    let friction = base.pressed_friction(id)?;
    friction.bristle.map(|first| first..first + friction.directions)
}

/// Longest step that resolves a contact, s.
pub(super) fn first_step<P: Unilateral>(base: &P, id: PointId, onset: &Onset) -> Option<f64> {
    let first = FIRST_STEP * base.compliance(id)?.law.duration(onset);
    (first > 0.0).then_some(first)
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Hands over lasting compliant contacts, with their history so far.
    pub(super) fn hand_over_pressed(&mut self) -> (Vec<Pressed>, Courses) {
        (self.selector.pressed.clone(), std::mem::take(&mut self.courses))
    }

    /// Continues with contacts that were handed over.
    pub(super) fn take_over_pressed(&mut self, (pressed, courses): (Vec<Pressed>, Courses)) {
        self.selector.pressed = pressed;
        self.courses = courses;
        let each = self.selector.pressed.iter().filter(|p| !p.slack);
        let steps = each.filter_map(|p| first_step(&*self.base, p.id, &p.onset));
        self.courses.aim = steps.reduce(f64::min);
    }

    pub(super) fn is_compliant(&self, id: PointId) -> bool {
        matches!(self.base.law(id), PointLaw::Compliant)
    }

    /// The trigger is one of a compliant contact.
    pub(super) fn is_of_compliant(&self, trigger: &Trigger) -> bool {
        trigger.point().is_some_and(|id| self.is_compliant(id))
    }

    /// Determines which compliant points are pressed from this event on, with the sample realised at its state.
    pub(super) fn update_pressed(&mut self, s: &mut State, trigger: &Trigger) -> Result<(), Halt> {
        let th = self.thresholds();
        match trigger {
            Trigger::Start => self.touch(s, None, Inside::All, &th),
            Trigger::Closes(id, features) if self.is_compliant(*id) => {
                self.touch(s, Some((*id, *features)), Inside::None, &th)
            }
            Trigger::Appears(id, features) => {
                let by = self.presser(s, id.pair);
                self.touch(s, Some((*id, *features)), Inside::Of(id.pair, by), &th)
            }
            Trigger::Parts(id) => {
                self.part(s, *id);
                self.straighten(s, *id);
                self.selector.pressed.retain(|p| p.id != *id);
                Ok(())
            }
            Trigger::Slackens(id) => {
                self.part(s, *id);
                self.straighten(s, *id);
                self.set_slack(*id, true);
                Ok(())
            }
            Trigger::Tightens(id) => {
                self.set_slack(*id, false);
                self.touch_again(s, *id);
                Ok(())
            }
            Trigger::Changes(id) if self.is_compliant(*id) => {
                self.change_pressed(s, *id, &th);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn set_slack(&mut self, id: PointId, slack: bool) {
        if let Some(p) = self.selector.pressed.iter_mut().find(|p| p.id == id) {
            p.slack = slack;
        }
    }

    /// What presses a pair at the realised sample.
    fn presser(&self, s: &State, pair: u64) -> Option<Presser> {
        let pressers = Pressers { pressed: &self.selector.pressed, left: &self.courses.left };
        pressers.of(&*self.base, &self.ws, pair, (s.t, &s.z), &mut ContactPoint::default())
    }

    /// Latches what begins here: the point that closes, and others that touch at the same moment. A point that is
    /// already inside takes over from what presses its pair.
    fn touch(
        &mut self,
        s: &mut State,
        closes: Option<(PointId, [u32; 2])>,
        inside: Inside,
        th: &Thresholds,
    ) -> Result<(), Halt> {
        let mut new: Vec<(PointId, [u32; 2])> = closes.into_iter().collect();
        self.watch.pressing(&*self.base, &self.ws, th, inside, &mut new);
        new.sort_by_key(|n| n.0);
        new.dedup_by_key(|n| n.0);
        new.retain(|n| self.selector.pressed.iter().all(|p| p.id != n.0));
        if new.is_empty() {
            return Ok(());
        }
        let points = evaluate(&*self.base, &self.ws, new);
        let r = &mut self.selector.response;
        r.set(&*self.base, &self.ws, points).map_err(|e| setup(&e, s.t))?;
        for m in &r.members {
            let Some(c) = self.base.compliance(m.id) else { continue };
            let w = r.w[m.row * r.n + m.row];
            let rate = m.at.rate[0];
            let taken = match inside {
                Inside::Of(pair, by) if m.id.pair == pair => {
                    by.filter(|by| m.at.gap < -th.touching && by.hands_over(m.at.gap))
                }
                _ => None,
            };
            let onset = Onset {
                speed: taken.map_or((-rate).max(c.least_speed), |by| by.speed),
                stiffness: self.base.stiffness(m.id, m.at.features),
                mass: if w > 0.0 { 1.0 / w } else { 0.0 },
            };
            if let Some(first) = first_step(&*self.base, m.id, &onset) {
                self.courses.aim = Some(self.courses.aim.map_or(first, |aim| aim.min(first)));
            }
            let (id, features) = (m.id, m.at.features);
            if let Some(bent) = bristles(&*self.base, id) {
                let along = taken.map_or([0.0; 2], |by| by.bend_along(&frame(&m.at)));
                s.z[bent].iter_mut().zip(along).for_each(|(z, along)| *z = along);
            }
            let point = Pressed { id, features, onset, slack: false };
            self.selector.pressed.push(point);
            let begins = Instant { t: s.t, rate, depth: -m.at.gap };
            let tally = taken.is_none().then_some(&mut self.tally.compliant);
            self.log.push(self.courses.begin(&*self.base, id, begins, tally));
            if taken.is_some() {
                self.courses.take_over(id.pair, s.t, c.law.duration(&onset));
                // what the other stored is not lost, as far as it is stored here
                let stored = point.energy(&*self.base, &m.at);
                self.lost -= stored;
                if let Some(course) = self.courses.of.get_mut(&id) {
                    course.lost -= stored;
                }
            }
        }
        self.selector.pressed.sort_by_key(|p| p.id);
        Ok(())
    }

    /// The force of a slack point acts again.
    fn touch_again(&mut self, s: &State, id: PointId) {
        let Some(at) = self.pressed_at(id) else { return };
        let begins = Instant { t: s.t, rate: at.rate[0], depth: -at.gap };
        self.log.push(self.courses.begin(&*self.base, id, begins, None));
    }

    /// Kinematics of a pressed point at the realised sample.
    fn pressed_at(&self, id: PointId) -> Option<ContactPoint> {
        let p = self.selector.pressed.iter().find(|p| p.id == id)?;
        evaluate(&*self.base, &self.ws, [(id, p.features)]).pop().map(|(_, at)| at)
    }

    /// A contact is over: its force has vanished.
    fn part(&mut self, s: &State, id: PointId) {
        let Some(at) = self.pressed_at(id) else { return };
        let pressed = self.selector.pressed.iter().find(|p| p.id == id);
        let left = pressed.map_or(0.0, |p| p.energy(&*self.base, &at));
        let ends = Instant { t: s.t, rate: at.rate[0], depth: -at.gap };
        let fixed = self.driver.fixed_step().is_some().then_some(&mut self.tally.compliant);
        self.log.extend(self.courses.end(&*self.base, id, ends, left, fixed));
    }

    /// A contact is over: its bristles are straight when it begins again.
    fn straighten(&self, s: &mut State, id: PointId) {
        if let Some(bent) = bristles(&*self.base, id) {
            s.z[bent].fill(0.0);
        }
    }

    /// Tangents are chosen differently from here on: the deflection of the bristles is kept.
    fn turn_bristles(&self, s: &mut State, id: PointId, before: &Tangents, after: &Tangents) {
        let Some(bent) = bristles(&*self.base, id).filter(|b| b.len() == 2) else { return };
        let z = &mut s.z[bent];
        let bend: [f64; 3] = std::array::from_fn(|k| z[0] * before[0][k] + z[1] * before[1][k]);
        for (z, t) in z.iter_mut().zip(after) {
            *z = bend.iter().zip(t).map(|(x, y)| x * y).sum();
        }
    }

    /// The features of a pressed point end: others take over at the same depth, or it has slid off.
    fn change_pressed(&mut self, s: &mut State, id: PointId, th: &Thresholds) {
        let Some(now) = self.pressed_at(id) else { return };
        let moment = LATER * th.dense;
        let expected = now.gap + now.rate[0] * moment;
        let next = self.later(s, moment, |base, ws| {
            let mut point = ContactPoint::default();
            let faces = base.position(ws, id, false, None, &mut point);
            let joins = (point.gap - expected).abs() <= TAKEN_OVER * base.length();
            (faces && joins).then_some(point.features)
        });
        match next {
            Some(features) => {
                if let Some((_, at)) = evaluate(&*self.base, &self.ws, [(id, features)]).pop() {
                    self.turn_bristles(s, id, &frame(&now), &frame(&at));
                }
                if let Some(p) = self.selector.pressed.iter_mut().find(|p| p.id == id) {
                    p.features = features;
                }
                self.note(s.t, EventKind::NormalChange, id);
            }
            None => {
                // its stored energy goes with it
                let pressed = self.selector.pressed.iter().find(|p| p.id == id);
                self.lost += pressed.map_or(0.0, |p| p.energy(&*self.base, &now));
                self.leave(s, id, &now);
                self.part(s, id);
                self.straighten(s, id);
                self.selector.pressed.retain(|p| p.id != id);
                self.watch.slides_off(id);
            }
        }
    }

    /// The features of a pressed point end. Others may take over from it within a distance equal to its depth, which is
    /// more than faces inclined by less than an eighth of a turn can leave between.
    fn leave(&mut self, s: &State, id: PointId, at: &ContactPoint) {
        let Some(p) = self.selector.pressed.iter().find(|p| p.id == id) else { return };
        let depth = (-at.gap).max(0.0);
        let by = Presser { depth, speed: p.onset.speed, bend: bend(&*self.base, id, at, &s.z) };
        let speed = self.fastest_of(&at.cols, &s.v);
        let until = if speed > 0.0 { s.t + depth / speed } else { s.t };
        let stored =
            if p.slack || self.has_beside(id, at) { 0.0 } else { p.energy(&*self.base, at) };
        self.courses.left.push(Left { id, by, t: s.t, until, stored });
    }

    /// Another point of the pair acts at the same place.
    fn has_beside(&self, id: PointId, at: &ContactPoint) -> bool {
        let others = self.selector.pressed.iter();
        let others = others.filter(|p| p.id.pair == id.pair && p.id != id && !p.slack);
        let points = evaluate(&*self.base, &self.ws, others.map(|p| (p.id, p.features)));
        points.iter().any(|(_, other)| acts_beside((at.at, -at.gap), (other.at, -other.gap)))
    }

    /// Follows the contacts over the step that was just made.
    pub(super) fn follow_pressed(&mut self) {
        if !self.courses.left.is_empty() {
            let t = self.driver.state().t;
            self.courses.give_up(&*self.base, t, &mut self.tally.compliant);
        }
        if self.mode.pressed().is_empty() {
            return;
        }
        let view = self.driver.view();
        let h = view.to.t - view.from.t;
        self.dense.fit(self.base.manifold(), view.from, view.d0, view.to, view.d1);
        let n = self.mode.pressed().len();
        let mut nodes = [const { Vec::new() }; 4];
        for (node, part) in nodes.iter_mut().zip([0.0, lobatto::INSIDE[0], lobatto::INSIDE[1], 1.0])
        {
            self.look_at(part);
            let pressing = &self.closed_points.ws.pressing;
            node.extend((0..n).map(|k| {
                let at = &pressing.points[k];
                (-at.gap, -at.rate[0], pressing.presses[k].force, pressing.loss(k).iter().sum())
            }));
        }
        for k in 0..n {
            let id = self.mode.pressed()[k].id;
            let [from, .., to] = nodes.each_ref().map(|node| node[k]);
            let mut deepest = f64::max(from.0, to.0);
            if from.1 > 0.0 && to.1 < 0.0 {
                let rate = |s: f64| {
                    self.look_at(s);
                    -self.closed_points.ws.pressing.points[k].rate[0]
                };
                let turn = falling_root(rate, (0.0, from.1), (1.0, to.1));
                self.look_at(turn);
                deepest = deepest.max(-self.closed_points.ws.pressing.points[k].gap);
            }
            let power: [f64; 4] = nodes.each_ref().map(|node| node[k].3);
            let force = nodes.each_ref().map(|node| node[k].2);
            if let Some(course) = self.courses.of.get_mut(&id) {
                course.steps += 1;
                course.deepest = course.deepest.max(deepest);
                course.lost += h * lobatto::whole(power);
                course.impulse += h * lobatto::whole(force);
            }
            let (base, t) = (&self.base, self.driver.state().t);
            self.tally.compliant.deepest.observe(deepest, t, || base.point_name(id));
        }
    }

    /// Evaluates the pressed points at part s of the last step.
    fn look_at(&mut self, s: f64) {
        let view = self.driver.view();
        match s {
            0.0 => self.sample.copy_from(view.from),
            1.0 => self.sample.copy_from(view.to),
            _ => {
                let t = view.from.t + s * (view.to.t - view.from.t);
                self.dense.at(self.base.manifold(), t, &mut self.sample);
            }
        }
        self.closed_points.place_pressed(&self.mode, &self.sample);
    }
}
