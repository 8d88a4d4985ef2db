//! Watches laws that read the state: no step passes a window in which a force acts without seeing it, and steps end
//! where a law of the state switches.
//!
//! The error test compares what the stages of a step saw. A force that acts between 5 m and 6 m, passed in the middle
//! of a long step, was seen by none of them. So after a step has passed its test, the laws that read the state are
//! examined along the whole path of the step ([`Problem::unseen_on_way`]): their deviation from polynomials of the
//! degree of the method must not change a velocity by more than [`ALLOWED`] tolerances, in each of [`PIECES`] parts. A
//! feature of such a law is then either too weak to matter or wide enough for the stages and for the error test.
//!
//! Otherwise the first place where it does more is searched for. If that is narrow, like a jump or a kink, the step
//! ends just before it; the next one is so short that it does not matter on which side its stages lie; and the method
//! restarts after it. So a piecewise law costs no order. If it is wide, the step is shortened until it resolves it.
//!
//! A law that jumps so that the motion is driven back to the jump from both sides, like friction by `sign` of a speed,
//! lets no step leave. It is reported by name after [`RETURNS`] returns.

use super::Driver;
use super::adaptive::MIN_STEP;
use super::time_marks::ALLOWED;
use crate::error::{SimError, SimErrorKind};
use delassus_dae::dense::Hermite;
use delassus_dae::{Problem, State, Stretch};
use delassus_math::remember;

/// Number of parts of a step in each of which laws are resolved, a power of two: as many as stages, so that a feature
/// as long as a part is as long as the distance between stages of most methods.
const PIECES: f64 = 8.0;
/// Allowed effect of a narrow feature, relative to what is allowed, within the step that passes it, which is up to
/// twice as long and may begin a little early.
const NARROW: f64 = 0.125;
/// Effect that a switch must be able to have, relative to what is allowed, for the method to restart after it.
const SWITCH: f64 = 0.01;
/// A step as it would be without switches, in characteristic times.
const USUAL: f64 = 1e-3;
/// Number of bisections that distinguish a jump from a kink.
const HALVINGS: u32 = 8;
/// The longest feature that is narrow, in steps, and the shortest that is resolved, in shortest steps.
const LONGEST: f64 = 1.0 / 64.0;
const ABOVE_MIN: f64 = 100.0;
/// Number of attempts of one step that fail by error and are examined for the cause.
const LOOKS: u32 = 8;
/// Number of steps that pass a jump, each no more than [`SOON`] times its length after the one before, that ends a run.
const RETURNS: u32 = 40;
const SOON: f64 = 1000.0;

/// Time between two such steps, in characteristic times, beyond which the motion has left in between.
const NEAR: f64 = 0.01;
/// Places in a step at which its path is compared with the motion inside it, and the distance, relative to the change
/// along the step, that counts as zero.
const INSIDE: [f64; 2] = [0.5, 0.2];
const KNOWN: f64 = 1e-5;
/// Steps this short, in characteristic times, are taken to follow their path: a distance that falls to zero and rises
/// again has a kink, for which no step is short enough.
const SHORT: f64 = 1e-4;

/// What is known at the start of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Start {
    #[default]
    Unknown,
    /// It is what was recorded at the end of the step before.
    IsEnd,
    Known,
}

/// What switches on the path of a step.
#[derive(Debug, Clone, Copy, Default)]
struct Met {
    /// A law, by so much that the method should restart.
    switch: bool,
    /// It jumps, by so much that it would matter in a usual step.
    jump: bool,
}
remember!(Met { switch, jump });

/// A step that ends just before a switch.
#[derive(Debug, Clone, Copy)]
struct Before {
    /// Its length, and that of the one that passes the switch, s.
    length: f64,
    next: f64,
    /// The switch is a jump.
    jump: bool,
}

/// Watches laws of the state.
#[derive(Debug, Clone, Default)]
pub(super) struct WayWatch {
    /// What the next step should pass.
    passing: Met,
    /// The last step passed a switch.
    passed: bool,
    /// It passed a jump, and this is its length, s.
    jumped: Option<f64>,
    /// When a jump was last passed, s, and how many were passed in a row soon after another.
    last: f64,
    returns: u32,
    /// Since when, s.
    since: f64,
    start: Start,
    /// The attempt that should end just before a switch.
    before: Option<Before>,
    /// The end of the waiting step was recorded.
    ended: bool,
    looks: u32,
    /// The motion inside a step.
    dense: Hermite,
    inside: State,
}
remember!(WayWatch { passing, passed, jumped, last, returns, since } apart from { start, before, ended, looks, dense, inside });

impl WayWatch {
    /// For a problem, at its start.
    pub fn new<P: Problem>(p: &P, s: &State) -> WayWatch {
        let d = p.dims();
        let dense = Hermite::new(d.nq, d.nv, d.nz);
        WayWatch { dense, inside: s.clone(), ..WayWatch::default() }
    }

