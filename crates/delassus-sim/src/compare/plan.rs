//! Which runs a comparison makes.

use super::reference::Measure;
use crate::error::SetupError;
use crate::options::{RunLimits, RunOptions};
use crate::run::{Silent, run};
use delassus_dae::integrator::{METHODS, MethodInfo, described};
use delassus_model::{Assembled, Model};
use thiserror::Error;

/// What to compare, and how much each run may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Methods by name.
    pub methods: Vec<String>,
    /// Relative tolerances of adaptive methods. A fixed-step method chooses its step from them if no steps are given.
    pub tolerances: Vec<f64>,
    /// Fixed steps, s: for the methods that cannot adapt theirs, and for all methods if no tolerances are given.
    pub steps: Vec<f64>,
    /// End time, s.
    pub t_end: f64,
    /// Sample interval, s.
    pub sample: f64,
    /// Largest number of steps of one run. Without one a run ends that stability holds to more steps than it can make in
    /// minutes (`E_STIFF`).
    pub max_steps: Option<u64>,
    /// Largest CPU time of one run, s.
    pub max_cpu_s: f64,
    /// Number of runs at a time.
    pub jobs: usize,
    /// Which error counts for thresholds and marks.
    pub measure: Measure,
    /// Limits on the resources of one run.
    pub limits: RunLimits,
}

/// A plan that makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlanError {
    /// Nothing to run.
    #[error("no {0} to compare")]
    Empty(&'static str),
    /// A run that would be refused whatever the model.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Plan {
    /// Default tolerances.
    pub const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];
    /// Largest number of steps of a run that is made for a reference, if nobody gives more.
    pub const MAX_STEPS: u64 = 20_000_000;
    /// Largest CPU time of a run, s.
    pub const MAX_CPU_S: f64 = 60.0;

    /// All methods at the default tolerances, over the time span of the model.
    pub fn new(model: &Model) -> Plan {
        Plan {
            methods: METHODS.iter().map(|m| m.name.to_owned()).collect(),
            tolerances: Plan::TOLERANCES.to_vec(),
            steps: Vec::new(),
            t_end: model.analysis.end,
            sample: model.analysis.sample,
            max_steps: model.method.max_steps,
            max_cpu_s: Plan::MAX_CPU_S,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            measure: Measure::Relative,
            limits: RunLimits::default(),
        }
    }

    /// Settings of a run of this plan.
    pub(super) fn options(
        &self,
        model: &Assembled,
        method: &str,
        rtol: Option<f64>,
        step: Option<f64>,
    ) -> RunOptions {
        RunOptions {
            rtol,
            // that of the file would hide the effect of a tight tolerance
            atol: None,
            step,
            max_steps: self.max_steps,
            t_end: self.t_end,
            sample: self.sample,
            limits: self.limits,
            ..RunOptions::for_method(model.system.model(), method)
        }
    }

    /// Runs of a fixed-step method over tolerances. It chooses the steps itself; where it chooses the same one twice
    /// because a run must be resolved at all, the tighter tolerance gets the step that its order suggests.
    fn chosen_steps(
        &self,
        model: &Assembled,
        method: &MethodInfo,
        tolerances: &[f64],
    ) -> Vec<RunOptions> {
        let order = f64::from(method.order[0].min(method.order[1]).max(1));
        let mut last: Option<(f64, f64)> = None;
        let mut tasks = Vec::new();
        for rtol in tolerances {
            let task = self.options(model, method.name, Some(*rtol), None);
            let probe = RunOptions { max_steps: Some(1), ..task.clone() };
            let chosen = run(model, &probe, &mut Silent).ok().and_then(|o| o.summary.step);
            let step = match (chosen, last) {
                (Some(h), Some((r, before))) if h >= before => {
                    Some(before * (rtol / r).powf(1.0 / order))
                }
                (chosen, _) => chosen,
            };
            last = step.map(|h| (*rtol, h));
            tasks.push(RunOptions { step, ..task });
        }
        tasks
    }

    /// All runs: methods as given, each from loose to tight. Rejects what no model could run; what this model or a
    /// method rejects becomes a row later.
    pub fn tasks(&self, model: &Assembled) -> Result<Vec<RunOptions>, PlanError> {
        if self.methods.is_empty() {
            return Err(PlanError::Empty("methods"));
        }
        let descending = |list: &[f64]| {
            let mut list = list.to_vec();
            list.sort_by(|a, b| b.total_cmp(a));
            list.dedup();
            list
        };
        let (tolerances, steps) = (descending(&self.tolerances), descending(&self.steps));
        if tolerances.is_empty() && steps.is_empty() {
            return Err(PlanError::Empty("tolerances or steps"));
        }
        let mut tasks = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for name in &self.methods {
            let adaptive = described(name).is_none_or(|m| m.adaptive);
            // an alias does not make another method
            let canonical = described(name).map_or(name.as_str(), |m| m.name);
            if seen.contains(&canonical) {
                continue;
            }
            seen.push(canonical);
            let by_step = tolerances.is_empty() || (!adaptive && !steps.is_empty());
            if by_step {
                tasks.extend(steps.iter().map(|h| self.options(model, canonical, None, Some(*h))));
            } else if let Some(method) = described(name).filter(|m| !m.adaptive) {
                tasks.extend(self.chosen_steps(model, &method, &tolerances));
            } else {
                tasks.extend(
                    tolerances.iter().map(|r| self.options(model, canonical, Some(*r), None)),
                );
            }
        }
        for task in &tasks {
            match task.check(model.state.t) {
                // the file may contain a value that suits one method and not another
                Ok(()) | Err(SetupError::Option(_)) => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(tasks)
    }
}
