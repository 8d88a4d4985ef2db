//! Twenty models of every family, as CI runs them: nothing is found except what `known.txt` lists. It is a test, so
//! that it uses what the other tests were built with; it takes about two minutes on two cores.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::process::Command;

/// Runs so many models and requires that nothing new is found.
fn only_known_findings(models: u32, more: &[&str]) {
    let number = models.to_string();
    let adversary = Command::new(env!("CARGO_BIN_EXE_delassus-adversary"))
        .args(["--models", &number, "--seed", "1"])
        .args(more)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&adversary.stdout);
    println!("{told}{}", String::from_utf8_lossy(&adversary.stderr));
    assert!(adversary.status.success(), "see the findings above");
    assert!(told.contains(&format!("{number} models")));
}

#[test]
fn twenty_models_of_every_family_have_known_findings_only() {
    only_known_findings(480, &[]);
}

#[test]
fn so_have_those_of_later_families() {
    only_known_findings(40, &["--family", "cushions", "--family", "beams"]);
}
