//! `--limit NAME=VALUE`: every limit can be reached, is named in the message, and can be raised.

use crate::support;
use std::process::Command;
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
    raised(&good, "columns", "7", "20");
    let row = spheres(100, "0.2005*i, 0, 0").replace("allow_overlap = true\n", "");
    let many = Bench::new(&row);
    raised(&many, "contact-pairs", "50", "1e4");
    raised(&many, "contact-points", "1000", "1e4");
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

/// Free balls with a contact among all of them; `place` has their position by i.
fn spheres(n: usize, place: &str) -> String {
    let place = place.split(", ").map(|x| format!("\"{x}\"")).collect::<Vec<_>>().join(", ");
    format!(
        "schema = 1\n[body.\"b{{i}}\"]\nrepeat = \"i = 1..{n}\"\ntype = \"rigid\"\nmass = 1\ninertia = [1, 1, 1]\n\
         position = [{place}]\n[shape.\"s{{i}}\"]\nrepeat = \"i = 1..{n}\"\ntype = \"sphere\"\nbody = \"b{{i}}\"\n\
         radius = 0.1\n[contact.heap]\namong = [\"s*\"]\nallow_overlap = true\n[analysis]\nend = 1e-3\n"
    )
}

/// Runs a command with at most so much memory, MiB. It must end by itself.
fn within(bench: &Bench, mib: u64, args: &str) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_delassus");
    let line = format!("ulimit -v {}; exec '{program}' {args}", mib << 10);
    let out = Command::new("bash").current_dir(bench.dir.path()).args(["-c", &line]).output();
    let out = out.unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    (out.status.code().unwrap_or_else(|| panic!("{args}: ended by a signal: {stderr}")), stderr)
}

/// A block of spheres at rest, side by side and on each other: 1 300 points that all hang together. The default scheme leaves
/// problems of that size to time-stepping, in memory that grows with the points, and no point is lost: nothing sinks.
#[test]
fn rel_r26_thousands_of_contacts() {
    let grid = "repeat = \"i = 1..8, j = 1..8, k = 1..7\"";
    let bench = Bench::new(&format!(
        "schema = 1\ngravity = [0, 0, -9.81]\n[body.\"b{{i}}_{{j}}_{{k}}\"]\n{grid}\ntype = \"rigid\"\nmass = 0.1\n\
         inertia = [1e-4, 1e-4, 1e-4]\nposition = [\"0.1*i\", \"0.1*j\", \"0.1*k - 0.05\"]\n\
         [shape.\"s{{i}}_{{j}}_{{k}}\"]\n{grid}\ntype = \"sphere\"\nbody = \"b{{i}}_{{j}}_{{k}}\"\nradius = 0.05\n\
         [shape.floor]\ntype = \"half-space\"\nbody = \"ground\"\n\
         [contact.heap]\namong = [\"s*\"]\nfriction = 0.3\n[contact.floor]\nbetween = [\"s*\", \"floor\"]\nfriction = 0.3\n\
         [sensor.top]\ntype = \"position\"\nof = \"b8_8_7\"\ncomponent = \"z\"\n[analysis]\nend = 0.01\nsample = 0.01\n"
    ));
    let (code, told) = within(&bench, 512, "run m.toml --out o");
    assert_eq!(code, 0, "{told}");
    let results = bench.read("o/results.csv");
    let last = results.lines().last().and_then(|l| l.split(',').nth(1)).unwrap();
    let z: f64 = last.parse().unwrap();
    assert!((z - 0.65).abs() < 1e-4, "{z}");
}

