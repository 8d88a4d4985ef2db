//! What the clock did: how long steps took, how late they began, which of them ended too late.
//!
//! Owns memory that does not grow with the run, and turns it into the figures that are reported.

use crate::histogram::Histogram;
use serde::Serialize;

/// Late steps that are listed one by one; the others are counted.
pub const LISTED: usize = 1000;
/// Parts into which the run is divided to show what happened when.
pub const SPANS: usize = 256;

/// A step that ended after its time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Overrun {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time of the clock since the start at which it should have ended, s.
    pub at_s: f64,
    /// By how much it was late, µs.
    pub late_us: f64,
    /// Periods that were left out because of it.
    pub skipped: u64,
}

/// A part of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Span {
    steps: u64,
    missed: u64,
    worst: u64,
}

/// One part of the run as it is reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SpanFigures {
    /// Its end, s of the clock since the start.
    pub to_s: f64,
    /// Steps that ended after their time.
    pub missed: u64,
    /// The longest step, µs.
    pub worst_us: f64,
}

/// A bar of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// Largest duration, ns.
    pub to_ns: u64,
    /// How many there were.
    pub count: u64,
}

/// The figures of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// Steps made.
    pub steps: u64,
    /// Steps that ended after their time: each is counted once, however late it was.
    pub missed: u64,
    /// Periods that were left out because of them.
    pub skipped: u64,
    /// Time of the clock, s.
    pub clock_s: f64,
    /// By how much the time of the model fell behind the clock, s.
    pub lag_s: f64,
    /// Longest step, with the exchange of inputs and outputs, µs.
    pub worst_us: f64,
    /// 999 of 1000 steps were not longer, µs.
    pub p999_us: f64,
    /// 99 of 100 steps were not longer, µs.
    pub p99_us: f64,
    /// Every second step was not longer, µs.
    pub p50_us: f64,
    /// Mean, µs.
    pub mean_us: f64,
    /// Shortest step, µs.
    pub least_us: f64,
    /// 99 of 100 steps began not later after their time, µs.
    pub jitter_us: f64,
    /// The latest begin, µs.
    pub worst_jitter_us: f64,
    /// Durations of steps.
    pub histogram: Vec<Bar>,
    /// Delays of their beginnings.
    pub jitter_histogram: Vec<Bar>,
    /// What happened when.
    pub spans: Vec<SpanFigures>,
    /// The first late steps.
    pub overruns: Vec<Overrun>,
}

/// Counts what the clock does. Allocates nothing after its creation.
#[derive(Debug, Clone)]
pub struct Tally {
    lengths: Histogram,
    delays: Histogram,
    missed: u64,
    skipped: u64,
    lag: u64,
    spans: Vec<Span>,
    /// Length of a span, ns.
    span: u64,
    overruns: Vec<Overrun>,
}

impl Default for Tally {
    fn default() -> Self {
        let nothing = Overrun { step: 1, at_s: -1.0, late_us: -1.0, skipped: 1 };
        let mut overruns = vec![nothing; LISTED];
        overruns.clear();
        Tally {
            lengths: Histogram::default(),
            delays: Histogram::default(),
            missed: 0,
            skipped: 0,
            lag: 0,
            spans: vec![Span::default(); SPANS],
            span: 10_000_000,
            overruns,
        }
    }
}

impl Tally {
    /// Counts a step: time since the start at which it began, delay of its beginning, duration, all in ns.
    pub fn step(&mut self, began: u64, delay: u64, length: u64) {
        self.lengths.add(length);
        self.delays.add(delay);
        let span = self.span_at(began);
        span.steps += 1;
        span.worst = span.worst.max(length);
    }

    /// Counts a late step: its due end since the start, its delay, the periods left out, and what the model lost, ns.
    pub fn late(&mut self, due: u64, late: u64, skipped: u64, lag: u64) {
        self.missed += 1;
        self.skipped += skipped;
        self.lag = self.lag.saturating_add(lag);
        self.span_at(due).missed += 1;
        if self.overruns.len() < LISTED {
            let (at_s, late_us) = (due as f64 * 1e-9, late as f64 * 1e-3);
            self.overruns.push(Overrun { step: self.steps(), at_s, late_us, skipped });
        }
    }

