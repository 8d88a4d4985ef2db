//! Arguments of `delassus compare`, read before anything is run.

use crate::args::{CompareArgs, ErrorKindArg};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::methods_cmd;
use crate::number::{count, number};
use delassus::dae::integrator::{METHODS, described};
use delassus::expr::Dim;
use delassus::io::model_file::escape;
use delassus::io::results::{CsvError, CsvTable, read_csv};
use delassus::sim::compare::{Measure, Plan};
use std::path::Path;

/// Thresholds of the conclusion if none are given.
const THRESHOLDS: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// Intervals of a reference count as equal if their relative difference is less than this.
const UNIFORM: f64 = 1e-6;

/// What the arguments request.
#[derive(Debug)]
pub struct Asked {
    methods: Vec<String>,
    tolerances: Option<Vec<f64>>,
    steps: Vec<f64>,
    jobs: Option<u64>,
    max_steps: Option<u64>,
    max_cpu_s: Option<f64>,
    /// Errors to reach.
    pub thresholds: Vec<f64>,
    /// End time, s.
    pub end: Option<f64>,
    /// Sample interval, s.
    pub sample: Option<f64>,
    /// The reference as read.
    pub reference: Option<CsvTable>,
    measure: Measure,
}

impl Asked {
    /// Reads the arguments; reports all that cannot be read.
    pub fn read(a: &CompareArgs) -> Result<Asked, Failure> {
        let mut faults: Vec<Fault> = Vec::new();
        let mut list = |option: &str, text: &Option<String>, dim, rule: &str| {
            let text = text.as_ref()?;
            match numbers(option, text, dim, rule) {
                Ok(list) => Some(list),
                Err(f) => {
                    faults.extend(f);
                    None
                }
            }
        };
        let tolerances = list("--tolerances", &a.tolerances, Dim::NONE, "give some, as 1e-4,1e-6");
        let steps = list("--steps", &a.steps, Dim::TIME, "give some, as \"1 ms,2 ms\"");
        let thresholds = list("--thresholds", &a.thresholds, Dim::Any, "give some, as 2e-3,2e-4");
        let mut keep = |x: Result<f64, Box<Fault>>| x.map_err(|f| faults.push(*f)).ok();
        let mut one = |option: &str, text: &Option<String>| {
            text.as_ref().and_then(|t| keep(number(option, t, Dim::TIME)))
        };
        let end = one("--end", &a.end);
        let mut sample = one("--sample", &a.sample);
        let max_cpu_s = one("--max-time", &a.max_time).filter(|t| {
            if *t <= 0.0 {
                keep(Err(Box::new(
                    Fault::new("E_RANGE", "--max-time", format!("{t} s is no time to run"))
                        .help("give a positive time, such as \"10 s\""),
                )));
            }
            *t > 0.0
        });
        let mut whole = |option: &str, text: &Option<String>| {
            text.as_ref().and_then(|t| count(option, t).map_err(|f| faults.push(*f)).ok())
        };
        let jobs = whole("--jobs", &a.jobs);
        let max_steps = whole("--max-steps", &a.max_steps);
        let methods = methods(&a.methods, &mut faults);
        if !faults.is_empty() {
            return Err(Failure::input(faults));
        }
        let reference = a.reference.as_deref().map(table).transpose()?;
        if let (None, Some(table)) = (sample, &reference) {
            sample = interval(table);
        }
        Ok(Asked {
            methods,
            tolerances,
            steps: steps.unwrap_or_default(),
            jobs,
            max_steps,
            max_cpu_s,
            thresholds: thresholds.unwrap_or_else(|| THRESHOLDS.to_vec()),
            end,
            sample,
            reference,
            measure: match a.measure {
                ErrorKindArg::Relative => Measure::Relative,
                ErrorKindArg::Max => Measure::Max,
                ErrorKindArg::Absolute => Measure::Absolute,
            },
        })
    }

    /// The plan for a model.
    pub fn plan(&self, model: &delassus::model::Model) -> Plan {
        let base = Plan::new(model);
        let tolerances = match (&self.tolerances, self.steps.is_empty()) {
            (Some(given), _) => given.clone(),
            (None, true) => base.tolerances,
            (None, false) => Vec::new(),
        };
        Plan {
            methods: self.methods.clone(),
            tolerances,
            steps: self.steps.clone(),
            max_steps: self.max_steps.or(base.max_steps),
            max_cpu_s: self.max_cpu_s.unwrap_or(base.max_cpu_s),
            jobs: self.jobs.map_or(base.jobs, |n| usize::try_from(n).unwrap_or(usize::MAX)),
            measure: self.measure,
            ..base
        }
    }
}

/// Positive numbers separated by commas.
pub fn numbers(option: &str, text: &str, dim: Dim, rule: &str) -> Result<Vec<f64>, Vec<Fault>> {
    let mut list = Vec::new();
    let mut faults = Vec::new();
    for part in text.split(',') {
        match number(option, part, dim) {
            Ok(x) if x > 0.0 => list.push(x),
            Ok(x) => {
                let message = format!("the value is {x}, but must be more than 0");
                faults.push(Fault::new("E_RANGE", option, message).help(rule));
            }
            Err(f) => faults.push(*f),
        }
    }
    if faults.is_empty() { Ok(list) } else { Err(faults) }
}

/// Methods by name, separated by commas; `all` are those for smooth motion.
pub fn methods(text: &str, faults: &mut Vec<Fault>) -> Vec<String> {
    if text.trim() == "all" {
        return METHODS.iter().map(|m| m.name.to_owned()).collect();
    }
    let mut list = Vec::new();
    for name in text.split(',').map(str::trim) {
        match described(name) {
            Some(m) => list.push(m.name.to_owned()),
            None => faults.push(methods_cmd::unknown(name, "--methods")),
        }
    }
    list
}

fn table(path: &Path) -> Result<CsvTable, Failure> {
    let shown = escape(&path.display().to_string());
    match read_csv(path) {
        Ok(table) => Ok(table),
        Err(CsvError::Io(e)) => {
            let message = format!("cannot read {shown}: {e}");
            let fault = Fault::new("E_FILE", "--reference", message)
                .help("check the path; `delassus run --csv FILE` writes such files");
            Err(Failure { exit: Exit::File, faults: vec![fault] })
        }
        Err(e) => {
            let fault = Fault::new("E_REFERENCE", "--reference", format!("{shown}: {e}"))
                .help("give a CSV file with a line of names and lines of numbers");
            Err(Failure::input(vec![fault]))
        }
    }
}

/// The interval between the times of a table, if it is uniform.
fn interval(table: &CsvTable) -> Option<f64> {
    let t = table.column("t")?;
    let (first, last) = (t.first()?, t.last()?);
    let n = t.len().checked_sub(1).filter(|n| *n > 0)?;
    let h = (last - first) / n as f64;
    let even = t.iter().enumerate().all(|(k, x)| (first + k as f64 * h - x).abs() <= UNIFORM * h);
    // rounded to the intended value: 0.01, not 0.010000000000000002
    let h = format!("{h:.11e}").parse().unwrap_or(h);
    (h > 0.0 && even).then_some(h)
}
