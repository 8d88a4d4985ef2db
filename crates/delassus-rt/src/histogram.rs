//! How often something took how long, in memory that is there from the start.

/// Buckets per power of two: a value is known to 1/64 of itself.
const FINE: u64 = 64;
/// Powers of two above the first `FINE` values.
const DECADES: usize = 64 - FINE.ilog2() as usize;

/// Counts of durations in nanoseconds.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    least: u64,
    most: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        let counts = vec![0; FINE as usize * (DECADES + 1)];
        Histogram { counts, total: 0, sum: 0, least: u64::MAX, most: 0 }
    }
}

/// The bucket of a value.
fn bucket(ns: u64) -> usize {
    if ns < FINE {
        return ns as usize;
    }
    let shift = ns.ilog2() - FINE.ilog2();
    FINE as usize * (shift as usize + 1) + ((ns >> shift) - FINE) as usize
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let (row, column) = (bucket as u64 / FINE, bucket as u64 % FINE);
    match row.checked_sub(1) {
        None => column,
        Some(shift) => ((u128::from(FINE + column + 1) << shift) - 1) as u64,
    }
}

impl Histogram {
    /// Counts a duration, ns. Does not allocate.
    pub fn add(&mut self, ns: u64) {
        if let Some(count) = self.counts.get_mut(bucket(ns)) {
            *count += 1;
        }
        self.total += 1;
        self.sum += u128::from(ns);
        self.least = self.least.min(ns);
        self.most = self.most.max(ns);
    }

    /// How many durations were counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The shortest one, ns; 0 without any.
    pub fn least(&self) -> u64 {
        self.least.min(self.most)
    }

    /// The longest one, ns.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Their mean, ns; 0 without any.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.total.max(1) as f64
    }

    /// A duration that this fraction of all does not exceed, ns: too large by at most 1/64.
    pub fn quantile(&self, fraction: f64) -> u64 {
        let wanted = ((fraction * self.total as f64).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        for (k, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return upper(k).min(self.most);
            }
        }
        self.most
    }

    /// Upper bounds in ns and counts of bars that grow by a quarter of a power of two, from the first to the last that
    /// holds something.
    pub fn bars(&self) -> Vec<(u64, u64)> {
        let wide = FINE as usize / 4;
        let bars = self.counts.chunks(wide).enumerate();
        let bars: Vec<(u64, u64)> =
            bars.map(|(k, c)| (upper((k + 1) * wide - 1), c.iter().sum())).collect();
        let first = bars.iter().position(|b| b.1 > 0).unwrap_or(0);
        let end = bars.iter().rposition(|b| b.1 > 0).map_or(0, |k| k + 1);
        bars[first.min(end)..end].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_bucket_that_ends_just_above_it() {
        for ns in (0..200_u64).chain((0..64).map(|k| 1 << k)).chain([u64::MAX, 999_999]) {
            let top = upper(bucket(ns));
            assert!(top >= ns && top - ns <= ns / FINE, "{ns} {top}");
            assert!(bucket(ns) < Histogram::default().counts.len());
        }
    }

    #[test]
    fn quantiles_of_a_ramp() {
        let mut h = Histogram::default();
        assert_eq!((h.quantile(0.99), h.least(), h.most(), h.bars().len()), (0, 0, 0, 0));
        (1..=10_000).for_each(|k| h.add(k * 100));
        for (fraction, exact) in [(0.5, 500_000.0), (0.99, 990_000.0), (1.0, 1_000_000.0)] {
            let found = h.quantile(fraction) as f64;
            assert!((0.0..=1.0 / 64.0).contains(&(found / exact - 1.0)), "{fraction} {found}");
        }
        assert_eq!((h.least(), h.most(), h.total()), (100, 1_000_000, 10_000));
        assert_eq!(h.mean(), 500_050.0);
        assert_eq!(h.bars().iter().map(|b| b.1).sum::<u64>(), 10_000);
    }
}
