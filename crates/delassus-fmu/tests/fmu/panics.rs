//! A bug of ours ends one instance, and neither the host nor other instances (R44).
//!
//! One process, one planted bug: so each case runs this test binary again.

use crate::support::{ERROR, FATAL, Fmu, OK};
use delassus_fmu::abi::fmi3;
use std::process::Command;

const FAULT: &str = "DELASSUS_FAULT";

#[test]
fn rel_r44_panics() {
    for place in [
        "fmi3DoStep",
        "fmi3GetFloat64",
        "fmi3GetFMUState",
        "step",
        "record",
        "fmu-instantiate",
        "setup",
    ] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["panics::host", "--exact", "--nocapture", "--ignored"])
            .env(FAULT, place)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{place}: {text}");
    }
}

/// The host of one case.
#[test]
#[ignore = "run by `rel_r44_panics`, with a planted bug"]
fn host() {
    let place = std::env::var(FAULT).unwrap();
    let fmu = std::panic::catch_unwind(|| Fmu::of_file("pendulum.toml"));
    let Ok(fmu) = fmu else {
        // the export itself makes a run
        assert_eq!(place, "setup");
        return;
    };
    let i = fmu.co_simulation();
    if place == "fmu-instantiate" {
        assert!(i.i.is_null());
        let (status, text) = i.log.take().remove(0);
        assert!(status == FATAL && text.contains("E_INTERNAL"), "{text}");
        return;
    }
    let other = fmu.co_simulation();
    i.begin();
    other.begin();
    let mut state = std::ptr::null_mut();
    let statuses = [i.step(0.0, 0.1).0, i.try_get(0), fmi3::fmi3GetFMUState(i.i, &raw mut state)];
    let first = statuses.iter().position(|s| *s != OK).unwrap();
    assert!(statuses[first..].iter().all(|s| *s == FATAL), "{place}: {statuses:?}");
    let log = i.log.take();
    assert!(log[0].1.contains("E_INTERNAL") && log[0].1.contains(&place), "{log:?}");
    if let Some((_, text)) = log.get(1) {
        assert!(text.contains("unusable"), "{text}");
    }
    // another instance is not concerned
    assert_eq!(other.step(0.0, -1.0).0, if place == "fmi3DoStep" { FATAL } else { ERROR });
    assert_eq!(fmi3::fmi3Terminate(i.i), FATAL);
    if place != "fmi3DoStep" {
        assert_eq!(fmi3::fmi3Terminate(other.i), OK);
    }
}
