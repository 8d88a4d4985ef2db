//! What a run writes, prints and returns.

use crate::support;
use support::{Bench, GOOD, list};

const SWING: &str = r#"schema = 1
title = "swing"
gravity = [0, -9.81]
parameters.L = 1
body.bob = { type = "planar-point", mass = 1, position = ["L", 0] }
joint.rod = { type = "distance", between = ["ground", "bob"] }
sensor.bob = { type = "position", of = "bob" }
sensor."a,b" = { type = "expression", value = "2*t" }
analysis = { end = 1, sample = 0.1 }
"#;

#[test]
fn writes_a_folder_of_results() {
    let bench = Bench::new(SWING);
    let ran = bench.run(&["run", "m.toml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for word in
        ["swing", "mdop5", "steps", "wall time", "energy error", "drift", "mobility", "out/m"]
    {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
    let mut files = list(&bench.path("out/m"));
    files.sort();
    assert_eq!(
        files,
        [
            "diagnostics.csv",
            "loads.bin",
            "motion.bin",
            "report.html",
            "results.csv",
            "results.parquet",
            "scene.json",
            "steps.csv",
            "summary.json"
        ]
    );
    let csv = bench.read("out/m/results.csv");
    assert_eq!(csv.lines().next().unwrap(), "t,bob.x,bob.y,\"a,b\"");
    assert_eq!(csv.lines().count(), 12);
    let other = bench.read("out/m/diagnostics.csv");
    assert!(other.starts_with("t,energy.kinetic,"), "{other}");
    let summary: serde_json::Value =
        serde_json::from_str(&bench.read("out/m/summary.json")).unwrap();
    assert_eq!(summary["status"], "done");
    assert_eq!(summary["files"].as_array().unwrap().len(), 7);
    let parquet = std::fs::read(bench.path("out/m/results.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let text = String::from_utf8_lossy(&parquet);
    for key in
        ["delassus.version", "delassus.model_sha256", "delassus.method", "swing", "unit.bob.x"]
    {
        assert!(text.contains(key), "{key}");
    }
    // Again: the folder is known as made by delassus.
    assert_eq!(bench.run(&["run", "m.toml"]).code, 0);
}

#[test]
fn rel_g2_checksums_fit_the_files() {
    use sha2::{Digest, Sha256};
    let bench = Bench::new(SWING);
    assert_eq!(bench.run(&["run", "m.toml", "--out", "o"]).code, 0);
    let summary: serde_json::Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    for file in summary["files"].as_array().unwrap() {
        let bytes = std::fs::read(bench.path(file["path"].as_str().unwrap())).unwrap();
        let sum: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(file["sha256"], sum);
        assert_eq!(file["bytes"], bytes.len());
    }
    let sum: String = Sha256::digest(SWING).iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(summary["model_sha256"], sum);
}

#[test]
fn rel_r41_same_bits_twice() {
    let bench = Bench::new(SWING);
    for method in ["mdop5", "gen-alpha"] {
        for out in ["a", "b"] {
            assert_eq!(bench.run(&["run", "m.toml", "--method", method, "--out", out]).code, 0);
        }
        for file in [
            "results.csv",
            "diagnostics.csv",
            "results.parquet",
            "motion.bin",
            "loads.bin",
            "scene.json",
            "steps.csv",
        ] {
            let read = |out: &str| std::fs::read(bench.path(out).join(file)).unwrap();
            assert!(read("a") == read("b"), "{method} {file}");
        }
    }
}

#[test]
fn asked_files_only() {
    let bench = Bench::new(SWING);
    let ran = bench.run(&["run", "m.toml", "--csv", "x.csv", "--parquet", "x.parquet", "--quiet"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let mut files = list(bench.dir.path());
    files.sort();
    assert_eq!(files, ["m.toml", "x.csv", "x.parquet"]);
}

#[test]
fn json_is_one_object() {
    let bench = Bench::new(SWING);
    let ran = bench.run(&["run", "m.toml", "--json"]);
    assert_eq!(ran.code, 0);
    bench.assert_nothing_left();
    let v: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    for key in [
        "status",
        "method",
        "t_end",
        "steps",
        "rejected",
        "evaluations",
        "factorizations",
        "wall_s",
        "max_position_drift",
        "max_velocity_drift",
        "energy_error",
        "events",
        "samples",
        "notes",
        "errors",
    ] {
        assert!(!v[key].is_null(), "{key}: {}", ran.stdout);
    }
    assert_eq!(v["t_end"], 1.0);
}

#[test]
fn options_are_expressions() {
    let bench = Bench::new(SWING);
    let args = [
        "run", "m.toml", "--step", "10 ms", "--end", "pi/10", "--sample", "pi/20", "--set",
        "L=50 cm", "--json", "--csv", "x.csv",
    ];
    let ran = bench.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(v["step"], 0.01);
    let csv = bench.read("x.csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[1].starts_with("0,0.5,0,"), "{csv}");
}

#[test]
fn rel_r11_empty_models_run() {
    let fixtures = [
        "schema = 1\n",
        "schema = 1\nbody.free = { type = \"planar-point\", mass = 1 }\n",
        "schema = 1\nbody.b = { type = \"rigid\", mass = 1, inertia = [1, 1, 1] }\n\
         joint.j = { type = \"fixed\", between = [\"ground\", \"b\"] }\n",
        "schema = 1\nsensor.x = { type = \"expression\", value = \"t^2\" }\n",
    ];
    for text in fixtures {
        for extra in [&["--method", "mdop5"][..], &["--method", "gen-alpha"], &["--step", "0.1"]] {
            let bench = Bench::new(text);
            let ran = bench.run(&[&["run", "m.toml", "--csv", "x.csv"], extra].concat());
            assert_eq!(ran.code, 0, "{text}: {}", ran.stderr);
            let csv = bench.read("x.csv");
            assert!(csv.starts_with('t') && csv.lines().count() == 102, "{csv}");
        }
    }
}

#[test]
fn rel_r21_work_limit_keeps_partial_results() {
    let bench = Bench::new(SWING);
    let ran =
        bench.run(&["run", "m.toml", "--max-steps", "5", "--rtol", "1e-10", "--sample", "1 ms"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for word in ["E_WORK_LIMIT", "t = ", "step ", "max_steps", "help: "] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("FAILED"));
    let csv = bench.read("out/m/results.csv");
    assert!(csv.ends_with('\n') && csv.lines().count() > 1);
    let summary: serde_json::Value =
        serde_json::from_str(&bench.read("out/m/summary.json")).unwrap();
    assert_eq!(summary["status"], "failed");
    assert_eq!(summary["steps"], 5);
    assert_eq!(summary["errors"][0]["code"], "E_WORK_LIMIT");
    let json = bench.run(&["run", "m.toml", "--max-steps", "5", "--json"]);
    assert_eq!(json.code, 3);
    let v: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&v["status"], &v["code"]), (&"failed".into(), &3.into()));
}

const BLOW_UP: &str = r#"schema = 1
body.p = { type = "planar-point", mass = 1, position = [1, 0] }
body.q = { type = "planar-point", mass = 1, position = [5, 0] }
force.innocent = { type = "force", at = "q", force = [3, 0] }
force.culprit = { type = "force", at = "p", force = ["1e6*px^3", 0] }
sensor.px = { type = "position", of = "p", component = "x" }
"#;

#[test]
fn rel_r20_divergence_is_blamed_on_the_force() {
    for step in ["1e-3", "2e-3"] {
        let bench = Bench::new(BLOW_UP);
        let ran = bench.run(&["run", "m.toml", "--csv", "x.csv", "--step", step]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        for word in ["E_DIVERGED", "body \"p\"", "culprit", "t = ", "step ", "help: "] {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
        assert!(!ran.stderr.contains("innocent"));
        let csv = bench.read("x.csv");
        assert!(!csv.contains("NaN") && !csv.contains("inf"), "{csv}");
    }
    // Adaptive steps shrink towards the pole instead; the body is named.
    let bench = Bench::new(BLOW_UP);
    let ran = bench.run(&["run", "m.toml", "--csv", "x.csv"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("body \"p\""), "{}", ran.stderr);
}

#[test]
fn rel_g2_a_sensor_that_is_not_finite_ends_the_results() {
    let text = "schema = 1\nsensor.x = { type = \"expression\", value = \"ln(0.5 - t)\" }\n";
    let bench = Bench::new(text);
    let ran = bench.run(&["run", "m.toml", "--csv", "x.csv"]);
    assert_eq!(ran.code, 3);
    for word in ["E_NONFINITE", "m.toml:2:", "sensor.x", "t = 0.5 s", "help: "] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    let csv = bench.read("x.csv");
    assert_eq!(csv.lines().count(), 51, "{csv}");
}

#[cfg(target_os = "linux")]
#[test]
fn rel_r38_disk_full() {
    let bench = Bench::new(SWING);
    let ran = bench.run(&["run", "m.toml", "--csv", "/dev/full"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    for word in ["E_OUTPUT", "/dev/full", "bytes written", "reached t = 1 s", "help: "] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    bench.assert_nothing_left();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_delassus"))
        .arg("schema")
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(5));
}

#[test]
fn rel_r38_output_that_cannot_be_written() {
    let bench = Bench::new(GOOD);
    for (option, path) in [
        ("--out", "m.toml/below"),
        ("--csv", "m.toml/below.csv"),
        ("--csv", "missing/x.csv"),
        ("--parquet", "missing/x.parquet"),
        ("--csv", "."),
    ] {
        bench.refuses_with(&[option, path], 5, "E_OUTPUT", "", path.split('/').next().unwrap());
    }
    // The model itself is never replaced, by whatever name.
    for path in ["m.toml", "./m.toml"] {
        let ran = bench.run(&["run", "m.toml", "--force", "--csv", path]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("replace the model"));
    }
    assert_eq!(bench.read("m.toml"), GOOD);
}

#[test]
fn rel_r38_foreign_folders_are_not_filled() {
    let bench = Bench::new(GOOD);
    std::fs::create_dir_all(bench.path("out/m")).unwrap();
    std::fs::write(bench.path("out/m/thesis.txt"), "mine").unwrap();
    for args in [&["run", "m.toml"][..], &["run", "m.toml", "--out", "."]] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(ran.stderr.contains("E_OUTPUT_EXISTS") && ran.stderr.contains("--force"));
    }
    assert_eq!(list(&bench.path("out/m")), ["thesis.txt"]);
    assert_eq!(bench.run(&["run", "m.toml", "--force"]).code, 0);
    assert_eq!(bench.read("out/m/thesis.txt"), "mine");
}

#[test]
fn missing_model() {
    let bench = Bench::new(GOOD);
    let ran = bench.run(&["run", "nope.toml"]);
    assert_eq!(ran.code, 5);
    assert!(
        ran.stderr.contains("E_FILE")
            && ran.stderr.contains("nope.toml")
            && ran.stderr.contains("help: ")
    );
    assert_eq!(bench.run(&["run", "."]).code, 5);
    bench.assert_nothing_left();
}

#[test]
fn rel_r12_r15_what_assembly_changed_is_in_the_summary() {
    let text = "schema = 1\nbody.p = { type = \"planar\", mass = 1, inertia = 0.1, com = [0.5, 0], \
        position = [0.002, 0], velocity = [3, 0] }\n\
        joint.h = { type = \"revolute\", between = [\"ground\", \"p\"] }\nanalysis = { end = 0.1 }\n";
    let ran = Bench::new(text).run(&["run", "m.toml", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["assembly_moved"][0], "p");
    let near = |x: &serde_json::Value, y: f64| (x.as_f64().unwrap() - y).abs() < 1e-6;
    assert!(near(&summary["assembly_moved"][1], 0.002), "{}", ran.stdout);
    assert!(near(&summary["start_energy_taken"], 4.5), "{}", ran.stdout);
}
