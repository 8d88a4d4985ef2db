//! `check`, `new`, `schema`, `methods`, help and usage.

use crate::support;
use support::{Bench, GOOD};

#[test]
fn rel_r13_check_names_redundant_joints() {
    let text = include_str!("../../src/starters/four-bar.toml");
    let mut tripled = String::new();
    for (k, part) in text.split("[joint.").enumerate() {
        let (joint, rest) = part.split_at(part.find("\n\n").map_or(part.len(), |i| i + 2));
        if k == 0 {
            tripled.push_str(part);
            continue;
        }
        let (name, body) = joint.split_once(']').unwrap();
        for suffix in ["", "_second", "_third"] {
            tripled.push_str(&format!("[joint.{name}{suffix}]{body}"));
        }
        tripled.push_str(rest);
    }
    let bench = Bench::new(&tripled);
    let ran = bench.run(&["check", "m.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for word in [
        "A_second",
        "D_third",
        "translation x",
        "24, rank 8",
        "1 degree of freedom, 9 velocities",
        "not unique",
        "crank, coupler",
    ] {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
    assert!(ran.stderr.contains("N_REDUNDANT"));
    let json = bench.run(&["check", "m.toml", "--json"]);
    let v: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&v["mobility"], &v["rank"]), (&1.into(), &8.into()));
    assert_eq!(v["redundancy"].as_array().unwrap().len(), 16);
    assert_eq!(v["non_unique_reactions"].as_array().unwrap().len(), 12);
    bench.assert_nothing_left();
    let ran = bench.run(&["run", "m.toml", "--csv", "x.csv", "--end", "0.1"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("16 constraints") && ran.stderr.contains("N_REDUNDANT"));
}

#[test]
fn check_says_how_far_bodies_were_moved() {
    let bench = Bench::new(&GOOD.replace("position = [1, 0]", "position = [1, 1e-3]"));
    let ran = bench.run(&["check", "m.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("bar by "), "{}", ran.stdout);
}

#[test]
fn starters_run() {
    for kind in ["pendulum", "slider-crank", "four-bar", "chain"] {
        let bench = Bench::new("");
        let ran = bench.run(&["new", "--kind", kind]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let file = format!("{kind}.toml");
        assert!(ran.stdout.contains(&file));
        let ran = bench.run(&["run", &file]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let csv = bench.read(&format!("out/{kind}/results.csv"));
        assert!(csv.starts_with("t,"));
        let again = bench.run(&["new", &file, "--kind", kind]);
        assert_eq!(again.code, 5);
        assert!(again.stderr.contains("E_OUTPUT_EXISTS"));
    }
    let bench = Bench::new("");
    assert_eq!(bench.run(&["new", "own.toml"]).code, 0);
    assert_eq!(bench.run(&["check", "own.toml"]).code, 0);
    assert_eq!(bench.run(&["new", "missing/own.toml"]).code, 5);
}

#[test]
fn schema_and_methods() {
    let bench = Bench::new("");
    let ran = bench.run(&["schema"]);
    assert_eq!(ran.code, 0);
    let v: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(v["properties"]["body"].is_object());
    let method = &v["$defs"]["MethodSpec"];
    assert_eq!(method["additionalProperties"], false, "{method}");
    assert!(method["properties"]["rho_inf"]["description"].is_string());
    assert!(method["properties"]["rtol"].is_object());
}

#[test]
fn methods_in_a_table_and_in_full() {
    let bench = Bench::new("");
    let ran = bench.run(&["methods"]);
    let line = ran.stdout.lines().find(|l| l.starts_with("mdop5 ")).unwrap();
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells, ["mdop5", "5/5/5", "5", "1", "-", "yes", "yes", "yes", "yes"]);
    let heading = ran.stdout.lines().next().unwrap();
    for word in ["order q/v/λ", "index", "stiff", "adaptive", "redundant", "singular", "rolling"] {
        assert!(heading.contains(word), "{word}");
    }
    let ran = bench.run(&["methods", "gen-alpha"]);
    for word in ["order", "rho_inf", "0 to 1", "default 0.9", "literature", "adaptive"] {
        assert!(ran.stdout.contains(word), "{word}: {}", ran.stdout);
    }
    assert!(bench.run(&["methods", "mdop5"]).stdout.contains("Dormand"));
    let all: serde_json::Value =
        serde_json::from_str(&bench.run(&["methods", "--json"]).stdout).unwrap();
    let list = all.as_array().unwrap();
    assert!(list.iter().any(|m| m["name"] == "mdop5" && m["order_positions"] == 5));
    let one = bench.run(&["methods", "gen-alpha", "--json"]).stdout;
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    let rho = &one["options"].as_array().unwrap()[0];
    assert_eq!((&rho["name"], &rho["kind"]), (&"rho_inf".into(), &"number".into()));
    assert_eq!((&rho["min"], &rho["max"]), (&0.0.into(), &1.0.into()));
    let ran = bench.run(&["methods", "mdop6"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("E_UNKNOWN_METHOD") && ran.stderr.contains("mdop5"));
}

#[test]
fn help_version_and_usage() {
    let bench = Bench::new("");
    let ran = bench.run(&["--version"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, concat!("delassus ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    assert!(bench.run(&["run", "--help"]).stdout.contains("--rho-inf"));
    for args in [
        &["--bogus"][..],
        &[],
        &["run"],
        &["fly"],
        &["run", "m.toml", "--csv"],
        &["new", "--kind", "x"],
    ] {
        let ran = bench.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("Usage") || ran.stderr.contains("--help"), "{}", ran.stderr);
    }
    let ran = bench.run(&["run", "m.toml", "--json", "--bog\x1b[31mus"]);
    let v: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &v["errors"][0]["code"]), (2, &"E_USAGE".into()));
    bench.assert_nothing_left();
}

#[test]
fn fields_of_all_sections_of_one_type_and_of_none() {
    let bench = Bench::new("");
    let all = bench.run(&["fields"]);
    assert!(
        all.stdout.contains("[joint.NAME] type = \"revolute\"")
            && all.stdout.contains("[sensor.NAME]")
    );
    let one = bench.run(&["fields", "joint", "screw", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&one.stdout).unwrap();
    let pitch =
        json[0]["fields"].as_array().unwrap().iter().find(|f| f["name"] == "pitch").unwrap();
    assert_eq!(
        (&pitch["of"], &pitch["sign"], &pitch["required"]),
        (&"m".into(), &"not zero".into(), &true.into())
    );
    let none = bench.run(&["fields", "joint", "srew"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("`screw`"), "{}", none.stderr);
}
