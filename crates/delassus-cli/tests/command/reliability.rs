//! Rows of the table of faults that are demonstrated on the command as a whole.

use crate::support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::Bench;

const SCHEMES: [&str; 3] = ["hybrid", "event-driven", "time-stepping"];

/// A run that ends well: its results by name, and its summary.
fn run(bench: &Bench, extra: &[&str]) -> (impl Fn(&str) -> Vec<f64> + use<>, Value) {
    let args = [&["run", "m.toml", "--csv", "x.csv", "--json"], extra].concat();
    let ran = bench.run(&args);
    assert_eq!(ran.code, 0, "{extra:?}: {}", ran.stderr);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = bench.read("x.csv");
    let column = move |name: &str| {
        let at = text.lines().next().unwrap().split(',').position(|c| c == name);
        let at = at.unwrap_or_else(|| unreachable!("no column {name}"));
        let number = |line: &str| line.split(',').nth(at).unwrap().parse().unwrap();
        text.lines().skip(1).map(number).collect::<Vec<f64>>()
    };
    (column, summary)
}

fn last(column: Vec<f64>) -> f64 {
    *column.last().unwrap()
}

fn example(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(path))
        .unwrap()
}

#[test]
fn rel_r05_quaternions() {
    let text = "schema = 1\nparameters.e = 0\nbody.b = { type = 'rigid', mass = 1, inertia = [1, 2, 3], \
                orientation = [1, 0, 0, 'e'] }\nanalysis = { end = 0.1 }\n";
    let bench = Bench::new(text);
    for (e, code, told) in [
        ("0", 0, None),
        ("1e-4", 0, Some("N_NORMALIZED")),
        ("1e-3", 0, Some("N_NORMALIZED")),
        ("2e-3", 2, Some("E_ROTATION")),
        ("1", 2, Some("E_ROTATION")),
    ] {
        let ran = bench.run(&["run", "m.toml", "--csv", "x.csv", "--set", &format!("e={e}")]);
        assert_eq!(ran.code, code, "{e}: {}", ran.stderr);
        assert!(told.is_none_or(|word| ran.stderr.contains(word)), "{e}: {}", ran.stderr);
        assert!(told.is_some() || ran.stderr.is_empty(), "{e}: {}", ran.stderr);
    }
}

/// The crank passes both dead centres many times.
#[test]
fn rel_r16_dead_centres() {
    let bench = Bench::new(&example("slider_crank.toml"));
    let (_, summary) = run(&bench, &["--rtol", "1e-8", "--end", "5"]);
    assert_eq!(summary["status"], "done");
    let energy = &summary["energy"];
    let (error, moved) = (energy["error"].as_f64().unwrap(), energy["moved"].as_f64().unwrap());
    assert!(error.abs() <= 1e-6 * moved, "{energy}");
}

/// A double pendulum of nanometres, metres and millions of kilometres: gravity follows the length, so that times agree.
#[test]
fn rel_r19_lengths_of_all_sizes() {
    let text = "schema = 1\nparameters.L = 1\ngravity = [0, '-9.81*L']\n\
        body.a = { type = 'planar', mass = 1, inertia = '0.1*L^2', position = ['0.5*L', 0], markers = { l = ['-0.5*L', 0], r = ['0.5*L', 0] } }\n\
        body.b = { type = 'planar', mass = 2, inertia = '0.2*L^2', position = ['1.5*L', 0], markers = { l = ['-0.5*L', 0] } }\n\
        joint.a = { type = 'revolute', between = ['ground', 'a.l'] }\n\
        joint.b = { type = 'revolute', between = ['a.r', 'b.l'] }\n\
        sensor.x = { type = 'position', of = 'b', component = 'x' }\n\
        analysis = { end = 1, sample = 0.1 }\n";
    let bench = Bench::new(text);
    let (one, _) = run(&bench, &[]);
    for (size, length) in [("1e-9", 1e-9), ("1e9", 1e9)] {
        let (other, _) = run(&bench, &["--set", &format!("L={size}")]);
        for (a, b) in one("x").iter().zip(other("x")) {
            assert!((a - b / length).abs() < 1e-9, "{size}: {a} {}", b / length);
        }
    }
}

/// A ball dropped from 1 m with e = 0.5 rests after t1 (1 + e)/(1 − e).
#[test]
fn rel_r23_bounces_that_accumulate() {
    let bench = Bench::new(&example("bouncing_ball.toml"));
    let rests = (2.0f64 / 9.81).sqrt() * 3.0;
    let with = ["--set", "e=0.5", "--end", "2", "--events", "e.csv"];
    let (column, summary) = run(&bench, &with);
    assert!((last(column("height")) - 0.1).abs() < 1e-6);
    assert!(last(column("speed")).abs() < 1e-9);
    assert!(summary["events"].as_u64().unwrap() <= 60, "{}", summary["events"]);
    let events = bench.read("e.csv");
    let closed = events.lines().rfind(|l| l.contains("close")).unwrap();
    let t: f64 = closed.split(',').next().unwrap().parse().unwrap();
    assert!((t - rests).abs() < 1e-6, "{t} instead of {rests}");
    for scheme in ["event-driven", "time-stepping"] {
        let (column, _) = run(&bench, &["--set", "e=0.5", "--end", "2", "--scheme", scheme]);
        assert!((last(column("height")) - 0.1).abs() < 1e-6, "{scheme}");
    }
}

