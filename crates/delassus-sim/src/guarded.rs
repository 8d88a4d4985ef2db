//! A run that cannot take others with it: limited in CPU time, and a fault in a method is caught.

use crate::clock::CpuClock;
use crate::error::SetupError;
use crate::options::RunOptions;
use crate::run::{Observer, run};
use crate::simulation::RunOutcome;
use crate::summary::Status;
use delassus_model::Assembled;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steps between looks at the clock.
const LOOK_EVERY: u64 = 16;

/// How a guarded run ended.
pub(crate) enum Ended {
    /// By itself, at the limit of CPU time (`over`), or by the user.
    Ran {
        /// What it left.
        outcome: Box<RunOutcome>,
        /// It took more CPU time than allowed.
        over: bool,
    },
    /// Not begun.
    Refused(SetupError),
    /// A bug in a method.
    Panicked,
}

impl Ended {
    /// Code and words of what kept the run from its end; `None` for one that reached it with
    /// finite results.
    pub(crate) fn trouble(&self, max_cpu_s: f64) -> Option<(String, String)> {
        let (code, words) = match self {
            Ended::Panicked => {
                ("E_INTERNAL", "the method ended with a bug; please report it".to_owned())
            }
            Ended::Refused(e) => (e.code(), e.to_string()),
            Ended::Ran { outcome, over } => match (outcome.summary.status, &outcome.error) {
                (Status::Failed, Some(e)) => {
                    (e.kind.code(), format!("at t = {} s (step {:.3e} s): {}", e.t, e.h, e.detail))
                }
                (Status::Failed, None) => ("E_INTERNAL", "failed without a reason".to_owned()),
                (Status::Interrupted, _) if *over => (
                    "E_TIME_LIMIT",
                    format!(
                        "more than {max_cpu_s} s of CPU time, at t = {} s",
                        outcome.summary.t_end
                    ),
                ),
                (Status::Interrupted, _) => {
                    ("", format!("stopped at t = {} s", outcome.summary.t_end))
                }
                (Status::Done, _) => return None,
            },
        };
        Some((code.to_owned(), words))
    }
}

/// Stops a run at its limit of CPU time or when the user wants it.
struct Limiter<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    stepped: &'a mut dyn FnMut(f64),
    clock: CpuClock,
    limit: f64,
    over: bool,
}

impl Observer for Limiter<'_> {
    fn stepped(&mut self, t: f64, steps: u64) {
        (self.stepped)(t);
        if steps < LOOK_EVERY || steps.is_multiple_of(LOOK_EVERY) {
            self.over = self.clock.seconds() > self.limit;
        }
    }

    fn stop(&self) -> bool {
        self.over || (self.stop)()
    }
}

/// Runs a model for at most `limit` seconds of CPU time; `stepped` hears the end of every step.
pub(crate) fn guarded(
    model: &Assembled,
    opts: &RunOptions,
    limit: f64,
    stop: &(dyn Fn() -> bool + Sync),
    stepped: &mut dyn FnMut(f64),
) -> Ended {
    let mut limiter = Limiter { stop, stepped, clock: CpuClock::start(), limit, over: false };
    match catch_unwind(AssertUnwindSafe(|| run(model, opts, &mut limiter))) {
        Err(_) => Ended::Panicked,
        Ok(Err(refused)) => Ended::Refused(refused),
        Ok(Ok(outcome)) => Ended::Ran { outcome: Box::new(outcome), over: limiter.over },
    }
}
