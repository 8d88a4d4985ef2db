//! Watches what depends on time: steps end where a function of time switches, and none is so long that something
//! happens inside it which no stage could see.
//!
//! A model at rest has no error, so its steps grow without bound, and whatever begins later (a ramp, a pulse, a motion)
//! would be stepped over. Two things prevent that, before a step is tried:
//!
//! - *Marks.* Where some `if`, `abs`, `floor`, or end of a `step` switches, the function is not smooth, and a step ends
//!   just before it. The next one starts just after it, a few units of rounding later, with a restart of the method and
//!   a cautious first length, so that no step ever contains both sides.
//! - *Variation.* Between marks a step is shortened until the problem guarantees ([`Problem::unseen_in_time`]) that its
//!   functions of time differ from polynomials of the degree of the method by so little that the motion changes by no
//!   more than [`ALLOWED`] tolerances.

use super::Driver;
use crate::error::{SimError, SimErrorKind};
use delassus_dae::projection::Projector;
use delassus_dae::{Accel, Problem, StepControl, StepFailure, TimeLaws, TimeLook};
use delassus_math::remember;

/// Allowed unseen effect of functions of time in one step, in tolerances of positions and velocities. Of the order of
/// the error test, which is a mean over all coordinates.
pub(super) const ALLOWED: f64 = 10.0;
/// Number of evaluations that one search for the next mark may take; an isolated one takes about 100.
const SEARCH: usize = 400;
/// Width of a mark, in units of rounding of the time: functions round differently from their ranges.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Widest mark, in units of rounding of the time or of the search interval, whichever is longer, and how marks are
/// widened until the function after them is smooth.
const WIDEST: f64 = 64.0;
const WIDER: f64 = 16.0;
/// How often a switch for which no mark was found is widened: up to a millionth of a millionth.
const WIDENINGS: usize = 4;
/// Overlap of the intervals in a search for marks, as a fraction of the whole interval. A function that rounds more
/// than the time does, (t − a)/b for a far from t, stays at the value where it switches for a while, and an interval
/// that ends there is as smooth as one that begins there.
const OVERLAP: f64 = 1e-10;
/// A mark stands alone if nothing else switches within this many of its widths.
const ALONE: f64 = 64.0;
/// Largest number of steps by which variation is examined ahead: an examination costs a fraction of a step.
const AHEAD: f64 = 16.0;
/// Number of shortenings of one step; enough for a pulse of a billionth of a billionth of it.
const SHORTENINGS: usize = 60;
/// Fraction of the model's size, and of its speed, by which a prescribed motion may jump at a mark without being
/// reported: formulas that meet only up to rounding.
const MEETS: f64 = 1e-7;
/// Number of marks that may be passed in one place; formulas that meet there switch two or three times.
const MARKS_AT_ONCE: usize = 100;
/// Distances from a mark, in its widths, at which a function is compared with a pole, and the share of the strength of a
/// pole that it must keep from one to the next: a function with an integral loses at least 1 − 1/√64 of it.
const POLE: [f64; 3] = [64.0, 4096.0, 262_144.0];
const KEEPS: f64 = 0.5;

/// A moment at which some function of time switches: it is smooth up to `before` and from `after`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TimeMark {
    /// Last time at which it has not happened yet, s.
    pub before: f64,
    /// First time at which it has happened, s.
    pub after: f64,
}
remember!(TimeMark { before, after });

/// What is known about the functions of time ahead.
#[derive(Debug, Clone)]
pub(super) struct TimeWatch {
    mark: Option<TimeMark>,
    /// All of them are smooth up to here, s.
    smooth_until: f64,
    /// Steps up to here resolve everything that they do, s.
    seen_until: f64,
    /// Number of steps to look ahead.
    ahead: f64,
    /// The state to which this belongs, for functions that also read the state: its time, s.
    of: f64,
    /// The scratch of the problem is realised there.
    realized: bool,
}
remember!(TimeWatch { mark, smooth_until, seen_until, ahead, of } apart from { realized });

