//! Compliant contact in a stretch of time-stepping: entries of the log, counts, and what is handed over.

use super::compliant::first_step;
use super::courses::{Courses, Instant};
use super::event::EventLog;
use super::stretch::Stepping;
use super::taking_over::{Left, Presser, acts_beside};
use delassus_dae::{ContactPoint, Onset, PointLaw, Unilateral};
use delassus_nonsmooth::Pressed;
use delassus_nonsmooth::stepping::{Moment, PressedStep};

/// Steps within which another point may take over from one whose features ended.
const HAND_OVER: f64 = 2.5;

/// Lasting compliant contacts, with their history so far.
pub(super) type Handed = (Vec<Pressed>, Courses);

fn instant(m: Moment) -> Instant {
    Instant { t: m.t, rate: m.rate, depth: m.depth }
}

impl<P: Unilateral> Stepping<P> {
    /// Follows the contacts over the step that was just made.
    pub(super) fn follow_pressed(&mut self, p: &P, log: &mut EventLog) {
        let mut shown = f64::INFINITY;
        for step in self.stepper.presses() {
            let (id, tally) = (step.point.id, &mut self.tally.compliant);
            if let Some(began) = step.began {
                let fresh = step.is_new.then_some(&mut *tally);
                log.insert(self.courses.begin(p, id, instant(began), fresh));
                shown = shown.min(first_step(p, id, &step.point.onset).unwrap_or(shown));
            }
            if let Some(course) = self.courses.of.get_mut(&id) {
                course.steps += 1;
                course.deepest = course.deepest.max(step.deepest);
                course.lost += step.lost;
                course.impulse += step.impulse[0];
            }
            tally.deepest.observe(step.deepest, self.to.t, || p.point_name(id));
            if let Some(ended) = step.ended {
                let left =
                    p.compliance(id).map_or(0.0, |c| c.law.energy(&step.point.onset, ended.depth));
                let event = self.courses.end(p, id, instant(ended), left, Some(tally));
                event.into_iter().for_each(|e| log.insert(e));
            }
        }
        self.watch_for_losses(p);
        if self.until.is_finite() && shown < self.h {
            // a passage of the hybrid may choose its steps
            self.h = shown;
            (self.begun, self.made) = (self.to.t, 0);
        }
    }

    /// Points whose features ended inside, and from which nothing takes over.
    fn watch_for_losses(&mut self, p: &P) {
        let (t, until) = (self.to.t, self.to.t + HAND_OVER * self.h);
        let steps = self.stepper.presses();
        for step in steps {
            let (id, depth) = (step.point.id, step.depth);
            if let Some(c) = p.compliance(id).filter(|_| step.takes_over) {
                self.courses.take_over(id.pair, t - self.last_h, c.law.duration(&step.point.onset));
            }
            let Some(stored) = step.gone.filter(|stored| *stored > 0.0) else { continue };
            let acts = |other: &PressedStep| {
                other.point.id.pair == id.pair
                    && other.ended.is_none()
                    && acts_beside((step.place, depth), (other.place, other.deepest))
            };
            if !steps.iter().any(acts) {
                let by = Presser { depth, speed: step.point.onset.speed, bend: [0.0; 3] };
                self.courses.left.push(Left { id, by, t, until, stored });
            }
        }
        self.courses.give_up(p, t, &mut self.tally.compliant);
    }

    /// Hands over the lasting contacts.
    pub(super) fn hand_over_pressed(&mut self) -> Handed {
        (self.stepper.pressed().to_vec(), std::mem::take(&mut self.courses))
    }

    /// Whether something yields, or did in the last step; before the first step, nothing is known.
    pub(super) fn has_pressed(&self) -> bool {
        self.steps == 0 || !(self.stepper.presses().is_empty() && self.stepper.pressed().is_empty())
    }

    /// Energy that compliant contacts store at a realised position within the last step, J.
    pub(super) fn stored_at(&self, p: &P, ws: &P::Ws, at: &mut ContactPoint) -> f64 {
        let steps = self.stepper.presses();
        // for a divided step those of the last part, which ascend
        let first = (1..steps.len()).rev().find(|k| steps[*k].point.id <= steps[k - 1].point.id);
        let own = steps[first.unwrap_or(0)..].iter().map(|s| s.point);
        // nothing is known yet about the step after a hand-over
        let handed = self.stepper.pressed().iter().filter(|_| steps.is_empty()).copied();
        let mut sum = 0.0;
        for point in own.chain(handed) {
            if point.place(p, ws, at) {
                sum += point.energy(p, at);
            }
        }
        if self.steps == 0 {
            // bodies may start inside each other
            let mut ids = Vec::new();
            p.near(ws, 0.0, &mut ids);
            for id in ids.into_iter().filter(|id| p.law(*id) == PointLaw::Compliant) {
                if p.position(ws, id, false, None, at) {
                    // the potential does not depend on the other latched values
                    let stiffness = p.stiffness(id, at.features);
                    let onset = Onset { stiffness, ..Onset::default() };
                    sum += Pressed { id, onset, ..Pressed::default() }.energy(p, at);
                }
            }
        }
        sum
    }

    /// Visits the contacts of the last step with their mean forces.
    pub(super) fn visit_pressed(&self, mut f: impl FnMut(&Pressed, [f64; 3])) {
        for PressedStep { point, impulse, .. } in self.stepper.presses() {
            f(point, impulse.map(|x| x / self.last_h));
        }
    }
}
