//! CPU time of every method to the thresholds of problems A1 to A3 and C1. Prints JSON lines,
//! one per run; see `benches/peers/README.md`.
//!
//! Methods that choose their step go through tolerances, four per decade, the others (and the
//! generalized-alpha family once more, for comparison at equal step) through fixed steps. A
//! ladder ends after two runs in a row below the high threshold or at the time limit
//! (`PEERS_LIMIT`, CPU seconds of a run, ten times that for all runs of the ladder).
//!
//! `cpu_s` is the integration alone, making the method included; `recorded_s` is the same run
//! with everything that `delassus run` records. The error comes from the recorded run.
//!
//! Arguments: names of methods; all of them if none is given.

#![allow(clippy::print_stdout)]

mod support;

use delassus::dae::Options;
use delassus::dae::integrator::{METHODS, MethodInfo};
use delassus::model::Assembled;
use delassus::sim::{Results, RunOptions, Silent, run};
use std::path::Path;
use support::{Outcome, cpu_time, driver, load, reached};

/// Steps per 10 ms; the same as in `benches/peers/cases.py`.
const STEPS: [u32; 31] = [
    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192,
    256, 320, 384, 512, 768, 1000,
];
/// A run that meets a threshold is repeated at least so often, and so long (s).
const REPEATS: usize = 3;
const REPEAT_TIME: f64 = 0.05;

/// A problem with its reference and thresholds (high and low precision).
struct Case {
    name: &'static str,
    model: Assembled,
    sensors: &'static [&'static str],
    reference: Vec<Vec<f64>>,
    high: f64,
    low: f64,
    /// Error of the end state instead of eps_T.
    at_end: bool,
}

impl Case {
    fn new(name: &'static str, file: &str, high: f64, low: f64) -> Outcome<Case> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
        let text = std::fs::read_to_string(folder.join(format!("{file}.csv")))?;
        let at_end = name == "C1";
        let sensors: &[&str] = match at_end {
            true => &["xl", "yl", "xr", "yr", "vxl", "vyl", "vxr", "vyr"],
            false => &["theta1", "xQ"],
        };
        let mut reference = vec![Vec::new(); sensors.len()];
        for line in text.lines().skip(1) {
            for (column, cell) in reference.iter_mut().zip(line.split(',').skip(1)) {
                column.push(cell.parse()?);
            }
        }
        let model = load(&format!("benchmarks/{file}.toml"))?;
        Ok(Case { name, model, sensors, reference, high, low, at_end })
    }

    fn error(&self, results: &Results) -> f64 {
        let (mut sum, mut worst) = (0.0, 0.0_f64);
        for (sensor, reference) in self.sensors.iter().zip(&self.reference) {
            let Some(values) = results.get(sensor) else { return f64::INFINITY };
            if values.len() != reference.len() {
                return f64::INFINITY;
            }
            for (x, r) in values.iter().zip(reference) {
                sum += (x - r).powi(2);
            }
            if let (Some(x), Some(r)) = (values.last(), reference.last()) {
                worst = worst.max((x - r).abs() / (1.0 + r.abs()));
            }
        }
        let samples = (self.sensors.len() * self.reference[0].len()) as f64;
        if self.at_end { worst } else { (sum / samples).sqrt() }
    }
}

/// What one run took and how good it was.
struct Run {
    seconds: f64,
    recorded: f64,
    error: f64,
    steps: u64,
}

/// Steps to the end without recording; gives up at the time limit.
fn clock(case: &Case, options: &RunOptions, limit: f64) -> Outcome<(f64, u64)> {
    let begin = cpu_time();
    let mut driver = driver(&case.model, options)?;
    while !reached(&driver, options.t_end) {
        driver.advance(&case.model.system)?;
        if driver.steps.is_multiple_of(1024) && cpu_time() - begin > limit {
            return Err("time limit".into());
        }
    }
    Ok((cpu_time() - begin, std::hint::black_box(&driver).steps))
}

