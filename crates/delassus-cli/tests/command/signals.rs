//! Signals and closed pipes.
#![cfg(unix)]

use crate::support;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::Bench;

const LONG: &str = r#"schema = 1
gravity = [0, -9.81]
body.bob = { type = "planar-point", mass = 1, position = [1, 0] }
joint.rod = { type = "distance", between = ["ground", "bob"] }
sensor.bob = { type = "position", of = "bob" }
analysis = { end = 1e6, sample = 1 }
"#;

fn start(bench: &Bench, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_delassus"))
        .current_dir(bench.dir.path())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn rel_r43_a_signal_keeps_the_results() {
    for signal in ["-INT", "-TERM"] {
        let bench = Bench::new(LONG);
        let child = start(&bench, &["run", "m.toml"]);
        std::thread::sleep(Duration::from_millis(700));
        send(&child, signal);
        let clock = Instant::now();
        let out = child.wait_with_output().unwrap();
        assert!(clock.elapsed() < Duration::from_secs(5));
        assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
        assert!(String::from_utf8_lossy(&out.stdout).contains("INTERRUPTED"));
        let csv = bench.read("out/m/results.csv");
        assert!(csv.starts_with("t,bob.x,bob.y\n") && csv.ends_with('\n'));
        assert!(csv.lines().count() > 2);
        for line in csv.lines().skip(1) {
            assert_eq!(
                line.split(',').filter(|x| x.parse::<f64>().unwrap().is_finite()).count(),
                3
            );
        }
        let summary: serde_json::Value =
            serde_json::from_str(&bench.read("out/m/summary.json")).unwrap();
        assert_eq!(summary["status"], "interrupted");
        assert_eq!(summary["samples"], csv.lines().count() - 1);
    }
}

/// A step that takes long because of its samples is left in order.
#[test]
fn rel_r43_a_signal_is_heard_between_samples() {
    let text = "schema = 1\nbody.p = { type = \"planar-point\", mass = 1, velocity = [1, 0] }\n\
        sensor.x = { type = \"position\", of = \"p\" }\nanalysis = { end = 1, sample = 3e-8 }\n";
    let bench = Bench::new(text);
    let child = start(&bench, &["run", "m.toml"]);
    std::thread::sleep(Duration::from_millis(700));
    send(&child, "-INT");
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
    let csv = bench.read("out/m/results.csv");
    let summary: serde_json::Value =
        serde_json::from_str(&bench.read("out/m/summary.json")).unwrap();
    assert_eq!(summary["status"], "interrupted");
    assert_eq!(summary["samples"], csv.lines().count() - 1);
}

#[test]
fn a_signal_keeps_the_rows_of_a_comparison() {
    let bench = Bench::new(LONG).with("r.csv", "t,bob.x\n0,1\n1,0\n");
    // the first run fails soon, how soon depends on the machine; the second takes long
    let steps = ["--steps", "1e5,0.1", "--reference", "r.csv", "--jobs", "1"];
    let args = [&["compare", "m.toml", "--methods", "mdop5"], &steps[..]].concat();
    let in_time = [700, 3000, 12000].iter().any(|&wait| {
        let child = start(&bench, &args);
        std::thread::sleep(Duration::from_millis(wait));
        send(&child, "-INT");
        let clock = Instant::now();
        let out = child.wait_with_output().unwrap();
        assert!(clock.elapsed() < Duration::from_secs(5));
        assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
        assert!(String::from_utf8_lossy(&out.stdout).contains("INTERRUPTED"));
        bench.read("out/m-compare/compare.csv").lines().count() > 2
    });
    let csv = bench.read("out/m-compare/compare.csv");
    assert!(in_time, "{csv}");
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{csv}");
    assert!(rows[0].contains(",failed,E_"), "{csv}");
    assert!(rows[1].contains(",interrupted,"), "{csv}");
    let v: serde_json::Value =
        serde_json::from_str(&bench.read("out/m-compare/compare.json")).unwrap();
    assert_eq!(v["status"], "interrupted");
}

#[test]
fn rel_r43_a_signal_ends_what_does_not_look_up() {
    // before the first run of a certificate has ended, and in the middle of assembly
    let certified = Bench::new(LONG);
    let hub = Bench::new(
        "schema = 1\n[body.\"b{i}\"]\nrepeat = \"i = 1..60000\"\ntype = \"planar\"\nmass = 1\ninertia = 1\n\
         [joint.\"j{i}\"]\nrepeat = \"i = 2..60000\"\ntype = \"revolute\"\nbetween = [\"b1\", \"b{i}\"]\n",
    );
    for (bench, args) in [(&certified, &["certify", "m.toml"][..]), (&hub, &["check", "m.toml"])] {
        let child = start(bench, args);
        std::thread::sleep(Duration::from_millis(400));
        send(&child, "-INT");
        let clock = Instant::now();
        let out = child.wait_with_output().unwrap();
        assert!(clock.elapsed() < Duration::from_secs(5));
        assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
    }
}

#[test]
fn rel_r38_a_closed_pipe_is_no_error() {
    let bench = Bench::new(LONG);
    for args in [
        &["schema"][..],
        &["methods"],
        &["check", "m.toml"],
        &["run", "m.toml", "--end", "1", "--json"],
        &["--help"],
    ] {
        let mut child = start(&bench, args);
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!((out.status.code(), stderr.as_ref()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn rel_r43_the_second_signal_ends_at_once() {
    let bench = Bench::new(LONG);
    let child = start(&bench, &["run", "m.toml"]);
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..2 {
        send(&child, "-INT");
    }
    let out = child.wait_with_output().unwrap();
    // Whether the second one came before or after the results were written:
    assert_eq!(out.status.code(), Some(130));
    assert!(out.stderr.is_empty());
}
