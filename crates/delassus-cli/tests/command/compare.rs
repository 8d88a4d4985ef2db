//! `delassus compare`.

use crate::support;
use serde_json::Value;
use support::{Bench, GOOD, list};

const SLIDER: &str = include_str!("../../../../models/slider_crank.toml");

/// Runs a comparison that must end well, and reads its JSON.
fn compared(bench: &Bench, args: &[&str]) -> Value {
    let mut all = vec!["compare", "m.toml", "--json"];
    all.extend(args);
    let ran = bench.run(&all);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn rows(v: &Value) -> &[Value] {
    v["rows"].as_array().unwrap()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("no number: {v}"))
}

#[test]
fn rows_files_and_falling_errors() {
    let bench = Bench::new(SLIDER);
    let ran = bench.run(&[
        "compare",
        "m.toml",
        "--methods",
        "mdop5,gen-alpha",
        "--tolerances",
        "1e-4,1e-6",
        "--end",
        "0.3",
        "--thresholds",
        "1e-2,1e-12",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for word in [
        "Slider-crank",
        "which agree",
        "error up to 0.01",
        "Which method for this mechanism?",
        "cannot be told",
    ] {
        assert!(ran.stdout.contains(word), "{word}:\n{}", ran.stdout);
    }
    let mut files = list(&bench.path("out/m-compare"));
    files.sort();
    assert_eq!(
        files,
        [
            "compare.csv",
            "compare.json",
            "drift.svg",
            "performance.svg",
            "step_history.svg",
            "steps.svg",
            "work_precision.svg"
        ]
    );
    for file in files.iter().filter(|f| f.ends_with(".svg")) {
        let svg = bench.read(&format!("out/m-compare/{file}"));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{file}");
        assert!(svg.contains(">mdop5") && svg.contains(">gen-alpha"), "{file}");
        assert!(!svg.contains("NaN") && svg.contains("<path"), "{file}");
    }
    let csv = bench.read("out/m-compare/compare.csv");
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    for name in [
        "method",
        "rtol",
        "step",
        "status",
        "code",
        "cpu_s",
        "steps",
        "rejected",
        "mean_step",
        "evaluations",
        "factorizations",
        "drift_position",
        "drift_velocity",
        "drift_acceleration",
        "energy_error",
        "error_relative",
        "error_max",
        "error_absolute",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.lines().all(|l| l.split(',').count() == names.len()));
    let v: Value = serde_json::from_str(&bench.read("out/m-compare/compare.json")).unwrap();
    let order: Vec<(&str, f64)> =
        rows(&v).iter().map(|r| (r["method"].as_str().unwrap(), number(&r["rtol"]))).collect();
    assert_eq!(order, [("mdop5", 1e-4), ("mdop5", 1e-6), ("gen-alpha", 1e-4), ("gen-alpha", 1e-6)]);
    for pair in rows(&v).chunks(2) {
        for key in ["error_relative", "error_max", "error_absolute", "energy_error", "mean_step"] {
            let (loose, tight) = (number(&pair[0][key]), number(&pair[1][key]));
            assert!(tight < 0.5 * loose, "{key}: {loose} {tight}");
        }
        assert!(number(&pair[1]["steps"]) > number(&pair[0]["steps"]));
        let steps = number(&pair[0]["steps"]) * number(&pair[0]["mean_step"]);
        assert!((steps - 0.3).abs() < 1e-12);
        assert!(pair.iter().all(|r| number(&r["cpu_s"]) > 0.0 && r["status"] == "done"));
    }
    let uncertainty = number(&v["reference"]["uncertainty"]["error_relative"]);
    assert!(uncertainty < 1e-5, "{uncertainty}");
    assert_eq!(v["reference"]["agreed"], true);
    assert_eq!(v["thresholds"][0]["best"]["method"], "mdop5");
    assert_eq!(v["thresholds"][1]["decidable"], false);
    assert_eq!(v["files"].as_array().unwrap().len(), 6);
    // the folder is known as made by delassus, another one is not
    let again = ["compare", "m.toml", "--methods", "mdop5", "--end", "0.01"];
    assert_eq!(bench.run(&again).code, 0);
    let foreign = bench.run(&[&again[..], &["--out", "."]].concat());
    assert_eq!(foreign.code, 5);
    assert!(foreign.stderr.contains("E_OUTPUT_EXISTS"));
}

#[test]
fn a_reference_from_a_file() {
    let bench = Bench::new(SLIDER);
    let make = ["run", "m.toml", "--end", "0.2", "--sample", "0.02", "--rtol", "1e-11"];
    assert_eq!(bench.run(&[&make[..], &["--csv", "r.csv"]].concat()).code, 0);
    let args = ["--methods", "mdop5", "--tolerances", "1e-5,1e-9", "--end", "0.2"];
    let v = compared(&bench, &[&args[..], &["--reference", "r.csv"]].concat());
    // sampled like the reference, unless requested otherwise
    assert_eq!((&v["sample"], &v["reference"]["times"]), (&0.02.into(), &11.into()));
    assert_eq!(v["reference"]["columns"].as_array().unwrap().len(), 7);
    let errors: Vec<f64> = rows(&v).iter().map(|r| number(&r["error_relative"])).collect();
    assert!(errors[0] > 1e-7 && errors[1] < 1e-7 && errors[1] > 0.0, "{errors:?}");
    let other = ["--reference", "r.csv", "--sample", "0.05", "--measure", "max"];
    let v = compared(&bench, &[&args[..], &other].concat());
    assert_eq!((&v["measure"], &v["reference"]["times"]), (&"max".into(), &3.into()));
    // fewer columns, other times among them
    let few = "t,stroke,unknown\n0,0.1,0\n0.1,0.1,0\n0.137,0.1,0\n";
    let bench = Bench::new(SLIDER).with("few.csv", few);
    let v = compared(&bench, &[&args[..], &["--reference", "few.csv"]].concat());
    assert_eq!(v["reference"]["columns"], serde_json::json!(["stroke"]));
    assert_eq!(v["reference"]["times"], 2);
    bench.assert_nothing_left();
}

#[test]
fn a_run_that_fails_is_a_row() {
    let bench = Bench::new(SLIDER);
    let args = ["--tolerances", "1e-6", "--end", "0.3", "--methods", "mdop5,gen-alpha"];
    let v = compared(&bench, &[&args[..], &["--max-steps", "100"]].concat());
    let found: Vec<_> = rows(&v).iter().map(|r| (&r["status"], &r["code"])).collect();
    let (done, failed, code) = ("done".into(), "failed".into(), "E_WORK_LIMIT".into());
    assert_eq!(found, [(&done, &Value::Null), (&failed, &code)]);
    assert!(rows(&v)[1]["error_relative"].is_null() && number(&rows(&v)[1]["steps"]) == 100.0);
    assert_eq!(v["status"], "done");
    // in the table with its code; no run succeeded: a numerical failure
    let all = [&["compare", "m.toml", "--max-steps", "3"], &args[..]].concat();
    let ran = bench.run(&all);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(ran.stdout.matches("E_WORK_LIMIT").count() >= 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("none of these runs"));
    let ran =
        bench.run(&[&["compare", "m.toml", "--json", "--max-time", "1e-9"], &args[..]].concat());
    assert_eq!(ran.code, 3);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(rows(&v).iter().all(|r| r["code"] == "E_TIME_LIMIT"), "{}", ran.stdout);
    assert!(v["reference"].is_null() && v["notes"][0]["code"] == "N_REFERENCE");
}

/// Also where one step has millions of samples.
#[test]
fn samples_inside_a_step_see_the_limit() {
    let text = "schema = 1\nbody.p = { type = \"planar-point\", mass = 1, velocity = [1, 0] }\n\
        sensor.x = { type = \"position\", of = \"p\" }\nanalysis = { end = 1, sample = 1e-6 }\n";
    let how = [
        "--methods",
        "mdop5",
        "--tolerances",
        "1e-6",
        "--max-time",
        "0.02 s",
        "--json",
        "--jobs",
        "1",
    ];
    let ran = Bench::new(text).run(&[&["compare", "m.toml"], &how[..]].concat());
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    for row in rows(&v) {
        assert_eq!(row["code"], "E_TIME_LIMIT", "{row}");
        assert!(row["message"].as_str().unwrap().contains("samples"), "{row}");
    }
}

#[test]
fn fixed_steps_and_options_of_the_file() {
    let bench = Bench::new(SLIDER);
    let args = ["--steps", "1 ms,2 ms", "--end", "0.1", "--methods", "gen-alpha-index3,gen-alpha"];
    let v = compared(&bench, &args);
    assert_eq!(rows(&v).len(), 2, "another name is no other method");
    let steps: Vec<_> = rows(&v).iter().map(|r| (&r["rtol"], number(&r["step"]))).collect();
    assert_eq!(steps, [(&Value::Null, 2e-3), (&Value::Null, 1e-3)]);
    let ratio = number(&rows(&v)[0]["error_relative"]) / number(&rows(&v)[1]["error_relative"]);
    assert!((2.5..6.0).contains(&ratio), "order 2: {ratio}");
    // a method takes its options from the file, though the file names another method
    let damped = Bench::new(&SLIDER.replace("[method]", "[method]\nrho_inf = 0.1"));
    let w = compared(&damped, &args);
    assert_ne!(rows(&v)[0]["error_relative"], rows(&w)[0]["error_relative"]);
    assert_eq!(w["notes"].as_array().unwrap().len(), 0);
}

#[test]
fn threads_change_nothing_but_time() {
    let bench = Bench::new(SLIDER);
    let of = |jobs: &str| {
        let methods = ["--methods", "mdop5,gen-alpha", "--tolerances", "1e-4,1e-5"];
        let v = compared(&bench, &[&methods[..], &["--end", "0.1", "--jobs", jobs]].concat());
        let row = |r: &Value| {
            let mut r = r.clone();
            for key in ["cpu_s", "wall_s"] {
                r.as_object_mut().unwrap().remove(key);
            }
            r
        };
        rows(&v).iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(of("1"), of("4"));
}

#[test]
fn without_sensors_energies_are_compared() {
    let v = compared(&Bench::new(GOOD), &["--methods", "mdop5"]);
    assert_eq!(
        v["reference"]["columns"],
        serde_json::json!(["energy.kinetic", "energy.potential"])
    );
    let errors: Vec<f64> = rows(&v).iter().map(|r| number(&r["error_relative"])).collect();
    assert!(errors[0] > errors[2], "{errors:?}");
}

#[test]
fn runs_that_do_not_agree_are_told() {
    // a double pendulum thrown hard: after some seconds no two methods say the same
    let chaos = r#"schema = 1
gravity = [0, -9.81]
body.a = { type = "planar-point", mass = 1, position = [0.1, 0.1], velocity = [0, 0] }
body.b = { type = "planar-point", mass = 1, position = [0.1, 0.25], velocity = [0.1, 0] }
joint.r = { type = "distance", between = ["ground", "a"] }
joint.s = { type = "distance", between = ["a", "b"] }
sensor.b = { type = "position", of = "b" }
analysis = { end = 8 }
"#;
    let bench = Bench::new(chaos);
    let v = compared(&bench, &["--methods", "mdop5", "--tolerances", "1e-5"]);
    assert_eq!(v["reference"]["agreed"], false, "{}", v["reference"]);
    assert!(v["notes"][0]["message"].as_str().unwrap().contains("differ"));
    // none is clearly better: the one of higher order
    let order = |k: usize| {
        let name = v["reference"]["runs"][k]["method"].as_str().unwrap();
        let ran = bench.run(&["methods", name, "--json"]);
        let method: Value = serde_json::from_str(&ran.stdout).unwrap();
        number(&method["order_positions"])
    };
    assert!(order(0) >= order(1));
}

#[test]
fn bad_arguments_write_nothing() {
    let cases: &[(&[&str], i32, &str, &str)] = &[
        (&["--methods", "mdop6"], 2, "E_UNKNOWN_METHOD", "mdop5"),
        (&["--methods", ""], 2, "E_UNKNOWN_METHOD", "--methods"),
        (&["--tolerances", "1e-4,0"], 2, "E_RANGE", "--tolerances"),
        (&["--tolerances", "1e-4,2"], 2, "E_TOLERANCE", "--tolerances"),
        (&["--tolerances", "1e-20"], 2, "E_TOLERANCE", "--tolerances"),
        (&["--tolerances", "1e-4,,1e-5"], 2, "E_EXPRESSION", "--tolerances"),
        (&["--tolerances", "1 kg"], 2, "E_DIMENSION", "--tolerances"),
        (&["--steps", "100"], 2, "E_TIME_SPEC", "--steps"),
        (&["--steps", "-1"], 2, "E_RANGE", "--steps"),
        (&["--thresholds", "nan"], 2, "E_NONFINITE", "--thresholds"),
        (&["--jobs", "0"], 2, "E_RANGE", "--jobs"),
        (&["--max-time", "0"], 2, "E_RANGE", "--max-time"),
        (&["--max-steps", "1.5"], 2, "E_RANGE", "--max-steps"),
        (&["--end", "-1"], 2, "E_TIME_SPEC", "--end"),
        (&["--measure", "size"], 2, "E_USAGE", "measure"),
        (&["--set", "nosuch=1"], 2, "E_UNKNOWN_NAME", "nosuch"),
        (&["--reference", "no.csv"], 5, "E_FILE", "no.csv"),
        (&["--reference", "no_t.csv"], 2, "E_REFERENCE", "column `t`"),
        (&["--reference", "text.csv"], 2, "E_REFERENCE", "line 2"),
        (&["--reference", "alien.csv"], 2, "E_REFERENCE", "stroke"),
        (&["--reference", "late.csv"], 2, "E_REFERENCE", "sample"),
        (&["--reference", "back.csv"], 2, "E_REFERENCE", "rise"),
    ];
    let bench = Bench::new(SLIDER)
        .with("no_t.csv", "time,stroke\n0,1\n1,1\n")
        .with("text.csv", "t,stroke\nzero,1\n")
        .with("alien.csv", "t,x\n0,1\n1,1\n")
        .with("late.csv", "t,stroke\n7,1\n8,1\n")
        .with("back.csv", "t,stroke\n0,1\n0.5,1\n0.4,1\n");
    for (args, exit, code, word) in cases {
        let ran = bench.run(&[&["compare", "m.toml"], *args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (*exit, ""), "{args:?}\n{}", ran.stderr);
        assert!(ran.stderr.contains(word), "{args:?}: no {word} in\n{}", ran.stderr);
        let ran = bench.run(&[&["compare", "m.toml", "--json"], *args].concat());
        let v: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&v["errors"][0]["code"], &v["code"]), (&(*code).into(), &(*exit).into()));
        bench.assert_nothing_left();
    }
}

/// Case 1 of Ruggiu and González: time to reach their two thresholds, in their measure.
#[test]
fn thresholds_of_a_published_case() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let model = format!("{root}/models/benchmarks/A1_slider_crank_case1.toml");
    let solution = format!("{root}/crates/delassus/tests/reference/A1_slider_crank_case1.csv");
    let bench = Bench::new("");
    let ran = bench.run(&[
        "compare",
        &model,
        "--json",
        "--methods",
        "mdop5",
        "--tolerances",
        "1e-5,1e-7,1e-9",
        "--reference",
        &solution,
        "--measure",
        "absolute",
        "--thresholds",
        "2e-3,2e-4",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(v["reference"]["times"], 1001);
    for (k, threshold) in [2e-3, 2e-4].into_iter().enumerate() {
        let entry = &v["thresholds"][k];
        assert_eq!((&entry["error"], &entry["decidable"]), (&threshold.into(), &true.into()));
        let best = &entry["best"];
        let row = rows(&v).iter().find(|r| r["rtol"] == best["rtol"]).unwrap();
        assert!(number(&row["error_absolute"]) <= threshold);
        // every looser run that is cheaper misses the threshold
        for other in rows(&v).iter().filter(|r| number(&r["cpu_s"]) < number(&best["cpu_s"])) {
            assert!(number(&other["error_absolute"]) > threshold);
        }
    }
}
