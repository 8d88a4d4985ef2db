//! Whatever happens to a run, its folder holds one whole run, or says what is missing.
#![cfg(unix)]

use crate::support;

use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::{Bench, list};

/// A pendulum; its samples cost more than its steps.
const SWING: &str = r#"schema = 1
gravity = [0, -9.81]
parameters.L = 1
parameters.m = 1
body.bob = { type = "planar-point", mass = "m", position = ["L", 0] }
joint.rod = { type = "distance", between = ["ground", "bob"] }
sensor.bob = { type = "position", of = "bob" }
analysis = { end = 1e5, sample = 1e-2 }
"#;

/// Another model, so that files of the two differ in more than numbers.
const BALL: &str = r#"schema = 1
gravity = [0, -9.81]
body.ball = { type = "planar", mass = 1, inertia = 0.1, position = [0, 1] }
shape.ball = { type = "circle", body = "ball", radius = 0.1 }
shape.floor = { type = "half-plane", body = "ground" }
contact.floor = { between = ["ball", "floor"], restitution = 0.5 }
sensor.y = { type = "position", of = "ball", component = "y" }
analysis = { end = 1, sample = 1e-2 }
"#;

fn start(bench: &Bench, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_delassus"))
        .current_dir(bench.dir.path())
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the command in a shell, after something else.
fn after(bench: &Bench, first: &str, args: &str) -> Output {
    let line = format!("{first}; exec '{}' {args}", env!("CARGO_BIN_EXE_delassus"));
    let mut shell = Command::new("bash");
    shell.current_dir(bench.dir.path()).args(["-c", &line]).output().unwrap()
}

fn stderr(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// Waits until a file has some lines.
fn wait_for(path: &Path, lines: usize) {
    let clock = Instant::now();
    while fs::read_to_string(path).map_or(0, |t| t.lines().count()) < lines {
        assert!(clock.elapsed() < Duration::from_secs(30), "{}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The rows of a file, all of them whole.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{}", path.display());
    let columns = text.lines().next().unwrap().split(',').count();
    let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(row).collect();
    assert!(rows.iter().all(|r| r.len() == columns));
    rows
}

/// The files of a folder are those that its summary lists, with their checksums.
fn assert_whole(folder: &Path) {
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap();
    let mut names = vec!["summary.json".to_owned(), "report.html".to_owned()];
    for file in summary["files"].as_array().unwrap() {
        let name = file["path"].as_str().unwrap().rsplit('/').next().unwrap();
        let bytes = fs::read(folder.join(name)).unwrap();
        let sum: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(file["sha256"], sum, "{name}");
        names.push(name.to_owned());
    }
    for name in list(folder).iter().filter(|n| !n.starts_with("delassus-") && !n.starts_with('.')) {
        assert!(names.contains(name), "{name} does not belong to the run");
    }
}

#[test]
fn rel_r37_what_a_killed_run_has_can_be_shown() {
    let bench = Bench::new(SWING);
    let samples = bench.path("o/delassus-unfinished/results.csv");
    let mut child = start(&bench, &["run", "m.toml", "--out", "o"]);
    wait_for(&samples, 5000);
    let going = bench.run(&["plot", "o", "bob.x", "--output", "x.svg"]);
    assert!(going.code == 0 && going.stderr.contains("still goes on"), "{}", going.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    for args in [&["report", "o"][..], &["plot", "o", "bob.*"], &["view", "o", "--no-open"]] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("the run did not end"), "{}", ran.stderr);
        let (_, t) = ran.stderr.split_once("its samples reach t = ").unwrap();
        let (t, rest) = t.split_once(" s of ").unwrap();
        assert!(t.parse::<f64>().unwrap() > 40.0 && rest.starts_with("100000 s"), "{}", ran.stderr);
    }
    assert!(bench.read("o/report.html").contains("its samples reach t = "));
    // killed before the rows of the second file were written
    let second = bench.path("o/delassus-unfinished/diagnostics.csv");
    let heading = fs::read_to_string(&second).unwrap().lines().next().unwrap().to_owned() + "\n";
    fs::write(&second, heading).unwrap();
    let ran = bench.run(&["plot", "o", "bob.x", "--output", "x.svg"]);
    assert!(ran.code == 0 && ran.stderr.contains("its samples reach t = "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("cut off"), "{}", ran.stderr);
    let moving = bench.run(&["export", "o", "--gltf", "x.glb"]);
    assert!(moving.code == 0 && moving.stderr.contains("did not end"), "{}", moving.stderr);
    // the next run leaves nothing of it
    assert_eq!(bench.run(&["run", "m.toml", "--out", "o", "--end", "1", "--quiet"]).code, 0);
    fs::remove_file(bench.path("o/plot.svg")).unwrap();
    assert_whole(&bench.path("o"));
    assert!(list(&bench.path("o")).iter().all(|n| !n.contains("delassus")));
}

#[test]
fn rel_r37_killed_at_any_moment_a_folder_is_the_old_run_or_the_new_one() {
    let bench = Bench::new(SWING).with("b.toml", BALL);
    let other = bench.run(&["run", "b.toml", "--out", "o", "--quiet"]);
    assert_eq!(other.code, 0, "{}", other.stderr);
    let commands: [&[&str]; 3] = [
        &["run", "m.toml", "--out", "o", "--end", "40", "--quiet"],
        &["run", "b.toml", "--out", "o", "--quiet"],
        &["report", "o"],
    ];
    for k in 0..18_u64 {
        let mut child = start(&bench, commands[k as usize % 3]);
        std::thread::sleep(Duration::from_millis((k * 23) % 131));
        child.kill().unwrap();
        child.wait().unwrap();
        for args in [&["report", "o", "--output", "x.html"][..], &["plot", "o"]] {
            let ran = bench.run(args);
            assert_eq!(ran.code, 0, "kill {k}: {}", ran.stderr);
            for word in ["does not belong", "missing", "cut off", "checksum"] {
                assert!(!ran.stderr.contains(word), "kill {k}: {}", ran.stderr);
            }
        }
    }
    for model in ["m.toml", "b.toml"] {
        let ran = bench.run(&["run", model, "--out", "o", "--end", "0.5", "--quiet"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert_whole(&bench.path("o"));
        let left: Vec<String> = list(&bench.path("o"));
        assert!(
            left.iter().all(|n| !n.starts_with(['.', 'd']) || n == "diagnostics.csv"),
            "{left:?}"
        );
    }
}

#[test]
fn a_run_that_was_complete_is_moved_on_by_the_next() {
    let bench = Bench::new(SWING).with("b.toml", BALL);
    for (model, out) in [("b.toml", "o"), ("m.toml", "new")] {
        let ran = bench.run(&["run", model, "--out", out, "--end", "1", "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    // as if the second had gone to the folder of the first and been killed on the way
    let names: Vec<String> = list(&bench.path("new"));
    let text = names.iter().map(|n| format!("{n}\n")).collect::<String>();
    fs::rename(bench.path("new"), bench.path("o/delassus-complete")).unwrap();
    fs::write(bench.path("o/delassus-complete/files"), text).unwrap();
    fs::remove_file(bench.path("o/events.csv")).unwrap();
    fs::rename(bench.path("o/delassus-complete/results.csv"), bench.path("o/results.csv")).unwrap();
    let ran = bench.run(&["plot", "o"]);
    assert!(ran.code == 0 && ran.stdout.contains("bob.x"), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("floor") && !ran.stderr.contains("checksum"), "{}", ran.stderr);
    // a run that is refused when it starts has moved it all the same
    let mut child = start(&bench, &["run", "m.toml", "--out", "o"]);
    wait_for(&bench.path("o/delassus-unfinished/results.csv"), 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.path("o/delassus-complete").exists());
    assert_whole(&bench.path("o"));
    assert!(!bench.path("o/contacts.bin").exists());
}

#[test]
fn two_runs_to_one_folder_are_kept_apart() {
    let bench = Bench::new(SWING).with("b.toml", BALL);
    let mut child = start(&bench, &["run", "m.toml", "--out", "o"]);
    wait_for(&bench.path("o/delassus-unfinished/results.csv"), 100);
    for args in [&["run", "b.toml", "--out", "o"][..], &["run", "b.toml", "--out", "o", "--force"]]
    {
        let ran = bench.run(args);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("E_OUTPUT_BUSY") && ran.stderr.contains("help: "),
            "{}",
            ran.stderr
        );
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_whole(&bench.path("o"));
    assert_eq!(bench.run(&["run", "b.toml", "--out", "o", "--quiet"]).code, 0);
    // and at once: one of them is refused, or waits for no one
    let pair = [["run", "m.toml"], ["run", "b.toml"]]
        .map(|a| start(&bench, &[&a[..], &["--out", "p", "--end", "20"]].concat()));
    let codes = pair.map(|c| c.wait_with_output().unwrap().status.code().unwrap());
    assert!(codes.contains(&0) && codes.iter().all(|c| [0, 5].contains(c)), "{codes:?}");
    assert_whole(&bench.path("p"));
}

#[test]
fn rel_r38_a_bound_on_the_size_of_files_ends_the_run_by_name() {
    let bench = Bench::new(SWING);
    let out = after(&bench, "ulimit -f 1000", "run m.toml --out o --end 1e4 --no-report");
    assert_eq!(out.status.code(), Some(5), "{}", stderr(&out));
    for word in ["E_OUTPUT", "ulimit -f", "stopped at t = ", "help: "] {
        assert!(stderr(&out).contains(word), "{}", stderr(&out));
    }
    let (a, b) = (rows(&bench.path("o/results.csv")), rows(&bench.path("o/diagnostics.csv")));
    assert!(a.len() > 5000 && a.len() == b.len());
    // not one that there was room for is lost
    let size = fs::metadata(bench.path("o/diagnostics.csv")).unwrap().len();
    assert!((1_023_600..=1_024_000).contains(&size), "{size}");
    let summary: serde_json::Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    assert_eq!((&summary["status"], &summary["code"]), (&"failed".into(), &5.into()));
    let ran = bench.run(&["report", "o"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_whole(&bench.path("o"));
    // where not even the start can be written, what was there stays
    let before = bench.read("o/results.csv");
    let out = after(&bench, "ulimit -f 1", "run m.toml --out o --end 1e4");
    assert_eq!(out.status.code(), Some(5), "{}", stderr(&out));
    assert!(stderr(&out).contains("E_OUTPUT"), "{}", stderr(&out));
    assert!(bench.read("o/results.csv") == before);
    assert_whole(&bench.path("o"));
    let ran = bench.run(&["report", "o", "--output", "x.html"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn rel_r38_a_folder_that_is_taken_away_ends_the_run_by_name() {
    let bench = Bench::new(SWING);
    let child = start(&bench, &["run", "m.toml", "--out", "o"]);
    wait_for(&bench.path("o/delassus-unfinished/results.csv"), 100);
    fs::rename(bench.path("o"), bench.path("away")).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(5), "{}", stderr(&out));
    assert!(
        stderr(&out).contains("E_OUTPUT") && stderr(&out).contains("is gone"),
        "{}",
        stderr(&out)
    );
    let ran = bench.run(&["report", "away"]);
    assert!(ran.code == 0 && ran.stderr.contains("its samples reach"), "{}", ran.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn rel_r39_memory_does_not_grow_with_samples() {
    let bench = Bench::new(SWING);
    let run = "run m.toml --quiet --no-report --sample 1e-3";
    for to in ["--out o", "--csv x.csv"] {
        // 88 MB of samples
        let out = after(&bench, "ulimit -v 220000", &format!("{run} {to} --end 1000"));
        assert_eq!((out.status.code(), stderr(&out).as_str()), (Some(0), ""), "{to}");
    }
    assert!(
        fs::read(bench.path("x.csv")).unwrap() == fs::read(bench.path("o/results.csv")).unwrap()
    );
    assert_eq!(rows(&bench.path("o/results.csv")).len(), 1_000_001);
}

/// Opening a pipe waits for a writer, and a file of gigabytes takes long to read: neither is needed to see that it is no result.
#[test]
fn what_is_no_file_of_a_run_is_not_waited_for() {
    let bench = Bench::new(SWING);
    for name in
        ["results.csv", "diagnostics.csv", "summary.json", "scene.json", "motion.bin", "steps.csv"]
    {
        let ran = bench.run(&["run", "m.toml", "--out", "o", "--end", "1", "--quiet", "--force"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let file = bench.path(&format!("o/{name}"));
        fs::remove_file(&file).unwrap();
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        for args in
            [&["report", "o"][..], &["plot", "o", "bob.x"], &["export", "o", "--gltf", "x.glb"]]
        {
            let ran = bench.run(args);
            // without its table a column is not known
            assert!([0, 2, 5].contains(&ran.code), "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(name), "{args:?}: {}", ran.stderr);
        }
        fs::remove_file(&file).unwrap();
    }
    assert_eq!(bench.run(&["run", "m.toml", "--out", "o", "--end", "1", "--quiet"]).code, 0);
    // nothing is stored for the rest of such a file, and nothing of it is read
    let file = fs::OpenOptions::new().write(true).open(bench.path("o/motion.bin")).unwrap();
    file.set_len(1 << 40).unwrap();
    let ran = bench.run(&["report", "o"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("motion.bin: "), "{}", ran.stderr);
}

#[test]
fn a_file_that_does_not_belong_is_named() {
    let bench = Bench::new(SWING).with("b.toml", BALL);
    for (model, out) in [("m.toml", "o"), ("b.toml", "other")] {
        let ran = bench.run(&["run", model, "--out", out, "--end", "1", "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    fs::copy(bench.path("other/events.csv"), bench.path("o/events.csv")).unwrap();
    let text = bench.read("o/diagnostics.csv");
    fs::write(bench.path("o/diagnostics.csv"), text.replacen("0.01,", "0.02,", 1)).unwrap();
    fs::remove_file(bench.path("o/steps.csv")).unwrap();
    for args in [
        &["report", "o"][..],
        &["plot", "o", "bob.x"],
        &["view", "o", "--no-open"],
        &["export", "o", "--gltf", "x.glb"],
    ] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        let told =
            [("events.csv", "does not list it"), ("diagnostics.csv", ""), ("steps.csv", "missing")];
        for (file, word) in told {
            let line = ran.stderr.lines().find(|l| l.contains(&format!("{file}: ")));
            let line = line.unwrap_or_else(|| panic!("{args:?}: {}", ran.stderr));
            assert!(line.contains(word), "{line}");
        }
        assert!(!ran.stderr.contains("results.csv: does"), "{}", ran.stderr);
    }
    assert!(!bench.read("o/report.html").contains("\"impact\""));
}

#[test]
fn rel_r41_the_order_of_settings_does_not_matter() {
    let bench = Bench::new(SWING);
    let orders = [["--set", "L=2", "--set", "m=3"], ["--set", "m=3", "--set", "L=2"]];
    for (order, out) in orders.iter().zip(["a", "b"]) {
        let ran = bench.run(&[&["run", "m.toml", "--end", "1", "--out", out], &order[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    for file in ["results.parquet", "results.csv", "diagnostics.csv", "motion.bin", "scene.json"] {
        let read = |out: &str| fs::read(bench.path(out).join(file)).unwrap();
        assert!(read("a") == read("b"), "{file}");
    }
    let other = bench.run(&["run", "m.toml", "--end", "1", "--out", "c", "--set", "L=2"]);
    assert_eq!(other.code, 0);
    let sum = |out: &str| -> serde_json::Value {
        serde_json::from_str(&bench.read(&format!("{out}/summary.json"))).unwrap()
    };
    assert_eq!(sum("a")["model_sha256"], sum("b")["model_sha256"]);
    assert_ne!(sum("a")["model_sha256"], sum("c")["model_sha256"]);
}

#[test]
fn rel_r39_what_cannot_fit_on_the_disk_is_refused_before_the_run() {
    let bench = Bench::new(SWING);
    let much = ["--end", "1e9", "--sample", "1e-3", "--limit", "result-bytes=1e15"];
    let ran = bench.run(&[&["run", "m.toml"], &much[..]].concat());
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    for word in ["E_DISK_FULL", "are left there", "help: "] {
        assert!(ran.stderr.contains(word), "{}", ran.stderr);
    }
    bench.assert_nothing_left();
}