    /// The waiting step was accepted, up to t, for a motion with this characteristic rate.
    pub fn arrive(&mut self, t: f64, pace: f64) {
        self.start = if self.ended { Start::IsEnd } else { Start::Unknown };
        self.ended = false;
        if let Some(h) = self.jumped.take() {
            let soon = t - self.last <= (SOON * h).min(NEAR / pace);
            if soon {
                self.returns += 1;
            } else {
                (self.returns, self.since) = (0, t);
            }
            self.last = t;
        }
    }

    /// The waiting step is dropped, or repeated.
    pub fn drop_end(&mut self) {
        self.ended = false;
        (self.passed, self.jumped) = (false, None);
    }

    /// The state changes.
    pub fn forget(&mut self) {
        self.drop_end();
        (self.start, self.passing) = (Start::Unknown, Met::default());
    }
}

/// Result of examining the path of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Look {
    /// Nothing was missed.
    Clear,
    /// The step ends just before a switch, which a step of this length passes.
    Before(f64),
    /// The step should be repeated with this length.
    Shorter(f64),
}

impl<P: Problem> Driver<P> {
    /// Records what laws read at the start of a step.
    pub(super) fn start_way(&mut self, p: &P) {
        self.way.looks = 0;
        if !p.state_laws() {
            return;
        }
        match self.way.start {
            Start::Known => {}
            Start::IsEnd => p.keep_end(&mut self.ws),
            Start::Unknown => {
                let s = &self.state;
                p.realize_position(s.t, &s.q, &s.z, &mut self.ws);
                p.realize_velocity(&s.v, &s.z, &mut self.ws);
                p.take_down(&mut self.ws, &s.v, &self.method.start().a, false);
            }
        }
        self.way.start = Start::Known;
    }

    /// Examines the path of the attempt over h, which passed its error test or not.
    pub(super) fn watch_way(&mut self, p: &P, h: f64, good: bool) -> Look {
        if !p.state_laws() || (!good && self.way.looks >= LOOKS) {
            return Look::Clear;
        }
        self.way.looks += 1;
        let s = &self.prev;
        if !(self.method.leaves_realized() && s.z.is_empty()) {
            p.realize_position(s.t, &s.q, &s.z, &mut self.ws);
            p.realize_velocity(&s.v, &s.z, &mut self.ws);
        }
        p.take_down(&mut self.ws, &s.v, &self.method.end().a, true);
        p.span_way(&mut self.ws, self.state.t, h);
        if good && h * self.scale.pace() > SHORT && self.leaves_way(p) {
            return Look::Shorter(0.5 * h);
        }
        let before = self.way.before.take().filter(|b| good && b.length == h);
        let (missed, met) = self.missed(p, h);
        let Some((a, b)) = missed else {
            if good {
                // stages on the other side may throw the end back, as if nothing had been met
                let planned = std::mem::take(&mut self.way.passing);
                self.way.passed = met.switch || planned.switch;
                self.way.jumped = (met.jump || planned.jump).then_some(h);
                self.way.ended = true;
            }
            let Some(before) = before else { return Look::Clear };
            self.way.passing = Met { switch: true, jump: before.jump };
            return Look::Before(before.next);
        };
        let w = b - a;
        let narrow = w < LONGEST;
        if !narrow && !good {
            return Look::Clear;
        }
        self.way.passing = Met::default();
        Look::Shorter(if !narrow {
            h * a.max((4.0 * w).min(0.5))
        } else if a <= w {
            self.way.passing = Met { switch: true, jump: met.jump };
            h * (b + 0.5 * w)
        } else {
            let length = h * (a - 0.25 * w);
            self.way.before = Some(Before { length, next: 1.75 * w * h, jump: met.jump });
            length
        })
    }

    /// Whether what laws read leaves, inside the attempt, the path that joins its ends.
    fn leaves_way(&mut self, p: &P) -> bool {
        let (from, to) = (&self.state, &self.prev);
        let WayWatch { dense, inside, .. } = &mut self.way;
        dense.fit(p.manifold(), from, self.method.start(), to, self.method.end());
        let mut leaves = false;
        for part in INSIDE {
            dense.at(p.manifold(), from.t + part * (to.t - from.t), inside);
            let (a0, a1) = (&self.method.start().a, &self.method.end().a);
            speeds(&mut inside.v, [&from.v, a0], [&to.v, a1], part, to.t - from.t);
            p.realize_position(inside.t, &inside.q, &inside.z, &mut self.ws);
            p.realize_velocity(&inside.v, &inside.z, &mut self.ws);
            leaves = p.off_way(&self.ws, part) > KNOWN;
            if leaves {
                break;
            }
        }
        p.realize_position(to.t, &to.q, &to.z, &mut self.ws);
        p.realize_velocity(&to.v, &to.z, &mut self.ws);
        leaves
    }

