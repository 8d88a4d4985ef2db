//! `--limit NAME=VALUE`: every limit can be met, says its name, and can be raised.
#![allow(clippy::unwrap_used)] // helpers of tests

mod support;
use support::{Bench, GOOD};

/// The model is refused with a limit and comes through with a higher one; the advice is to
/// raise just this one.
fn raised(bench: &Bench, name: &str, low: &str, high: &str) {
    let ran = bench.run(&["run", "m.toml", "--json", "--limit", &format!("{name}={low}")]);
    assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
    for word in ["E_LIMIT", &format!("--limit {name}=N")] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    let ran = bench.run(&["run", "m.toml", "--json", "--limit", &format!("{name}={high}")]);
    assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
}

#[test]
fn rel_r33_each_limit_by_name() {
    let good = Bench::new(GOOD);
    raised(&good, "file-bytes", "100", "2^20");
    raised(&good, "depth", "3", "200");
    raised(&good, "tokens", "20", "1e4");
    raised(&good, "entries", "1", "10");
    raised(&good, "elements", "1", "10");
    raised(&good, "result-bytes", "1000", "8 * 2^30");
    let text = "schema = 1\ninclude = [\"a.toml\", \"b.toml\"]\n";
    let parts = Bench::new(text).with("a.toml", "include = [\"c.toml\"]\n");
    let parts =
        parts.with("b.toml", "body.p = { type = \"point\", mass = 1 }\n").with("c.toml", "");
    raised(&parts, "total-bytes", "60", "1000");
    raised(&parts, "includes", "2", "3");
    raised(&parts, "include-depth", "1", "2");
}

