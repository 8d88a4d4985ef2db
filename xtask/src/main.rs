//! `cargo xtask`: the chores of this repository.

mod benchmark;
mod book;
mod budget;
mod exact;
mod fmu;
mod gallery;
mod library;
mod web;

use budget::Times;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use xtask::{check_repository, root};

const USAGE: &str = "\
usage: cargo xtask <task>

  ci           everything CI runs: format, lints, tests with the adversary, docs, `paths`, `book`, `fmu`,
               `web`
  paths        links, paths, models and error codes in the documents
  book         builds the book into docs/book; installs mdBook in target/tools
  fmu          exported models in FMPy, which is installed in target/tools; needs Python 3
  web          tests of the report page, in a browser too; installs what they need
  examples     writes the present output of all commands into the documents; a test of `ci` compares it
  screenshots  takes the pictures of the documents again
  gallery      takes the pictures of mechanisms of models/library that have none, or of those named; --all
  library      all mechanisms of models/library against their stored references; names of sets or mechanisms
               choose some; --make makes references that are missing or old, --exact computes the exact ones
  benchmark    all methods on the sets of models/library, tables and plots for the book; names choose sets
  adversary    random models against relations that must hold; --help lists its options
  fuzz         mutated models and damaged results that must be answered; --help lists its options";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let rest = || std::env::args().skip(2).collect::<Vec<_>>();
    match std::env::args().nth(1).as_deref() {
        Some("adversary") => return tool(root(), &["-p", "delassus-adversary"], &rest()),
        Some("fuzz") => {
            return tool(root(), &["-p", "delassus-fuzz", "-p", "delassus-cli"], &rest());
        }
        Some("library") if rest() == ["--exact"] => return ended(exact::write(root())),
        Some("benchmark") => return ended(benchmark::benchmark(root(), &rest())),
        Some("library") => {
            return ended(library::library(root(), &rest()));
        }
        Some("gallery") => {
            return ended(gallery::pictures(root(), &rest()));
        }
        _ => {}
    }
    let done = match (arguments.next().as_deref(), arguments.next()) {
        (Some("ci"), None) => ci(root()),
        (Some("paths"), None) => paths(root()),
        (Some("book"), None) => book::build(root()),
        (Some("fmu"), None) => fmu::test(root()),
        (Some("web"), None) => web::test(root()),
        (Some("examples"), None) => examples(root()),
        (Some("screenshots"), None) => web::screenshots(root()),
        (Some("help" | "--help" | "-h"), None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    ended(done)
}

fn ended(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Builds these packages and runs the first of them with the given arguments; fails if the program does.
fn tool(root: &Path, packages: &[&str], arguments: &[String]) -> ExitCode {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(program);
    build.args(["build", "--quiet", "--profile", "ci"]).args(packages).current_dir(root);
    let name = format!("target/ci/{}{}", packages[1], std::env::consts::EXE_SUFFIX);
    let mut run = Command::new(root.join(name));
    run.args(arguments).current_dir(root);
    for command in [&mut build, &mut run] {
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(e) => {
                eprintln!("xtask: {} cannot be run: {e}", command.get_program().display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// A cargo command with the additional environment it needs.
struct Step {
    arguments: &'static str,
    environment: Option<(&'static str, &'static str)>,
}

/// Release everywhere: tests follow long trajectories, and lints share their artefacts.
const STEPS: [Step; 5] = [
    step("fmt --all --check"),
    step("clippy --workspace --all-targets --profile ci -- -D warnings"),
    Step {
        // the same random cases every time, so that a failure is caused by the change; `cargo test` alone uses new ones
        arguments: "test --workspace --profile ci --tests",
        environment: Some(("PROPTEST_RNG_SEED", "20170501")),
    },
    step("test --workspace --profile ci --doc"),
    Step {
        // libraries only: the command and the facade are both called `delassus`
        arguments: "doc --workspace --no-deps --lib --profile ci",
        environment: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

const fn step(arguments: &'static str) -> Step {
    Step { arguments, environment: None }
}

/// Runs all steps in order, up to the first that fails; the times are reported in any case.
fn ci(root: &Path) -> Result<(), String> {
    let mut times = Times::default();
    let done = ci_steps(root, &mut times);
    print!("{}", times.report());
    done?;
    println!("\nci: everything passed");
    Ok(())
}

fn ci_steps(root: &Path, times: &mut Times) -> Result<(), String> {
    for step in &STEPS {
        let start = Instant::now();
        let done = cargo(root, step, times);
        times.step(&format!("cargo {}", step.arguments), start.elapsed());
        done?;
    }
    type Chore = fn(&Path) -> Result<(), String>;
    let chores: [(&str, Chore); 4] = [
        ("xtask paths", paths),
        ("xtask book", book::build),
        ("xtask fmu", fmu::test),
        ("xtask web", web::test),
    ];
    for (name, chore) in chores {
        let start = Instant::now();
        let done = chore(root);
        times.step(name, start.elapsed());
        done?;
    }
    Ok(())
}

fn cargo(root: &Path, step: &Step, times: &mut Times) -> Result<(), String> {
    println!("\n==> cargo {}", step.arguments);
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(step.arguments.split_whitespace()).current_dir(root);
    if let Some((name, value)) = step.environment {
        command.env(name, value);
    }
    let timed = step.arguments.ends_with(" --tests");
    match if timed { times.test(&mut command) } else { command.status() } {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`cargo {}` failed ({status})", step.arguments)),
        Err(e) => Err(format!("`cargo {}` cannot be run: {e}", step.arguments)),
    }
}

/// Runs the commands shown in the documents and writes their current output.
fn examples(root: &Path) -> Result<(), String> {
    let step = Step {
        arguments: "test --workspace --profile ci --test documents",
        environment: Some(("DELASSUS_WRITE_DOCUMENTS", "1")),
    };
    cargo(root, &step, &mut Times::default())
}

fn paths(root: &Path) -> Result<(), String> {
    println!("\n==> xtask paths");
    let faults = check_repository(root).map_err(|e| format!("cannot read the repository: {e}"))?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    match faults.len() {
        0 => Ok(()),
        1 => Err("1 fault in the documents".to_owned()),
        n => Err(format!("{n} faults in the documents")),
    }
}