impl TimeWatch {
    pub fn new(t: f64) -> TimeWatch {
        TimeWatch { mark: None, smooth_until: t, seen_until: t, ahead: 1.0, of: t, realized: false }
    }

    /// A step was accepted, and left the scratch realised at its end, or not.
    pub fn arrive(&mut self, realized: bool) {
        self.realized = realized;
    }

    /// Time does not go back, but the state may have changed.
    pub fn forget(&mut self, t: f64) {
        *self = TimeWatch { ahead: self.ahead, ..TimeWatch::new(t) };
    }
}

/// Changes of the rows of a problem at a mark; kept, so that marks need no memory of their own.
#[derive(Debug, Clone, Default)]
pub(super) struct RowJump {
    /// Changes of g and of G v + g_t.
    change: [Vec<f64>; 2],
    residual: Vec<f64>,
    /// Typical sizes of the residuals.
    scale: Vec<f64>,
    /// Groups of the rows.
    group: Vec<usize>,
}

impl RowJump {
    pub fn new<P: Problem>(p: &P) -> RowJump {
        let (d, jac, group) = (p.dims(), &p.structure().jac, p.groups());
        let of = |row: usize| jac.row(row).first().map_or(0, |col| group[*col]);
        RowJump {
            change: [vec![0.0; d.n_pos], vec![0.0; d.n_vel]],
            residual: vec![0.0; d.n_vel],
            scale: p.scales().row,
            group: (0..d.n_vel).map(of).collect(),
        }
    }

    /// The largest change at a level, in sizes and, for rates, divided by the paces of their groups, and its row.
    fn largest(&self, level: usize, paces: &[f64]) -> (f64, usize) {
        let x = &self.change[level];
        let unit = |i: usize| if level == 0 { 1.0 } else { paces[self.group[i]] };
        let off = |i: &usize| x[*i].abs() / (self.scale[*i] * unit(*i));
        let worst = (0..x.len()).max_by(|i, j| off(i).total_cmp(&off(j)));
        worst.map_or((0.0, 0), |i| (off(&i), i))
    }
}

/// A step that may be tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Allowed {
    pub h: f64,
    /// It ends at a mark, which is this time.
    pub lands: Option<f64>,
}

impl<P: Problem> Driver<P> {
    /// Takes over what was set from outside, looks for marks as far as the next step may reach and passes those that
    /// are already here. True if the method was restarted.
    pub fn meet_marks(&mut self, p: &P) -> Result<bool, SimError> {
        let mut passed = std::mem::take(&mut self.changed);
        if passed {
            self.time.forget(self.state.t);
            self.begin(p)?;
        }
        if self.opts.step.is_some() {
            return Ok(passed);
        }
        passed |= self.leave_switch(p)?;
        if p.time_laws() == TimeLaws::None {
            return Ok(passed);
        }
        let mut here = 0;
        while self.find_mark(p, self.h) == Some(0.0) {
            here += 1;
            if here > MARKS_AT_ONCE {
                return Err(self.restless(p, self.h));
            }
            self.pass_mark(p)?;
            passed = true;
        }
        Ok(passed)
    }

    /// Time left until the next mark within h, or `None`; 0 if it is here.
    pub(super) fn find_mark(&mut self, p: &P, h: f64) -> Option<f64> {
        let t = self.state.t;
        let laws = p.time_laws();
        if laws == TimeLaws::None {
            return None;
        }
        if laws == TimeLaws::OfState {
            if !self.time.realized {
                p.realize_position(t, &self.state.q, &self.state.z, &mut self.ws);
                p.realize_velocity(&self.state.v, &self.state.z, &mut self.ws);
                self.time.realized = true;
            }
            if self.time.of != t {
                self.time.forget(t);
            }
        }
        // steps may be stretched a little
        let end = t + 1.02 * h;
        if self.time.mark.is_none() && end > self.time.smooth_until {
            let from = self.time.smooth_until.max(t);
            let ws = &mut self.ws;
            self.time.mark = search(|a, b| p.smooth_in_time(ws, a, b), from, end);
            self.time.smooth_until = end;
        }
        let mark = self.time.mark?;
        // practically here: methods divide by the step
        let here = mark.before <= t + ALONE * width(t, t, h);
        if here { Some(0.0) } else { Some(mark.before - t) }
    }

