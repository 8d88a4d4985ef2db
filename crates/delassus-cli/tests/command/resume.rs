//! A run that is killed and resumed leaves the same files as one that was not; an invalid checkpoint is rejected with
//! the reason.

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::Bench;

/// Kills of each model.
const KILLS: u64 = 20;

/// Files that hold nothing about the clock.
const SAME: [&str; 9] = [
    "scene.json",
    "results.csv",
    "diagnostics.csv",
    "results.parquet",
    "events.csv",
    "motion.bin",
    "contacts.bin",
    "loads.bin",
    "steps.csv",
];

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    fs::read_to_string(path).unwrap()
}

/// Runs a model in full, then kills runs of it after ever other times, resumes them, and compares.
fn killed(file: &str, args: &[&str]) {
    let bench = Bench::new(&model(file));
    let whole = [&["run", "m.toml", "--out", "whole", "--quiet", "--no-report"], args].concat();
    assert_eq!(bench.run(&whole).code, 0);
    let mut resumed = 0;
    for k in 0..KILLS {
        let _ = fs::remove_dir_all(bench.path("cut"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_delassus"))
            .current_dir(bench.dir.path())
            .args(["run", "m.toml", "--out", "cut", "--quiet", "--no-report"])
            .args(["--checkpoint", "1 ms"])
            .args(args)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // spread over what a run takes, whatever that is on this machine
        std::thread::sleep(Duration::from_millis(7 + (k * 37) % 300));
        child.kill().unwrap();
        child.wait().unwrap();
        if bench.path("cut/checkpoint.bin").exists() {
            resumed += 1;
            let ran = bench.run(&["resume", "cut", "--quiet", "--checkpoint", "1 min"]);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}, kill {k}");
            assert!(!bench.path("cut/checkpoint.bin").exists(), "{file}, kill {k}");
        } else if !bench.path("cut/summary.json").exists() {
            // it was killed before its first checkpoint
            continue;
        }
        // resumed, or killed when its checkpoint had gone: all files are whole
        for name in SAME {
            let (a, b) = (bench.path("whole").join(name), bench.path("cut").join(name));
            assert_eq!(a.exists(), b.exists(), "{file}, kill {k}: {name}");
            assert!(
                !a.exists() || fs::read(a).unwrap() == fs::read(b).unwrap(),
                "{file}, kill {k}: {name} is another"
            );
        }
    }
    assert!(resumed > 0, "{file}: no run was killed between its first checkpoint and its end");
}

#[test]
fn the_escapement() {
    killed("escapement.toml", &["--end", "2"]);
}

#[test]
fn the_slider_crank() {
    killed("slider_crank.toml", &["--end", "20", "--rtol", "1e-9"]);
}

#[test]
fn a_heap() {
    killed("spheres_in_box.toml", &["--end", "0.2"]);
}

/// Stops a run by a signal and leaves its checkpoint.
fn left(bench: &Bench) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_delassus"))
        .current_dir(bench.dir.path())
        .args(["run", "m.toml", "--out", "cut", "--quiet", "--end", "1e6", "--sample", "1e4"])
        .args(["--checkpoint", "0 s"])
        .spawn()
        .unwrap();
    while !bench.path("cut/checkpoint.bin").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_not_a_checkpoint_is_refused() {
    let text = model("pendulum.toml");
    let bench = Bench::new(&text);
    left(&bench);
    let path = bench.path("cut/checkpoint.bin");
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8], word: &str| {
        fs::write(&path, bytes).unwrap();
        let ran = bench.run(&["resume", "cut"]);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(ran.stderr.contains("E_CHECKPOINT") && ran.stderr.contains(word), "{}", ran.stderr);
    };
    refused(b"t,x\n0,1\n", "no checkpoint of delassus");
    refused(&whole[..whole.len() / 2], "not written or copied in full");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    refused(&flipped, "checksum");
    let newer = [b"delassus checkpoint 99\n".as_slice(), &whole[22..]].concat();
    refused(&newer, "format 99");
    fs::write(&path, &whole).unwrap();
    fs::write(bench.path("m.toml"), text.replace("9.81", "9.82")).unwrap();
    let ran = bench.run(&["resume", "cut"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("the model has changed"), "{}", ran.stderr);
    assert!(path.exists(), "a refused checkpoint stays");
    fs::remove_file(&path).unwrap();
    let ran = bench.run(&["resume", "cut"]);
    assert!(ran.code == 5 && ran.stderr.contains("there is no checkpoint"), "{}", ran.stderr);
}

/// The file of inputs is found from another folder, and a run does not go on with another one.
#[test]
fn inputs_over_time_belong_to_a_checkpoint() {
    let text = model("pendulum.toml") + "\n[input.wind]\nunit = 'N'\n";
    let bench = Bench::new(&text).with("wind.csv", "t,wind\n0,0\n1e6,1\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_delassus"))
        .current_dir(bench.dir.path())
        .args(["run", "m.toml", "--input", "wind.csv", "--out", "cut", "--quiet", "--end", "1e6"])
        .args(["--sample", "1e4", "--checkpoint", "0 s"])
        .spawn()
        .unwrap();
    while !bench.path("cut/checkpoint.bin").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::write(bench.path("wind.csv"), "t,wind\n0,0\n1e6,2\n").unwrap();
    let ran = bench.run(&["resume", "cut"]);
    assert!(ran.code == 2 && ran.stderr.contains("the model has changed"), "{}", ran.stderr);
    fs::remove_file(bench.path("wind.csv")).unwrap();
    let ran =
        bench.command().current_dir("/").arg("resume").arg(bench.path("cut")).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    let path = bench.path("wind.csv").display().to_string();
    assert!(ran.status.code() == Some(5) && told.contains(&path), "{told}");
}

#[test]
fn a_checkpoint_needs_a_folder_and_a_time() {
    let bench = Bench::new(&model("pendulum.toml"));
    for args in [
        ["run", "m.toml", "--csv", "a.csv", "--checkpoint", "10 s"],
        ["run", "m.toml", "--out", "a", "--checkpoint", "10 m"],
        ["run", "m.toml", "--out", "a", "--checkpoint", "-1 s"],
        ["certify", "m.toml", "--out", "a", "--checkpoint", "10 s"],
    ] {
        let ran = bench.run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("--checkpoint"), "{args:?}: {}", ran.stderr);
        assert!(!bench.path("a").exists() && !bench.path("a.csv").exists(), "{args:?}");
    }
}
