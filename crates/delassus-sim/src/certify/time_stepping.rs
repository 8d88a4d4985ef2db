//! Confirmation by time-stepping: it needs no search for contacts and no modes, so it checks what the other families
//! share.

use crate::contact::{Event, EventKind};
use crate::results::Results;

/// Step of the second run in steps of the first. Every impact has its own error of up to a step in its time. With half
/// the step every second impact would have the same error in both runs, and their difference would say nothing; with
/// this ratio (of the golden section) no two grids of steps fall together.
pub(super) const FINER: f64 = 0.381_966_011_250_105_2;
/// Time-stepping is of first order: the error of the finer run is about the difference of the two, or what happens
/// within a step. Up to this many times that is not a contradiction.
const ALLOWED: f64 = 5.0;
/// Differences below this fraction of a column are ignored: resting contacts are held to that.
const SMALL: f64 = 1e-3;

/// Two runs by time-stepping.
pub(super) struct Pair {
    /// With the longer and the shorter step.
    pub runs: [Results; 2],
    /// The shorter step, s.
    pub step: f64,
}

/// The last time up to which the kept run is within the accuracy of time-stepping. A single deviating sample belongs to
/// an impact, whose time is known to a step.
pub(super) fn until<'a>(
    kept: &Results,
    pair: &Pair,
    columns: impl Iterator<Item = (usize, f64, &'a [f64])>,
) -> f64 {
    let [coarse, fine] = &pair.runs;
    let rows = kept.t.len().min(coarse.t.len()).min(fine.t.len());
    let mut last = rows;
    for (column, scale, band) in columns {
        let [coarse, fine, kept_column] = [coarse, fine, kept].map(|r| &r.data[column]);
        let (mut own, mut fastest) = (0.0_f64, 0.0_f64);
        let mut off = 0;
        for row in 0..rows {
            let differ = |a: f64, b: f64| (a - b).abs();
            own = own.max(differ(coarse[row], fine[row]));
            if row > 0 {
                let change = differ(kept_column[row], kept_column[row - 1]);
                fastest = fastest.max(change / (kept.t[row] - kept.t[row - 1]));
            }
            let band = if band[row].is_finite() { band[row] } else { 0.0 };
            let allowed = ALLOWED * own.max(pair.step * fastest) + band + SMALL * scale;
            // NaN: one of them has no value, which proves nothing
            let contradicts = differ(fine[row], kept_column[row]) > allowed;
            off = if contradicts { off + 1 } else { 0 };
            if off > 1 {
                last = last.min(row.saturating_sub(1));
                break;
            }
        }
    }
    match last {
        0 => kept.t.first().copied().unwrap_or(0.0),
        _ => kept.t[last - 1],
    }
}

/// Two impacts before `t` that follow each other within less than a step, which takes them for one: the first such pair,
/// of different points if there is one.
pub(super) fn at_once(events: &[Event], t: f64, step: f64) -> Option<[&Event; 2]> {
    let impacts: Vec<&Event> =
        events.iter().filter(|e| e.kind == EventKind::Impact && e.t <= t).collect();
    let mut near =
        impacts.windows(2).filter(|w| (f64::MIN_POSITIVE..step).contains(&(w[1].t - w[0].t)));
    let first = near.clone().next();
    near.find(|w| w[0].point != w[1].point).or(first).map(|w| [w[0], w[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(f: impl Fn(f64) -> f64) -> Results {
        let t: Vec<f64> = (0..=100).map(|k| k as f64 * 0.01).collect();
        Results { channels: Vec::new(), data: vec![t.iter().map(|t| f(*t)).collect()], t }
    }

    fn pair(step: f64, coarse: impl Fn(f64) -> f64, fine: impl Fn(f64) -> f64) -> Pair {
        Pair { runs: [results(coarse), results(fine)], step }
    }

    #[test]
    fn a_run_within_the_order_of_the_steps_is_confirmed() {
        let kept = results(|t| t * t);
        let band = vec![0.0; 101];
        let column = || std::iter::once((0, 1.0, band.as_slice()));
        let near = pair(1e-4, |t| t * t + 0.02 * t, |t| t * t + 0.01 * t);
        assert_eq!(until(&kept, &near, column()), 1.0);
        // another motion from half way on
        let off = |t: f64| t * t + if t > 0.5 { t - 0.5 } else { 0.0 };
        let t = until(&kept, &pair(1e-4, off, off), column());
        assert!((0.49..0.53).contains(&t), "{t}");
    }

    #[test]
    fn impacts_that_both_runs_find_late_by_the_same_time_are_no_contradiction() {
        let hit = |late: f64| move |t: f64| if t < 0.5 + late { t } else { 1.0 + 2.0 * late - t };
        let kept = results(hit(0.0));
        let band = vec![0.0; 101];
        let until = |late: f64, step: f64| {
            until(
                &kept,
                &pair(step, hit(late), hit(late)),
                std::iter::once((0, 0.5, band.as_slice())),
            )
        };
        assert_eq!(until(4e-3, 5e-3), 1.0);
        // later than a step explains
        assert!(until(2e-2, 1e-3) < 0.52);
    }

    #[test]
    fn impacts_within_a_step_are_found() {
        let at = |k: u64, t: f64| Event {
            point: Some(delassus_dae::PointId { pair: k, slot: 0 }),
            ..Event::without_jump(t, EventKind::Impact, None)
        };
        let events = [at(1, 0.1), at(1, 0.1001), at(2, 0.2), at(1, 0.2002), at(2, 0.9)];
        let found = |t: f64, step: f64| at_once(&events, t, step).map(|[a, b]| (a.t, b.t));
        assert_eq!(found(1.0, 1e-3), Some((0.2, 0.2002)));
        // those of one point where there are no others
        assert_eq!(found(0.15, 1e-3), Some((0.1, 0.1001)));
        assert_eq!(found(1.0, 5e-5), None);
    }
}