/// Painlevé's rod: states on both sides of the borders of the paradox. Nothing is endless, nothing grows without bounds.
#[test]
fn rel_r24_painleve() {
    let bench = Bench::new(&example("benchmarks/G5_painleve_rod.toml"));
    for theta in [0.6, 0.9, 1.1, 1.26, 1.3] {
        for scheme in SCHEMES {
            let theta = format!("theta0={theta}");
            let args =
                ["run", "m.toml", "--csv", "x.csv", "--end", "0.3", "--scheme", scheme, "--set"];
            let ran = bench.run(&[&args[..], &[&theta]].concat());
            if ran.code == 0 {
                let text = bench.read("x.csv");
                let sane = |x: &str| x.parse::<f64>().unwrap().abs() < 10.0;
                assert!(text.lines().skip(1).all(|l| l.split(',').all(sane)), "{theta} {scheme}");
                continue;
            }
            assert_eq!(scheme, "event-driven", "{theta}: {}", ran.stderr);
            assert!(ran.stderr.contains("E_PAINLEVE"), "{theta}: {}", ran.stderr);
            assert!(ran.stderr.contains("slide"), "{theta}: {}", ran.stderr);
        }
    }
}

/// Spheres about one centre, and almost: they part along a direction that is the same in every run, without a speed.
#[test]
fn rel_r29_spheres_about_one_centre() {
    let model = |x: f64| {
        format!(
            "schema = 1\nbody.a = {{ type = 'rigid', mass = 1, inertia = [1, 1, 1] }}\n\
             body.b = {{ type = 'rigid', mass = 1, inertia = [1, 1, 1], position = [{x}, 0, 0] }}\n\
             shape.a = {{ type = 'sphere', body = 'a', radius = 0.1 }}\n\
             shape.b = {{ type = 'sphere', body = 'b', radius = 0.1 }}\n\
             contact.c = {{ between = ['a', 'b'], allow_overlap = true }}\n\
             sensor.a = {{ type = 'position', of = 'a' }}\nsensor.b = {{ type = 'position', of = 'b' }}\n\
             sensor.v = {{ type = 'velocity', of = 'a' }}\nanalysis = {{ end = 0.2, sample = 0.02 }}\n"
        )
    };
    for x in [0.0, 1e-12, 0.05, 0.15, 0.199] {
        let bench = Bench::new(&model(x));
        for scheme in SCHEMES {
            let ends = || {
                let (column, _) = run(&bench, &["--scheme", scheme]);
                ["a.x", "a.y", "a.z", "b.x", "b.y", "b.z", "v.x", "v.y", "v.z"]
                    .map(|n| last(column(n)))
            };
            let end = ends();
            let apart = (0..3).map(|k| (end[k] - end[k + 3]).powi(2)).sum::<f64>().sqrt();
            assert!((apart - 0.2).abs() < 1e-6, "{scheme} {x}: {end:?}");
            assert!(end[6..].iter().all(|v| v.abs() < 1e-9), "{scheme} {x}: {end:?}");
            assert_eq!(end.map(f64::to_bits), ends().map(f64::to_bits), "{scheme} {x}");
        }
    }
}

/// A hundred thousand steps: joints closed, quaternions of norm 1, the clock not off by sums.
#[test]
fn rel_r40_many_steps() {
    let text = "schema = 1\ngravity = [0, 0, -9.81]\n\
        body.p = { type = 'rigid', mass = 1, inertia = [0.1, 0.2, 0.3], position = [0.5, 0, 0], rate = [0, 0, 2], markers = { top = [-0.5, 0, 0] } }\n\
        joint.p = { type = 'spherical', between = ['ground', 'p.top'] }\n\
        sensor.top = { type = 'position', of = 'p.top' }\nsensor.p = { type = 'position', of = 'p' }\n\
        analysis = { end = 100, sample = 1 }\n";
    let bench = Bench::new(text);
    let (column, summary) = run(&bench, &["--method", "rk4", "--step", "1e-3"]);
    assert_eq!(summary["steps"], 100_000);
    for axis in ["x", "y", "z"] {
        assert!(column(&format!("top.{axis}")).iter().all(|x| x.abs() < 1e-9));
    }
    for k in 0..=100 {
        let r = ["p.x", "p.y", "p.z"].map(|n| column(n)[k]);
        let r = r.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((r - 0.5).abs() < 1e-9, "{k}: {r}");
    }
    assert_eq!(column("t"), (0..=100).map(f64::from).collect::<Vec<_>>());
    let energy = &summary["energy"];
    let (error, moved) = (energy["error"].as_f64().unwrap(), energy["moved"].as_f64().unwrap());
    assert!(error.abs() <= 1e-6 * moved, "{energy}");
}

