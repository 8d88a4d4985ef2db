//! Bad models are rejected with a code, a place and advice, and leave nothing behind.

use crate::support;
use std::fs::File;
use std::time::Instant;
use support::{Bench, GOOD, broken};

#[test]
fn the_good_model_is_good() {
    let bench = Bench::new(GOOD);
    let ran = bench.run(&["run", "m.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn rel_r01_nonfinite() {
    let values =
        ["nan", "inf", "-inf", "1e999", "\"nan\"", "\"1/0\"", "\"-1e999\"", "\"sqrt(-1)\""];
    for bad in values {
        let cases = [
            ("mass = 1", format!("mass = {bad}"), "m.toml:4:"),
            ("[1, 0]", format!("[1, {bad}]"), "m.toml:4:"),
            ("-9.81", bad.to_owned(), "m.toml:3:"),
            ("end = 1 }", format!("end = {bad} }}"), "m.toml:6:"),
        ];
        for (from, to, place) in cases {
            broken(from, &to).refuses("E_NONFINITE", place, "finite");
        }
    }
    for bad in ["nan", "inf", "1/0", "1e999"] {
        for option in ["--rtol", "--step", "--end", "--sample", "--rho-inf"] {
            Bench::new(GOOD).refuses_with(&[option, bad], 2, "E_NONFINITE", option, "finite");
        }
    }
}

#[test]
fn rel_r01_not_finite_at_the_start() {
    let bad = "force.f = { type = \"force\", at = \"bar\", force = [\"1/t\", 0] }\nanalysis";
    broken("analysis", bad).refuses("E_NONFINITE", "m.toml:6:50", "1/t");
}

#[test]
fn rel_r02_massless() {
    let free = "body.dust = { type = \"planar-point\", mass = 0 }\nanalysis";
    broken("analysis", free).refuses("E_MASSLESS", "m.toml:6:", "dust");
    let pinned = GOOD.replace("inertia = 0.1", "inertia = 0").replace("bar.end", "bar");
    let pinned = pinned.replace("position = [1, 0], ", "");
    Bench::new(&pinned).refuses("E_MASSLESS", "m.toml:4:", "rotation");
}

#[test]
fn rel_r03_negative_mass() {
    let at = GOOD.lines().nth(3).unwrap().find("mass = 1").unwrap() + 8;
    broken("mass = 1", "mass = -1").refuses("E_MASS_SIGN", &format!("m.toml:4:{at}"), "-1 kg");
    broken("mass = 1", "mass = \"-2 g\"").refuses("E_MASS_SIGN", "m.toml:4:", "-0.002 kg");
    broken("inertia = 0.1", "inertia = -0.1").refuses("E_MASS_SIGN", "m.toml:4:", "-0.1");
}

const RIGID: &str = "schema = 1\nbody.b = { type = \"rigid\", mass = 1, inertia = [I] }\n";

fn rigid(inertia: &str) -> Bench {
    Bench::new(&RIGID.replace("[I]", inertia))
}

#[test]
fn rel_r04_impossible_inertia() {
    rigid("[1, 1, 3]").refuses("E_INERTIA_IMPOSSIBLE", "m.toml:2:", "body.b.inertia");
    rigid("[1, 1, 2.002]").refuses("E_INERTIA_IMPOSSIBLE", "m.toml:2:", "body.b.inertia");
    let matrix = "[[1, 5, 0], [5, 1, 0], [0, 0, 1]]"; // a negative principal moment
    rigid(matrix).refuses("E_MASS_SIGN", "m.toml:2:", "body.b.inertia");
    assert_eq!(rigid("[1, 1, 2]").run(&["check", "m.toml"]).code, 0);
}

#[test]
fn rel_r06_zero_axis() {
    let text = r#"schema = 1
body.b = { type = "rigid", mass = 1, inertia = [1, 1, 1] }
joint.j = { type = "revolute", between = ["ground", "b"], axis = [0, 0, 0] }
"#;
    Bench::new(text).refuses("E_DEGENERATE_DIRECTION", "m.toml:3:", "joint.j.axis");
}

#[test]
fn rel_r07_references() {
    let ran = broken("\"bar.end\"", "\"bra.end\"").refuses("E_UNKNOWN_NAME", "m.toml:5:", "bra");
    assert!(ran.stderr.contains("did you mean `bar`?"), "{}", ran.stderr);
    broken("\"ground\", \"bar.end\"", "\"bar\", \"bar.end\"").refuses(
        "E_SAME_BODY",
        "m.toml:5:",
        "bar",
    );
    let twice = "joint.pin = { type = \"revolute\", between = [\"ground\", \"bar\"] }\nanalysis";
    let ran = broken("analysis", twice).refuses("E_DUPLICATE", "m.toml:6:", "pin");
    assert!(ran.stderr.contains("m.toml:5:"), "the first place is named: {}", ran.stderr);
}

#[test]
fn rel_r07_include_cycle() {
    let bench = Bench::new("schema = 1\ninclude = [\"a.toml\"]\n")
        .with("a.toml", "include = [\"b.toml\"]\n")
        .with("b.toml", "include = [\"a.toml\"]\n");
    bench.refuses("E_CYCLE", "b.toml:1:12", "a.toml");
}

#[test]
fn rel_r08_keys_types_units_methods() {
    let ran = broken("inertia =", "inertai =").refuses("E_UNKNOWN_KEY", "m.toml:4:", "inertai");
    assert!(ran.stderr.contains("did you mean `inertia`?"));
    broken("mass = 1", "mass = [1]").refuses("E_TYPE", "m.toml:4:", "body.bar.mass");
    broken("mass = 1", "mass = \"3 s\"").refuses("E_DIMENSION", "m.toml:4:", "kg");
    Bench::new(GOOD).refuses_with(&["--step", "1 kg"], 2, "E_DIMENSION", "--step", "kg");
    let bad = "method.name = \"mdop6\"\nanalysis";
    let ran = broken("analysis", bad).refuses("E_UNKNOWN_METHOD", "m.toml:6:15", "mdop6");
    assert!(ran.stderr.contains("did you mean `mdop5`?"));
    Bench::new(GOOD).refuses_with(
        &["--method", "gen-alfa"],
        2,
        "E_UNKNOWN_METHOD",
        "--method",
        "gen-alpha",
    );
}

#[test]
fn rel_r09_time_and_tolerance() {
    broken("end = 1", "end = -1").refuses("E_TIME_SPEC", "m.toml:6:", "-1 s");
    broken("end = 1", "start = 2, end = 1").refuses("E_TIME_SPEC", "m.toml:6:", "start at 2 s");
    for step in ["0", "-1e-3", "2"] {
        broken("analysis", &format!("method.step = {step}\nanalysis")).refuses(
            "E_TIME_SPEC",
            "m.toml:6:15",
            "step",
        );
        Bench::new(GOOD).refuses_with(&["--step", step], 2, "E_TIME_SPEC", "--step", "step");
    }
    broken("end = 1", "end = 1, sample = 0").refuses("E_TIME_SPEC", "m.toml:6:", "sample");
    for rtol in ["0", "-1e-6", "1e-15"] {
        broken("analysis", &format!("method.rtol = {rtol}\nanalysis")).refuses(
            "E_TOLERANCE",
            "m.toml:6:15",
            "tolerance",
        );
        Bench::new(GOOD).refuses_with(&["--rtol", rtol], 2, "E_TOLERANCE", "--rtol", "tolerance");
    }
    Bench::new(GOOD).refuses_with(&["--rtol", "2"], 2, "E_TOLERANCE", "--rtol", "below 1");
    Bench::new(GOOD).refuses_with(&["--atol", "0"], 2, "E_TOLERANCE", "--atol", "tolerance");
    Bench::new(GOOD).refuses_with(&["--end", "0"], 2, "E_TIME_SPEC", "--end", "after the start");
    Bench::new(GOOD).refuses_with(&["--rho-inf", "1.5"], 2, "E_RANGE", "--rho-inf", "1.5");
    Bench::new(GOOD).refuses_with(&["--max-steps", "0"], 2, "E_RANGE", "--max-steps", "at least 1");
    // by the limit, whatever the disk has: `whole_folders.rs` has those that it has no room for
    for (end, sample) in [("1e5", "1e-6"), ("1e9", "1e-2")] {
        let ran = Bench::new(GOOD).refuses_with(
            &["--end", end, "--sample", sample],
            2,
            "E_LIMIT",
            "--sample",
            "1.00e11 samples of",
        );
        for words in ["6706 GiB, more than the limit of 4 GiB", "--limit result-bytes=N"] {
            assert!(ran.stderr.contains(words), "{}", ran.stderr);
        }
    }
    Bench::new(GOOD).refuses_with(
        &["--end", "1e9", "--sample", "1e-9"],
        2,
        "E_TIME_SPEC",
        "--sample",
        "too short",
    );
}

#[test]
fn values_set_from_outside() {
    let bench = broken("gravity", "parameters.L = 1\ngravity");
    bench.refuses_with(&["--set", "M=2"], 2, "E_UNKNOWN_NAME", "--set M=2", "use one of: L");
    bench.refuses_with(&["--set", "L=2 +"], 2, "E_EXPRESSION", "--set L=2 +", "ends");
    bench.refuses_with(&["--set", "L=nan"], 2, "E_NONFINITE", "--set L=nan", "finite");
    let ran = bench.run(&["run", "m.toml", "--set", "L"]);
    assert!(ran.code == 2 && ran.stderr.contains("NAME=VALUE"), "{}", ran.stderr);
    assert_eq!(bench.run(&["check", "m.toml", "--set", "L=-20 mm"]).code, 0);
}

#[test]
fn rel_r12_cannot_be_assembled() {
    // A triangle whose sides do not reach: 1 + 1 < 3.
    let text = r#"schema = 1
ground.markers = { far = [3, 0] }
body.a = { type = "planar-point", mass = 1, position = [1, 0.1] }
joint.left = { type = "distance", between = ["ground", "a"], length = 1 }
joint.right = { type = "distance", between = ["ground.far", "a"], length = 1 }
"#;
    let bench = Bench::new(text);
    let ran = bench.run(&["run", "m.toml"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("E_CONFLICT") || ran.stderr.contains("E_ASSEMBLY"),
        "{}",
        ran.stderr
    );
    for word in ["left", "right", "m.toml:", "help: "] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    assert!(ran.stderr.matches("joint \"").count() <= 5, "{}", ran.stderr);
    bench.assert_nothing_left();
}

#[test]
fn rel_r12_too_far_from_the_assembled_position() {
    broken("position = [1, 0]", "position = [1, 0.5]").refuses(
        "E_ASSEMBLY_MOVED",
        "m.toml:4:",
        "max_assembly_correction",
    );
}

#[test]
fn rel_r14_contradictory_joints() {
    let more = "joint.other = { type = \"distance\", between = [\"ground\", \"bar\"], length = 3 }\n\
                joint.slide = { type = \"distance\", between = [\"ground\", \"bar\"], length = 2 }\nanalysis";
    let bench = broken("analysis", more);
    let ran = bench.refuses("E_CONFLICT", "m.toml:", "contradict");
    assert!(ran.stderr.contains("other") && ran.stderr.contains("slide"), "{}", ran.stderr);
}

#[test]
fn rel_g5_seven_faults_at_once() {
    let text = r#"schema = 1
gravity = [0, "9 kg"]
body.a = { type = "planar", mass = -1, inertia = 1 }
body.b = { type = "planar", mass = "1/0", inertia = 1 }
body.c = { type = "rigid", mass = 1, inertia = [1, 1, 5] }
joint.j = { type = "revolute", between = ["ground", "nobody"] }
joint.k = { type = "revolute", between = ["a", "a"] }
method.name = "euler"
"#;
    let bench = Bench::new(text);
    let ran = bench.refuses("E_MASS_SIGN", "m.toml:3:36", "7 errors");
    let mut last = 0;
    for (code, line) in [
        ("E_DIMENSION", 2),
        ("E_MASS_SIGN", 3),
        ("E_NONFINITE", 4),
        ("E_INERTIA_IMPOSSIBLE", 5),
        ("E_UNKNOWN_NAME", 6),
        ("E_SAME_BODY", 7),
        ("E_UNKNOWN_METHOD", 8),
    ] {
        let at = ran
            .stderr
            .find(&format!("[m.toml:{line}:"))
            .unwrap_or_else(|| panic!("{code}: {}", ran.stderr));
        assert!(at > last, "in file order: {}", ran.stderr);
        assert!(ran.stderr[last..at].contains(code), "{code}: {}", ran.stderr);
        last = at;
    }
}

#[test]
fn rel_r30_empty_and_broken_files() {
    Bench::new("").refuses("E_SCHEMA_VERSION", "m.toml:1:1", "empty");
    Bench::new("schema = 1\nbody = {").refuses("E_SYNTAX", "m.toml:2:", "m.toml");
    Bench::new("schema = 2\n").refuses("E_SCHEMA_VERSION", "m.toml:1:", "schema 2");
}

#[test]
fn rel_r33_huge_file_is_refused_at_once() {
    let bench = Bench::new("");
    File::create(bench.path("m.toml")).unwrap().set_len(100 << 20).unwrap();
    let clock = Instant::now();
    bench.refuses("E_LIMIT", "m.toml:1:1", "104857600 bytes");
    assert!(clock.elapsed().as_secs() < 2);
}

#[test]
fn rel_r33_repetition_that_explodes() {
    let text = "schema = 1\n[body.\"b{i}{j}{k}\"]\nrepeat = \"i = 1..100000, j = 1..100000, k = 1..100000\"\n\
                type = \"planar-point\"\nmass = 1\n";
    let clock = Instant::now();
    let bench = Bench::new(text);
    let ran = bench.run(&["run", "m.toml"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let one =
        Bench::new(&text.replace(", j = 1..100000, k = 1..100000", "0000").replace("{j}{k}", ""));
    one.refuses("E_LIMIT", "m.toml:", "repeat");
    assert!(clock.elapsed().as_secs() < 5);
    bench.assert_nothing_left();
}

#[test]
fn rel_r34_includes_stay_in_the_folder() {
    let include = |what: &str| Bench::new(&format!("schema = 1\ninclude = [\"{what}\"]\n"));
    for bad in [
        "../x.toml",
        "/etc/passwd",
        "a/../../x.toml",
        "file:///etc/passwd",
        "..\\\\x.toml",
        "%2e%2e/x",
    ] {
        include(bad).refuses("E_PATH_ESCAPE", "m.toml:2:12", "include[0]");
    }
    include("missing.toml").refuses("E_INCLUDE", "m.toml:2:12", "missing.toml");
}

#[cfg(unix)]
#[test]
fn rel_r34_links_out_of_the_folder() {
    let outside = Bench::new("schema = 1\n");
    let bench = Bench::new("schema = 1\ninclude = [\"link.toml\"]\n").with("link.toml", "");
    std::fs::remove_file(bench.path("link.toml")).unwrap();
    std::os::unix::fs::symlink(outside.path("m.toml"), bench.path("link.toml")).unwrap();
    bench.refuses("E_PATH_ESCAPE", "m.toml:2:12", "link");
}

#[test]
fn rel_r36_invalid_utf8_and_control_characters() {
    let bench = Bench::new("");
    std::fs::write(bench.path("m.toml"), b"schema = 1\ntitle = \"\xff\"\n").unwrap();
    bench.refuses("E_UTF8", "m.toml:2:10", "byte 20");
    let title = broken("title = \"good\"", "title = \"\\u001b[31mred\\u0007\"");
    let ran = title.run(&["run", "m.toml"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("\\u{1b}[31mred"), "{}", ran.stdout);
    broken("bar.end", "b\\u001b[31m").refuses("E_UNKNOWN_NAME", "m.toml:5:", "\\u{1b}[31m");
}

#[test]
fn columns_count_characters() {
    let text = "schema = 1\nbody.\"äöü\" = { type = \"planar-point\", mass = -1 }\n";
    Bench::new(text).refuses("E_MASS_SIGN", "m.toml:2:46", "äöü");
}

#[test]
fn a_fault_in_a_long_line_prints_little() {
    let text = format!(
        "schema = 1\ntitle = \"{}\"\ngravity = [{}nan]\n",
        "x".repeat(100_000),
        "0,".repeat(50_000)
    );
    let ran = Bench::new(&text).refuses("E_NONFINITE", "m.toml:3:100012", "nan");
    assert!(ran.stderr.len() < 2_000, "{}", ran.stderr.len());
}

/// What cannot be read does not hide what is wrong with the rest, and nothing is made up for what was left out.
#[test]
fn rel_g5_faults_of_reading_and_of_meaning_together() {
    let text = r#"schema = 1
gravity = [0, -9.81]
body.p = { type = "planar", mass = 1, inertia = 0.1 }
joint.h = { type = "revolute", between = ["ground", "p"] }
body.q = { type = "planar", mass = -1, inertia = 1, colour = 3 }
joint.j = { type = "revolute", between = ["p", "zz"] }
joint.k = { type = "revolute", between = ["p.nix", "q"], axs = 3 }
shape.s = { type = "circle", body = "q", radius = -1 }
sensor.u = { type = "angle", of = "pp" }
force.f = { type = "force", at = "q", force = ["1 m", 0] }
analysis = { end = -1, sampel = 3 }
"#;
    let ran = Bench::new(text).refuses("E_UNKNOWN_KEY", "m.toml:5:", "did you mean");
    let mut last = 0;
    for (code, line) in [
        ("E_MASS_SIGN", 5),
        ("E_UNKNOWN_KEY", 5),
        ("E_UNKNOWN_NAME", 6),
        ("E_UNKNOWN_NAME", 7),
        ("E_UNKNOWN_KEY", 7),
        ("E_RANGE", 8),
        ("E_UNKNOWN_NAME", 9),
        ("E_DIMENSION", 10),
        ("E_TIME_SPEC", 11),
        ("E_UNKNOWN_KEY", 11),
    ] {
        let at = ran.stderr[last..].find(&format!("[m.toml:{line}:"));
        let at = last + at.unwrap_or_else(|| panic!("{code} {line}: {}", ran.stderr));
        assert!(ran.stderr[last..at].contains(code), "{code} {line}: {}", ran.stderr);
        last = at + 1;
    }
    // a type that does not fit, and what refers to it; a key that may be the one that is missed
    let text = "schema = 1\nbody.a = { type = \"planar\", mass = true, inertia = 1 }\n\
        body.b = { type = \"plana\", mass = 1 }\nbody.c = { type = \"planar\", mas = 1, inertia = 1 }\n\
        joint.j = { type = \"revolute\", between = [\"a\", \"b\"] }\nmethod.rtol = -1\n";
    let ran = Bench::new(text).refuses("E_TYPE", "m.toml:2:", "5 errors");
    for word in ["E_UNKNOWN_VALUE", "E_UNKNOWN_KEY", "E_TOLERANCE"] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
}

#[test]
fn rel_r36_names_have_a_length() {
    let long = "n".repeat(257);
    let ran = broken("body.bar", &format!("body.{long}")).refuses(
        "E_NAME",
        "m.toml:4:",
        "257 characters",
    );
    assert!(ran.stderr.contains("256"), "{}", ran.stderr);
    // whatever else is wrong, messages stay short
    let long = "n".repeat(100_000);
    let ran = broken("bar.end", &long).refuses("E_UNKNOWN_NAME", "m.toml:5:", "nnn");
    assert!(ran.stderr.len() < 3_000, "{}", ran.stderr.len());
    let name = "n".repeat(256);
    let text = GOOD
        .replace("body.bar", &format!("body.{name}"))
        .replace("bar.end", &format!("{name}.end"));
    assert_eq!(Bench::new(&text).run(&["check", "m.toml"]).code, 0);
}

#[test]
fn rel_r14_motions_that_contradict_each_other() {
    let text = "schema = 1\nbody.a = { type = \"planar\", mass = 1, inertia = 1 }\n\
        joint.h = { type = \"revolute\", between = [\"ground\", \"a\"] }\n\
        joint.m1 = { type = \"motion\", joint = \"h\", value = \"t\" }\n\
        joint.m2 = { type = \"motion\", joint = \"h\", value = \"2*t\" }\nanalysis = { end = 0.1 }\n";
    let ran = Bench::new(text).refuses("E_CONFLICT", "m.toml:", "contradicts");
    assert!(ran.stderr.contains("m1") && ran.stderr.contains("m2"), "{}", ran.stderr);
    // twice the same is only superfluous
    assert_eq!(Bench::new(&text.replace("2*t", "t")).run(&["run", "m.toml", "--json"]).code, 0);
}
