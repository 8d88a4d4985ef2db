//! One run of a model text, as a user would make it, protected against panics and endless work.

use delassus::io::model_file::{self, Limits};
use delassus::model::{self, Diagnostic, System};
use delassus::sim::{self, Observer, RunOptions, SetupError, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Accepted steps after which a run counts as endless.
pub const BUDGET: u64 = 60_000;

/// Samples of a run.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Times, as in the file.
    pub t: Vec<f64>,
    /// Requested columns, in the units of the file.
    pub data: Vec<Vec<f64>>,
    /// Names and values of the diagnostics: energies, drift, contacts.
    pub others: Vec<(String, Vec<f64>)>,
    /// Energy that was exchanged, dissipated or fed in, judged at the steps rather than the samples, J.
    pub moved: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Number of contact events.
    pub events: usize,
}

impl Trace {
    /// The diagnostic with this name.
    pub fn other(&self, name: &str) -> Option<&[f64]> {
        self.others.iter().find(|(n, _)| n == name).map(|(_, d)| d.as_slice())
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub enum Ended {
    /// At its end.
    Done(Trace),
    /// Before it began: the codes of all faults.
    Refused(String),
    /// The method says in advance that it cannot run the model.
    NotAble,
    /// With a named failure.
    Failed { code: String, t: f64, message: String },
    /// The budget of steps was used up.
    Endless { t: f64, steps: u64 },
    /// With a panic.
    Panicked(String),
}

impl Ended {
    /// The samples of a run that reached its end.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Ended::Done(trace) => Some(trace),
            _ => None,
        }
    }

    /// A short description.
    pub fn words(&self) -> String {
        match self {
            Ended::Done(t) => format!("done in {} steps", t.steps),
            Ended::Refused(codes) => format!("refused: {codes}"),
            Ended::NotAble => "the method cannot".to_owned(),
            Ended::Failed { code, t, message } => format!("{code} at t = {t}: {message}"),
            Ended::Endless { t, steps } => format!("no end: {steps} steps until t = {t}"),
            Ended::Panicked(what) => format!("panicked: {what}"),
        }
    }

    /// Its kind, for counting: the code if there is one.
    pub fn kind(&self) -> String {
        match self {
            Ended::Done(_) => "done".to_owned(),
            Ended::Refused(codes) => format!("refused {codes}"),
            Ended::NotAble => "cannot".to_owned(),
            Ended::Failed { code, .. } => code.clone(),
            Ended::Endless { .. } => "endless".to_owned(),
            Ended::Panicked(_) => "panic".to_owned(),
        }
    }
}

struct Budget {
    steps: u64,
    limit: u64,
}

impl Observer for Budget {
    fn stepped(&mut self, _: f64, steps: u64) {
        self.steps = steps;
    }

    fn stop(&self) -> bool {
        self.steps >= self.limit
    }
}

/// Runs a model text; `columns` are the names of the sensors to keep.
pub fn run(text: &str, columns: &[String]) -> Ended {
    run_within(text, columns, BUDGET)
}

/// The same with another budget of steps.
pub fn run_within(text: &str, columns: &[String], limit: u64) -> Ended {
    match catch_unwind(AssertUnwindSafe(|| unguarded(text, columns, limit))) {
        Ok(ended) => ended,
        Err(payload) => {
            let text = payload
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned());
            Ended::Panicked(text.unwrap_or_default())
        }
    }
}

fn unguarded(text: &str, columns: &[String], limit: u64) -> Ended {
    let loaded = match model_file::parse_str(text, "model.toml", &Limits::default()) {
        Ok(loaded) => loaded,
        Err(e) => return Ended::Refused(format!("{e}")),
    };
    let assembled = model::compile(&loaded.spec).and_then(System::new).and_then(model::assemble);
    let model = match assembled {
        Ok(model) => model,
        Err(faults) => return Ended::Refused(codes(&faults)),
    };
    let mut options = RunOptions::from_model(model.system.model());
    options.max_steps = Some(limit);
    let mut observer = Budget { steps: 0, limit };
    let outcome = match sim::run(&model, &options, &mut observer) {
        Ok(outcome) => outcome,
        Err(SetupError::MethodCannot { .. }) => return Ended::NotAble,
        Err(e) => return Ended::Refused(format!("{e}")),
    };
    if let Some(e) = outcome.error {
        let code = e.kind.code().to_owned();
        if code == "E_WORK_LIMIT" {
            return Ended::Endless { t: outcome.summary.t_end, steps: limit };
        }
        // beyond that the model is meaningless in every view
        if code == "E_DISC_FLAT" {
            return Ended::Refused(code);
        }
        return Ended::Failed { code, t: e.t, message: e.detail };
    }
    if outcome.summary.status != Status::Done {
        return Ended::Endless { t: outcome.summary.t_end, steps: limit };
    }
    let r = &outcome.results;
    let data = columns.iter().map(|n| r.get(n).unwrap_or_default().to_vec()).collect();
    let others = r.channels.iter().zip(&r.data).filter(|(c, _)| !c.sensor);
    Ended::Done(Trace {
        t: r.t.clone(),
        data,
        others: others.map(|(c, d)| (c.name.clone(), d.clone())).collect(),
        moved: outcome.summary.energy.moved,
        steps: outcome.summary.steps,
        events: outcome.events.len(),
    })
}

fn codes(faults: &[Diagnostic]) -> String {
    let mut all: Vec<String> = faults.iter().map(|d| d.code.to_string()).collect();
    all.dedup();
    all.join(" ")
}
