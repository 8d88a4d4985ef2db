//! `--dump-states`: the last accepted states of a run that fails, and only then.

use crate::support;
use support::{Bench, GOOD};

/// A body that runs away from x = 1 to infinity, and one that does not.
const BLOW_UP: &str = r#"schema = 1
body.disc = { type = "planar", mass = 1, inertia = 1, position = [5, 0] }
body.p = { type = "planar-point", mass = 1, position = [1, 0] }
body.top = { type = "rigid", mass = 1, inertia = [1, 1, 1], position = [0, 0, 9] }
force.culprit = { type = "force", at = "p", force = ["1e3*px^3", 0] }
sensor.px = { type = "position", of = "p", component = "x" }
"#;

const NAMES: &str = "t,h,q.disc.x,q.disc.y,q.disc.angle,q.p.x,q.p.y,\
    q.top.x,q.top.y,q.top.z,q.top.qw,q.top.qx,q.top.qy,q.top.qz,\
    v.disc.x,v.disc.y,v.disc.angle,v.p.x,v.p.y,\
    v.top.x,v.top.y,v.top.z,v.top.rotation_x,v.top.rotation_y,v.top.rotation_z";

fn table(text: &str) -> (Vec<&str>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let names = lines.next().unwrap().split(',').collect();
    let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
    (names, lines.map(row).collect())
}

#[test]
fn rel_r20_the_last_hundred_states_of_a_failed_run() {
    let bench = Bench::new(BLOW_UP);
    let ran = bench.run(&["run", "m.toml", "--out", "o", "--dump-states", "s.csv"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stdout.contains("s.csv"), "{}", ran.stdout);
    let text = bench.read("s.csv");
    let (names, rows) = table(&text);
    assert_eq!(names.join(","), NAMES);
    assert_eq!(rows.len(), 100);
    assert!(rows.iter().flatten().all(|x| x.is_finite()));
    // consecutive accepted states, the last one where the run stopped
    for pair in rows.windows(2) {
        let (t0, t1, h) = (pair[0][0], pair[1][0], pair[1][1]);
        assert!(h > 0.0 && (t1 - t0 - h).abs() <= 1e-15, "{t0} {t1} {h}");
    }
    let summary: serde_json::Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    assert_eq!(rows[99][0], summary["t_end"].as_f64().unwrap());
    let at = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let x: Vec<f64> = rows.iter().map(|r| r[at("q.p.x")]).collect();
    assert!(x.windows(2).all(|w| w[1] > w[0]) && x[99] > 100.0, "{x:?}");
    let last = &rows[99];
    assert_eq!((last[at("q.disc.x")], last[at("q.top.z")], last[at("q.top.qw")]), (5.0, 9.0, 1.0));
    let files = summary["files"].as_array().unwrap();
    assert!(files.iter().any(|f| f["path"] == "s.csv" && f["bytes"] == text.len()), "{files:?}");
    // the dump changes nothing else, and is the same every time
    let other = Bench::new(BLOW_UP);
    assert_eq!(other.run(&["run", "m.toml", "--out", "o"]).code, 3);
    assert!(!other.path("s.csv").exists());
    assert_eq!(bench.read("o/diagnostics.csv"), other.read("o/diagnostics.csv"));
    assert_eq!(other.run(&["run", "m.toml", "--json", "--dump-states", "s.csv"]).code, 3);
    assert_eq!(other.read("s.csv"), text);
}

#[test]
fn a_short_run_begins_with_the_start() {
    let bench = Bench::new(GOOD);
    let args = ["run", "m.toml", "--json", "--dump-states", "s.csv", "--max-steps", "3"];
    let ran = bench.run(&args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let text = bench.read("s.csv");
    let (names, rows) = table(&text);
    assert_eq!(names[2..5], ["q.bar.x", "q.bar.y", "q.bar.angle"]);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0][..5], [0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn states_of_controllers_have_columns_too() {
    let motor = Bench::new(
        &std::fs::read_to_string(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../models/motor_pid.toml"
        ))
        .unwrap(),
    );
    let ran =
        motor.run(&["run", "m.toml", "--json", "--dump-states", "s.csv", "--max-steps", "200"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let text = motor.read("s.csv");
    let (names, rows) = table(&text);
    assert!(names.last().unwrap().starts_with("z."), "{names:?}");
    assert_eq!((rows.len(), rows[0].len()), (100, names.len()));
}

#[test]
fn nothing_is_written_when_the_run_ends_well_or_does_not_start() {
    let bench = Bench::new(GOOD);
    let ran = bench.run(&["run", "m.toml", "--json", "--dump-states", "s.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    bench.assert_nothing_left();
    bench.refuses_with(&["--dump-states", "s.csv", "--end", "0"], 2, "E_TIME_SPEC", "--end", "");
}

#[test]
fn rel_r38_where_it_goes_is_checked_before_the_run() {
    let bench = Bench::new(BLOW_UP);
    for path in ["missing/s.csv", "."] {
        bench.refuses_with(&["--dump-states", path], 5, "E_OUTPUT", "", "");
    }
    for args in [&["--dump-states", "m.toml"][..], &["--csv", "a.csv", "--dump-states", "a.csv"]] {
        let ran = bench.run(&[&["run", "m.toml"][..], args].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("E_OUTPUT"), "{}", ran.stderr);
    }
    assert_eq!(bench.read("m.toml"), BLOW_UP);
    bench.assert_nothing_left();
}
