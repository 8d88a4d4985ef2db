//! A stretch of time-stepping: a whole run, or the passage of the hybrid over dense events.

use super::changes::{Changes, sliding_speed};
use super::courses::Courses;
use super::event::{Event, EventKind, EventLog};
use super::tally::ContactTally;
use super::thresholds::Thresholds;
use super::yielding::Handed;
use crate::driver::MAX_TURN;
use crate::planted;
use delassus_dae::{Derived, KktError, PointId, PointLaw, State, StepFailure, Unilateral};
use delassus_math::remember;
use delassus_model::ContactTolerances;
use delassus_nonsmooth::stepping::{
    PointImpulse, Scheme, StepReport, Stepper, StepperError, StepperSettings,
};

/// Fraction of a step that is round-off.
const SAME: f64 = 1e-9;
/// Number of calm steps in a row after which the event-driven method continues.
const CALM: u32 = 8;

/// Number of steps of a passage after which they are doubled.
const PATIENCE: u32 = 100;
/// Approach speed that counts as a hit, in [`Thresholds::rest`]: a point that rests or slides on a curved surface
/// approaches a little from step to step.
const HIT: f64 = 1e3;

/// Allowed error in the work of a contact, in the residual of the contact problem and the effort of its group.
const NOISE: f64 = 10.0;

/// Fraction of the largest friction below which a point is well inside its cone, and must not move.
const INSIDE: f64 = 0.99;

/// Steps a system over fixed steps.
pub(crate) struct Stepping<P: Unilateral> {
    pub(super) stepper: Stepper<P>,
    /// State before the last step.
    pub from: State,
    /// State after it.
    pub to: State,
    /// Length of a step, s.
    pub h: f64,
    /// Start of the steps of this length: times are not running sums.
    pub(super) begun: f64,
    pub(super) made: u64,
    /// It does not end before this time, s.
    pub(super) until: f64,
    calm: u32,
    /// Steps since it took over.
    since: u32,
    /// Steps made.
    pub steps: u64,
    /// Kinetic energy lost at contacts so far, J.
    pub lost: f64,
    pub(super) last_h: f64,
    /// Acceleration of gravity, m/s².
    pull: f64,
    /// Residual at which contact problems are solved.
    residual: f64,
    /// Points that were hit in the last step, ascending.
    hit: Vec<PointId>,
    hit_before: Vec<PointId>,
    /// What was given up.
    pub tally: ContactTally,
    /// State of the points, if the whole run is time-stepping. After a passage of the hybrid the event-driven method
    /// determines what is closed.
    changes: Option<Changes>,
    /// History of compliant contacts since they began.
    pub(super) courses: Courses,
    /// Energy that they stored when last evaluated, J.
    pub stored: f64,
}
remember!(Stepping<P: Unilateral> {
    stepper, from, to, h, begun, made, until, calm, since, steps, lost, last_h, hit, hit_before,
    tally, changes, courses,
} apart from { pull, residual, stored });

impl<P: Unilateral> Stepping<P> {
    pub fn new(
        p: &P,
        scheme: Scheme,
        s: &State,
        h: f64,
        pull: f64,
        tol: &ContactTolerances,
    ) -> Result<Stepping<P>, KktError> {
        let mut settings = StepperSettings {
            tolerance: tol.residual,
            large_tolerance: tol.large_residual,
            penetration: tol.penetration,
            large_penetration: tol.large_penetration,
            ..StepperSettings::default()
        };
        if planted::is("iteration-cap") {
            settings.max_iterations = 1;
        }
        let stepper = Stepper::new(p, scheme, settings)?;
        Ok(Stepping {
            stepper,
            from: s.clone(),
            to: s.clone(),
            h,
            begun: s.t,
            made: 0,
            until: f64::INFINITY,
            calm: 0,
            since: 0,
            steps: 0,
            lost: 0.0,
            last_h: h,
            pull,
            residual: tol.residual,
            hit: Vec::new(),
            hit_before: Vec::new(),
            tally: ContactTally::default(),
            changes: None,
            courses: Courses::default(),
            stored: 0.0,
        })
    }