    /// The longest step, at most h, that ends at a mark at the latest and resolves what functions of time do.
    pub(super) fn watch_time(&mut self, p: &P, h: f64) -> Allowed {
        let mut step = Allowed { h, lands: None };
        let laws = p.time_laws();
        if laws == TimeLaws::None {
            return step;
        }
        let t = self.state.t;
        let mut longest = f64::INFINITY;
        if let Some(left) = self.find_mark(p, h).filter(|left| *left > 0.0) {
            longest = left;
            // stretch the last step a little rather than leave a very short one
            if h * 1.01 >= left {
                step = Allowed { h: left, lands: self.time.mark.map(|m| m.before) };
            }
        }
        // an attempt follows
        self.time.realized = false;
        if t + step.h <= self.time.seen_until {
            return step;
        }
        let degree = self.method.error_order();
        if laws == TimeLaws::OfTime && self.time.ahead > 1.0 {
            let far = (step.h * self.time.ahead).min(longest);
            if far > step.h && self.unseen(p, far, degree) <= 1.0 {
                self.time.seen_until = t + far;
                self.time.ahead = (2.0 * self.time.ahead).min(AHEAD);
                return step;
            }
            self.time.ahead = 1.0;
        }
        if laws == TimeLaws::OfState {
            // the state changes from step to step, but not what depends on time alone
            if self.look(p, step.h, degree, true) <= 1.0 {
                return step;
            }
        }
        for _ in 0..SHORTENINGS {
            let unseen = self.unseen(p, step.h, degree);
            if unseen <= 1.0 {
                if laws == TimeLaws::OfTime {
                    self.time.seen_until = t + step.h;
                    self.time.ahead = (2.0 * self.time.ahead).min(AHEAD);
                }
                return step;
            }
            // bounds become sharp as intervals become short: no need to trust their size
            let factor = 0.9 * unseen.powf(-1.0 / f64::from(degree + 1));
            step = Allowed { h: step.h * factor.max(0.5), lands: None };
        }
        step
    }

    /// Unseen effect of functions of time in a step of this length, relative to what is allowed.
    fn unseen(&mut self, p: &P, h: f64, degree: u32) -> f64 {
        self.look(p, h, degree, false)
    }

    /// The same, or a rough bound on it.
    fn look(&mut self, p: &P, h: f64, degree: u32, rough: bool) -> f64 {
        let t = self.state.t;
        let look = TimeLook { span: (t, t + h), degree, paces: self.scale.paces(), rough };
        let unseen = p.unseen_in_time(&mut self.ws, look);
        let tol = ALLOWED * self.opts.tol.rtol.max(f64::EPSILON);
        unseen.position.max(unseen.acceleration * h) / tol
    }

    /// The error that ends a run whose steps functions of time made too short, if they did.
    pub(super) fn too_restless(&mut self, p: &P, h: f64) -> Option<SimError> {
        if p.time_laws() == TimeLaws::None || self.unseen(p, 4.0 * h, 1) <= 1.0 {
            return None;
        }
        Some(self.restless(p, 4.0 * h))
    }

    /// The error that names the function of time that varies most in the next h seconds.
    fn restless(&mut self, p: &P, h: f64) -> SimError {
        let t = self.state.t;
        let name = p.restless(&mut self.ws, t, t + h);
        let what = name.as_deref().unwrap_or("a function of time");
        SimError {
            kind: SimErrorKind::StepTooSmall,
            t,
            h,
            detail: format!("{what} varies faster than any step can follow at this time"),
            blame: name.into_iter().collect(),
            help: "look at the formula just after this time: it has a pole there, or oscillates without bound"
                .to_owned(),
        }
    }

