//! A fixed short part of `cargo xtask fuzz`, and everything that it ever found.
#![cfg(unix)] // limits are set by a shell

use delassus_fuzz::case::{Bench, Target};
use delassus_fuzz::seeds::Seeds;

use std::path::{Path, PathBuf};

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Cases of one target, all of which have an answer.
fn answered(target: Target, cases: u64) {
    let seeds = Seeds::read(&at("models")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_delassus"));
    let mut bench = Bench::new(program, &seeds, folder.path().join("bench")).unwrap();
    let mut codes = Vec::new();
    for index in 0..cases {
        let found = bench.case(target, 1, index, &mut codes).unwrap();
        assert!(found.is_empty(), "case 1:{index} of {}: {found:#?}", target.name());
    }
    // some were models, or results, and some were not
    assert!(codes.contains(&Some(0)) && codes.iter().any(|&c| c != Some(0)), "{codes:?}");
}

#[test]
fn mutated_models_are_checked() {
    answered(Target::Check, 400);
}

#[test]
fn mutated_models_run() {
    answered(Target::Run, 120);
}

#[test]
fn mutated_models_are_analysed() {
    answered(Target::Analysis, 150);
}

#[test]
fn damaged_results_are_told() {
    answered(Target::Results, 60);
}

#[test]
fn hostile_fmus_are_told() {
    answered(Target::Fmu, 250);
}

/// Models that once were not answered. The first line of each says what was asked.
#[test]
fn what_was_found_is_answered() {
    let seeds = Seeds::read(&at("crates/delassus-fuzz/corpus")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_delassus"));
    let bench = Bench::new(program, &seeds, folder.path().join("bench")).unwrap();
    for model in &seeds.models {
        let first = model.text.lines().next().unwrap().trim_start_matches("# ");
        let arguments: Vec<String> = first.split_whitespace().map(str::to_owned).collect();
        assert!(["check", "run"].contains(&arguments[0].as_str()), "{}: {first}", model.name);
        let (_, found) = bench.model(&model.text, &arguments).unwrap();
        assert!(found.is_none(), "{}: {found:#?}", model.name);
    }
}