    /// Takes over from the event-driven method for at least `least` seconds, with the lasting compliant contacts.
    pub fn take_over(
        &mut self,
        p: &P,
        s: &State,
        h: f64,
        least: f64,
        (pressed, courses): Handed,
    ) -> Result<(), StepperError> {
        self.stepper.restart(p, s)?;
        self.stepper.press(p, s, &pressed);
        self.courses = courses;
        self.from.copy_from(s);
        self.to.copy_from(s);
        self.h = h;
        (self.begun, self.made) = (s.t, 0);
        self.hit.clear();
        self.until = s.t + least;
        self.calm = 0;
        self.since = 0;
        self.changes = least.is_infinite().then(Changes::default);
        Ok(())
    }

    /// Changes the held states, from the present time on.
    pub fn set_held(&mut self, p: &P, values: &[f64]) -> Result<(), StepFailure> {
        self.stepper.set_held(p, &mut self.to, values)
    }

    /// One step, which ends at `stop` at the latest, or before bodies that spin fast have turned too far; events go to
    /// `log`.
    pub fn advance(
        &mut self,
        p: &P,
        th: &Thresholds,
        stop: f64,
        log: &mut EventLog,
    ) -> Result<(), StepperError> {
        self.from.copy_from(&self.to);
        let grid = self.begun + (self.made + 1) as f64 * self.h;
        let cut = stop < grid - SAME * self.h && stop - self.to.t > SAME * self.h;
        let target = if cut { stop } else { grid };
        let left = target - self.to.t;
        // orientations at the ends of a step tell how far a body turned only below half a turn
        let (spin, _) = p.spin(&self.to.v);
        let parts = (spin * left / MAX_TURN).ceil();
        let divided = parts > 1.0 && parts.is_finite();
        let (target, left) = match divided {
            true => (self.to.t + left / parts, left / parts),
            false => (target, left),
        };
        let h = if (left - self.h).abs() <= SAME * self.h { self.h } else { left };
        let report = self.stepper.step(p, &mut self.to, h)?;
        self.last_h = h;
        self.to.t = target;
        self.made += u64::from(!cut && !divided);
        self.steps += 1;
        self.lost += report.lost - report.energy;
        self.take_note(p, h, &report);
        // the effect of forces on a resting point within a step is not a hit
        let fast = (HIT * th.rest).max(2.0 * h * self.pull);
        let fast = |i: &PointImpulse| fast * p.gap_per_metre(i.id);
        let mut hits = false;
        std::mem::swap(&mut self.hit, &mut self.hit_before);
        self.hit.clear();
        let in_two = self.stepper.scheme() == Scheme::SchatzmanPaoli;
        for i in self.stepper.impulses().iter().filter(|i| i.impulse[0] > 0.0) {
            if in_two && self.hit_before.binary_search(&i.id).is_ok() {
                // with three positions an impact takes two steps
                hits = true;
                merge_second_half(i, log);
            } else if i.hit && i.before[0] < -fast(i) {
                hits = true;
                self.hit.push(i.id);
                log.push(event(p, self.to.t, EventKind::Impact, i));
            }
        }
        if report.softened < 1.0 {
            for i in self.stepper.impulses().iter().filter(|i| i.softened < 1.0) {
                log.push(event(p, self.to.t, EventKind::RestitutionReduced, i));
            }
        }
        self.hit.sort_unstable();
        if let Some(changes) = &mut self.changes {
            let span = (self.from.t, self.to.t);
            changes.follow(p, self.stepper.impulses(), span, self.pull, th, log);
        }
        self.follow_pressed(p, log);
        self.calm = if hits { 0 } else { self.calm + 1 };
        self.since += 1;
        if self.until.is_finite() && self.since.is_multiple_of(PATIENCE) {
            // what does not come to rest is passed with longer steps
            self.h *= 2.0;
            (self.begun, self.made) = (self.to.t, 0);
        }
        Ok(())
    }

