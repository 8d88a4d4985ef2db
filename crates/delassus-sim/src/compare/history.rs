//! Step sizes over time, thinned to a bounded number.

/// Points kept at most.
const MOST: usize = 1024;

/// Time and size of some of the accepted steps: all of them in a short run, evenly spaced ones in a long one.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    points: Vec<(f64, f64)>,
    stride: u64,
    seen: u64,
}

impl Default for History {
    fn default() -> Self {
        History { points: Vec::with_capacity(MOST), stride: 1, seen: 0 }
    }
}

impl History {
    /// Records a step of size h that ended at t.
    pub(super) fn push(&mut self, t: f64, h: f64) {
        if self.seen.is_multiple_of(self.stride) {
            if self.points.len() == MOST {
                let mut k = 0;
                self.points.retain(|_| {
                    k += 1;
                    k % 2 == 1
                });
                self.stride *= 2;
            }
            if self.seen.is_multiple_of(self.stride) {
                self.points.push((t, h));
            }
        }
        self.seen += 1;
    }

    /// Ends of steps and their sizes, s.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_evenly() {
        let mut h = History::default();
        for k in 0..10_000 {
            h.push(f64::from(k), 1.0);
        }
        let n = h.points().len();
        assert!((MOST / 2..=MOST).contains(&n), "{n}");
        let gaps: Vec<f64> = h.points().windows(2).map(|w| w[1].0 - w[0].0).collect();
        assert!(gaps.iter().all(|g| *g == 16.0), "{gaps:?}");
    }
}