    /// Whether a force grows without bound towards a mark, so fast that it has no integral: its change over an interval
    /// as long as the distance from the mark, times that distance, does not vanish as the interval comes closer.
    fn has_pole(&mut self, p: &P, mark: TimeMark) -> bool {
        let wide = mark.after - mark.before;
        let paces = self.scale.paces();
        let mut strength = |d: f64| {
            let span = (mark.after + d, mark.after + 2.0 * d);
            let look = TimeLook { span, degree: 0, paces, rough: false };
            d * p.unseen_in_time(&mut self.ws, look).acceleration
        };
        let [near, middle, far] = POLE.map(|d| strength(d * wide));
        far > 0.0 && far.is_finite() && middle >= KEEPS * far && near >= KEEPS * middle
    }

    /// Continues after a switch for which no mark was found, because the function rounds more than the time does: (t −
    /// a)/b for a far from t. False if the function is not smooth after it either.
    pub(super) fn pass_rounding(&mut self, p: &P) -> Result<bool, SimError> {
        let t = self.state.t;
        if p.time_laws() == TimeLaws::None {
            return Ok(false);
        }
        let mut wide = WIDEST * f64::EPSILON * t.abs().max(self.tried);
        for _ in 0..WIDENINGS {
            let after = t + wide;
            if p.smooth_in_time(&mut self.ws, after, after + ALONE * wide) {
                self.time.mark = Some(TimeMark { before: t, after });
                self.pass_mark(p)?;
                return Ok(true);
            }
            wide *= WIDER;
        }
        Ok(false)
    }

    /// Continues after a mark.
    fn pass_mark(&mut self, p: &P) -> Result<(), SimError> {
        let Some(mark) = self.time.mark.take() else { return Ok(()) };
        if self.has_pole(p, mark) {
            let h = mark.after - self.state.t;
            return Err(self.restless(p, h));
        }
        let before = self.state.t;
        let t = before.max(mark.after);
        self.state.t = t;
        self.time.forget(t);
        self.follow_jump(p, before)?;
        self.begin(p)
    }

    /// Restarts the method at the present state, with a cautious first step.
    pub(super) fn begin(&mut self, p: &P) -> Result<(), SimError> {
        self.way.forget();
        self.usual_pivot = 0.0;
        let failed = |e: &StepFailure| SimError::from_failure(p, e, self.state.t, 0.0);
        self.method.restart(p, &mut self.ws, &self.state).map_err(|e| failed(&e))?;
        self.scale.observe(&self.state, self.method.start());
        let info = self.method.info();
        let order = info.error_order - u32::from(info.per_unit_step);
        self.control = StepControl::new(order);
        self.h = self.scale.first_step(order).min(self.opts.max_step);
        self.cruise = self.h;
        Ok(())
    }