/// What needs too much memory is refused by name before it is used.
#[test]
fn rel_g7_memory_is_asked_for_before_it_is_used() {
    let refused = |bench: &Bench, mib: u64, args: &str, words: &[&str]| {
        let (code, stderr) = within(bench, mib, args);
        assert_eq!(code, 2, "{args}: {stderr}");
        for word in [&["E_LIMIT"], words].concat() {
            assert!(stderr.contains(word), "{word}: {stderr}");
        }
    };
    // ten thousand in one place
    let heap = Bench::new(&spheres(10_000, "0, 0, 0"));
    assert_eq!(within(&heap, 1024, "check m.toml").0, 0);
    for scheme in ["hybrid", "event-driven", "time-stepping"] {
        let args = format!("run m.toml --scheme {scheme}");
        let words = ["more than 2000000 pairs", "heap:s", "61.0 MiB", "--limit contact-pairs=N"];
        // time-stepping meets them in its first step
        let (code, stderr) = within(&heap, 1024, &args);
        assert_eq!(code, if scheme == "time-stepping" { 3 } else { 2 }, "{stderr}");
        for word in words {
            assert!(stderr.contains(word), "{scheme}: {word}: {stderr}");
        }
    }
    let stands = Bench::new(&spheres(10_000, "0, 0, 0").replace("allow_overlap = true\n", ""));
    refused(&stands, 1024, "check m.toml", &["contact.heap", "--limit contact-pairs=N"]);
    // sixty thousand far from each other run where there is memory for the bodies themselves
    let far = Bench::new(&spheres(60_000, "i, 0, 0"));
    assert_eq!(within(&far, 1024, "check m.toml").0, 0);
    refused(&far, 700, "run m.toml", &["60000 bodies", "MiB", "ulimit -v"]);
    // a method with full matrices needs more than others
    let row = "schema = 1\n[body.\"b{i}\"]\nrepeat = \"i = 1..4000\"\ntype = \"planar\"\nmass = 1\ninertia = 1\n\
        position = [\"i\", 0]\nmarkers.a = [0.5, 0]\nmarkers.b = [-0.5, 0]\n\
        [joint.\"j{i}\"]\nrepeat = \"i = 1..3999\"\ntype = \"revolute\"\n\
        between = [\"b{i}.a\", \"b{i+1}.b\"]\n[analysis]\nend = 1e-3\n";
    refused(&Bench::new(row), 1024, "run m.toml --method mns", &["4000 bodies", "GiB"]);
    // ten thousand on each other: forces at all of them at once are too much for events, not for time-stepping
    let text = "schema = 1\ngravity = [0, -9.81]\n[body.\"b{i}\"]\nrepeat = \"i = 1..10000\"\ntype = \"planar\"\n\
        mass = 1\ninertia = 1\nposition = [0, \"i - 1/2\"]\n[shape.\"s{i}\"]\nrepeat = \"i = 1..10000\"\n\
        type = \"circle\"\nbody = \"b{i}\"\nradius = 0.5\n[shape.floor]\ntype = \"half-plane\"\nbody = \"ground\"\n\
        [contact.pile]\namong = [\"s*\", \"floor\"]\n[analysis]\nend = 1e-3\n";
    let pile = Bench::new(text);
    let words = ["10000 points", "MiB of memory", "time-stepping"];
    refused(&pile, 1024, "run m.toml --scheme event-driven", &words);
    // each with each of two lists
    let text = "schema = 1\nbody.p = { type = \"planar\", mass = 1, inertia = 1, position = [0, 1] }\n\
        shape.\"c{i}\" = { repeat = \"i = 1..3000\", type = \"circle\", body = \"p\", radius = 0.1 }\n\
        shape.\"f{i}\" = { repeat = \"i = 1..3000\", type = \"half-plane\", body = \"ground\" }\n\
        contact.c = { between = [\"c*\", \"f*\"] }\n";
    for command in ["check", "run"] {
        refused(
            &Bench::new(text),
            1024,
            &format!("{command} m.toml"),
            &["9000000 pairs", "275 MiB"],
        );
    }
    let text = "schema = 1\nbody.p = { type = \"planar\", mass = 1, inertia = 1 }\n\
        sensor.\"s{i}\" = { repeat = \"i = 1..150000\", type = \"position\", of = \"p\" }\n";
    let words = ["300008 columns", "limit of 100000", "1.1 GiB", "--limit columns=N"];
    refused(&Bench::new(text), 1024, "run m.toml", &words);
}

