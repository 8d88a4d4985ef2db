//! Numbers at the ends of their range, and functions at the ends of their meaning: an answer, or its absence by name.

use crate::support::Bench;

/// What the command says of a model, and how it ends.
fn told(text: &str, name: &str) -> (i32, String) {
    let ran = Bench::new(text).run(&["run", "m.toml", "--no-report", "--max-time", "20 s"]);
    assert!(!ran.stderr.contains("E_TIME_LIMIT"), "{name}: {}", ran.stderr);
    (ran.code, ran.stderr)
}

/// A wheel that a torque turns.
fn driven(torque: &str) -> String {
    format!(
        "schema = 1\nbody.b = {{ type = \"planar\", mass = 1, inertia = 1 }}\n\
         joint.j = {{ type = \"revolute\", between = [\"ground\", \"b\"] }}\n\
         force.push = {{ type = \"torque\", at = \"b\", torque = \"{torque}\" }}\n\
         analysis = {{ end = 0.1, sample = 0.01 }}\n"
    )
}

/// A function of time that no step can follow ends the run: it neither keeps it busy nor is it passed as if it were a
/// jump.
#[test]
fn rel_r20_functions_that_no_step_follows() {
    for torque in ["1/(0.05-t)", "1/(t-0.05)^2", "1/abs(t-0.05)", "0^t"] {
        let (code, stderr) = told(&driven(torque), torque);
        assert_eq!(code, 3, "{torque}: {stderr}");
        for word in ["E_STEP_MIN", "force \"push\"", "faster than any step"] {
            assert!(stderr.contains(word), "{torque}: {word}: {stderr}");
        }
    }
    for (torque, fault) in [("1e308*sin(t)", "E_STEP_MIN"), ("1/(0.05-t)^3", "E_DIVERGED")] {
        let (code, stderr) = told(&driven(torque), torque);
        assert_eq!(code, 3, "{torque}: {stderr}");
        assert!(stderr.contains(fault), "{torque}: {stderr}");
    }
    // those that have an integral, or whose singularity is a matter of writing, are passed
    for torque in [
        "ln(abs(t-0.05)+1e-300)",
        "if(abs(t-0.05) > 0, sin(t-0.05)/(t-0.05), 1)",
        "if(t > 0.05, 1e12, 0)",
        "step(t, 0.05, 0, 0.05, 1)",
        "1/(abs(t-0.05)+1e-3)",
    ] {
        let (code, stderr) = told(&driven(torque), torque);
        assert_eq!(code, 0, "{torque}: {stderr}");
    }
}

/// A shape that is smaller than the numbers at its place can tell does not set the size of the model: its contact is
/// that of a point.
#[test]
fn rel_r19_shapes_below_all_sizes() {
    let last = |radius: &str| {
        let text = format!(
            "schema = 1\ngravity = [0, -9.81]\n\
             body.ball = {{ type = \"planar\", mass = 1, inertia = 0.01, position = [0, 1] }}\n\
             shape.ball = {{ type = \"circle\", body = \"ball\", radius = {radius} }}\n\
             shape.floor = {{ type = \"half-plane\", body = \"ground\" }}\n\
             contact.c = {{ between = [\"ball\", \"floor\"], restitution = 0.5 }}\n\
             sensor.y = {{ type = \"position\", of = \"ball\", component = \"y\" }}\n\
             analysis = {{ end = 0.7, sample = 0.1 }}\n"
        );
        let bench = Bench::new(&text);
        let ran = bench.run(&["run", "m.toml", "--no-report", "--out", "o"]);
        assert_eq!(ran.code, 0, "{radius}: {}", ran.stderr);
        let csv = bench.read("o/results.csv");
        csv.lines().last().unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap()
    };
    // falls for √(2/g), rises with half the speed
    let (g, t): (f64, f64) = (9.81, 0.7);
    let fall = (2.0 / g).sqrt();
    let expected = 0.5 * (2.0 * g).sqrt() * (t - fall) - 0.5 * g * (t - fall) * (t - fall);
    for radius in ["1e-12", "1e-15", "1e-18", "1e-23", "1e-100", "5e-324"] {
        assert!((last(radius) - expected).abs() < 1e-6, "{radius}: {} {expected}", last(radius));
    }
}