    /// A motion whose rate jumps gives an impulse, which the velocities follow; a motion that itself jumps cannot be
    /// followed.
    fn follow_jump(&mut self, p: &P, before: f64) -> Result<(), SimError> {
        let d = p.dims();
        if d.n_vel == 0 {
            return Ok(());
        }
        // the change from one side to the other: methods may leave a drift of their own
        let s = &self.state;
        let RowJump { change, residual: g, .. } = &mut self.row_jump;
        change.iter_mut().for_each(|x| x.fill(0.0));
        for (t, sign) in [(before, -1.0), (s.t, 1.0)] {
            p.realize_position(t, &s.q, &s.z, &mut self.ws);
            p.realize_velocity(&s.v, &s.z, &mut self.ws);
            p.residual_pos(&self.ws, &mut g[..d.n_pos]);
            change[0].iter_mut().zip(&*g).for_each(|(x, g)| *x += sign * g);
            p.residual_vel(&self.ws, g);
            change[1].iter_mut().zip(&*g).for_each(|(x, g)| *x += sign * g);
        }
        let tol = self.opts.tol.rtol.max(MEETS);
        let (size, row) = self.row_jump.largest(0, &[]);
        if size > tol {
            let name = p.row_name(row);
            return Err(SimError {
                kind: SimErrorKind::MotionJumps,
                t: before,
                h: 0.0,
                detail: format!("{name} jumps by {:.3e} at this time", -self.row_jump.change[0][row]),
                blame: vec![name],
                help: "no body can be in two places: give the motion a ramp, as step(t, t0, y0, t1, y1)"
                    .to_owned(),
            });
        }
        if self.row_jump.largest(1, self.scale.paces()).0 <= tol {
            return Ok(());
        }
        let kinetic = |p: &P, ws: &P::Ws| p.energies(ws).unwrap_or_default().kinetic;
        let kinetic_before = kinetic(p, &self.ws);
        let s = &mut self.state;
        let t = s.t;
        let projected = Accel::new(p).map_err(StepFailure::from).and_then(|mut acc| {
            acc.factor_at(p, &mut self.ws, s.t, &s.q, &s.z)?;
            Projector::new(p, tol).velocity(p, &mut self.ws, &mut acc, &mut s.v, &s.z)
        });
        projected.map_err(|e| SimError::from_failure(p, &e, t, 0.0))?;
        p.realize_position(t, &s.q, &s.z, &mut self.ws);
        p.realize_velocity(&s.v, &s.z, &mut self.ws);
        self.fed += kinetic(p, &self.ws) - kinetic_before;
        Ok(())
    }
}

/// Width of a mark at t within a search interval of length h that begins at `from`, s. Near t = 0 times are finer than
/// the sum of an earlier time and the step that leads there.
fn width(t: f64, from: f64, h: f64) -> f64 {
    (ROUNDING * t.abs()).max(f64::EPSILON * from.abs()) + f64::EPSILON * f64::EPSILON * h
}

/// The first switch or bend of a function of time between two times, for whoever integrates the equations by other means.
/// Functions that also read the state are examined at the state realised in `ws`.
pub fn next_time_mark<P: Problem>(p: &P, ws: &mut P::Ws, from: f64, to: f64) -> Option<TimeMark> {
    if p.time_laws() == TimeLaws::None {
        return None;
    }
    search(|a, b| p.smooth_in_time(ws, a, b), from, to)
}

