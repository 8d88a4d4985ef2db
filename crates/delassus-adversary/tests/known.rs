//! Twenty models of every family, as CI runs them: nothing is found except what `known.txt` lists. It is a test, so
//! that it uses what the other tests were built with; it takes about two minutes on two cores.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::process::Command;

#[test]
fn twenty_models_of_every_family_have_known_findings_only() {
    let adversary = Command::new(env!("CARGO_BIN_EXE_delassus-adversary"))
        .args(["--models", "480", "--seed", "1"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&adversary.stdout);
    println!("{told}{}", String::from_utf8_lossy(&adversary.stderr));
    assert!(adversary.status.success(), "see the findings above");
    assert!(told.contains("480 models"));
}