/// Numbers that grow beyond all others, or vanish, are told by what they belong to.
#[test]
fn rel_r01_numbers_that_overflow_are_named() {
    let pendulum = |mass: &str, more: &str| {
        format!(
            "schema = 1\ngravity = [0, -9.81]\n\
             body.bob = {{ type = \"planar-point\", mass = {mass}, position = [1, 0]{more} }}\n\
             joint.rod = {{ type = \"distance\", between = [\"ground\", \"bob\"] }}\n\
             analysis = {{ end = 0.1, sample = 0.01 }}\n"
        )
    };
    for (text, names) in [
        (pendulum("1e308", ""), "body \"bob\" (y)"),
        (pendulum("1e-320", ""), "joint \"rod\""),
        (pendulum("1", ", velocity = [0, 1e200]"), "joint \"rod\""),
    ] {
        let (code, stderr) = told(&text, names);
        assert_eq!(code, 2, "{stderr}");
        for word in ["E_START", names, "m.toml:", "masses, lengths and velocities"] {
            assert!(stderr.contains(word), "{word}: {stderr}");
        }
    }
}

/// Names that look alike or turn the text around them are no names.
#[test]
fn rel_r36_names_can_be_seen() {
    for hidden in ["202e", "200b", "feff", "2066", "00ad"] {
        let text =
            format!("schema = 1\n[body.\"b\\u{hidden}ob\"]\ntype = \"planar-point\"\nmass = 1\n");
        let (code, stderr) = told(&text, hidden);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("E_NAME") && stderr.contains("invisible"), "{stderr}");
        assert!(stderr.contains(&format!("\\u{{{}}}", hidden.trim_start_matches('0'))), "{stderr}");
    }
    for good in ["größe", "θ1", "球"] {
        let text = format!("schema = 1\n[body.\"{good}\"]\ntype = \"planar-point\"\nmass = 1\n");
        assert_eq!(told(&text, good).0, 0);
    }
}

/// Thousands of shapes in one place, with a contact that allows overlap, meet the limit of pairs in the run and cost
/// nothing before.
#[test]
fn rel_r26_overlap_that_is_allowed_is_not_searched_for() {
    let text = "schema = 1\n[body.\"b{i}\"]\nrepeat = \"i = 1..20000\"\ntype = \"point\"\nmass = 1\n\
        [shape.\"s{i}\"]\nrepeat = \"i = 1..20000\"\ntype = \"sphere\"\nbody = \"b{i}\"\nradius = 1\n\
        [contact.c]\namong = [\"s*\"]\nallow_overlap = true\n";
    let ran = Bench::new(text).run(&["check", "m.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (code, stderr) = told(text, "run");
    assert_ne!(code, 0);
    assert!(stderr.contains("E_LIMIT") && stderr.contains("contact-pairs"), "{stderr}");
}

/// What the arguments lack has a code, too.
#[test]
fn usage_has_a_code() {
    let bench = Bench::new("schema = 1\n");
    for args in [&["run"][..], &["run", "m.toml", "--set", "L"], &["run", "m.toml", "--nope"]] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("E_USAGE"), "{args:?}: {}", ran.stderr);
    }
    let ran = bench.run(&["run", "m.toml", "--max-steps", "1e30"]);
    assert!(
        ran.stderr.contains("the value is 1e30, but a whole number of at most"),
        "{}",
        ran.stderr
    );
}

/// What is asked for replaces neither the model nor another file of the results.
#[test]
fn answers_replace_no_source() {
    let text = "schema = 1\nbody.b = { type = \"planar\", mass = 1, inertia = 1 }\n\
        joint.j = { type = \"revolute\", between = [\"ground\", \"b\"] }\n\
        force.s = { type = \"torsion\", joint = \"j\", stiffness = 1 }\n\
        sensor.a = { type = \"angle\", of = \"b\" }\n";
    let bench = Bench::new(text);
    assert_eq!(bench.run(&["run", "m.toml", "--out", "o"]).code, 0);
    let motion = std::fs::read(bench.path("o/motion.bin")).unwrap();
    for args in [
        ["statics", "m.toml", "--out", "m.toml"],
        ["modes", "m.toml", "--out", "./m.toml"],
        ["report", "o", "--output", "m.toml"],
        ["export", "o", "--gltf", "o/motion.bin"],
        ["plot", "o", "--output", "m.toml"],
    ] {
        let ran = bench.run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("E_OUTPUT"), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(bench.read("m.toml"), text);
    assert_eq!(std::fs::read(bench.path("o/motion.bin")).unwrap(), motion);
    let good = bench.run(&["statics", "m.toml", "--out", "s.json"]);
    assert_eq!(good.code, 0, "{}", good.stderr);
    assert!(bench.read("s.json").contains("\"status\""));
}
