//! An answer with its error: independent families of methods solve the model until they agree.
//!
//! [`certify`] runs a projected explicit, a half-explicit and an implicit method, and for models with contacts also
//! time-stepping with two step sizes. Where stability makes the explicit ones too dear, a second implicit method of
//! another kind takes their place. Where the methods do not agree to the requested accuracy, they run again with tighter
//! tolerances, and time-stepping with shorter steps. The middle one of the tightest runs is kept; twice the difference of
//! the others from it is the
//! band of every column. The certificate says until when the band is within the accuracy, how well the times of events
//! are known, and why it ends.
//!
//! What all families share is not checked: the model itself, its assembly, the search for contacts of the event-driven
//! schemes (which time-stepping does not use).
//!
//! Start at [`certify`]; then `families.rs` (which methods), `round.rs` (their runs), `verdict.rs`
//! with `band.rs`, `events.rs` and `stepping.rs` (what they say about each other), `reason.rs` (why not more).

mod band;
mod events;
mod families;
mod reason;
mod round;
mod time_stepping;
mod verdict;

pub use events::EventBand;
pub use families::Family;
pub use reason::{Cause, Reason};

use crate::error::SetupError;
use crate::options::RunOptions;
use crate::run::Observer;
use crate::simulation::RunOutcome;
use delassus_model::Assembled;
use round::{Round, refine, smooth_round, stepping_pair};
use serde::Serialize;
use verdict::Verdict;

/// What to certify, and what it may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Settings of the run as the user would make it.
    pub options: RunOptions,
    /// Requested accuracy, relative to the size of each column.
    pub accuracy: f64,
    /// Largest number of runs.
    pub max_runs: usize,
    /// Largest CPU time of one run, s.
    pub max_cpu_s: f64,
    /// Number of runs at a time.
    pub jobs: usize,
}

impl Plan {
    /// Default accuracy.
    pub const ACCURACY: f64 = 1e-6;
    /// Default limit on the number of runs.
    pub const MAX_RUNS: usize = 10;

