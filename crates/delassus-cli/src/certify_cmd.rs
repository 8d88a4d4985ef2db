//! `delassus certify`.

use crate::args::CertifyArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::{count, number};
use crate::prepare::{Prepared, setup_failure};
use crate::run_cmd::{Integrated, run_watched};
use crate::signal;
use delassus::expr::Dim;
use delassus::math::Plain;
use delassus::sim::certify::{self, FamilyRun, Plan, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// What the arguments request beyond those of a run.
struct Asked {
    accuracy: Option<f64>,
    max_runs: Option<u64>,
    max_cpu_s: Option<f64>,
    jobs: Option<u64>,
}

impl Asked {
    fn read(a: &CertifyArgs) -> Result<Asked, Failure> {
        let mut faults: Vec<Fault> = Vec::new();
        let mut keep = |x: Result<f64, Box<Fault>>| x.map_err(|f| faults.push(*f)).ok();
        let mut positive = |option: &str, text: &Option<String>, dim, most: f64| {
            let value = keep(number(option, text.as_ref()?, dim))?;
            if value > 0.0 && value < most {
                return Some(value);
            }
            let message = format!("{} is out of range: above 0 and below {most}", Plain(value));
            keep(Err(Box::new(
                Fault::new("E_RANGE", option, message).help("give one such as 1e-6"),
            )))
        };
        let accuracy = positive("--accuracy", &a.accuracy, Dim::NONE, 1.0);
        let max_cpu_s = positive("--max-time", &a.run.how.max_time, Dim::TIME, f64::INFINITY);
        let mut whole = |option: &str, text: &Option<String>| {
            text.as_ref().and_then(|t| count(option, t).map_err(|f| faults.push(*f)).ok())
        };
        let (jobs, max_runs) = (whole("--jobs", &a.jobs), whole("--max-runs", &a.max_runs));
        if max_runs == Some(1) {
            let fault = Fault::new("E_RANGE", "--max-runs", "one run has nothing to agree with");
            faults.push(fault.help("give at least 2"));
        }
        if a.run.checkpoint.is_some() {
            let message = "several runs at once have no checkpoint";
            let fault = Fault::new("E_USAGE", "--checkpoint", message);
            faults.push(fault.help("leave it out, or use `delassus run`"));
        }
        if !faults.is_empty() {
            return Err(Failure::input(faults));
        }
        Ok(Asked { accuracy, max_runs, max_cpu_s, jobs })
    }

    fn plan(&self, prepared: &Prepared) -> Plan {
        let mut options = prepared.options.clone();
        // each run has its own time limit, which is part of the plan
        options.limits.cpu_s = f64::INFINITY;
        let usual = Plan::new(options);
        let whole = |x: Option<u64>, or: usize| x.map_or(or, |n| n.min(1000) as usize);
        Plan {
            accuracy: self.accuracy.unwrap_or(usual.accuracy),
            max_runs: whole(self.max_runs, usual.max_runs),
            max_cpu_s: self.max_cpu_s.unwrap_or(usual.max_cpu_s),
            jobs: whole(self.jobs, usual.jobs),
            ..usual
        }
    }
}

/// Runs a model with several families of methods, keeps one run, and says how accurately it is known.
pub fn certify(a: &CertifyArgs) -> Result<Exit, Failure> {
    let asked = Asked::read(a)?;
    run_watched(&a.run, false, |prepared, _| {
        let bar = Bar::new(!a.run.quiet);
        let made = certify::certify(&prepared.model, &asked.plan(prepared), &bar);
        bar.0.finish_and_clear();
        let made = made.map_err(|e| setup_failure(&e, &prepared.places))?;
        Ok(Integrated { outcome: made.outcome, certificate: Some(made.certificate), note: None })
    })
}

/// Shows how many runs are done, and forwards Ctrl-C.
struct Bar(ProgressBar);

impl Bar {
    fn new(show: bool) -> Bar {
        if !(show && std::io::stderr().is_terminal()) {
            return Bar(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        match ProgressStyle::with_template("{spinner} {pos} runs  {msg}  {elapsed}") {
            Ok(style) => Bar(bar.with_style(style)),
            Err(_) => Bar(bar),
        }
    }
}

impl Watch for Bar {
    fn finished(&self, run: &FamilyRun) {
        self.0.inc(1);
        self.0.set_message(run.method.clone());
    }

    fn stop(&self) -> bool {
        signal::stopped()
    }
}