#[test]
fn rel_r33_raised_beyond_the_default() {
    // more elements than the 200 000 of the default would take long; the reader's own limits do not
    let text = format!("schema = 1\n#{}\n", "x".repeat(17 << 20));
    let bench = Bench::new(&text);
    bench.refuses("E_LIMIT", "m.toml:1:1", "--limit file-bytes=N");
    let ran = bench.run(&["check", "m.toml", "--limit", "file-bytes=32*2^20"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let many: String = (0..200_001).map(|i| format!("p{i} = 1\n")).collect();
    let bench = Bench::new(&format!("schema = 1\n[parameters]\n{many}"));
    bench.refuses("E_LIMIT", "m.toml:2:", "--limit entries=N");
    let ran = bench.run(&["check", "m.toml", "--limit", "entries=3e5"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn rel_r33_the_deepest_is_safe() {
    // the deepest that is read, unknown to the model: refused or ignored, no crash
    let list = format!("{}1{}", "[".repeat(495), "]".repeat(495));
    let table = format!("{}1{}", "{\"a\": ".repeat(495), "}".repeat(495));
    let text = format!("{{\"schema\": 1, \"x\": {list}, \"y\": {table}}}");
    let bench = Bench::new("").with("deep.json", &text);
    // one key or list of TOML has at most 80 levels, but they add up
    let (key, list) = ("a.".repeat(70), format!("{}1{}", "[".repeat(75), "]".repeat(75)));
    let dotted = format!("schema = 1\n[{key}b]\n{key}b = {list}\n");
    let bench = bench.with("deep.toml", &dotted);
    for file in ["deep.json", "deep.toml"] {
        let ran = bench.run(&["check", file]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("--limit depth=N"), "{}", ran.stderr);
        let ran = bench.run(&["check", file, "--limit", "depth=500"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("E_UNKNOWN_KEY"), "{}", ran.stderr);
        let ran = bench.run(&["check", file, "--limit", "depth=500", "--lenient"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let one = format!("schema = 1\nx = {}1{}\n", "[".repeat(90), "]".repeat(90));
    Bench::new(&one).refuses("E_LIMIT", "m.toml:2:", "write JSON");
    let chain = Bench::new("schema = 1\ninclude = [\"0.toml\"]\n");
    for i in 0..499 {
        let text = format!("include = [\"{}.toml\"]\n", i + 1);
        std::fs::write(chain.path(&format!("{i}.toml")), text).unwrap();
    }
    std::fs::write(chain.path("499.toml"), "").unwrap();
    let ran = chain.run(&["check", "m.toml"]);
    assert!(ran.stderr.contains("--limit include-depth=N"), "{}", ran.stderr);
    let ran = chain.run(&["check", "m.toml", "--limit", "include-depth=500"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn rel_r33_limits_for_compare() {
    let bench = Bench::new(
        &GOOD.replace("analysis", "sensor.a = { type = \"angle\", of = \"bar\" }\nanalysis"),
    );
    let args = ["compare", "m.toml", "--json", "--methods", "mdop5", "--tolerances", "1e-3"];
    let ran = bench.run(&[&args[..], &["--limit", "elements=2"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = bench.run(&[&args[..], &["--limit", "result-bytes=1000"]].concat());
    assert!(ran.stdout.contains("E_LIMIT") || ran.stderr.contains("E_LIMIT"), "{}", ran.stdout);
    assert_eq!(bench.run(&args).code, 0);
}

#[test]
fn bad_limits_are_refused_together() {
    let bench = Bench::new(GOOD);
    let refuse = |arg: &str, code: &str, word: &str| {
        bench.refuses_with(&["--limit", arg], 2, code, "--limit", word);
    };
    refuse("depht=200", "E_UNKNOWN_NAME", "did you mean `depth`?");
    refuse("speed=200", "E_UNKNOWN_NAME", "file-bytes, total-bytes, depth");
    refuse("depth=0", "E_RANGE", "at least 1");
    refuse("depth=-3", "E_RANGE", "at least 1");
    refuse("depth=501", "E_RANGE", "at most 500");
    refuse("file-bytes=2^32", "E_RANGE", "at most 4294967295");
    refuse("tokens=1e99", "E_RANGE", "whole number");
    refuse("tokens=nan", "E_NONFINITE", "finite");
    refuse("tokens=3 kg", "E_DIMENSION", "kg");
    let ran = bench.run(&["run", "m.toml", "--limit", "depth=0", "--limit", "x=1"]);
    assert!(ran.stderr.contains("2 errors"), "{}", ran.stderr);
    let ran = bench.run(&["run", "m.toml", "--limit", "depth"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("NAME=VALUE"));
}

#[test]
fn rel_r09_times_that_cannot_be_told_apart() {
    let at = |analysis: &str| {
        Bench::new(&format!(
            "schema = 1\nbody.p = {{ type = \"point\", mass = 1 }}\nanalysis = {{ {analysis} }}\n"
        ))
    };
    for (analysis, place) in [
        ("start = 1e9, end = \"1e9 + 1e-5\", sample = 1e-8", "the span of the run"),
        ("start = 1e8, end = \"1e8 + 1\", sample = 1e-6", "the sample interval"),
    ] {
        let ran = at(analysis).run(&["run", "m.toml"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("E_TIME_SPEC") && ran.stderr.contains(place), "{}", ran.stderr);
    }
    let ran = at("start = 1e5, end = \"1e5 + 1\", sample = 1e-2").run(&["run", "m.toml", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (step, code) in [("1e-300", "E_TIME_SPEC"), ("1e-17", "E_TIME_SPEC"), ("1e-12", "E_LIMIT")]
    {
        let ran = at("end = 1").run(&["run", "m.toml", "--step", step]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(code) && ran.stderr.contains("--step"), "{}", ran.stderr);
    }
}

#[test]
fn rel_r20_forces_beyond_all_numbers_end_by_name() {
    let text = "schema = 1\nbody.p = { type = \"planar\", mass = 1, inertia = 1 }\n\
        force.f = { type = \"force\", at = \"p\", force = [\"exp(1000*t)\", 0] }\n\
        analysis = { end = 2 }\n";
    for method in ["mdop5", "gen-alpha", "radau5", "rk4"] {
        let ran = Bench::new(text).run(&["run", "m.toml", "--method", method]);
        assert!(ran.code != 0 && ran.code < 64, "{method}: {} {}", ran.code, ran.stderr);
        assert!(!ran.stderr.contains("E_INTERNAL"), "{method}: {}", ran.stderr);
    }
}

/// Assembly is linear in the number of bodies, along a chain and around one body.
#[test]
fn assembly_of_many_bodies() {
    let body =
        "[body.\"b{i}\"]\nrepeat = \"i = 1..20000\"\ntype = \"planar\"\nmass = 1\ninertia = 1\n";
    let chain = "position = [\"i - 1\", 0]\nmarkers = { tip = [1, 0] }\n\
        [joint.j1]\ntype = \"revolute\"\nbetween = [\"ground\", \"b1\"]\n\
        [joint.\"j{i}\"]\nrepeat = \"i = 2..20000\"\ntype = \"revolute\"\nbetween = [\"b{i-1}.tip\", \"b{i}\"]\n";
    let hub = "[body.hub]\ntype = \"planar\"\nmass = 1\ninertia = 1\n\
        [joint.h]\ntype = \"revolute\"\nbetween = [\"ground\", \"hub\"]\n\
        [joint.\"j{i}\"]\nrepeat = \"i = 1..20000\"\ntype = \"revolute\"\nbetween = [\"hub\", \"b{i}\"]\n";
    for (joints, freedom) in [(chain, 20000), (hub, 20001)] {
        let bench = Bench::new(&format!("schema = 1\ngravity = [0, -9.81]\n{body}{joints}"));
        let ran = bench.run(&["check", "m.toml"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains(&freedom.to_string()), "{}", ran.stdout);
    }
}
