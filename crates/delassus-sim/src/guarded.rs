//! A run that cannot take others down with it: limited in CPU time, and a fault in a method is caught.

use crate::error::SetupError;
use crate::options::{RunLimits, RunOptions};
use crate::run::{Observer, run};
use crate::simulation::RunOutcome;
use crate::summary::Status;
use delassus_model::Assembled;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a guarded run ended.
pub(crate) enum Ended {
    /// By itself, at the limit of CPU time, or by the user.
    Ran(Box<RunOutcome>),
    /// Not begun.
    Refused(SetupError),
    /// A bug in a method.
    Panicked,
}

impl Ended {
    /// Code and text of what kept the run from its end; `None` for one that reached it with finite results.
    pub(crate) fn trouble(&self) -> Option<(String, String)> {
        let (code, words) = match self {
            Ended::Panicked => {
                ("E_INTERNAL", "the method ended with a bug; please report it".to_owned())
            }
            Ended::Refused(e) => (e.code(), e.to_string()),
            Ended::Ran(outcome) => match (outcome.summary.status, &outcome.error) {
                (Status::Failed, Some(e)) => {
                    (e.kind.code(), format!("at t = {} s (step {:.3e} s): {}", e.t, e.h, e.detail))
                }
                (Status::Failed, None) => ("E_INTERNAL", "failed without a reason".to_owned()),
                (Status::Interrupted, _) => {
                    ("", format!("stopped at t = {} s", outcome.summary.t_end))
                }
                (Status::Done, _) => return None,
            },
        };
        Some((code.to_owned(), words))
    }
}

/// Observes steps and stops a run when the user wants it.
struct Listener<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    stepped: &'a mut dyn FnMut(f64),
}

impl Observer for Listener<'_> {
    fn stepped(&mut self, t: f64, _: u64) {
        (self.stepped)(t);
    }

    fn stop(&self) -> bool {
        (self.stop)()
    }
}

/// Runs a model for at most `limit` seconds of CPU time; `stepped` is called at the end of every step.
pub(crate) fn guarded(
    model: &Assembled,
    opts: &RunOptions,
    limit: f64,
    stop: &(dyn Fn() -> bool + Sync),
    stepped: &mut dyn FnMut(f64),
) -> Ended {
    let limits = RunLimits { cpu_s: limit.min(opts.limits.cpu_s), ..opts.limits };
    let opts = RunOptions { limits, ..opts.clone() };
    let mut listener = Listener { stop, stepped };
    match catch_unwind(AssertUnwindSafe(|| run(model, &opts, &mut listener))) {
        Err(_) => Ended::Panicked,
        Ok(Err(refused)) => Ended::Refused(refused),
        Ok(Ok(outcome)) => Ended::Ran(Box::new(outcome)),
    }
}
