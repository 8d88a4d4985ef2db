//! `delassus bench`.

use crate::support;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use support::{Bench, GOOD, list};

/// A pendulum as a set of one's own; `end` says how long its runs take.
fn pendulum(end: &str) -> String {
    format!(
        "schema = 1\ntitle = \"pendulum\"\ngravity = [0, -9.81]\n\
         body.bob = {{ type = \"planar-point\", mass = 1, position = [1, 0] }}\n\
         joint.rod = {{ type = \"distance\", between = [\"ground\", \"bob\"] }}\n\
         sensor.bob = {{ type = \"position\", of = \"bob\" }}\n\
         analysis = {{ end = {end}, sample = 0.1 }}\n"
    )
}

const BALL: &str = r#"schema = 1
gravity = [0, -9.81]
body.ball = { type = "planar", mass = 1, inertia = 0.1, position = [0, 1] }
shape.ball = { type = "circle", body = "ball", radius = 0.1 }
shape.floor = { type = "half-plane", body = "ground" }
contact.floor = { between = ["ball", "floor"], restitution = 0.5 }
sensor.y = { type = "position", of = "ball", component = "y" }
analysis = { end = 0.8, sample = 1e-2 }
"#;

/// A folder `set` with models beside `m.toml`.
fn set(models: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(GOOD);
    fs::create_dir(bench.path("set")).unwrap();
    for (name, text) in models {
        fs::write(bench.path(&format!("set/{name}")), text).unwrap();
    }
    bench
}

fn small() -> Bench {
    set(&[("pendulum.toml", &pendulum("2")), ("ball.toml", BALL)])
}

const ARGS: [&str; 6] =
    ["bench", "set", "--methods", "mdop5,gen-alpha-ggl,rk4", "--rtols", "1e-4,1e-6"];

fn json(bench: &Bench, file: &str) -> Value {
    serde_json::from_str(&bench.read(file)).unwrap()
}

/// The table without the last column, which is measured time.
fn same(csv: &str) -> Vec<&str> {
    csv.lines().map(|l| l.rsplit_once(',').unwrap().0).collect()
}

