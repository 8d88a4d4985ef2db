//! Log of the steps of a run, thinned to a bounded number of lines.

use delassus_math::remember;

/// Lines kept at most.
const MOST: usize = 2000;

/// One step, or several of a long run together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepRow {
    /// End of the last of them, s.
    pub t: f64,
    /// Shortest of them, s.
    pub h: f64,
    /// Attempts that were rejected.
    pub rejected: f64,
    /// Energy balance of the largest magnitude, J.
    pub energy_error: f64,
    /// Largest |g|, |G v + g_t|, |G a + γ|.
    pub drift: [f64; 3],
}
remember!(StepRow { t, h, rejected, energy_error, drift });

impl StepRow {
    fn join(&self, next: &StepRow) -> StepRow {
        let mut drift = self.drift;
        for (d, n) in drift.iter_mut().zip(next.drift) {
            *d = delassus_math::largest([*d, n]);
        }
        // a NaN balance is the largest of all
        let larger =
            !(next.energy_error.abs() <= self.energy_error.abs()) && !self.energy_error.is_nan();
        StepRow {
            t: next.t,
            h: self.h.min(next.h),
            rejected: self.rejected + next.rejected,
            energy_error: if larger { next.energy_error } else { self.energy_error },
            drift,
        }
    }
}

/// Steps over time: each of them in a short run; in a long one equal numbers are combined, and the worst of them
/// counts, so that no peak is lost.
#[derive(Debug, Clone, PartialEq)]
pub struct StepLog {
    rows: Vec<StepRow>,
    /// Steps per row, and steps in the last row.
    stride: u64,
    filled: u64,
}
remember!(StepLog { rows, stride, filled });

impl Default for StepLog {
    fn default() -> Self {
        StepLog { rows: Vec::with_capacity(MOST), stride: 1, filled: 0 }
    }
}

impl StepLog {
    /// Records a step. Does not allocate.
    pub(crate) fn push(&mut self, row: StepRow) {
        if self.filled < self.stride
            && self.filled > 0
            && let Some(last) = self.rows.last_mut()
        {
            *last = last.join(&row);
            self.filled += 1;
            return;
        }
        if self.rows.len() == MOST {
            for k in 0..MOST / 2 {
                self.rows[k] = self.rows[2 * k].join(&self.rows[2 * k + 1]);
            }
            self.rows.truncate(MOST / 2);
            self.stride *= 2;
        }
        self.rows.push(row);
        self.filled = 1;
    }

    /// Adds rejected attempts to the last step. Does not allocate.
    pub(crate) fn add_rejected(&mut self, n: u64) {
        if let Some(last) = self.rows.last_mut() {
            last.rejected += n as f64;
        }
    }

    /// Lines in order of time.
    pub fn rows(&self) -> &[StepRow] {
        &self.rows
    }

    /// Steps per line.
    pub fn stride(&self) -> u64 {
        self.stride
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_without_losing_a_peak() {
        let mut log = StepLog::default();
        let before = log.rows.as_ptr();
        for k in 1..=50_001 {
            let peak = if k == 12_345 { 1.0 } else { 0.0 };
            log.push(StepRow {
                t: f64::from(k),
                h: 1.0 - 0.5 * peak,
                rejected: 1.0,
                energy_error: -peak,
                drift: [peak, 0.0, 0.0],
            });
        }
        assert_eq!(log.rows.as_ptr(), before);
        assert_eq!(log.stride(), 32);
        assert!((MOST / 2..=MOST).contains(&log.rows().len()));
        assert_eq!(log.rows().last().map(|r| r.t), Some(50_001.0));
        assert_eq!(log.rows().iter().map(|r| r.rejected).sum::<f64>(), 50_001.0);
        let peaks: Vec<&StepRow> = log.rows().iter().filter(|r| r.energy_error != 0.0).collect();
        assert_eq!(peaks.len(), 1);
        assert_eq!((peaks[0].h, peaks[0].energy_error, peaks[0].drift[0]), (0.5, -1.0, 1.0));
        assert!(log.rows().windows(2).all(|w| w[0].t < w[1].t));
    }
}
