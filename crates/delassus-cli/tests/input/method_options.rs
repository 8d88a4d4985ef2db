//! Options of methods, on the command line and in the file.

use crate::support;
use support::{Bench, GOOD, broken};

fn with_method(text: &str) -> String {
    GOOD.replace("analysis", &format!("{text}\nanalysis"))
}

/// What the run records, to see whether an option has an effect.
fn csv(bench: &Bench, args: &[&str]) -> String {
    let mut all = vec!["run", "m.toml", "--method", "gen-alpha", "--out", "o"];
    all.extend(args);
    let ran = bench.run(&all);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    bench.read("o/diagnostics.csv")
}

#[test]
fn an_option_takes_effect_from_either_place() {
    let plain = csv(&Bench::new(GOOD), &[]);
    let short = csv(&Bench::new(GOOD), &["--rho-inf", "0.5"]);
    assert_ne!(plain, short);
    assert_eq!(short, csv(&Bench::new(GOOD), &["--method-option", "rho_inf=0.5"]));
    assert_eq!(short, csv(&Bench::new(GOOD), &["--method-option", "rho_inf=1/2"]));
    assert_eq!(short, csv(&Bench::new(&with_method("method.rho_inf = 0.5")), &[]));
    let formula = "parameters.r = 0.25\nmethod.rho_inf = \"2*r\"";
    assert_eq!(short, csv(&Bench::new(&with_method(formula)), &[]));
    // the command line has the last word, and of two arguments the later one
    let file = with_method("method.rho_inf = 0.1");
    assert_eq!(short, csv(&Bench::new(&file), &["--rho-inf", "0.5"]));
    let twice = ["--method-option", "rho_inf=1", "--method-option", "rho_inf=0.5"];
    assert_eq!(short, csv(&Bench::new(&file), &twice));
}

#[test]
fn an_option_of_another_method_is_noted_in_a_file_and_refused_in_a_command() {
    let bench = Bench::new(&with_method("method.rho_inf = 0.5"));
    let ran = bench.run(&["run", "m.toml", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let notes = v["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!((&notes[0]["code"], &notes[0]["line"]), (&"N_METHOD_OPTION".into(), &6.into()));
    assert!(notes[0]["help"].as_str().unwrap().contains("gen-alpha"));
    let ran = bench.run(&["run", "m.toml", "--method", "gen-alpha", "--json"]);
    let v: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(v["notes"].as_array().unwrap().len(), 0);
    let bench = Bench::new(GOOD);
    let ran = bench.refuses_with(
        &["--method-option", "rho_inf=0.5"],
        2,
        "E_METHOD_OPTION",
        "--method-option rho_inf=0.5",
        "mdop5 has no option",
    );
    assert!(ran.stderr.contains("gen-alpha"), "{}", ran.stderr);
}

#[test]
fn bad_options_are_refused_with_place_and_rule() {
    let line = "method = { name = \"gen-alpha\", rho_inf = 1.5 }\nanalysis";
    broken("analysis", line).refuses("E_RANGE", "m.toml:6:42", "from 0 to 1");
    let line = "method = { name = \"gen-alpha\", rho_inf = \"fast\" }\nanalysis";
    broken("analysis", line).refuses("E_UNKNOWN_NAME", "m.toml:6:", "fast");
    let line = "method = { name = \"gen-alpha\", rho_inf = [1] }\nanalysis";
    broken("analysis", line).refuses("E_TYPE", "m.toml:6:", "a number");
    let line = "method.rho_infinity = 0.5\nanalysis";
    broken("analysis", line).refuses("E_UNKNOWN_KEY", "m.toml:6:8", "rho_inf");
    let refuse = |arg: &str, code: &str, word: &str| {
        let args = ["--method", "gen-alpha", "--method-option", arg];
        Bench::new(GOOD).refuses_with(&args, 2, code, "--method-option", word);
    };
    refuse("rho_inf=1.5", "E_RANGE", "from 0 to 1");
    refuse("rho_inf=fast", "E_UNKNOWN_NAME", "fast");
    refuse("max_order=2.5", "E_RANGE", "whole number from 1 to 5");
    refuse("omega=3 s", "E_DIMENSION", "1/s");
    refuse("rho_inf=nan", "E_NONFINITE", "finite");
    refuse("rho_imf=0.5", "E_METHOD_OPTION", "rho_inf");
    let ran = Bench::new(GOOD).run(&["run", "m.toml", "--method-option", "rho_inf"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("NAME=VALUE"));
}
