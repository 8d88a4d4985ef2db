//! `delassus-fuzz`: runs the command on mutated models and damaged results and reports what it does not answer.

// a command prints
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod report;

use arguments::Arguments;
use delassus_fuzz::case::{Bench, Target};
use delassus_fuzz::seeds::Seeds;
use delassus_fuzz::shrink::shrink;
use report::Report;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let arguments = match arguments::read(std::env::args().skip(1)) {
        Ok(arguments) if arguments.help => {
            println!("{}", arguments::USAGE);
            return ExitCode::SUCCESS;
        }
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match fuzz(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("fuzz: {message}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything was answered.
fn fuzz(a: &Arguments) -> Result<bool, String> {
    let seeds = Seeds::read(&a.models).map_err(|e| format!("{}: {e}", a.models.display()))?;
    let program = a.program.canonicalize().map_err(|e| format!("{}: {e}", a.program.display()))?;
    let began = Instant::now();
    let deadline = a.seconds.map(|s| began + Duration::from_secs(s));
    let next = AtomicU64::new(a.first);
    let last = a.cases.map_or(u64::MAX, |n| a.first.saturating_add(n));
    let report = Mutex::new(Report::new(a));
    let work = |job: usize| -> Result<(), String> {
        let scratch =
            std::env::temp_dir().join(format!("delassus-fuzz-{}-{job}", std::process::id()));
        let failed = |e: std::io::Error| format!("{}: {e}", scratch.display());
        let mut bench = Bench::new(&program, &seeds, scratch.clone()).map_err(failed)?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= last || deadline.is_some_and(|d| Instant::now() >= d) {
                return std::fs::remove_dir_all(&scratch).map_err(failed);
            }
            let target = a.targets[index as usize % a.targets.len()];
            let mut codes = Vec::new();
            let found = bench.case(target, a.seed, index, &mut codes).map_err(failed)?;
            for finding in found {
                let new = locked(&report)?.is_new(&finding);
                let small = match new && a.shrink {
                    true => shrink(&bench, finding).map_err(failed)?,
                    false => finding,
                };
                locked(&report)?.found(target, index, small, new)?;
            }
            locked(&report)?.answered(target, &codes);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..a.jobs).map(|job| scope.spawn(move || work(job))).collect();
        threads
            .into_iter()
            .try_for_each(|t| t.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })?;
    let report = locked(&report)?;
    println!("{}", report.text(began.elapsed()));
    Ok(report.clean())
}

fn locked<'a>(report: &'a Mutex<Report>) -> Result<std::sync::MutexGuard<'a, Report>, String> {
    report.lock().map_err(|_| "a thread panicked".to_owned())
}

/// The default sequence: many cheap cases, some expensive ones.
const MIX: [Target; 9] = [
    Target::Check,
    Target::Run,
    Target::Check,
    Target::Check,
    Target::Results,
    Target::Analysis,
    Target::Fmu,
    Target::Check,
    Target::Check,
];