    /// The span of a time; where there is none, two become one until there is.
    fn span_at(&mut self, t: u64) -> &mut Span {
        while t / self.span >= SPANS as u64 {
            for k in 0..SPANS / 2 {
                let (a, b) = (self.spans[2 * k], self.spans[2 * k + 1]);
                let (steps, missed) = (a.steps + b.steps, a.missed + b.missed);
                self.spans[k] = Span { steps, missed, worst: a.worst.max(b.worst) };
            }
            self.spans[SPANS / 2..].fill(Span::default());
            self.span *= 2;
        }
        &mut self.spans[(t / self.span) as usize]
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.lengths.total()
    }

    /// Late steps so far.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// The last late step in the list.
    pub fn last_overrun(&self) -> Option<Overrun> {
        self.overruns.last().copied()
    }

    /// The figures, after so much time of the clock, ns.
    pub fn figures(&self, clock: u64) -> Figures {
        let us = |ns: u64| ns as f64 * 1e-3;
        let bars = |h: &Histogram| {
            h.bars().into_iter().map(|(to_ns, count)| Bar { to_ns, count }).collect()
        };
        let last = self.spans.iter().rposition(|s| *s != Span::default()).map_or(0, |k| k + 1);
        let spans = self.spans[..last].iter().enumerate().map(|(k, s)| SpanFigures {
            to_s: (k + 1) as f64 * self.span as f64 * 1e-9,
            missed: s.missed,
            worst_us: us(s.worst),
        });
        let (l, d) = (&self.lengths, &self.delays);
        Figures {
            steps: self.steps(),
            missed: self.missed,
            skipped: self.skipped,
            clock_s: clock as f64 * 1e-9,
            lag_s: self.lag as f64 * 1e-9,
            worst_us: us(l.most()),
            p999_us: us(l.quantile(0.999)),
            p99_us: us(l.quantile(0.99)),
            p50_us: us(l.quantile(0.5)),
            mean_us: l.mean() * 1e-3,
            least_us: us(l.least()),
            jitter_us: us(d.quantile(0.99)),
            worst_jitter_us: us(d.most()),
            histogram: bars(l),
            jitter_histogram: bars(d),
            spans: spans.collect(),
            overruns: self.overruns.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_as_many_spans_as_a_short_one() {
        let mut tally = Tally::default();
        let hour = 3_600_000_000_000_u64;
        for k in 0..3600 {
            tally.step(k * hour / 3600, 5, 1000 + k);
            if k == 1800 {
                tally.late(k * hour / 3600, 7000, 2, 9);
            }
        }
        let f = tally.figures(hour);
        assert!((SPANS / 2..=SPANS).contains(&f.spans.len()), "{}", f.spans.len());
        assert!((f.spans.last().unwrap().to_s - 3600.0).abs() < 60.0);
        assert_eq!(f.spans.iter().map(|s| s.missed).sum::<u64>(), 1);
        assert_eq!(f.spans.iter().fold(0.0_f64, |w, s| w.max(s.worst_us)), 4.599);
        let at = f.spans.iter().position(|s| s.missed == 1).unwrap();
        assert!((f.spans[at].to_s - 1800.0).abs() < 60.0);
        let overrun = Overrun { step: 1801, at_s: 1800.0, late_us: 7.0, skipped: 2 };
        assert_eq!((f.overruns, f.missed, f.skipped), (vec![overrun], 1, 2));
        assert!(f.steps == 3600 && (f.lag_s - 9e-9).abs() < 1e-20);
    }

    #[test]
    fn late_steps_beyond_the_list_are_counted() {
        let mut tally = Tally::default();
        for k in 0..3 * LISTED as u64 {
            tally.step(k, 0, 1);
            tally.late(k, 1, 1, 1);
        }
        let f = tally.figures(1);
        assert_eq!((f.overruns.len(), f.missed, f.skipped), (LISTED, 3000, 3000));
    }
}
