//! How many steps a run will take, estimated from those already made.

use delassus_math::remember;

/// Number of steps allowed to a run that does not specify it.
pub(crate) const MAX_STEPS: u64 = 100_000_000;
/// Number of steps that a run may still take which a vibration limits that nobody sees: minutes for small models. Methods for
/// stiff systems take as many as the visible motion needs.
const STIFF_STEPS: f64 = 2e6;
/// Number of steps before the first estimate: a start, an impact or a switch takes fewer.
const FIRST: u64 = 1 << 13;

/// Estimates the progress of a run whenever the number of its steps has doubled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Steps at the next estimate.
    next: u64,
    /// Steps and time at the last one, s.
    since: (u64, f64),
}
remember!(Pace { next, since });

impl Pace {
    pub fn new(t: f64) -> Pace {
        Pace { next: FIRST, since: (0, t) }
    }

    /// Number of steps that the rest of a run takes at the pace since the last estimate, if that is hopeless. `stiff`: stability
    /// limits the steps.
    ///
    /// A stretch of short steps may end, but the longer it has lasted the less likely that is: after N steps the rest
    /// may take √(`MAX_STEPS`/N) times as many steps as a run may make at all. At the first estimate these are a
    /// hundred times as many, 10¹⁰ steps, hours even for the smallest models.
    pub fn hopeless(&mut self, steps: u64, t: f64, t_end: f64, stiff: bool) -> Option<f64> {
        if steps < self.next {
            return None;
        }
        let (made, passed) = (steps - self.since.0, t - self.since.1);
        (self.next, self.since) = (2 * steps, (steps, t));
        let rest = (t_end - t) / passed * made as f64;
        let patience = (MAX_STEPS as f64 / steps as f64).sqrt().max(1.0);
        let most = if stiff { STIFF_STEPS } else { patience * MAX_STEPS as f64 };
        // infinite if no time has passed
        (rest > most).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_stretch_may_end_but_not_last() {
        // 1e-10 s per step up to 10 s
        let mut pace = Pace::new(0.0);
        let first = (1..).find(|n| pace.hopeless(*n, 1e-10 * *n as f64, 10.0, false).is_some());
        assert_eq!(first, Some(FIRST));
        // 1e-8 s per step: 1e9 steps are too many after 1e6, not after the first thousands
        let mut pace = Pace::new(0.0);
        let first = (1..).find(|n| pace.hopeless(*n, 1e-8 * *n as f64, 10.0, false).is_some());
        assert!(first > Some(1 << 19), "{first:?}");
        // 1e-6 s per step are too many where stability limits them, 1e-5 are not
        let stiff = |h: f64| {
            let mut pace = Pace::new(0.0);
            (1..1 << 17).find(|n| pace.hopeless(*n, h * *n as f64, 10.0, true).is_some())
        };
        assert_eq!([stiff(1e-6), stiff(1e-5)], [Some(FIRST), None]);
        // one that becomes faster in time
        let mut pace = Pace::new(0.0);
        let t = |n: u64| if n < 1 << 14 { 1e-9 * n as f64 } else { 1e-5 * (n - (1 << 14)) as f64 };
        assert!((1..1_000_000).all(|n| pace.hopeless(n, t(n), 1.0, false).is_none()));
        let mut pace = Pace::new(0.0);
        assert_eq!(pace.hopeless(FIRST, 0.0, 1.0, false), Some(f64::INFINITY));
    }
}
