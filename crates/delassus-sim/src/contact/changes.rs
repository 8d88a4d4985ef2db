//! Changes at points from step to step of time-stepping, for the event log.
//!
//! A step does not reveal when a point closed, opened, stuck, slid or came to touch another part of a shape, only that
//! it did. And points at rest are not still: loads of redundant points come and go, gaps and rates vary by the residual
//! of the solver. So a change counts only if it is larger than the effect of gravity within one step, and after
//! [`SURE`] steps; it is dated back to the step where it began. Times are as good as the step.

use super::event::{Event, EventKind, EventLog};
use super::thresholds::Thresholds;
use delassus_dae::{PointId, PointLaw, Unilateral};
use delassus_math::memory::{Memory, Remember};
use delassus_math::remember;
use delassus_nonsmooth::stepping::PointImpulse;
use std::collections::BTreeMap;

/// Number of steps after which a change is accepted.
const SURE: u32 = 3;
/// Rates that count as rest, in [`Thresholds::rest`], and gaps that count as closed, in [`Thresholds::touching`], where
/// gravity gives no larger measure.
const LOOSE: f64 = 1e3;
/// Fraction of gravity's change of a rate within one step above which sliding is not rest.
const SLIDES: f64 = 0.1;
/// Fraction of the bounds on gaps and rates below which a point is exactly where it was.
const EXACT: f64 = 1e-3;

/// How a point moves, as far as a step shows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum ShownSlip {
    #[default]
    Open,
    /// Closed without friction.
    Closed,
    Stick,
    Slip([f64; 2]),
}

impl Remember for ShownSlip {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let (case, mut d) = match *self {
            ShownSlip::Open => (0, [0.0; 2]),
            ShownSlip::Closed => (1, [0.0; 2]),
            ShownSlip::Stick => (2, [0.0; 2]),
            ShownSlip::Slip(d) => (3, d),
        };
        let case = m.case(case, 4);
        d.remember(m);
        *self = [ShownSlip::Open, ShownSlip::Closed, ShownSlip::Stick, ShownSlip::Slip(d)]
            [usize::from(case)];
    }
}

impl ShownSlip {
    fn is_closed(self) -> bool {
        self != ShownSlip::Open
    }

    /// The same except for the direction of sliding.
    fn is_like(self, other: ShownSlip) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// What is known about a point.
#[derive(Debug, Clone, Copy, Default)]
struct Track {
    /// As logged.
    told: ShownSlip,
    /// The last time it was exactly as logged.
    exact: f64,
    /// What it seems to do instead, since when, and for how many steps.
    seems: ShownSlip,
    since: f64,
    count: u32,
    /// Last step in which it took part.
    step: u64,
    /// The parts of the shapes that touch, once it is logged as closed.
    features: Option<[u32; 2]>,
    /// Others that seem to have taken over, since when, and for how many steps.
    others: ([u32; 2], f64, u32),
}
remember!(Track { told, exact, seems, since, count, step, features, others });

/// Bounds of one step.
struct Bounds {
    gap: f64,
    rate: f64,
    slide: f64,
}

impl Bounds {
    /// The same for gaps and rates of another unit.
    fn of_gap(&self, per_metre: f64) -> Bounds {
        Bounds {
            gap: per_metre * self.gap,
            rate: per_metre * self.rate,
            slide: per_metre * self.slide,
        }
    }
}

/// Follows all points of a run.
#[derive(Debug, Default)]
pub(super) struct Changes {
    tracks: BTreeMap<PointId, Track>,
    step: u64,
    gone: Vec<PointId>,
}
remember!(Changes { tracks, step } apart from { gone });

impl Changes {
    /// Examines the points of a step from `t0` to `t1` and logs what has changed; `pull` is the acceleration of
    /// gravity.
    pub fn follow<P: Unilateral>(
        &mut self,
        p: &P,
        points: &[PointImpulse],
        (t0, t1): (f64, f64),
        pull: f64,
        th: &Thresholds,
        log: &mut EventLog,
    ) {
        let h = t1 - t0;
        let in_metres = Bounds {
            gap: (LOOSE * th.touching).max(pull * h * h),
            rate: (LOOSE * th.rest).max(2.0 * pull * h),
            slide: sliding_speed(th, pull, h),
        };
        self.step += 1;
        // points closed in the first step were closed at the start
        let began = if self.step == 1 { t0 } else { t1 };
        for c in points {
            let bounds = in_metres.of_gap(p.gap_per_metre(c.id));
            let (seems, exact) = observe(c, h, &bounds, self.tracks.get(&c.id));
            if !seems.is_closed() && !self.tracks.contains_key(&c.id) {
                continue;
            }
            let step = self.step;
            let track = self.tracks.entry(c.id).or_insert(Track {
                // dry friction has no gap: it acts from the start, which is not an event
                told: if has_gap(&c.law) { ShownSlip::Open } else { seems },
                exact: began,
                seems,
                since: began,
                count: 0,
                step,
                features: None,
                others: Default::default(),
            });
            track.step = step;
            if exact {
                track.exact = t1;
            }
            track.update(seems, began, |t, kind| note(p, t, kind, c.id, log));
            if track.hands_over(c.at.features, t1) {
                note(p, track.others.1, EventKind::NormalChange, c.id, log);
            }
        }
        // points that took no part are far away
        for (id, track) in &mut self.tracks {
            if track.step != self.step {
                track.update(ShownSlip::Open, t1, |t, kind| note(p, t, kind, *id, log));
                if !track.told.is_closed() && !track.seems.is_closed() {
                    self.gone.push(*id);
                }
            }
        }
        for id in self.gone.drain(..) {
            self.tracks.remove(&id);
        }
    }
}

impl Track {
    /// Records the parts that touch in a step ending at `t`; true if others have definitely taken over. Parts that are
    /// passed within less than [`SURE`] steps are not logged.
    fn hands_over(&mut self, now: [u32; 2], t: f64) -> bool {
        if !(self.told.is_closed() && self.seems.is_closed()) {
            self.features = None;
        }
        let told = *self.features.get_or_insert(now);
        if told == now || self.others.0 != now {
            self.others = (now, t, 0);
        }
        if told == now {
            return false;
        }
        self.others.2 += 1;
        let sure = self.others.2 >= SURE;
        if sure {
            self.features = Some(now);
        }
        sure
    }

