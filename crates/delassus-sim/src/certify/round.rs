//! The runs: one of each family at a tolerance, and some by time-stepping.

use super::families::{self, Family};
use super::time_stepping::{FINER, Pair};
use super::{FamilyRun, Plan, Watch};
use crate::guarded::{Ended, guarded};
use crate::options::RunOptions;
use crate::pool;
use crate::results::Results;
use crate::simulation::RunOutcome;
use delassus_dae::MethodInfo;
use delassus_model::Assembled;

/// CPU time of a time-stepping run, in multiples of the most expensive other run, and what is always allowed, s.
const DEARER: f64 = 5.0;
const ALWAYS_S: f64 = 2.0;

/// What ends a run that only costs too much: it says nothing against the others.
const TOO_DEAR: [&str; 3] = ["E_STIFF", "E_TIME_LIMIT", "E_WORK_LIMIT"];

/// A run that has samples to compare.
pub(super) struct Solved {
    pub run: FamilyRun,
    pub outcome: Box<RunOutcome>,
}

/// Runs that are compared with each other, and the reports on all others.
#[derive(Default)]
pub(super) struct Round {
    pub solved: Vec<Solved>,
    pub rest: Vec<FamilyRun>,
}

impl Round {
    /// Runs that were made.
    pub fn count(&self) -> usize {
        self.solved.len() + self.rest.len()
    }

    /// Runs that came to the end.
    pub fn whole(&self) -> usize {
        self.solved.iter().filter(|s| s.run.code.is_none()).count()
    }

    /// A method that cost too much, and only that.
    pub fn too_dear(&self, method: &str) -> bool {
        let mut runs = self.solved.iter().map(|s| &s.run).chain(&self.rest);
        runs.any(|r| r.method == method && is_too_dear(r))
    }

    /// Takes over the runs of another round.
    pub fn extend(&mut self, other: Round) {
        self.solved.extend(other.solved);
        self.rest.extend(other.rest);
    }

    /// Keeps no more than the reports on runs that cost too much.
    pub fn set_dear_aside(&mut self) {
        let (dear, solved) = std::mem::take(&mut self.solved)
            .into_iter()
            .partition::<Vec<Solved>, _>(|s| is_too_dear(&s.run));
        self.solved = solved;
        self.rest.extend(dear.into_iter().map(|s| s.run));
    }

    /// Takes over the reports on the runs of another round.
    pub fn set_aside(&mut self, other: Round) {
        self.rest.extend(other.solved.into_iter().map(|s| s.run));
        self.rest.extend(other.rest);
    }

    /// The reports on all runs.
    pub fn runs(&self) -> Vec<FamilyRun> {
        self.solved.iter().map(|s| &s.run).chain(&self.rest).cloned().collect()
    }

    fn add(&mut self, (run, outcome): (FamilyRun, Option<Box<RunOutcome>>)) {
        match outcome.filter(|o| o.results.t.len() > 1) {
            Some(outcome) => self.solved.push(Solved { run, outcome }),
            None => self.rest.push(run),
        }
    }
}

fn is_too_dear(run: &FamilyRun) -> bool {
    run.code.as_deref().is_some_and(|c| TOO_DEAR.contains(&c))
}

/// One run of each family at a tolerance.
pub(super) fn smooth_round(
    model: &Assembled,
    plan: &Plan,
    methods: &[(Family, MethodInfo)],
    rtol: f64,
    most: usize,
    watch: &dyn Watch,
) -> Round {
    let count = methods.len().min(most);
    let made = pool::run(plan.jobs, count, &|| watch.stop(), |k| {
        let (family, method) = &methods[k];
        let options = families::options(&plan.options, method, rtol);
        make(model, &options, *family, plan.max_cpu_s, watch)
    });
    let mut round = Round::default();
    made.into_iter().flatten().for_each(|m| round.add(m));
    round
}

/// Time-stepping with a step and with a shorter one; both or none.
pub(super) fn stepping_pair(
    model: &Assembled,
    plan: &Plan,
    round: &mut Round,
    watch: &dyn Watch,
    remarks: &mut Vec<String>,
) -> Option<Pair> {
    if let Some(why) = families::other_law(model) {
        remarks.push(format!("not compared with time-stepping: {why}"));
        return None;
    }
    let mut made = |step: Option<f64>| {
        stepping(model, plan, round, step, watch)
            .map_err(|code| {
                remarks.push(format!("not compared with time-stepping, which ended with {code}"));
            })
            .ok()
    };
    let (coarse, step) = made(plan.options.step)?;
    let (fine, step) = made(Some(FINER * step))?;
    Some(Pair { runs: [coarse, fine], step })
}

/// The pair with a shorter step, if that can be afforded.
pub(super) fn refine(
    model: &Assembled,
    plan: &Plan,
    round: &mut Round,
    pair: &mut Pair,
    watch: &dyn Watch,
) -> bool {
    let Ok((finer, step)) = stepping(model, plan, round, Some(FINER * pair.step), watch) else {
        return false;
    };
    pair.runs.swap(0, 1);
    pair.runs[1] = finer;
    pair.step = step;
    true
}

/// A run by time-stepping and its step, or the code with which it ended.
fn stepping(
    model: &Assembled,
    plan: &Plan,
    round: &mut Round,
    step: Option<f64>,
    watch: &dyn Watch,
) -> Result<(Results, f64), String> {
    let longest = round.solved.iter().fold(0.0_f64, |m, s| m.max(s.run.cpu_s));
    let limit = plan.max_cpu_s.min(DEARER * longest + ALWAYS_S);
    let options = families::stepping(&plan.options, step);
    let (run, outcome) = make(model, &options, Family::TimeStepping, limit, watch);
    let (code, used) = (run.code.clone(), run.step);
    round.rest.push(run);
    match (code, outcome, used) {
        (None, Some(outcome), Some(h)) => Ok((outcome.results, h)),
        (code, ..) => Err(code.unwrap_or_default()),
    }
}

fn make(
    model: &Assembled,
    options: &RunOptions,
    family: Family,
    max_cpu_s: f64,
    watch: &dyn Watch,
) -> (FamilyRun, Option<Box<RunOutcome>>) {
    let ended = guarded(model, options, max_cpu_s, &|| watch.stop(), &mut |_| ());
    let (code, message) = ended.trouble().unzip();
    let outcome = match ended {
        Ended::Ran(outcome) => Some(outcome),
        _ => None,
    };
    let summary = outcome.as_deref().map(|o| &o.summary);
    let run = FamilyRun {
        family,
        method: summary.map_or(options.method.clone(), |s| s.method.clone()),
        rtol: options.rtol,
        step: summary.and_then(|s| s.step),
        code,
        message,
        t_end: summary.map_or(model.state.t, |s| s.t_end),
        cpu_s: summary.map_or(0.0, |s| s.cpu_s),
        steps: summary.map_or(0, |s| s.steps),
        kept: false,
    };
    watch.finished(&run);
    (run, outcome)
}
