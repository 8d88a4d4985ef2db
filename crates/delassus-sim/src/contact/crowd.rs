//! Events of many points that crowd together, and steps that crawl.
//!
//! Where a heap comes to rest, thousands of impacts follow each other at different points, none of which accumulates by
//! itself. Finding them one by one takes long and reveals little: such a motion depends on its errors. A sphere that
//! slides in space at very low speed is similar: the direction of its friction turns so fast that steps become tiny.

use super::storm::{Storm, Unrest};
use delassus_dae::PointId;
use delassus_math::remember;
use std::collections::BTreeSet;

/// Number of events within [`Thresholds::crowded`](super::Thresholds::crowded), and of points that cause them, beyond
/// which they are a crowd.
const EVENTS: u32 = 40;
const POINTS: usize = 5;
/// Number of steps within it, with contacts closed, that is a crawl at a tolerance: for any motion, and for one whose
/// steps friction keeps short. A tighter tolerance takes more steps for the same motion, by the order of the estimate
/// of the methods that are used where friction turns.
const STEPS: f64 = 500.0;
const STEPS_OF_FRICTION: f64 = 100.0;
const AT_RTOL: f64 = 1e-8;
const ORDER: f64 = 4.0;
/// A step that is longer than all before it by this factor is no part of a crawl. Where sliding begins in space, the
/// direction of friction settles over many orders of magnitude of time, and steps grow with the time since then: the
/// tighter the tolerance, the more steps it takes.
const LONGER: f64 = 1.01;

/// Rows of one problem of contact forces up to which the hybrid searches for modes and impulses: a step of the search
/// costs the cube of them, and this many take a tenth of a second. Forces that hold everything at rest need no search,
/// and are found as long as they take no more than that.
pub(super) const SEARCHED_ROWS: usize = 300;
/// Memory for such problems up to which it searches, bytes: stacks of some hundred boxes need this much, and
/// time-stepping does not hold them up.
pub(super) const SEARCHED_BYTES: f64 = (1u64 << 32) as f64;

/// Counts events within a window of time.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    since: Option<f64>,
    events: u32,
    points: BTreeSet<PointId>,
    steps: u32,
    /// The longest step, s.
    longest: f64,
}
remember!(Crowd { since, events, points, steps, longest });

impl Crowd {
    /// Records an event at t, s; true if there are too many within `window`, s.
    pub fn is_event_crowd(&mut self, t: f64, window: f64, point: Option<PointId>) -> bool {
        self.open(t, window);
        self.events += 1;
        self.points.extend(point);
        self.events > EVENTS && self.points.len() >= POINTS
    }

    /// Records a step of h to t, s; true if there are too many within `window`, s, for a run with tolerance rtol.
    /// `turns`: whether turning friction keeps them short.
    pub fn is_crawling(
        &mut self,
        (h, t): (f64, f64),
        window: f64,
        rtol: f64,
        turns: impl FnOnce() -> bool,
    ) -> bool {
        self.open(t, window);
        if h > LONGER * self.longest {
            self.longest = h;
            return false;
        }
        self.steps += 1;
        let steps = f64::from(self.steps) / (AT_RTOL / rtol).powf(1.0 / ORDER).max(1.0);
        steps > STEPS || (steps > STEPS_OF_FRICTION && turns())
    }

    /// The crowd in words.
    pub fn storm(&self) -> Storm {
        Storm { unrest: Unrest::Crowd, points: self.points.iter().copied().collect() }
    }

    fn open(&mut self, t: f64, window: f64) {
        if self.since.is_none_or(|since| t - since > window) {
            *self = Crowd { since: Some(t), ..Crowd::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_events_of_many_points_are_a_crowd_and_those_of_one_are_not() {
        let point = |k| Some(PointId { pair: k, slot: 0 });
        let mut one = Crowd::default();
        assert!((0..1000).all(|_| !one.is_event_crowd(0.0, 1.0, point(1))));
        let mut many = Crowd::default();
        assert!((0..1000).any(|k| many.is_event_crowd(0.0, 1.0, point(k % 7))));
        // steps may be many, but fewer where friction is to blame
        let steps = |turns: bool| {
            let mut crowd = Crowd::default();
            (0..).find(|_| crowd.is_crawling((1e-9, 0.0), 1.0, 1e-6, || turns))
        };
        assert_eq!((steps(false), steps(true)), (Some(501), Some(101)));
        // steps that grow make progress; one that repeats counts
        let mut grown = Crowd::default();
        assert!((0..200).all(|k| !grown.is_crawling(
            (1e-12 * 1.1_f64.powi(k), 0.0),
            1.0,
            1e-8,
            || true
        )));
        assert_eq!((0..).find(|_| grown.is_crawling((1e-9, 0.0), 1.0, 1e-8, || true)), Some(100));
        // accuracy takes steps
        let mut tight = Crowd::default();
        let first = (0..).find(|_| tight.is_crawling((1e-9, 0.0), 1.0, 1e-12, || true));
        assert_eq!(first, Some(1001));
        // spread over time they are none
        let mut slow = Crowd::default();
        assert!((0..1000).all(|k| !slow.is_event_crowd(k as f64, 30.0, point(k % 7))));
    }
}
