//! Inputs over time from CSV files: `--input FILE` and `--input-hold FILE`.

use crate::support::{Bench, Ran};
use std::fs;

/// 2 kg, pushed, with nothing in its way.
const PUSHED: &str = "schema = 1\n\
    [input.push]\nunit = 'N'\nmin = -40\nmax = 40\n\
    [input.lift]\nunit = 'N'\ndefault = 0\n\
    [body.m]\ntype = 'planar-point'\nmass = 2\n\
    [force.f]\ntype = 'force'\nat = 'm'\nforce = ['push', 'lift']\n\
    [sensor.x]\ntype = 'position'\nof = 'm'\ncomponent = 'x'\n\
    [sensor.y]\ntype = 'position'\nof = 'm'\ncomponent = 'y'\n\
    [analysis]\nend = 1\nsample = 0.05\n";

fn bench(csv: &str) -> Bench {
    Bench::new(PUSHED).with("in.csv", csv)
}

fn last(bench: &Bench, name: &str) -> f64 {
    let text = bench.read("r.csv");
    let mut lines = text.lines();
    let column = lines.next().unwrap().split(',').position(|n| n == name).unwrap();
    lines.last().unwrap().split(',').nth(column).unwrap().parse().unwrap()
}

fn run(bench: &Bench, args: &[&str]) -> Ran {
    let ran = bench.run(&[&["run", "m.toml", "--csv", "r.csv"], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

/// Force 0 up to 0.2 s, then a ramp up to 6 N at 0.5 s, then 6 N: places at 1 s by integrals of polynomials. No method
/// with an error estimate sees a kink inside a step.
#[test]
fn straight_lines_are_exact_in_every_adaptive_method() {
    let bench = bench("time [ms],push [kN],lift\n0,0,0\n200,0,1\n500,0.006,1\n1000,0.006,1\n");
    // ramp 20 N/s for 0.3 s: v = 20 · 0.3²/2/2, x = 20 · 0.3³/6/2; then 6 N for 0.5 s
    let (v, x) = (20.0 * 0.09 / 4.0, 20.0 * 0.027 / 12.0);
    let exact = x + v * 0.5 + 6.0 * 0.25 / 4.0;
    // a ramp of 5 N/s for 0.2 s, then 1 N
    let up = 5.0 * 0.008 / 12.0 + 5.0 * 0.04 / 4.0 * 0.8 + 0.64 / 4.0;
    for method in ["dopri5", "bdf", "gen-alpha", "radau5", "mdop5"] {
        let ran = run(&bench, &["--input", "in.csv", "--method", method, "--rtol", "1e-9"]);
        assert_eq!(ran.stderr, "", "{method}");
        for (name, exact) in [("x", exact), ("y", up)] {
            let found = last(&bench, name);
            assert!((found - exact).abs() < 2e-8, "{method}: {name} is {found}, not {exact}");
        }
    }
}

/// Pushes of 0.1 s each, which begin at the times of the lines.
#[test]
fn held_values_are_exact_too() {
    let pushes = [1.0, -3.0, 0.0, 7.5, -2.0, -2.0, 4.0, 0.5, -6.0, 2.0];
    let (mut x, mut v, mut csv) = (0.0, 0.0, "t,push\n".to_owned());
    for (k, push) in pushes.iter().enumerate() {
        csv.push_str(&format!("0.{k},{push}\n"));
        x += v * 0.1 + push / 4.0 * 0.01;
        v += push / 2.0 * 0.1;
    }
    let bench = bench(&csv);
    for method in ["dopri5", "radau5"] {
        let ran = run(&bench, &["--input-hold", "in.csv", "--method", method, "--end", "1"]);
        assert!(ran.stderr.contains("N_INPUT_SPAN"), "{}", ran.stderr);
        let found = last(&bench, "x");
        assert!((found - x).abs() < 1e-9, "{method}: {found}, not {x}");
    }
}

#[test]
fn values_beyond_the_bounds_are_cut_and_told() {
    let bench = bench("t,push\n0,0\n0.5,80\n1,-50\n");
    let ran = run(&bench, &["--input", "in.csv", "--out", "o"]);
    let told = ran.stderr.contains("N_INPUT_CLIPPED") && ran.stderr.contains("2 values are beyond");
    assert!(told && ran.stderr.contains("m.toml:2:"), "{}", ran.stderr);
    let text = bench.read("o/diagnostics.csv");
    let column = text.lines().next().unwrap().split(',').position(|n| n == "push").unwrap();
    let values: Vec<f64> =
        text.lines().skip(1).map(|l| l.split(',').nth(column).unwrap().parse().unwrap()).collect();
    let most = values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    // 80 N at 0.5 s; the line between the bounds is that of the file
    assert!(most == 40.0 && (values[3] - 24.0).abs() < 1e-9, "{values:?}");
}

#[test]
fn faults_of_a_file_have_a_line_and_a_name() {
    let cases = [
        ("t,push\n0,1\n0.5,nan\n", "E_INPUT_FILE", "in.csv:3:1", "finite"),
        ("t,push\n0,1\n0.5,2\n0.5,3\n", "E_INPUT_FILE", "in.csv:4:1", "does not follow"),
        ("t,push\n0,1\n0.5,2,3\n", "E_INPUT_FILE", "in.csv:3:1", "more than 2"),
        ("t,push\n", "E_INPUT_FILE", "in.csv:2:1", "no values"),
        ("", "E_INPUT_FILE", "in.csv:1:1", "no names"),
        ("s,push\n0,1\n", "E_INPUT_FILE", "in.csv:1:1", "no column `t`"),
        ("t,pusch\n0,1\n", "E_UNKNOWN_NAME", "in.csv:1:1", "did you mean `push`"),
        ("t,push,push\n0,1,1\n", "E_DUPLICATE", "in.csv:1:1", "given twice"),
        ("t,push [mm]\n0,1\n", "E_DIMENSION", "in.csv:1:1", "expected"),
        ("t,push [Nn]\n0,1\n", "E_INPUT_FILE", "in.csv:1:1", "not a unit"),
        ("t,lift\n0,1\n", "E_INPUT_FILE", "in.csv:1:1", "no value for the input `push`"),
    ];
    for (csv, code, place, word) in cases {
        let bench = bench(csv);
        for option in ["--input", "--input-hold"] {
            bench.refuses_with(&[option, "in.csv"], 2, code, place, word);
        }
        bench.assert_nothing_left();
    }
    let bench = bench("t,push\n0,1\n");
    bench.refuses_with(&["--input", "no.csv"], 5, "E_FILE", "--input", "cannot read no.csv");
    bench.refuses_with(
        &["--input", "in.csv", "--input", "push=1"],
        2,
        "E_DUPLICATE",
        "in.csv",
        "twice",
    );
    let ran = bench.run(&["run", "m.toml", "--csv", "in.csv", "--input", "in.csv"]);
    assert!(ran.code != 0 && bench.read("in.csv") == "t,push\n0,1\n", "{}", ran.stderr);
}

/// The values are part of what a checkpoint belongs to.
#[test]
fn other_values_are_another_model() {
    let bench = bench("t,push\n0,1\n1,2\n");
    let hash = |args: &[&str]| -> String {
        let ran = bench.run(&[&["check", "m.toml", "--json"], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(json["inputs"].as_array().unwrap().len(), 2);
        json["model_sha256"].as_str().unwrap().to_owned()
    };
    let (none, line, held) =
        (hash(&[]), hash(&["--input", "in.csv"]), hash(&["--input-hold", "in.csv"]));
    assert!(none != line && line != held);
    fs::write(bench.path("in.csv"), "t,push\n0,1\n1,3\n").unwrap();
    assert_ne!(hash(&["--input", "in.csv"]), line);
}