fn attempt(case: &Case, options: &RunOptions, limit: f64) -> Outcome<Run> {
    let (mut seconds, steps) = clock(case, options, limit)?;
    let record = || -> Outcome<(f64, f64)> {
        let begin = cpu_time();
        let outcome = run(&case.model, options, &mut Silent)?;
        Ok((cpu_time() - begin, case.error(&outcome.results)))
    };
    let (mut recorded, error) = record()?;
    if error <= case.low {
        let enough = (REPEAT_TIME / seconds).clamp(REPEATS as f64, 30.0) as usize;
        for _ in 1..enough {
            seconds = seconds.min(clock(case, options, limit)?.0);
            recorded = recorded.min(record()?.0);
        }
    }
    Ok(Run { seconds, recorded, error, steps })
}

/// One method from coarse to fine settings.
fn ladder(case: &Case, title: &str, settings: Vec<(String, RunOptions)>, limit: f64) {
    let first = cpu_time();
    let mut passed = 0;
    for (label, options) in settings {
        let head = format!(
            r#"{{"case":"{}","program":"Delassus {}","method":"{title}","setting":"{label}""#,
            case.name,
            env!("CARGO_PKG_VERSION")
        );
        let begin = cpu_time();
        let mut seconds = 0.0;
        match attempt(case, &options, limit) {
            Ok(r) => {
                let eps =
                    if r.error.is_finite() { format!("{:e}", r.error) } else { "null".into() };
                println!(
                    r#"{head},"cpu_s":{:.9},"recorded_s":{:.9},"eps":{eps},"steps":{}}}"#,
                    r.seconds, r.recorded, r.steps
                );
                passed = if r.error <= case.high { passed + 1 } else { 0 };
                seconds = r.seconds;
            }
            Err(e) => {
                passed = 0;
                let words = e.to_string().replace(['"', '\\', '\n'], " ");
                let words: String = words.chars().take(120).collect();
                let spent = cpu_time() - begin;
                println!(r#"{head},"cpu_s":{spent:.9},"eps":null,"problem":"{words}"}}"#);
            }
        }
        if passed == 2 || seconds.max(cpu_time() - first - 9.0 * limit) > limit {
            return;
        }
    }
}

fn study(case: &Case, method: &MethodInfo, limit: f64) {
    let base = RunOptions {
        rtol: None,
        atol: None,
        step: None,
        max_step: None,
        max_steps: Some(u64::MAX),
        ..RunOptions::for_method(case.model.system.model(), method.name)
    };
    if method.adaptive {
        let settings = (8..=48).map(|k| {
            let rtol = 10_f64.powf(-f64::from(k) / 4.0);
            (format!("rtol = {rtol:.1e}"), RunOptions { rtol: Some(rtol), ..base.clone() })
        });
        ladder(case, method.name, settings.collect(), limit);
    }
    let alpha = method.option("rho_inf").is_some();
    if !method.adaptive || alpha {
        let options = match alpha {
            true => Options::default().with("rho_inf", 0.8),
            false => base.options.clone(),
        };
        let settings = STEPS.iter().map(|n| {
            let step = 0.01 / f64::from(*n);
            let fixed = RunOptions { step: Some(step), options: options.clone(), ..base.clone() };
            (format!("h = {} ms", significant(1e3 * step)), fixed)
        });
        let title = match alpha {
            true => format!("{}, fixed step, radius 0.8", method.name),
            false => format!("{}, fixed step", method.name),
        };
        ladder(case, &title, settings.collect(), limit);
    }
}

/// Four digits, without zeros at the end, as the peers print it.
fn significant(x: f64) -> String {
    let digits = (3 - x.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn main() -> Outcome<()> {
    let limit = std::env::var("PEERS_LIMIT").ok().and_then(|x| x.parse().ok()).unwrap_or(1.0);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let cases = [
        Case::new("A1", "A1_slider_crank_case1", 2e-4, 2e-3)?,
        Case::new("A2", "A2_slider_crank_case2", 5e-3, 5e-2)?,
        Case::new("A3", "A3_slider_crank_case3", 1e-2, 1e-1)?,
        Case::new("C1", "C1_car_axis", 1e-6, 1e-6)?,
    ];
    for case in &cases {
        for method in METHODS {
            if wanted.is_empty() || wanted.iter().any(|w| w == method.name) {
                study(case, method, limit);
            }
        }
    }
    Ok(())
}