    /// The usual accuracy and budget.
    pub fn new(options: RunOptions) -> Plan {
        Plan {
            options,
            accuracy: Plan::ACCURACY,
            max_runs: Plan::MAX_RUNS,
            max_cpu_s: crate::compare::Plan::MAX_CPU_S,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Tolerances are at least this much tighter than the requested accuracy.
const TIGHTER: f64 = 10.0;
/// Tolerances of the second round relative to those of the first, and the tightest of all.
const TIGHTEN: f64 = 1e-2;
const TIGHTEST: f64 = 1e-13;

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyRun {
    /// Family.
    pub family: Family,
    /// Method.
    pub method: String,
    /// Relative tolerance; `None` for time-stepping.
    pub rtol: Option<f64>,
    /// Step, s; `None` while it adapts.
    pub step: Option<f64>,
    /// Code of what ended it early.
    pub code: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// Time reached, s.
    pub t_end: f64,
    /// CPU time, s.
    pub cpu_s: f64,
    /// Accepted steps.
    pub steps: u64,
    /// It is the kept one.
    pub kept: bool,
}

/// How well a column is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnBand {
    /// Name.
    pub name: String,
    /// Unit, SI.
    pub unit: String,
    /// The size of the column, to which the accuracy refers.
    pub scale: f64,
    /// Largest half-width of the band up to [`ColumnBand::until`].
    pub worst: f64,
    /// The accuracy is confirmed up to this time, s.
    pub until: f64,
}

/// What is certified.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// The requested accuracy is confirmed for all sensors up to the end.
    pub certified: bool,
    /// Requested accuracy, relative to the size of each column.
    pub accuracy: f64,
    /// All families agree up to this time, s.
    pub until: f64,
    /// Why not longer.
    pub reason: Option<Reason>,
    /// The runs.
    pub runs: Vec<FamilyRun>,
    /// Sensors, or the energies if a model has none.
    pub columns: Vec<ColumnBand>,
    /// Events up to the time of agreement.
    pub events: Vec<EventBand>,
    /// Other remarks for the reader.
    pub remarks: Vec<String>,
}

/// The kept run, with a column `NAME.band` beside each column that has an error, and the certificate.
#[derive(Debug)]
pub struct Certified {
    /// The kept run.
    pub outcome: RunOutcome,
    /// The certificate.
    pub certificate: Certificate,
}

/// Is notified of finished runs and may end the work. Called from several threads.
pub trait Watch: Sync {
    /// A run has ended.
    fn finished(&self, _run: &FamilyRun) {}
    /// True when no more runs are wanted.
    fn stop(&self) -> bool {
        false
    }
}

/// A watch that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// Lets the families of methods confirm each other.
pub fn certify(model: &Assembled, plan: &Plan, watch: &dyn Watch) -> Result<Certified, SetupError> {
    plan.options.check(model.state.t)?;
    let mut methods = families::smooth(model, &plan.options);
    let mut remarks = Vec::new();
    let most = plan.max_runs.max(2);
    // two runs are kept for time-stepping, so that all stay within the budget. steps of time-stepping are usually
    // longer than compliant contacts last: they would agree with each other and not with the right result
    let rigid = model.system.has_contacts() && model.system.first_compliant().is_none();
    let steps = rigid && most >= 4;
    let budget = if steps { most - 2 } else { most };
    let first = families::base_rtol(&plan.options).min(plan.accuracy / TIGHTER).max(TIGHTEST);
    let mut round = smooth_round(model, plan, &methods, first, budget, watch);
    if round.whole() == 1
        && methods.iter().any(|(_, m)| round.too_dear(m.name))
        && round.count() < budget
        && !watch.stop()
        && let Some(other) = families::other_implicit(model, &plan.options, &methods)
    {
        round.extend(smooth_round(model, plan, &[other], first, 1, watch));
        methods.push(other);
    }
    if round.whole() >= 2 {
        methods.retain(|(_, m)| !round.too_dear(m.name));
        round.set_dear_aside();
    }
    let mut verdict = Verdict::new(model, plan, &round);
    let mut before = None;
    let left = budget.saturating_sub(round.count());
    let agree = verdict.as_ref().is_some_and(|v| v.until >= plan.options.t_end);
    if !agree && left >= 2 && !watch.stop() {
        let tight = (first * TIGHTEN).max(TIGHTEST);
        let second = smooth_round(model, plan, &methods, tight, left, watch);
        before = verdict.as_ref().map(Verdict::largest);
        let better = Verdict::new(model, plan, &second);
        let reach = |v: &Option<Verdict>| v.as_ref().map_or(f64::NEG_INFINITY, |v| v.until);
        // a second round that gets less far asks for more than round-off allows
        if better.is_some() && reach(&better) >= reach(&verdict) {
            let loose = std::mem::replace(&mut round, second);
            round.set_aside(loose);
            verdict = better;
        } else {
            remarks.push(format!("runs at rtol {tight:.0e} got less far and were set aside"));
            if let Some(v) = &mut verdict
                && v.confine(model, plan, &round, &second)
            {
                remarks.push(format!(
                    "they differ from the kept run by more than the accuracy from t = {:.6} s on, and nothing \
                     is confirmed behind that",
                    v.until
                ));
            }
            round.set_aside(second);
        }
    }
    let mut pair = if steps && !watch.stop() {
        stepping_pair(model, plan, &mut round, watch, &mut remarks)
    } else {
        None
    };
    if let (Some(verdict), Some(pair)) = (&verdict, &mut pair) {
        // another motion or too long a step: shorter ones tell
        while round.count() < most
            && !watch.stop()
            && verdict.confirmed_by(&round, pair) < verdict.until
            && refine(model, plan, &mut round, pair, watch)
        {}
    }
    match verdict {
        Some(verdict) => Ok(verdict.finish(model, plan, round, remarks, before, pair.as_ref())),
        None => alone(model, plan, round, remarks, watch),
    }
}

/// A run that ends when no more are wanted.
struct UntilStopped<'a>(&'a dyn Watch);

impl Observer for UntilStopped<'_> {
    fn stepped(&mut self, _: f64, _: u64) {}
    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// Fewer than two families succeeded: the one that got farthest is kept, without a band.
fn alone(
    model: &Assembled,
    plan: &Plan,
    mut round: Round,
    remarks: Vec<String>,
    watch: &dyn Watch,
) -> Result<Certified, SetupError> {
    round.solved.sort_by(|a, b| b.run.t_end.total_cmp(&a.run.t_end));
    if let Some(best) = round.solved.first_mut() {
        best.run.kept = true;
    }
    let runs = round.runs();
    let outcome = match round.solved.into_iter().next() {
        Some(best) => *best.outcome,
        // nothing could be run: the run as requested gives the reason
        None => crate::run::run(model, &plan.options, &mut UntilStopped(watch))?,
    };
    let ended = runs.iter().filter(|r| !r.kept);
    let ended: Vec<String> = ended
        .map(|r| format!("{}: {}", r.method, r.code.as_deref().unwrap_or("stopped")))
        .collect();
    let text = format!("fewer than two families came through ({})", ended.join(", "));
    let t = model.state.t;
    let certificate = Certificate {
        certified: false,
        accuracy: plan.accuracy,
        until: t,
        reason: Some(Reason { cause: Cause::Alone, t, text }),
        runs,
        columns: Vec::new(),
        events: Vec::new(),
        remarks,
    };
    Ok(Certified { outcome, certificate })
}