/// The memory of what depends on each other grows with the square of what the user decides: points that touch under stiff
/// forces, joints that repeat each other, full matrices of methods.
#[test]
fn rel_g7_squares_are_asked_for() {
    // a plate on a stiff spring with thousands of feet: steps with implicit forces need the full matrix of all of them
    let feet = Bench::new(
        "schema = 1\ngravity = [0, -9.81]\nbody.plate = { type = \"planar\", mass = 1, inertia = 1, position = [0, 0.1] }\n\
         shape.\"c{i}\" = { repeat = \"i = 1..8000\", type = \"circle\", body = \"plate\", radius = 0.1, at = [\"i/1000\", 0] }\n\
         shape.floor = { type = \"half-plane\", body = \"ground\" }\ncontact.c = { between = [\"c*\", \"floor\"] }\n\
         force.k = { type = \"spring\", between = [\"ground\", \"plate\"], stiffness = 1e9, damping = 1e6 }\n\
         analysis = { end = 1e-2 }\n",
    );
    let (code, told) = within(&feet, 1024, "run m.toml --scheme time-stepping --step 1e-3 --out o");
    assert_eq!(code, 3, "{told}");
    for word in [
        "E_LIMIT",
        "8000 points",
        "MiB of memory",
        "contact \"c:c1-floor\" among them",
        "ulimit -v",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(feet.read("o/results.csv").lines().count() >= 2);
    // joints that repeat each other
    let hinges = |n: usize| {
        Bench::new(&format!(
            "schema = 1\ngravity = [0, -9.81]\nbody.door = {{ type = \"planar\", mass = 1, inertia = 1 }}\n\
             joint.\"j{{i}}\" = {{ repeat = \"i = 1..{n}\", type = \"revolute\", between = [\"ground\", \"door\"] }}\n\
             analysis = {{ end = 1e-3 }}\n"
        ))
    };
    for command in ["check m.toml", "run m.toml"] {
        let (code, told) = within(&hinges(1450), 100, command);
        assert_eq!(code, 2, "{told}");
        for word in ["E_LIMIT", "2903 unknowns", "64 MiB", "joints that repeat others"] {
            assert!(told.contains(word), "{word}: {told}");
        }
    }
    // and so many of them that they would take minutes to resolve
    for n in [5000, 20_000] {
        for command in ["check m.toml", "run m.toml"] {
            let (code, told) = within(&hinges(n), 1024, command);
            assert_eq!(code, 2, "{told}");
            let many = format!("{} conditions of joints on body \"door\" repeat others", 2 * n - 3);
            for word in ["E_LIMIT", &many, "more than the 3000", "joint.j1 is the first"] {
                assert!(told.contains(word), "{word}: {told}");
            }
        }
    }
    assert_eq!(within(&hinges(200), 1024, "check m.toml").0, 0);
}

/// Bays of which one bar is too long by 3e-10 m each: almost redundant, and far too many for full matrices.
#[test]
fn rel_g7_many_almost_redundant_loops() {
    let bar = |name: &str, x: &str| {
        format!(
            "body.\"{name}{{i}}\" = {{ repeat = \"i = 1..N\", type = \"planar\", mass = 1, inertia = 1, position = [\"4*i + {x}\", 0.5], \
             markers = {{ d = [0, -0.5], u = [0, 0.5] }} }}\n\
             ground.markers.\"{name}{{i}}\" = {{ repeat = \"i = 1..N\", position = [\"4*i + {x}\", 0] }}\n\
             joint.\"{name}{{i}}\" = {{ repeat = \"i = 1..N\", type = \"revolute\", between = [\"ground.{name}{{i}}\", \"{name}{{i}}.d\"] }}\n\
             joint.\"{name}{{i}}t\" = {{ repeat = \"i = 1..N\", type = \"revolute\", between = [\"{name}{{i}}.u\", \"t{{i}}.{name}\"] }}\n"
        )
    };
    let bars: String = [("a", "0"), ("b", "1"), ("c", "2")].map(|(n, x)| bar(n, x)).concat();
    let bench = Bench::new(&format!(
        "schema = 1\ngravity = [0, -9.81]\nparameters.N = 500\nanalysis.end = 1e-3\n\
         body.\"t{{i}}\" = {{ repeat = \"i = 1..N\", type = \"planar\", mass = 1, inertia = 1, position = [\"4*i + 1\", 1], \
         markers = {{ a = [-1, 0], b = [0, 0], c = [\"1 + 3e-10\", 0] }} }}\n{bars}"
    ));
    for command in ["check", "run"] {
        let (code, told) = within(&bench, 1024, &format!("{command} m.toml"));
        assert_eq!(code, 0, "{told}");
        assert!(told.contains("N_ALMOST_REDUNDANT"), "{told}");
    }
}

/// Runs that would not end in a lifetime, or not in the time allowed, end by name and keep what they have.
#[test]
fn rel_r20_hopeless_runs_end_by_name() {
    let spun = |rate: &str, end: &str| {
        Bench::new(&format!(
            "schema = 1\nbody.top = {{ type = \"rigid\", mass = 1, inertia = [1, 2, 2.5], rate = [0.1, \"{rate}\", 0] }}\n\
             sensor.w = {{ type = \"rate\", of = \"top\", component = \"y\" }}\n\
             analysis = {{ end = \"{end}\", sample = \"{end}/100\" }}\n"
        ))
    };
    for (rate, end) in [("1e12", "1"), ("1e100", "1"), ("1", "1e300")] {
        let bench = spun(rate, end);
        let ran = bench.run(&["run", "m.toml", "--out", "o"]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        for word in ["E_WORK_LIMIT", "would take", "body \"top\"", "--max-steps"] {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
        assert!(bench.read("o/results.csv").lines().count() >= 2);
    }
    // steps that are chosen once for the whole run are judged too
    for how in [["--method", "rk4"], ["--method", "radau5"], ["--scheme", "time-stepping"]] {
        let ran = spun("1e12", "1").run(&[&["run", "m.toml", "--json"], &how[..]].concat());
        assert_eq!(ran.code, 3, "{how:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("E_WORK_LIMIT"), "{how:?}: {}", ran.stderr);
    }
    let bench = spun("1e6", "10");
    let ran =
        bench.run(&["run", "m.toml", "--out", "o", "--max-time", "0.5 s", "--max-steps", "1e8"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for word in ["E_TIME_LIMIT", "0.5 s of CPU time", "body \"top\"", "--max-time"] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    assert!(bench.read("o/summary.json").contains("E_TIME_LIMIT"));
    let good = Bench::new(GOOD);
    good.refuses_with(&["--max-time", "0"], 2, "E_RANGE", "--max-time", "above zero");
    good.refuses_with(&["--max-time", "3 m"], 2, "E_DIMENSION", "--max-time", "");
}

/// One step has any number of samples: a run that takes too many of them ends inside it, by name and with all that it
/// has.
#[test]
fn rel_r20_samples_inside_a_step_see_the_limit() {
    let text = "schema = 1\nbody.p = { type = \"planar-point\", mass = 1, velocity = [1, 0] }\n\
        sensor.x = { type = \"position\", of = \"p\" }\nanalysis = { end = 1, sample = 1e-7 }\n";
    let bench = Bench::new(text);
    let ran = bench.run(&["run", "m.toml", "--out", "o", "--max-time", "0.3 s"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for word in ["E_TIME_LIMIT", "0.3 s of CPU time", "one every 0.0000001 s", "sample less often"]
    {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    let summary: serde_json::Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    assert_eq!(summary["error"], "E_TIME_LIMIT");
    let csv = bench.read("o/results.csv");
    assert_eq!(summary["samples"], csv.lines().count() - 1);
    let last: f64 = csv.lines().last().unwrap().split(',').next().unwrap().parse().unwrap();
    assert!(last > 0.0 && last < 1.0, "{last}");
    assert_eq!(summary["t_end"], last);
}

#[test]
fn rel_r22_events_are_limited() {
    let text = "schema = 1\ngravity = [0, -9.81]\nbody.ball = { type = \"planar\", mass = 1, inertia = 1, position = [0, 1] }\n\
        shape.ball = { type = \"circle\", body = \"ball\", radius = 0.1 }\n\
        shape.floor = { type = \"half-plane\", body = \"ground\" }\n\
        contact.bounce = { between = [\"ball\", \"floor\"], restitution = 1 }\nanalysis = { end = 30 }\n";
    let bench = Bench::new(text);
    let ran = bench.run(&["run", "m.toml", "--out", "o", "--limit", "events=10"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for word in ["E_LIMIT", "more than 10 events", "contact \"bounce\"", "--limit events=N"] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
    assert!(bench.read("o/events.csv").lines().count() > 10);
    assert_eq!(bench.run(&["run", "m.toml", "--json", "--limit", "events=100"]).code, 0);
}

/// What messages advise can be done in `view` too.
#[test]
fn view_has_the_options_of_a_run() {
    let bench = Bench::new(GOOD);
    let args = ["view", "m.toml", "--no-open", "--out", "o"];
    let refused = |more: &[&str], word: &str| {
        let ran = bench.run(&[&args[..], more].concat());
        assert!(ran.code != 0 && ran.stderr.contains(word), "{more:?}: {}", ran.stderr);
    };
    refused(&["--limit", "result-bytes=100"], "--limit result-bytes=N");
    refused(&["--max-steps", "2"], "E_WORK_LIMIT");
    refused(&["--scheme", "hybird"], "--scheme");
    refused(&["--input", "x=1"], "--input");
    let more = [
        "--limit",
        "result-bytes=1e8",
        "--max-steps",
        "1e6",
        "--max-time",
        "1 min",
        "--atol",
        "1e-9",
        "--force",
    ];
    let ran =
        bench.run(&[&args[..], &more[..], &["--method", "gen-alpha", "--rho-inf", "0.9"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
