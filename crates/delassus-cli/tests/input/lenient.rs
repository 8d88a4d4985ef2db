//! `--lenient`: unknown keys are warnings, and nothing else is.

use crate::support;
use support::{Bench, GOOD, broken};

fn with_unknown() -> Bench {
    let text = GOOD.replace("title", "colour = \"red\"\ntitle");
    Bench::new(&text.replace("mass = 1", "mass = 1, velocty = [3, 0]"))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn rel_r08_lenient_warns_and_runs() {
    let bench = with_unknown();
    let strict = bench.refuses("E_UNKNOWN_KEY", "m.toml:2:1", "colour");
    assert!(strict.stderr.contains("E_UNKNOWN_KEY") && strict.stderr.contains("2 errors"));
    let ran = bench.run(&["run", "m.toml", "--lenient", "--out", "o"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for word in [
        "N_UNKNOWN_KEY",
        "m.toml:2:1",
        "m.toml:5:",
        "velocty",
        "did you mean `velocity`?",
        "known keys: ",
    ] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("ignored keys   2"), "{}", ran.stdout);
    let summary = json(&bench.read("o/summary.json"));
    assert_eq!((&summary["status"], &summary["ignored_keys"]), (&"done".into(), &2.into()));
    let notes = summary["notes"].as_array().unwrap();
    assert!(notes.iter().filter(|n| n["code"] == "N_UNKNOWN_KEY").count() == 2, "{notes:?}");
    // the numbers are those of the model without the keys
    let plain = Bench::new(GOOD);
    assert_eq!(plain.run(&["run", "m.toml", "--lenient", "--out", "o"]).code, 0);
    assert_eq!(bench.read("o/diagnostics.csv"), plain.read("o/diagnostics.csv"));
    assert_eq!(json(&plain.read("o/summary.json"))["ignored_keys"], 0);
}

#[test]
fn rel_r08_lenient_in_check_and_compare() {
    let bench = with_unknown();
    let ran = bench.run(&["check", "m.toml", "--lenient"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("N_UNKNOWN_KEY") && ran.stdout.contains("ignored keys   2"));
    let value = json(&bench.run(&["check", "m.toml", "--lenient", "--json"]).stdout);
    assert_eq!(value["ignored_keys"], 2);
    let compare = [
        "compare",
        "m.toml",
        "--json",
        "--methods",
        "mdop5",
        "--tolerances",
        "1e-4",
        "--end",
        "0.1",
    ];
    assert_eq!(bench.run(&compare).code, 2);
    let ran = bench.run(&[&compare[..], &["--lenient"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(json(&ran.stdout)["ignored_keys"], 2);
}

#[test]
fn rel_r08_all_ignored_keys_are_counted() {
    let many: String = (0..120).map(|i| format!("x{i} = {i}\n")).collect();
    let bench = Bench::new(&GOOD.replace("title", &format!("{many}title")));
    let ran = bench.run(&["check", "m.toml", "--lenient"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("70 more unknown keys"), "{}", ran.stderr);
    assert!(ran.stdout.contains("ignored keys   120"), "{}", ran.stdout);
}

#[test]
fn rel_r08_lenient_forgives_nothing_else() {
    // a required key that is misspelled: the warning explains why it is missing
    let bench = broken("mass = 1", "mas = 1");
    let ran =
        bench.refuses_with(&["--lenient"], 2, "E_MISSING_FIELD", "m.toml:4:", "`mass` is missing");
    assert!(ran.stderr.contains("N_UNKNOWN_KEY") && ran.stderr.contains("did you mean `mass`?"));
    assert!(!ran.stderr.contains("2 errors"));
    // nor are the warnings lost where a later stage refuses what is left
    let bench = broken(
        "between = [\"ground\", \"bar.end\"]",
        "betwen = [\"ground\", \"bar.end\"], between = []",
    );
    let ran = bench.run(&["run", "m.toml", "--lenient"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("N_UNKNOWN_KEY") && ran.stderr.contains("betwen"));
    let lenient = |from: &str, to: &str, code: &str, place: &str| {
        broken(from, to).refuses_with(&["--lenient"], 2, code, place, "");
    };
    lenient("mass = 1", "mass = [1]", "E_TYPE", "m.toml:4:");
    lenient("\"revolute\"", "\"revolut\"", "E_UNKNOWN_VALUE", "m.toml:5:");
    lenient("\"bar.end\"]", "\"bar.end\"], ratio = 2", "E_FIELD_UNUSED", "m.toml:5:");
    lenient("mass = 1", "mass = \"3 s\"", "E_DIMENSION", "m.toml:4:");
}