/// Start velocities that joints do not allow: projected, reported with the energy that this removed, and consistent
/// from then on.
#[test]
fn rel_r15_start_velocities() {
    let text = |v: &str| {
        format!(
            "schema = 1\ngravity = [0, -9.81]\n\
             body.a = {{ type = 'planar', mass = 1, inertia = 0.1, position = [0.5, 0], velocity = [{v}], rate = 1, \
             markers = {{ l = [-0.5, 0], r = [0.5, 0] }} }}\n\
             body.b = {{ type = 'planar', mass = 2, inertia = 0.2, position = [1, -0.5], angle = '-90 deg', \
             velocity = [0.3, 0.1], markers = {{ l = [-0.5, 0] }} }}\n\
             joint.a = {{ type = 'revolute', between = ['ground', 'a.l'] }}\n\
             joint.b = {{ type = 'revolute', between = ['a.r', 'b.l'] }}\nanalysis = {{ end = 0.1 }}\n"
        )
    };
    for v in ["1e-6, 0.5", "0.1, 0.7", "30, -20"] {
        let bench = Bench::new(&text(v));
        let told = bench.run(&["check", "m.toml"]);
        assert_eq!(told.code, 0, "{v}: {}", told.stderr);
        let (_, summary) = run(&bench, &["--out", "o", "--force"]);
        let taken = summary["start_energy_taken"].as_f64().unwrap();
        assert!(taken > 0.0, "{v}: {taken}");
        let text = bench.read("o/diagnostics.csv");
        let column = text.lines().next().unwrap().split(',').position(|c| c == "drift.velocity");
        let first = text.lines().nth(1).unwrap().split(',').nth(column.unwrap()).unwrap();
        assert!(first.parse::<f64>().unwrap() <= 1e-10, "{v}: {first}");
    }
}

/// Solvers of contact that may iterate once only: the run stops, says how they ended and what is left, names the
/// contacts, and keeps what it has.
#[test]
fn rel_r28_contact_forces_that_are_not_found() {
    let bench = Bench::new(&example("spheres_in_box.toml"));
    let args = ["run", "m.toml", "--out", "o", "--end", "0.5", "--scheme", "time-stepping"];
    let out = bench.command().args(args).env("DELASSUS_FAULT", "iteration-cap").output().unwrap();
    let stderr = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(3), "{stderr}");
    for word in ["E_CONTACT_UNSOLVED", "IterationLimit", "residual", "contact \"all:ball", "help: "]
    {
        assert!(stderr.contains(word), "{word}: {stderr}");
    }
    let summary: Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    assert_eq!(summary["status"], "failed");
    assert_eq!(summary["error"], "E_CONTACT_UNSOLVED");
    assert!(bench.read("o/results.csv").lines().count() >= 2);
}

/// A bug, planted in all parts of a run: exit code 70 with version and command line, and the folder is the run
/// before, or can be read as far as it goes.
#[test]
fn rel_r44_a_bug_is_told_and_leaves_files_whole() {
    let bench = Bench::new(&example("slider_crank.toml"));
    let args = ["run", "m.toml", "--out", "o", "--end", "0.5", "--force"];
    assert_eq!(bench.run(&args).code, 0);
    let before = bench.read("o/results.csv");
    for place in
        ["prepare", "run", "setup", "step", "record", "sink", "finish", "write", "page", "commit"]
    {
        for json in [false, true] {
            let args: Vec<&str> = args.into_iter().chain(json.then_some("--json")).collect();
            let out = bench.command().args(&args).env("DELASSUS_FAULT", place).output().unwrap();
            let stderr = String::from_utf8(out.stderr).unwrap();
            assert_eq!(out.status.code(), Some(70), "{place}: {stderr}");
            let told = if json { String::from_utf8(out.stdout).unwrap() } else { stderr };
            let version = env!("CARGO_PKG_VERSION");
            for word in ["E_INTERNAL", version, "m.toml --out o --end 0.5", place] {
                assert!(told.contains(word), "{place}: {word}: {told}");
            }
        }
        // one that was begun may be shorter, one that was not is as it was
        let ran = bench.run(&["report", "o"]);
        assert_eq!(ran.code, 0, "{place}: {}", ran.stderr);
        let text = bench.read("o/results.csv");
        assert!(before.starts_with(&text), "{place}: {} bytes", text.len());
    }
    assert_eq!(bench.run(&args).code, 0);
    assert_eq!(bench.read("o/results.csv"), before);
}
