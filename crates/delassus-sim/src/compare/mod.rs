//! Many methods on one model: what each costs and how accurate it is.
//!
//! [`compare`] runs every method of a [`Plan`] over tolerances or steps, several at a time, and
//! measures CPU time, steps, work, constraint drift, energy error and the error against a
//! [`Reference`]: a table given by the caller, or two tight runs of different methods that must
//! agree. A run that fails is a row with its code; every run has a limit of steps and of CPU
//! time, so that a comparison always ends. Nothing here prints or writes.
//!
//! Start at [`Plan`], then `measure.rs` (one run), `own_reference.rs` (the two tight runs),
//! `threshold.rs` (who reaches which accuracy at what cost) and `profile.rs` (performance
//! profiles over many cases).

mod history;
mod measure;
mod own_reference;
mod plan;
mod profile;
mod reference;
mod threshold;

pub use history::History;
pub use measure::{Cost, Row, RowStatus};
pub use plan::{Plan, PlanError};
pub use profile::{Profile, performance_profile};
pub use reference::{Errors, Measure, Reference, ReferenceError, ReferenceInfo, Source, TightRun};
pub use threshold::{Reached, thresholds};

use crate::options::RunOptions;
use crate::pool;
use delassus_model::Assembled;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Is notified of finished runs and may end the comparison. Called from several threads.
pub trait Watch: Sync {
    /// A run has ended; `done` of `total` so far.
    fn finished(&self, _row: &Row, _done: usize, _total: usize) {}
    /// True when the comparison should stop; finished rows are kept.
    fn stop(&self) -> bool {
        false
    }
}

/// A watch that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// Result of [`compare`].
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What errors were measured against; `None` if no reference could be made.
    pub reference: Option<ReferenceInfo>,
    /// One row per run, in the order of the plan: methods as given, loose before tight.
    pub rows: Vec<Row>,
    /// Warnings about the errors for the reader.
    pub warnings: Vec<String>,
    /// It was stopped before all rows were finished.
    pub interrupted: bool,
}

/// Runs the plan. Without a reference one is made first.
pub fn compare(
    model: &Assembled,
    plan: &Plan,
    reference: Option<Reference>,
    watch: &dyn Watch,
) -> Result<Comparison, PlanError> {
    let tasks = plan.tasks(model)?;
    let mut warnings = Vec::new();
    let reference = match reference {
        Some(given) => Some(given),
        None => own_reference::make(model, plan, watch, &mut warnings),
    };
    let total = tasks.len();
    let done = AtomicUsize::new(0);
    let rows = pool::run(plan.jobs, total, &|| watch.stop(), |k| {
        let row = measured(model, &tasks[k], plan, reference.as_ref(), watch);
        let n = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch.finished(&row, n, total);
        row
    });
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    Ok(Comparison {
        interrupted: watch.stop() || rows.len() < total,
        reference: reference.map(|r| r.info),
        rows,
        warnings,
    })
}

/// One of the runs of a plan, measured against a reference.
pub fn measured(
    model: &Assembled,
    task: &RunOptions,
    plan: &Plan,
    reference: Option<&Reference>,
    watch: &dyn Watch,
) -> Row {
    let (mut row, results) = measure::measure(model, task, plan, watch);
    if let (Some(reference), Some(results)) = (reference, results) {
        row.error = reference.error(&results);
        row.below_reference =
            row.error.as_ref().is_some_and(|e| reference.is_below(e, plan.measure));
    }
    row
}
