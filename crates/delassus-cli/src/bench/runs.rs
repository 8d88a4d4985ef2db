//! Makes the runs of a benchmark that are not in its journal yet.

use super::asked::{Asked, DEFAULT};
use super::cases::Case;
use super::journal::Journal;
use super::record::{Identity, Run};
use super::references::All;
use super::{Bar, Stoppable};
use crate::exit::Failure;
use crate::fault::Fault;
use crate::prepare::{hex, setup_failure};
use crate::signal;
use delassus::math::Plain;
use delassus::sim::compare::{Plan, PlanError, RowStatus, measured};
use delassus::sim::{RunOptions, pool};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

/// Plan and runs of each case; a run has the name of the method by which it was requested.
pub type Plans = Vec<(Plan, Vec<(String, RunOptions)>)>;

/// The runs of a set.
pub struct Made {
    /// In the order of mechanisms, methods and tolerances.
    pub runs: Vec<Run>,
    /// How many there should be.
    pub planned: usize,
    /// It was stopped before all of them were made.
    pub interrupted: bool,
}

/// Which runs each case needs; rejects settings that no model could run with.
pub fn plans(asked: &Asked, cases: &[Case]) -> Result<Plans, Failure> {
    let plan = |case: &Case| {
        let options = &case.prepared.options;
        let plan = Plan {
            tolerances: asked.rtols.clone(),
            t_end: options.t_end,
            sample: options.sample,
            max_cpu_s: asked.max_cpu_s,
            limits: options.limits,
            ..Plan::new(case.prepared.model.system.model())
        };
        let refused = |e: PlanError| match e {
            PlanError::Setup(e) => setup_failure(&e, &case.prepared.places),
            PlanError::Empty(_) => {
                let help = "see `delassus bench -h`";
                Failure::input(vec![Fault::new("E_USAGE", "", e.to_string()).help(help)])
            }
        };
        let mut tasks = Vec::new();
        for name in &asked.methods {
            let method = if name == DEFAULT { &options.method } else { name };
            let plan = Plan { methods: vec![method.clone()], ..plan.clone() };
            let of_method = plan.tasks(&case.prepared.model).map_err(refused)?;
            tasks.extend(of_method.into_iter().map(|o| (name.clone(), o)));
        }
        Ok((plan, tasks))
    };
    cases.iter().map(plan).collect()
}

/// Version of the program and checksum of its file: another build may compute something else.
fn build() -> String {
    let file = std::env::current_exe().and_then(std::fs::read);
    let sum = file.map(|bytes| hex(&Sha256::digest(&bytes))).unwrap_or_default();
    format!("{} {sum}", env!("CARGO_PKG_VERSION"))
}

/// A run that is to be made or is in the journal.
struct Task<'a> {
    case: usize,
    method: &'a str,
    options: &'a RunOptions,
    identity: Identity,
}

/// Makes the runs that are missing; every one is on the disk as soon as it has ended.
pub fn make(
    asked: &Asked,
    cases: &[Case],
    plans: &Plans,
    references: &All,
    (journal, mut old): (Journal, HashMap<Identity, Run>),
    show: bool,
) -> Result<Made, Failure> {
    let build = build();
    let identity = |case: usize, o: &RunOptions| Identity {
        model: cases[case].prepared.hash.clone(),
        reference: references.list[case].as_ref().map_or(String::new(), |r| r.sha256.clone()),
        method: o.method.clone(),
        setting: format!(
            "{} {}",
            o.rtol.map(|x| Plain(x).to_string()).unwrap_or_default(),
            o.step.map(|x| Plain(x).to_string()).unwrap_or_default()
        ),
        build: build.clone(),
    };
    let tasks: Vec<Task<'_>> = plans
        .iter()
        .enumerate()
        .flat_map(|(case, (_, tasks))| tasks.iter().map(move |(name, o)| (case, name, o)))
        .map(|(case, method, options)| Task {
            case,
            method,
            options,
            identity: identity(case, options),
        })
        .collect();
    let limit = asked.max_cpu_s;
    old.retain(|_, run| run.holds_under(limit));
    // the default method may be one of the others
    let mut seen = HashSet::new();
    let todo: Vec<usize> = (0..tasks.len())
        .filter(|k| !old.contains_key(&tasks[*k].identity) && seen.insert(&tasks[*k].identity))
        .collect();
    let bar = Bar::new(show, "runs", todo.len());
    let fault: Mutex<Option<Box<Fault>>> = Mutex::new(None);
    let stop = || signal::stopped() || fault.lock().is_ok_and(|f| f.is_some());
    let new = pool::run(asked.jobs, todo.len(), &stop, |k| {
        let task = &tasks[todo[k]];
        let case = &cases[task.case];
        let reference = references.list[task.case].as_ref();
        let source = reference.map_or("none", |r| r.origin.name());
        let (model, plan) = (&case.prepared.model, &plans[task.case].0);
        let against = reference.map(|r| &r.reference);
        let row = measured(model, task.options, plan, against, &Stoppable);
        if row.status == RowStatus::Interrupted {
            return None;
        }
        let run = Run::new(task.identity.clone(), &case.name, limit, source, row);
        if let Err(e) = journal.add(&run)
            && let Ok(mut fault) = fault.lock()
        {
            *fault = Some(e);
        }
        bar.done(&format!("{} {}", case.name, task.options.method));
        Some(run)
    });
    drop(bar);
    if let Ok(Some(fault)) = fault.into_inner() {
        return Err(Failure::file(*fault));
    }
    old.extend(new.into_iter().filter_map(|run| run?.map(|r| (r.identity.clone(), r))));
    let mut runs = Vec::with_capacity(tasks.len());
    for task in &tasks {
        // the same model or method under another name is the same run
        let (mechanism, method) = (cases[task.case].name.clone(), task.method.to_owned());
        let known = old.get(&task.identity).cloned();
        runs.extend(known.map(|run| Run { mechanism, method, ..run }));
    }
    let interrupted = signal::stopped() || runs.len() < tasks.len();
    Ok(Made { planned: tasks.len(), interrupted, runs })
}