#[test]
fn a_table_its_files_and_their_order() {
    let bench = small();
    let ran = bench.run(&ARGS);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    for word in [
        "Benchmark of set",
        "12: 2 mechanisms, 3 methods, rtol 1e-4, 1e-6",
        "0 stored, 2 made for this table, 0 missing",
        "CPU time at rtol 1e-4, 2 mechanisms",
        "ρ(1.2)",
        "average h",
    ] {
        assert!(ran.stdout.contains(word), "{word}:\n{}", ran.stdout);
    }
    let mut files = list(&bench.path("out/bench-set"));
    files.sort();
    assert_eq!(
        files,
        [
            "bench.csv",
            "bench.html",
            "bench.json",
            "bench.md",
            "bench.parquet",
            "journal.jsonl",
            "profile_error.svg",
            "profile_tolerance.svg",
            "profile_work.svg",
            "references",
            "references/ball.csv",
            "references/pendulum.csv",
            "steps.svg"
        ]
    );
    let csv = bench.read("out/bench-set/bench.csv");
    let order: Vec<String> =
        csv.lines().skip(1).map(|l| l.split(',').take(3).collect::<Vec<_>>().join(" ")).collect();
    let mut expected = Vec::new();
    for model in ["ball", "pendulum"] {
        for method in ["mdop5", "gen-alpha-ggl", "rk4"] {
            expected.extend(["0.0001", "1e-6"].map(|r| format!("{model} {method} {r}")));
        }
    }
    assert_eq!(order, expected);
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let cell = |row: usize, name: &str| {
        csv.lines().nth(row + 1).unwrap().split(',').nth(column(name)).unwrap().to_owned()
    };
    for row in (6..12).step_by(2) {
        let error = |row: usize| cell(row, "error_relative").parse::<f64>().unwrap();
        assert!(error(row + 1) < 0.3 * error(row), "{csv}");
        assert_eq!(
            (cell(row, "status").as_str(), cell(row, "reference").as_str()),
            ("done", "own")
        );
    }
    let v = json(&bench, "out/bench-set/bench.json");
    assert_eq!((&v["status"], &v["runs"]), (&"done".into(), &12.into()));
    assert_eq!(v["own_references"].as_array().unwrap().len(), 2);
    let asked: Vec<(&str, f64)> = v["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["by"].as_str().unwrap(), p["level"].as_f64().unwrap()))
        .collect();
    assert_eq!(
        asked,
        [
            ("tolerance", 1e-4),
            ("tolerance", 1e-6),
            ("error", 1e-3),
            ("error", 1e-5),
            ("error", 1e-7),
            ("work", 1e-3),
            ("work", 1e-5),
            ("work", 1e-7)
        ]
    );
    // the page has its data and nothing from elsewhere
    let page = bench.read("out/bench-set/bench.html");
    assert!(page.contains("\"pendulum\"") && !page.contains("/*DATA*/"));
    assert!(!page.contains("src=") && !page.contains("href="));
    let parquet = fs::read(bench.path("out/bench-set/bench.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let text = String::from_utf8_lossy(&parquet).into_owned();
    assert!(names.iter().all(|n| text.contains(n)) && text.contains("gen-alpha-ggl"));

    // the same again repeats nothing: the measured times are those of before
    let again = bench.run(&[&ARGS[..], &["--json"]].concat());
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(bench.read("out/bench-set/bench.csv"), csv);
    assert_eq!(fs::read(bench.path("out/bench-set/bench.parquet")).unwrap(), parquet);
    assert_eq!(bench.read("out/bench-set/journal.jsonl").lines().count(), 12);
    assert_eq!(serde_json::from_str::<Value>(&again.stdout).unwrap()["profiles"], v["profiles"]);

    // part of it, and one more tolerance: only what is new is run
    let part = [
        "bench",
        "set",
        "--methods",
        "mdop5",
        "--rtols",
        "1e-6,1e-5",
        "--filter",
        "b?ll",
        "--quiet",
    ];
    assert_eq!(bench.run(&part).stdout, "");
    let csv = bench.read("out/bench-set/bench.csv");
    assert_eq!(
        csv.lines().skip(1).map(|l| l.split(',').nth(2).unwrap()).collect::<Vec<_>>(),
        ["0.00001", "1e-6"]
    );
    assert_eq!(bench.read("out/bench-set/journal.jsonl").lines().count(), 13);
}

#[test]
fn failures_are_rows_with_their_codes() {
    let bench = small();
    let v = {
        let args = [
            "bench",
            "set",
            "--methods",
            "mdop5,moreau-jean,lin-euler",
            "--rtols",
            "1e-8",
            "--max-time",
            "20 ms",
            "--json",
        ];
        let ran = bench.run(&[&args[..], &["--strict"]].concat());
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    assert_eq!((&v["status"], &v["runs"]), (&"doubtful".into(), &6.into()));
    let failed = v["failed"].as_array().unwrap();
    assert!(
        failed.iter().any(|f| f["code"] == "E_TIME_LIMIT" && f["method"] == "lin-euler"),
        "{v}"
    );
    assert!(
        failed
            .iter()
            .all(|f| f["code"].as_str().unwrap().starts_with("E_") && f["message"].is_string())
    );
}

/// Waits until a file has some lines.
fn wait_for(path: &Path, lines: usize) {
    let clock = Instant::now();
    while fs::read_to_string(path).map_or(0, |t| t.lines().count()) < lines {
        assert!(clock.elapsed() < Duration::from_secs(50), "{}", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
#[test]
fn a_killed_benchmark_goes_on_and_gives_the_same_table() {
    use std::process::{Command, Stdio};
    let long = pendulum("60");
    let models = [("a.toml", long.as_str()), ("b.toml", &long.replace("mass = 1", "mass = 2"))];
    let bench = set(&models);
    let methods = ["--methods", "mdop5,hem5,gen-alpha-ggl", "--rtols", "1e-3,1e-5", "--jobs", "1"];
    let args =
        |out: &'static str| [&["bench", "set", "--quiet", "--out", out][..], &methods].concat();
    assert_eq!(bench.run(&args("whole")).code, 0);
    let whole = bench.read("whole/bench.csv");
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_delassus"))
            .current_dir(bench.dir.path())
            .args(args("cut"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let journal = bench.path("cut/journal.jsonl");
    // killed while a reference is made, it goes on too
    let mut child = start();
    while !journal.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // twice, each time after some more runs
    for lines in [2, 5] {
        let mut child = start();
        wait_for(&journal, lines);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(!bench.path("cut/bench.csv").exists(), "killed too late to show anything");
    let kept = bench.read("cut/journal.jsonl");
    assert_eq!(bench.run(&args("cut")).code, 0);
    let resumed = bench.read("cut/bench.csv");
    assert_eq!(same(&resumed), same(&whole));
    // what had ended was not run again: its times are those of the journal
    let journal = bench.read("cut/journal.jsonl");
    assert!(journal.starts_with(&kept) && journal.lines().count() == 12, "{journal}");
    for line in kept.lines() {
        let run: Value = serde_json::from_str(line).unwrap();
        let cpu = run["cost"]["cpu_s"].as_str().unwrap();
        assert!(resumed.lines().any(|l| l.ends_with(&format!(",{cpu}"))), "{cpu}:\n{resumed}");
    }
    assert_eq!(bench.read("cut/references/a.csv"), bench.read("whole/references/a.csv"));
}

#[cfg(unix)]
#[test]
fn the_second_one_in_a_folder_is_refused_and_a_signal_keeps_the_rows() {
    use std::process::{Command, Stdio};
    let bench = set(&[("a.toml", &pendulum("20"))]);
    let args =
        ["bench", "set", "--methods", "mdop5,newmark", "--rtols", "1e-2,1e-13", "--jobs", "1"];
    let child = Command::new(env!("CARGO_BIN_EXE_delassus"))
        .current_dir(bench.dir.path())
        .args(args)
        .args(["--max-time", "40 s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // three short runs, and one that takes long
    wait_for(&bench.path("out/bench-set/journal.jsonl"), 3);
    let second = bench.run(&args);
    assert_eq!(second.code, 5);
    assert!(second.stderr.contains("E_OUTPUT_BUSY"), "{}", second.stderr);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        text.contains("INTERRUPTED after") && text.contains("the same command goes on"),
        "{text}"
    );
    let rows = bench.read("out/bench-set/bench.csv").lines().count();
    assert_eq!(rows, 4);
    assert_eq!(json(&bench, "out/bench-set/bench.json")["status"], "interrupted");
}

#[test]
fn stored_references_are_made_used_and_checked() {
    let bench = small();
    let made = bench.run(&["bench", "set", "--make-references"]);
    assert_eq!((made.code, made.stderr.as_str()), (0, ""));
    assert!(
        made.stdout.contains("ball: agreed to 1e-6")
            && made.stdout.contains("2 made, 0 kept, 0 not made"),
        "{}",
        made.stdout
    );
    let text = bench.read("set/reference/pendulum.csv");
    assert!(text.starts_with("# reference of pendulum: pendulum\n# model: "), "{text}");
    assert!(text.contains("\nt,bob.x,bob.y\n") && text.contains("# uncertainty: "));
    let rows = text.lines().filter(|l| !l.starts_with('#')).count();
    assert!((15..=41).contains(&rows), "{text}");
    // what is there is kept, `compare` can read it, and the next benchmark uses it
    let again = bench.run(&["bench", "set", "--make-references"]);
    assert!(again.stdout.contains("0 made, 2 kept, 0 not made"), "{}", again.stdout);
    let compared = [
        "compare",
        "set/pendulum.toml",
        "--reference",
        "set/reference/pendulum.csv",
        "--sample",
        "0.1",
    ];
    let compared = bench.run(&[&compared[..], &["--methods", "mdop5", "--json"]].concat());
    assert_eq!(compared.code, 0, "{}", compared.stderr);
    let args = ["bench", "set", "--methods", "mdop5,hem5", "--rtols", "1e-6", "--strict", "--json"];
    let ran = bench.run(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(v["own_references"].as_array().unwrap().len(), 0);
    // a comment does not make a reference old, another mass does
    let model = pendulum("2");
    fs::write(
        bench.path("set/pendulum.toml"),
        format!("# said\n{}", model.replace("\"pendulum\"", "\"other\"")),
    )
    .unwrap();
    assert_eq!(bench.run(&args).code, 0);
    fs::write(bench.path("set/pendulum.toml"), model.replace("mass = 1", "mass = 3")).unwrap();
    let old = bench.run(&args);
    assert_eq!(old.code, 4);
    assert!(old.stderr.contains("N_REFERENCE_OLD"), "{}", old.stderr);
    let v: Value = serde_json::from_str(&old.stdout).unwrap();
    assert_eq!(v["own_references"], serde_json::json!(["pendulum"]));
    // a reference with a wrong value is found
    fs::write(bench.path("set/pendulum.toml"), &model).unwrap();
    let (head, last) = text.trim_end().rsplit_once('\n').unwrap();
    let t = last.split(',').next().unwrap();
    fs::write(bench.path("set/reference/pendulum.csv"), format!("{head}\n{t},0.5,0.5\n")).unwrap();
    let wrong = bench.run(&args);
    assert_eq!(wrong.code, 4);
    let v: Value = serde_json::from_str(&wrong.stdout).unwrap();
    let off = v["off"].as_array().unwrap();
    assert!(off.len() == 2 && off.iter().all(|o| o["mechanism"] == "pendulum"), "{v}");
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let silent = pendulum("1").replace("sensor.bob = { type = \"position\", of = \"bob\" }\n", "");
    let bench = set(&[("a.toml", &pendulum("1")), ("silent.toml", &silent)]);
    fs::create_dir(bench.path("empty")).unwrap();
    fs::write(bench.path("empty/readme.md"), "none").unwrap();
    fs::create_dir(bench.path("broken")).unwrap();
    fs::write(bench.path("broken/a.toml"), pendulum("1").replace("mass = 1", "mass = -1")).unwrap();
    fs::create_dir(bench.path("misfit")).unwrap();
    fs::write(bench.path("misfit/a.toml"), pendulum("1")).unwrap();
    let refused = |args: &[&str], exit: i32, code: &str, words: &[&str]| {
        let ran = bench.run(&[&["bench"], args].concat());
        assert_eq!(ran.code, exit, "{args:?}: {}", ran.stderr);
        let all = words.iter().chain([&code, &"help: "]);
        all.for_each(|w| assert!(ran.stderr.contains(w), "{args:?}: no {w} in {}", ran.stderr));
        assert!(!bench.path("out").exists(), "{args:?}");
    };
    refused(&["empty"], 2, "E_BENCH_SET", &["empty has no models", ".toml"]);
    refused(&["nowhere"], 5, "E_FILE", &["no folder nowhere", "smooth"]);
    refused(&["m.toml"], 2, "E_BENCH_SET", &["not a folder"]);
    refused(&["set"], 2, "E_BENCH_SENSORS", &["set/silent.toml", "[sensor."]);
    refused(
        &["set", "--filter", "silemt"],
        2,
        "E_UNKNOWN_NAME",
        &["silemt", "did you mean `silent`"],
    );
    refused(
        &["set", "--filter", "a", "--methods", "mdop5,hem6"],
        2,
        "E_UNKNOWN_METHOD",
        &["hem6", "hem5"],
    );
    refused(&["set", "--filter", "a", "--rtols", "1e-4,2"], 2, "E_TOLERANCE", &["--rtols"]);
    refused(&["set", "--filter", "a", "--rtols", "-1"], 2, "E_RANGE", &["--rtols"]);
    refused(&["set", "--max-time", "0"], 2, "E_RANGE", &["--max-time"]);
    refused(&["broken"], 2, "E_", &["broken/a.toml:"]);
    // references that do not fit
    fs::create_dir(bench.path("misfit/reference")).unwrap();
    let model = {
        let made = bench.run(&["bench", "misfit", "--make-references", "--quiet"]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        bench.read("misfit/reference/a.csv")
    };
    for (from, to, words) in [
        ("t,bob.x,bob.y", "t,bob.x,arm.y", &["`arm.y` is no sensor", "bob.y"][..]),
        ("t,bob.x,bob.y", "x,bob.x,bob.y", &["first column"]),
        ("# uncertainty: ", "# accuracy: ", &["no line `# uncertainty"]),
        ("# uncertainty: ", "# uncertainty: 1,", &["one number for each column"]),
        ("\n0.5,", "\n0.55,", &["no sample times"]),
        ("\n0.5,", "\nhalf,", &["line "]),
    ] {
        assert!(model.contains(from), "{from}: {model}");
        fs::write(bench.path("misfit/reference/a.csv"), model.replacen(from, to, 1)).unwrap();
        refused(
            &["misfit"],
            2,
            "E_REFERENCE",
            &[&["misfit/reference/a.csv", "--make-references"], words].concat(),
        );
    }
    // a folder with other things in it
    let foreign = bench.run(&["bench", "set", "--filter", "a", "--out", "."]);
    assert_eq!(foreign.code, 5);
    assert!(foreign.stderr.contains("E_OUTPUT_EXISTS"));
}

/// Few samples are enough if the families agree to the end, and none of the methods counts twice.
#[test]
fn few_samples_and_methods_named_twice() {
    let bench = set(&[("a.toml", &pendulum("0.25"))]);
    let args = ["bench", "set", "--methods", "mdop5,hem5,mdop5", "--rtols", "1e-6,1e-6", "--json"];
    let ran = bench.run(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&v["methods"], &v["runs"]), (&serde_json::json!(["mdop5", "hem5"]), &2.into()));
    assert_eq!(v["own_references"], serde_json::json!(["a"]));
    // the end is not among the samples
    assert!(bench.read("out/bench-set/references/a.csv").contains("\n0.2,"));
    // what nothing can agree on has no reference, which is told
    fs::write(bench.path("set/a.toml"), pendulum("20")).unwrap();
    let none = bench.run(&[&args[..], &["--max-time", "1 us"]].concat());
    assert_eq!(none.code, 3);
    assert!(
        none.stderr.contains("N_NO_REFERENCE") && none.stderr.contains("a: no reference"),
        "{}",
        none.stderr
    );
    let v: Value = serde_json::from_str(&none.stdout).unwrap();
    assert_eq!((&v["status"], &v["no_reference"]), (&"failed".into(), &serde_json::json!(["a"])));
    assert!(v["failed"].as_array().unwrap().iter().all(|f| f["code"] == "E_TIME_LIMIT"), "{v}");
}

/// Models that others include are parts, and a set may have both.
#[test]
fn parts_of_models_are_no_models() {
    let whole = pendulum("1").replace("gravity = [0, -9.81]\n", "include = [\"part.toml\"]\n");
    let part = "schema = 1\ngravity = [0, -9.81]\nsensor.x = { type = \"position\", of = \"bob\", component = \"x\" }\n";
    let bench = set(&[("whole.toml", &whole), ("part.toml", part)]);
    let ran = bench.run(&["bench", "set", "--methods", "mdop5", "--rtols", "1e-4", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(v["mechanisms"], serde_json::json!(["whole"]));
}

/// One in so many mechanisms of the library is run here; `cargo xtask library` runs all of them.
const EVERY: usize = 4;

/// The default method and one of another family against stored references of the library. Its models, methods and
/// references are of different hands: none of them may change alone.
#[test]
fn a_part_of_the_library_agrees_with_its_references() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/library");
    let bench = Bench::new(GOOD);
    let mut sets = 0;
    for set in fs::read_dir(&library).unwrap().map(|e| e.unwrap().path()) {
        let mut names = if set.is_dir() { list(&set) } else { Vec::new() };
        names.retain(|n| n.starts_with("reference/") && n.ends_with(".csv"));
        names.sort();
        let part =
            names.iter().step_by(EVERY).map(|n| &n["reference/".len()..n.len() - ".csv".len()]);
        let part: Vec<&str> = part.collect();
        if part.is_empty() {
            continue;
        }
        sets += 1;
        // where bodies bend, explicit methods are held to the vibrations of their elements
        let methods = if set.ends_with("flexible") { "default,bdf" } else { "default,phem56" };
        let (set, part) = (set.to_string_lossy().into_owned(), part.join(","));
        let args = ["bench", &set, "--filter", &part, "--methods", methods, "--rtols", "1e-6"];
        let ran = bench.run(&[&args[..], &["--off", "1000", "--strict", "--json"]].concat());
        let v: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(ran.code, 0, "{}\n{}\n{}", v["failed"], v["off"], ran.stderr);
    }
    assert!(sets >= 3, "{}", library.display());
}

/// Closed forms and published solutions of the library, alone in a folder: they take the place of references.
#[test]
fn the_library_agrees_with_exact_solutions() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/library");
    let bench = set(&[]);
    let exact = bench.path("set/exact");
    fs::create_dir(&exact).unwrap();
    for set in ["smooth", "impacts"].map(|s| library.join(s)) {
        for file in fs::read_dir(set.join("exact")).unwrap().map(|e| e.unwrap().path()) {
            fs::copy(&file, exact.join(file.file_name().unwrap())).unwrap();
            let model = Path::new(file.file_stem().unwrap()).with_extension("toml");
            fs::copy(set.join(&model), bench.path("set").join(&model)).unwrap();
        }
    }
    let args = ["bench", "set", "--methods", "default,hem5,radau5", "--rtols", "1e-8"];
    let strict = ["--off", "1000", "--strict", "--json"];
    let ran = bench.run(&[&args[..], &strict].concat());
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, 0, "{}\n{}\n{}", v["failed"], v["off"], ran.stderr);
    let names = v["exact_references"].as_array().unwrap();
    assert!(names.len() >= 10 && v["runs"] == 3 * names.len(), "{v}");
}

/// An exact solution counts where nothing else is stored, says where it is from, and rejects a reference that
/// contradicts it.
#[test]
fn exact_solutions_confirm_references() {
    let fall = "schema = 1\ngravity = [0, -10]\nbody.ball = { type = \"planar-point\", mass = 1 }\n\
        sensor.y = { type = \"position\", of = \"ball\", component = \"y\" }\n\
        analysis = { end = 2, sample = 0.1 }\n";
    let bench = set(&[("fall.toml", fall)]);
    fs::create_dir(bench.path("set/exact")).unwrap();
    let write = |text: &str| fs::write(bench.path("set/exact/fall.csv"), text).unwrap();
    let args = ["bench", "set", "--methods", "default,mdop5", "--rtols", "1e-6", "--json"];
    write("# uncertainty: 1e-12\nt,y\n1,-5\n2,-20\n");
    let unnamed = bench.run(&args);
    assert_eq!(unnamed.code, 2);
    assert!(unnamed.stderr.contains("# source: "), "{}", unnamed.stderr);
    write("# source: Galilei\n# uncertainty: 1e-12\nt,y\n1,-5\n2,-20\n");
    let ran = bench.run(&[&args[..], &["--strict"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(v["exact_references"], serde_json::json!(["fall"]));
    // the default method is `mdop5`: one run under two names
    assert_eq!(v["methods"], serde_json::json!(["default", "mdop5"]));
    assert_eq!(bench.read("out/bench-set/journal.jsonl").lines().count(), 1);
    let csv = bench.read("out/bench-set/bench.csv");
    assert!(csv.contains("fall,default,1e-6") && csv.contains("fall,mdop5,1e-6"), "{csv}");
    // a wrong one is told
    write("# source: Galilei\n# uncertainty: 1e-12\nt,y\n1,-5\n2,-21\n");
    assert_eq!(bench.run(&[&args[..], &["--strict"]].concat()).code, 4);
    let made = bench.run(&["bench", "set", "--make-references"]);
    assert_eq!(made.code, 4);
    assert!(made.stdout.contains("from the exact solution"), "{}", made.stdout);
    write("# source: Galilei\n# uncertainty: 1e-12\nt,y\n1,-5\n2,-20\n");
    assert_eq!(bench.run(&["bench", "set", "--make-references"]).code, 0);
    // of another text of the model, if it says so
    write("# source: Galilei\n# model: 12\n# uncertainty: 1e-12\nt,y\n1,-5\n");
    fs::remove_dir_all(bench.path("set/reference")).unwrap();
    let old = bench.run(&args);
    assert!(
        old.stderr.contains("N_REFERENCE_OLD") && old.stderr.contains("exact"),
        "{}",
        old.stderr
    );
}

/// A vibration that nobody sees: a refusal with its name, not hours, which `--strict` accepts if it is told to.
#[test]
fn a_hopeless_method_is_refused_by_name() {
    let stiff = "schema = 1\ngravity = [0, -9.81]\n\
        body.a = { type = \"planar\", mass = 1, inertia = 0.1, position = [0.5, 0], markers = { l = [-0.5, 0], r = [0.5, 0] } }\n\
        body.b = { type = \"planar\", mass = 1, inertia = 0.1, position = [1.5, 0], markers = { l = [-0.5, 0] } }\n\
        joint.r = { type = \"revolute\", between = [\"ground\", \"a.l\"] }\n\
        force.s = { type = \"bushing\", between = [\"a.r\", \"b.l\"], stiffness = [1e10, 1e10, 0, 0, 0, 1e8], damping = [1e4, 1e4, 0, 0, 0, 100] }\n\
        sensor.y = { type = \"position\", of = \"b\", component = \"y\" }\nanalysis = { end = 25, sample = 0.1 }\n";
    let bench = set(&[("links.toml", stiff)]);
    // two implicit methods of different kinds confirm each other
    let certify = ["certify", "set/links.toml", "--rtol", "1e-5", "--accuracy", "1e-4", "--json"];
    let certified = bench.run(&certify);
    assert_eq!(certified.code, 0, "{}", certified.stderr);
    let words = ["\"multistep\"", "\"implicit\"", "\"E_STIFF\""];
    assert!(words.iter().all(|w| certified.stdout.contains(w)), "{}", certified.stdout);
    // any answer will do here
    fs::create_dir(bench.path("set/exact")).unwrap();
    let loose = "# source: the size of the model\n# uncertainty: 10\nt,y\n1,0\n";
    fs::write(bench.path("set/exact/links.csv"), loose).unwrap();
    let args =
        ["bench", "set", "--methods", "radau5,mdop5", "--rtols", "1e-4", "--strict", "--json"];
    let ran = bench.run(&args);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, 4);
    assert_eq!(v["failed"][0]["code"], "E_STIFF", "{v}");
    assert!(bench.read("out/bench-set/bench.md").contains("| mdop5 | 1 `E_STIFF` |"));
    assert_eq!(bench.run(&[&args[..], &["--accept", "E_STIFF"]].concat()).code, 0);
    let bad = bench.run(&[&args[..], &["--accept", "STIFF"]].concat());
    assert!(bad.code == 2 && bad.stderr.contains("--accept"), "{}", bad.stderr);
}