    /// The first part of the path, of a step over h, that no stage need have seen, and in which laws do more than is
    /// allowed: as short as can be resolved. And what switches on the path.
    fn missed(&mut self, p: &P, h: f64) -> (Option<(f64, f64)>, Met) {
        let degree = self.method.error_order();
        let pace = self.scale.pace();
        let unit = h / (ALLOWED * self.opts.tol.rtol.max(f64::EPSILON));
        let (ws, paces) = (&mut self.ws, self.scale.paces());
        let part =
            |from: f64, to: f64, pieces: f64| Stretch { from, to, pieces, degree, enough: 0.0 };
        let all = Stretch { enough: 1.0 / unit, ..part(0.0, 1.0, PIECES) };
        let (whole, smooth) = p.unseen_on_way(ws, all, paces);
        let mut met = Met::default();
        if !smooth {
            met.switch = unit * whole > SWITCH;
            let usual = (USUAL / (h * pace)).max(1.0);
            met.jump = unit * usual * whole > SWITCH && jumps(p, ws, paces);
        }
        let shortest = ABOVE_MIN * MIN_STEP * self.state.t.abs().max(self.cruise.min(1.0 / pace));
        if unit * whole <= 1.0 || h <= 4.0 * shortest {
            return (None, met);
        }
        let mut unseen =
            |a: f64, b: f64, pieces: f64| unit * p.unseen_on_way(ws, part(a, b, pieces), paces).0;
        let found = [(0.0, 0.5), (0.5, 1.0)]
            .iter()
            .find_map(|(a, b)| first_beyond(&mut unseen, *a, *b, 0.5 * PIECES));
        let Some((mut a, mut b)) = found else { return (None, met) };
        let mut unseen = |a: f64, b: f64| unseen(a, b, 1.0);
        while (b - a) * h > shortest {
            let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
            if half * unseen(a, middle) > NARROW {
                b = middle;
            } else if half * unseen(middle, b) > NARROW {
                a = middle;
            } else {
                break;
            }
        }
        (Some((a, b)), met)
    }

    /// Continues after a switch that the last step passed. True if there was one.
    pub(super) fn leave_switch(&mut self, p: &P) -> Result<bool, SimError> {
        let t = self.state.t;
        if self.way.returns >= RETURNS {
            let h = t - self.prev.t;
            let name = p.restless_on_way(&mut self.ws).unwrap_or_default();
            return Err(SimError {
                kind: SimErrorKind::Chatter,
                t,
                h,
                detail: format!(
                    "{name} jumps, and drives the motion back to where it jumps from both sides: it \
                     switched {RETURNS} times within {:.1e} s",
                    t - self.way.since
                ),
                blame: vec![name],
                help: "write friction as a contact of type \"dry-friction\", which sticks, or replace the jump \
                       by a steep ramp: step(x, -e, y0, e, y1) with a small e"
                    .to_owned(),
            });
        }
        let passed = std::mem::take(&mut self.way.passed);
        if passed {
            self.begin(p)?;
        }
        Ok(passed)
    }
}

/// Velocities at a part of a step over h by the cubic with velocities and accelerations of both ends, as laws see them:
/// those of the interpolated positions differ by what a method of low order leaves between the two.
fn speeds(out: &mut [f64], start: [&[f64]; 2], end: [&[f64]; 2], s: f64, h: f64) {
    let ([v0, a0], [v1, a1]) = (start, end);
    for (i, v) in out.iter_mut().enumerate() {
        let (d, b0, b1) = (v1[i] - v0[i], h * a0[i], h * a1[i]);
        let (c2, c3) = (3.0 * d - 2.0 * b0 - b1, b0 + b1 - 2.0 * d);
        *v = v0[i] + s * (b0 + s * (c2 + s * c3));
    }
}

/// Whether laws do everything they do on the whole path within a small part of it.
fn jumps<P: Problem>(p: &P, ws: &mut P::Ws, paces: &[f64]) -> bool {
    let mut by = |from: f64, to: f64| {
        let part = Stretch { from, to, pieces: 1.0, degree: 0, enough: 0.0 };
        p.unseen_on_way(ws, part, paces).0
    };
    let whole = by(0.0, 1.0);
    let (mut a, mut b, mut part) = (0.0, 1.0, whole);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (a + b);
        let (first, second) = (by(a, middle), by(middle, b));
        part = first.max(second);
        if first >= second {
            b = middle;
        } else {
            a = middle;
        }
    }
    part > 0.5 * whole
}

/// The first of `pieces` pieces of a part whose measure exceeds 1, as do those of all pieces that contain it.
fn first_beyond(
    measure: &mut impl FnMut(f64, f64, f64) -> f64,
    a: f64,
    b: f64,
    pieces: f64,
) -> Option<(f64, f64)> {
    if measure(a, b, pieces) <= 1.0 {
        return None;
    }
    if pieces <= 1.0 {
        return Some((a, b));
    }
    let middle = 0.5 * (a + b);
    first_beyond(measure, a, middle, 0.5 * pieces)
        .or_else(|| first_beyond(measure, middle, b, 0.5 * pieces))
}
