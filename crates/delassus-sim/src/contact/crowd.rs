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
/// Number of steps within it, with contacts closed, that is a crawl: for any motion, and for one whose steps friction
/// keeps short.
const STEPS: u32 = 500;
const STEPS_OF_FRICTION: u32 = 100;

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
}
remember!(Crowd { since, events, points, steps });

impl Crowd {
    /// Records an event at t, s; true if there are too many within `window`, s.
    pub fn is_event_crowd(&mut self, t: f64, window: f64, point: Option<PointId>) -> bool {
        self.open(t, window);
        self.events += 1;
        self.points.extend(point);
        self.events > EVENTS && self.points.len() >= POINTS
    }

    /// Records a step to t, s; true if there are too many within `window`, s. `turns`: whether turning friction keeps
    /// them short.
    pub fn is_crawling(&mut self, t: f64, window: f64, turns: impl FnOnce() -> bool) -> bool {
        self.open(t, window);
        self.steps += 1;
        self.steps > STEPS || (self.steps > STEPS_OF_FRICTION && turns())
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
            (1..).find(|_| crowd.is_crawling(0.0, 1.0, || turns))
        };
        assert_eq!((steps(false), steps(true)), (Some(501), Some(101)));
        // spread over time they are none
        let mut slow = Crowd::default();
        assert!((0..1000).all(|k| !slow.is_event_crowd(k as f64, 30.0, point(k % 7))));
    }
}
