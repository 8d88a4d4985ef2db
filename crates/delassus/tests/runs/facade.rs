//! The one-call functions.

use delassus::Error;
use delassus::prelude::*;
use std::path::Path;

fn model(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

#[test]
fn load_and_simulate() {
    let pendulum = delassus::load(model("pendulum.toml")).unwrap();
    let outcome = delassus::simulate(&pendulum).unwrap();
    assert_eq!(outcome.summary.status, Status::Done);
    let (x, y) = (outcome.results.get("bob.x").unwrap(), outcome.results.get("bob.y").unwrap());
    assert!(x.iter().zip(y).all(|(x, y)| (x.hypot(*y) - 1.0).abs() < 1e-9));
}

#[test]
fn errors_say_what_and_where() {
    assert!(matches!(delassus::load(model("missing.toml")), Err(Error::Load(_))));
    let bad = ModelBuilder::new("bad").gravity(["1 kg", "0"]).build();
    let text = delassus::assemble(&bad).unwrap_err().to_string();
    assert!(text.contains("gravity[0]") && text.contains("kg"), "{text}");
}

#[test]
fn a_stopped_run_keeps_its_results() {
    let pendulum = delassus::load(model("pendulum.toml")).unwrap();
    let mut options = RunOptions::from_model(pendulum.system.model());
    options.max_steps = Some(5);
    match delassus::simulate_with(&pendulum, &options) {
        Err(Error::Stopped { error, partial }) => {
            assert_eq!(error.kind.code(), "E_WORK_LIMIT");
            assert!(!partial.results.t.is_empty());
        }
        other => panic!("{other:?}"),
    }
    options.method = "mdop6".to_owned();
    let refused = delassus::simulate_with(&pendulum, &options);
    assert!(matches!(refused, Err(Error::Setup(_))));
}
