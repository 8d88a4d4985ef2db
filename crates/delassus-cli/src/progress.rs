//! The progress bar.

use crate::signal;
use delassus::sim::Observer;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Approximate time between checks of the clock.
const INTERVAL: Duration = Duration::from_millis(50);
/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_millis(200);
/// Resolution of the bar.
const TICKS: f64 = 1000.0;

/// Shows progress on a terminal and stops the run on a signal.
pub struct Progress {
    start: f64,
    span: f64,
    shown: bool,
    bar: Option<ProgressBar>,
    begun: Instant,
    last: Instant,
    /// The clock is read next at this step, and then every `stride` steps.
    next: u64,
    stride: u64,
}

impl Progress {
    /// Progress from one time to another; silent unless wanted and on a terminal.
    pub fn new(start: f64, end: f64, wanted: bool) -> Self {
        let now = Instant::now();
        Progress {
            start,
            span: end - start,
            shown: wanted && std::io::stderr().is_terminal(),
            bar: None,
            begun: now,
            last: now,
            next: 1,
            stride: 1,
        }
    }

    /// Removes the bar from the screen.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn observe(&mut self, t: f64, steps: u64) {
        let now = Instant::now();
        let passed = now - self.last;
        // Aim at a few checks per interval, whatever a step costs.
        if passed < INTERVAL / 8 {
            self.stride = (self.stride * 2).min(1 << 20);
        } else if passed > INTERVAL / 2 {
            self.stride = (self.stride / 2).max(1);
        }
        self.next = steps + self.stride;
        self.last = now;
        if now - self.begun < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let target = ProgressDrawTarget::stderr_with_hz(20);
            let bar = ProgressBar::with_draw_target(Some(TICKS as u64), target);
            let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {eta}");
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_message(format!("t = {t:.4} s, {steps} steps"));
        bar.set_position(((t - self.start) / self.span * TICKS) as u64);
    }
}

impl Observer for Progress {
    fn stepped(&mut self, t: f64, steps: u64) {
        if self.shown && steps >= self.next {
            self.observe(t, steps);
        }
    }

    fn stop(&self) -> bool {
        signal::stopped()
    }
}
