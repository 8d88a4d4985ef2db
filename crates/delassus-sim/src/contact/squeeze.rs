//! Bodies that are crushed between others: impacts ever sooner and ever faster.
//!
//! A ball between two walls that are driven together hits them in turn, gains speed at every impact, and has hit them
//! infinitely often when the gap is used up. No law of impact leads beyond that moment, and approaching it costs ever
//! more events for ever less time. Impacts that die out are another matter (`jump.rs`): they also come sooner and
//! sooner, but more slowly.

use delassus_dae::PointId;
use delassus_math::remember;
use std::collections::BTreeMap;

/// Number of impacts of a point in succession, each sooner and faster than the one before, after which nothing else is
/// expected: the speed has grown by about this factor.
const IMPACTS: u32 = 5000;

#[derive(Debug, Clone, Copy, Default)]
struct Track {
    t: f64,
    interval: f64,
    speed: f64,
    count: u32,
}
remember!(Track { t, interval, speed, count });

/// Follows the impacts of all points.
#[derive(Debug, Default)]
pub(super) struct Squeeze {
    tracks: BTreeMap<PointId, Track>,
}
remember!(Squeeze { tracks });

impl Squeeze {
    /// Records an impact at t, s, with this approach speed, m/s. If it belongs to a sequence that comes to its end,
    /// returns how long that will take, s.
    pub fn takes(&mut self, id: PointId, t: f64, speed: f64) -> Option<f64> {
        let new = Track { t, interval: f64::INFINITY, speed, count: 0 };
        let track = self.tracks.entry(id).or_insert(new);
        let interval = t - track.t;
        let goes_on = interval < track.interval && speed > track.speed;
        let count = if goes_on { track.count + 1 } else { 0 };
        *track = Track { t, interval, speed, count };
        // intervals fall like 1/count²
        (count >= IMPACTS).then(|| interval * f64::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other wall is hit half-way between, so the ball gains 2 w at every round.
    fn rounds(mut gap: f64, mut v: f64, w: f64, e: f64) -> Option<(f64, f64)> {
        let mut squeeze = Squeeze::default();
        let id = PointId { pair: 1, slot: 0 };
        let mut t = 0.0;
        for _ in 0..20_000 {
            let dt = 2.0 * gap / v;
            t += dt;
            gap -= w * dt;
            if gap <= 0.0 {
                return None;
            }
            v = e * v + (1.0 + e) * w;
            if let Some(rest) = squeeze.takes(id, t, v) {
                return Some((t, rest));
            }
        }
        None
    }

    #[test]
    fn the_end_of_a_squeeze_is_foreseen() {
        let (t, rest) = rounds(2.0, 3.0, 1.0, 1.0).unwrap_or_default();
        assert!((1.99..2.0).contains(&t), "{t}");
        assert!((t + rest - 2.0).abs() < 1e-3, "{t} {rest}");
    }

    #[test]
    fn bounces_that_die_out_are_none() {
        assert_eq!(rounds(2.0, 3.0, 1e-9, 0.999), None);
    }
}