    /// Records what a step ending at `t` shows, and reports what is certain by now.
    fn update(&mut self, now: ShownSlip, t: f64, mut tell: impl FnMut(f64, EventKind)) {
        if let (ShownSlip::Slip(a), ShownSlip::Slip(b)) = (self.told, now) {
            if a[0] * b[0] + a[1] * b[1] < 0.0 {
                tell(t, EventKind::Reverse);
            }
            self.told = now;
        }
        if now.is_like(self.told) {
            self.seems = now;
            self.count = 0;
            return;
        }
        if self.count > 0 && now.is_closed() == self.seems.is_closed() {
            self.count += 1;
        } else {
            // opening and sliding begin where the old state was left, before they can be seen
            let slow = now == ShownSlip::Open || matches!(now, ShownSlip::Slip(_));
            self.since = if slow && self.told.is_closed() { self.exact.min(t) } else { t };
            self.count = 1;
        }
        self.seems = now;
        if self.count < SURE {
            return;
        }
        let kind = match (self.told, now) {
            (ShownSlip::Open, _) => Some(EventKind::Close),
            (_, ShownSlip::Open) => Some(EventKind::Release),
            (ShownSlip::Slip(_), ShownSlip::Stick) => Some(EventKind::Stick),
            (ShownSlip::Stick, ShownSlip::Slip(_)) => Some(EventKind::Slip),
            _ => None,
        };
        if let Some(kind) = kind {
            tell(self.since, kind);
        }
        self.told = now;
        self.count = 0;
    }
}

/// Speed above which a point slides, as far as a step of length `h` can tell, m/s.
pub(super) fn sliding_speed(th: &Thresholds, pull: f64, h: f64) -> f64 {
    (LOOSE * th.slow).max(SLIDES * pull * h)
}

fn has_gap(law: &PointLaw) -> bool {
    !matches!(law, PointLaw::DryFriction { .. })
}

/// What a point does at the end of a step, and whether it is exactly as logged.
fn observe(c: &PointImpulse, h: f64, bounds: &Bounds, track: Option<&Track>) -> (ShownSlip, bool) {
    let told = track.map_or(ShownSlip::Open, |t| t.told);
    let (speed, direction) = match c.law {
        PointLaw::DryFriction { .. } => (c.after[0].abs(), [c.after[0].signum(), 0.0]),
        _ => {
            let speed = c.after[1].hypot(c.after[2]);
            let unit = if speed > 0.0 { 1.0 / speed } else { 0.0 };
            (speed, [unit * c.after[1], unit * c.after[2]])
        }
    };
    let motion = match c.law {
        PointLaw::Compliant | PointLaw::OneWay => ShownSlip::Closed,
        law if !law.is_rough() => ShownSlip::Closed,
        _ if speed > bounds.slide => ShownSlip::Slip(direction),
        _ => ShownSlip::Stick,
    };
    if !has_gap(&c.law) {
        return (motion, speed <= EXACT * bounds.slide);
    }
    // the contact problem is posed within the step
    let gap = match c.law {
        PointLaw::Compliant | PointLaw::OneWay => 0.0,
        _ => c.at.gap + 0.5 * h * c.after[0],
    };
    let near = gap <= bounds.gap && c.after[0] <= bounds.rate;
    let loaded = c.impulse[0] > 0.0;
    let still = speed <= EXACT * bounds.slide || told != ShownSlip::Stick;
    let exact = loaded || (gap <= EXACT * bounds.gap && c.after[0] <= EXACT * bounds.rate);
    match (loaded, near) {
        (_, false) => (ShownSlip::Open, false),
        (true, true) => (motion, exact && still),
        // touches without load: as before
        (false, true) => (told, exact && still),
    }
}

/// Logs an event at its place in time.
fn note<P: Unilateral>(p: &P, t: f64, kind: EventKind, id: PointId, log: &mut EventLog) {
    log.insert(Event::without_jump(t, kind, Some((id, p.point_name(id)))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(told: ShownSlip) -> Track {
        Track {
            told,
            exact: 0.0,
            seems: told,
            since: 0.0,
            count: 0,
            step: 0,
            features: None,
            others: Default::default(),
        }
    }

    /// What is reported when a point shows these motions, one per second; the log is exact up to `exact` seconds.
    fn told(start: ShownSlip, exact: f64, shown: &[ShownSlip]) -> Vec<(f64, EventKind)> {
        let mut t = track(start);
        let mut out = Vec::new();
        for (k, now) in shown.iter().enumerate() {
            t.exact = exact.min(k as f64 + 1.0);
            t.update(*now, k as f64 + 1.0, |t, kind| out.push((t, kind)));
        }
        out
    }

    #[test]
    fn changes_are_told_once_and_dated_back() {
        let (o, c, s) = (ShownSlip::Open, ShownSlip::Closed, ShownSlip::Stick);
        let l = ShownSlip::Slip([1.0, 0.0]);
        assert_eq!(told(o, 9.0, &[o, c, c, c, c]), [(2.0, EventKind::Close)]);
        assert_eq!(told(c, 1.0, &[c, c, o, o, o, o]), [(1.0, EventKind::Release)]);
        assert_eq!(told(s, 2.0, &[s, s, l, l, l]), [(2.0, EventKind::Slip)]);
        assert_eq!(told(l, 9.0, &[l, s, s, s]), [(2.0, EventKind::Stick)]);
        // closing and sliding simultaneously is one event
        assert_eq!(told(o, 9.0, &[l, l, s, s, s]), [(1.0, EventKind::Close)]);
    }

    #[test]
    fn flickering_is_not_told() {
        let (o, c, s) = (ShownSlip::Open, ShownSlip::Closed, ShownSlip::Stick);
        let l = ShownSlip::Slip([1.0, 0.0]);
        assert_eq!(told(c, 9.0, &[o, c, o, o, c, o, c]), []);
        assert_eq!(told(o, 9.0, &[c, o, c, c, o]), []);
        assert_eq!(told(s, 9.0, &[l, s, l, l, s]), []);
    }

    #[test]
    fn a_lasting_change_of_features_is_told_where_it_began() {
        let (a, b, c) = ([1, 0], [2, 0], [3, 0]);
        let told = |motion: ShownSlip, shown: &[[u32; 2]]| -> Vec<f64> {
            let mut t = track(motion);
            let all = shown.iter().enumerate();
            all.filter_map(|(k, f)| t.hands_over(*f, k as f64).then_some(t.others.1)).collect()
        };
        assert_eq!(told(ShownSlip::Stick, &[a, a, b, b, b, b, b]), [2.0]);
        assert_eq!(told(ShownSlip::Closed, &[a, b, b, b, c, c, c, a, a, a]), [1.0, 4.0, 7.0]);
        // flickering, and what is passed within two steps
        assert!(told(ShownSlip::Closed, &[a, b, a, b, b, a, c, b, b, a]).is_empty());
        // what is not closed has no normal that could change
        assert!(told(ShownSlip::Open, &[a, a, b, b, b, b]).is_empty());
    }

    #[test]
    fn turning_round_is_told() {
        let (a, b) = (ShownSlip::Slip([1.0, 0.0]), ShownSlip::Slip([-0.8, 0.6]));
        let across = ShownSlip::Slip([0.0, 1.0]);
        assert_eq!(told(a, 9.0, &[a, b, b]), [(2.0, EventKind::Reverse)]);
        assert_eq!(told(a, 9.0, &[a, ShownSlip::Stick, b]), [(3.0, EventKind::Reverse)]);
        assert_eq!(told(a, 9.0, &[across, b]), []);
    }
}