    /// Counts what a step of length `h` gave up.
    fn take_note(&mut self, p: &P, h: f64, report: &StepReport) {
        let t = self.to.t;
        let (points, tally) = (self.stepper.impulses(), &mut self.tally);
        let name = |i: &PointImpulse| p.point_name(i.id);
        let acting = || points.iter().filter(|i| i.impulse[0] > 0.0).map(name);
        if report.softened < 1.0 {
            tally.reduce(report.softened, t, points.iter().filter(|i| i.softened < 1.0).map(name));
        }
        let held = |i: &&PointImpulse| i.held && i.law.is_rough();
        if points.iter().any(|i| held(&i)) {
            tally.held_by_joints.add(t, points.iter().filter(held).map(name));
        }
        if report.loosened {
            tally.tolerance_loosened.add(t, []);
        }
        if report.halvings > 0 {
            tally.steps_halved.add(t, acting());
        }
        if report.implicit {
            tally.implicit_steps.add(t, []);
        }
        tally.stepped_time += h;
        tally.penetration.observe(report.penetration, t, String::new);
        tally.residual.observe(report.residual, t, String::new);
        if self.stepper.scheme() == Scheme::SchatzmanPaoli || report.halvings > 0 {
            // rates at the end are not zero where positions over three times are posed, and of a halved step only a
            // part is known
            return;
        }
        // a point that opens or closes may be left with a negligible impulse, and holds nothing
        let nothing = NOISE * report.residual.max(self.residual);
        for i in points.iter().filter(|i| holds(i, h)) {
            let (speed, friction) = match i.law {
                PointLaw::Contact { mu, .. } => (i.after[1].hypot(i.after[2]), mu * i.impulse[0]),
                PointLaw::DryFriction { bound, .. } => (i.after[0].abs(), bound * h),
                PointLaw::Compliant | PointLaw::OneWay => continue,
            };
            if !(friction * speed <= nothing * i.effort) {
                tally.stick_speed.observe(speed, t, || name(i));
            }
        }
    }

    /// Speed above which a point of the last step slides, m/s.
    pub fn sliding_speed(&self, th: &Thresholds) -> f64 {
        sliding_speed(th, self.pull, self.last_h)
    }

    /// Nothing has hit for a while, and the minimum time is over.
    pub fn is_calm(&self) -> bool {
        self.calm >= CALM && self.to.t >= self.until
    }

    /// Mean accelerations and multipliers of the last step.
    pub fn derived(&self) -> &Derived {
        self.stepper.derived()
    }

    /// Visits the points that acted in the last step with their mean forces.
    pub fn visit(&self, mut f: impl FnMut(&PointImpulse, [f64; 3])) {
        for i in self.stepper.impulses() {
            f(i, i.impulse.map(|p| p / self.last_h));
        }
    }
}

/// Adds the effect of the second step of an impact to its entry in the log.
fn merge_second_half(i: &PointImpulse, log: &mut [Event]) {
    let own = |e: &&mut Event| e.kind == EventKind::Impact && e.point == Some(i.id);
    if let Some(e) = log.iter_mut().rev().find(own) {
        e.speed_after = i.after[0];
        e.impulse += i.impulse[0];
        e.energy_lost -= i.work;
    }
}

/// Friction is well below its limit: the point must not move along the surface.
fn holds(i: &PointImpulse, h: f64) -> bool {
    match i.law {
        PointLaw::Contact { mu, .. } => {
            i.law.is_rough()
                && i.impulse[0] > 0.0
                && i.impulse[1].hypot(i.impulse[2]) < INSIDE * mu * i.impulse[0]
        }
        PointLaw::DryFriction { bound, .. } => i.impulse[0].abs() < INSIDE * bound * h,
        PointLaw::Compliant | PointLaw::OneWay => false,
    }
}

/// An entry of the log; the effect of an impact is not counted again with what happened beside it.
fn event<P: Unilateral>(p: &P, t: f64, kind: EventKind, i: &PointImpulse) -> Event {
    let impact = kind == EventKind::Impact;
    Event {
        id: 0,
        t,
        kind,
        point: Some(i.id),
        contact: p.point_name(i.id),
        speed_before: i.before[0],
        speed_after: i.after[0],
        impulse: if impact { i.impulse[0] } else { 0.0 },
        energy_lost: if impact { -i.work } else { 0.0 },
        depth: 0.0,
    }
}