/// The first isolated mark from a to b. If functions cannot be shown to be smooth although nothing switches, none is
/// found, and only their variation limits steps.
fn search(mut smooth: impl FnMut(f64, f64) -> bool, a: f64, b: f64) -> Option<TimeMark> {
    let (mut at, mut part) = (a, b - a);
    let (mut from, overlap) = (a, OVERLAP * (b - a));
    let mut looks = 0;
    while looks < SEARCH && at < b {
        looks += 1;
        let fine = width(at, a, b - a);
        let end = (at + part).min(b);
        // a function may be smooth on both sides of a common end
        if smooth((at - overlap.max(fine)).max(from), end) {
            at = end;
            part *= 2.0;
        } else if part > fine {
            part = (0.5 * part).max(0.5 * fine);
        } else {
            // a function of t + c rounds like c: near t = 0 its switch is wider than the time suggests
            let widest = (WIDEST * f64::EPSILON * at.abs().max(b - a)).max(fine);
            let mut wide = fine;
            loop {
                let mark = TimeMark { before: at - 2.0 * wide, after: end + wide };
                looks += 1;
                if smooth(mark.after, mark.after + ALONE * wide) {
                    return Some(mark);
                }
                if wide >= widest {
                    break;
                }
                wide = (WIDER * wide).min(widest);
            }
            // after something that is not a mark, or not an isolated one
            at = end + fine + ALONE * fine;
            from = at - fine;
            part = ALONE * fine;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Smooth but for these moments, which belong to neither side.
    fn found(switches: &[f64], a: f64, b: f64) -> Option<TimeMark> {
        search(|a, b| switches.iter().all(|s| !(a < *s && *s < b)), a, b)
    }

    #[test]
    fn the_first_switch_is_found_to_rounding() {
        for at in [1.05, 1.15, 0.1, 1e-9, 7.25, 1000.0 / 3.0] {
            for (a, b) in [(0.0, 400.0), (0.0, at + 1e-3), (0.5 * at, 2.0 * at)] {
                let mark = found(&[at, at + 1e-6, 399.0], a, b).unwrap();
                assert!(mark.before < at && at < mark.after, "{at} in {a}..{b}: {mark:?}");
                assert!(mark.after - mark.before <= 8.0 * width(at, a, b - a), "{at}: {mark:?}");
            }
        }
        assert_eq!(found(&[1.0], 1.5, 3.0), None);
        assert_eq!(found(&[], 0.0, 3.0), None);
    }

    /// A model at rest looks as far ahead as its steps, which know no bound.
    #[test]
    fn marks_of_a_long_look_are_as_narrow() {
        let mark = found(&[0.107, 0.1072, 0.11], 0.0, 1e12).unwrap();
        assert!(mark.before < 0.107 && mark.after - mark.before < 1e-15, "{mark:?}");
    }

    #[test]
    fn a_switch_at_the_very_start_is_found() {
        // as `t > 0` at t = 0: the start belongs to the other side
        for start in [0.0, 2.0] {
            let mark = search(|a, b| !(a <= start && start < b), start, start + 1.0).unwrap();
            assert!(mark.before <= start && start < mark.after, "{mark:?}");
            assert!(mark.after - start < 1e-14);
        }
    }

    #[test]
    fn a_switch_of_a_shifted_time_is_found_near_zero() {
        // the range of t + c is rounded outwards
        for (c, switch) in [(1.0, 1.0), (0.3, 0.33), (5.0, 5.0 + 1e-3)] {
            let smooth =
                |a: f64, b: f64| !((a + c).next_down() < switch && switch < (b + c).next_up());
            let mark = search(smooth, 0.0, 1.0).unwrap();
            let at = switch - c;
            assert!(mark.before <= at && at <= mark.after, "{c}: {mark:?}");
            assert!(mark.after - mark.before < 1e-13 && smooth(mark.after, 1.0), "{c}: {mark:?}");
        }
    }

    /// The ends of `step(t, t0, y0, t1, y1)`, decided on (t − t0)/(t1 − t0), which is 1 for a while.
    #[test]
    fn a_switch_that_is_met_for_a_while_is_found() {
        for (t0, t1) in [(-0.05, 1.1102230246251565e-16), (-0.325, -0.025), (-0.3, 1e-9)] {
            let x = |t: f64| (t - t0) / (t1 - t0);
            let smooth = |a: f64, b: f64| x(b) <= 1.0 || x(a) >= 1.0;
            for first in [2e-4, 3.3e-4, 1e-3] {
                let mark = search(smooth, t1 - first, t1 + first).unwrap();
                assert!((mark.before - t1).abs() < 1e-15, "{t0} {t1}: {mark:?}");
                assert!((mark.after - t1).abs() < 1e-15, "{t0} {t1}: {mark:?}");
                let (start, end) = (t1 - first, t1 + first);
                assert!(smooth(start, mark.before) && smooth(mark.after, end));
                assert!(smooth(start, start + (mark.before - start)), "{t0} {t1}: {mark:?}");
            }
        }
    }

    #[test]
    fn what_is_never_smooth_has_no_marks_and_takes_bounded_work() {
        let mut looks = 0;
        let mark = search(
            |a, b| {
                looks += 1;
                a == b
            },
            0.0,
            1.0,
        );
        assert_eq!(mark, None);
        assert!(looks <= 2 * SEARCH);
    }
}
