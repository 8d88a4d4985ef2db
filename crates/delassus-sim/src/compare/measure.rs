//! One run of a comparison.

use super::Watch;
use super::history::History;
use super::plan::Plan;
use super::reference::Errors;
use crate::guarded::{Ended, guarded};
use crate::options::RunOptions;
use crate::results::Results;
use crate::summary::{Status, Summary};
use delassus_model::Assembled;
use serde::Serialize;

/// Shorter runs are repeated for a more precise time, until together they took this long, s.
const REPEAT_BELOW: f64 = 0.03;
/// Repetitions at most.
const MAX_REPEATS: usize = 5;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowStatus {
    /// Reached the end.
    Done,
    /// Rejected, failed or over a limit; the code says which.
    Failed,
    /// Stopped by the user.
    Interrupted,
}

/// The cost of a run and how well it kept the constraints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// CPU time, s: the smallest of a few repetitions if a run is short.
    pub cpu_s: f64,
    /// Wall-clock time of the same repetition, s.
    pub wall_s: f64,
    /// Time reached, s.
    pub t_end: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Average accepted step, s.
    pub mean_step: f64,
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Projections.
    pub projections: u64,
    /// Jumps over singular positions.
    pub singular_hops: u64,
    /// Largest |g|.
    pub drift_position: f64,
    /// Largest |G v + g_t|.
    pub drift_velocity: f64,
    /// Largest |G a + γ|.
    pub drift_acceleration: f64,
    /// Largest |energy balance|, J.
    pub energy_error: f64,
    /// Time from which stability limited the step, s.
    pub stiff_since: Option<f64>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Method.
    pub method: String,
    /// Requested relative tolerance; `None` for a given step.
    pub rtol: Option<f64>,
    /// Fixed step, given or chosen, s; `None` while steps adapt.
    pub step: Option<f64>,
    /// How it ended.
    pub status: RowStatus,
    /// Code of what stopped it.
    pub code: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// `None` for a run that was refused.
    #[serde(flatten)]
    pub cost: Option<Cost>,
    /// Error against the reference; only of runs that reached the end.
    #[serde(flatten)]
    pub error: Option<Errors>,
    /// The error is below the accuracy of the reference itself.
    pub below_reference: bool,
    /// Step sizes over time.
    #[serde(skip)]
    pub history: History,
}

/// Runs once, or a few times if the run is short. Results are returned for runs that reached the end.
pub(super) fn measure(
    model: &Assembled,
    opts: &RunOptions,
    plan: &Plan,
    watch: &dyn Watch,
) -> (Row, Option<Results>) {
    let (mut row, results) = once(model, opts, plan, watch);
    let mut spent = row.cost.as_ref().map_or(0.0, |c| c.cpu_s);
    for _ in 1..MAX_REPEATS {
        let Some(best) = row.cost.as_mut() else { break };
        if results.is_none() || spent >= REPEAT_BELOW {
            break;
        }
        let (again, _) = once(model, opts, plan, watch);
        let Some(cost) = again.cost.filter(|_| again.status == RowStatus::Done) else { break };
        spent += cost.cpu_s;
        if cost.cpu_s < best.cpu_s {
            (best.cpu_s, best.wall_s) = (cost.cpu_s, cost.wall_s);
        }
    }
    (row, results)
}

fn once(
    model: &Assembled,
    opts: &RunOptions,
    plan: &Plan,
    watch: &dyn Watch,
) -> (Row, Option<Results>) {
    let (mut history, mut before) = (History::default(), model.state.t);
    let ended = guarded(model, opts, plan.max_cpu_s, &|| watch.stop(), &mut |t| {
        history.push(t, t - before);
        before = t;
    });
    let mut row = Row {
        method: opts.method.clone(),
        rtol: opts.rtol,
        step: opts.step,
        status: RowStatus::Failed,
        code: None,
        message: None,
        cost: None,
        error: None,
        below_reference: false,
        history,
    };
    let trouble = ended.trouble();
    let Ended::Ran(outcome) = ended else {
        (row.code, row.message) = trouble.unzip();
        return (row, None);
    };
    row.step = outcome.summary.step;
    row.cost = Some(cost(&outcome.summary));
    match trouble {
        None => {
            row.status = RowStatus::Done;
            (row, Some(outcome.results))
        }
        Some((code, message)) => {
            if outcome.summary.status == Status::Interrupted {
                row.status = RowStatus::Interrupted;
            } else {
                row.code = Some(code);
            }
            row.message = Some(message);
            (row, None)
        }
    }
}

fn cost(s: &Summary) -> Cost {
    Cost {
        cpu_s: s.cpu_s,
        wall_s: s.wall_s,
        t_end: s.t_end,
        steps: s.steps,
        rejected: s.rejected,
        mean_step: if s.steps > 0 { (s.t_end - s.t_start) / s.steps as f64 } else { 0.0 },
        evaluations: s.evaluations,
        factorizations: s.factorizations,
        newton_iterations: s.newton_iterations,
        projections: s.projections,
        singular_hops: s.singular_hops,
        drift_position: s.max_position_drift,
        drift_velocity: s.max_velocity_drift,
        drift_acceleration: s.max_acceleration_drift,
        energy_error: s.energy_error,
        stiff_since: s.stiff_since,
    }
}
