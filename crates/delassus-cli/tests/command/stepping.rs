//! Time-stepping methods: chosen by name, with their options; settings that they ignore are reported.

use crate::support;
use serde_json::Value;
use support::Bench;

/// A ball over a floor; `extra` goes before the method table.
fn ball(extra: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, -9.81]\n[body.b]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\n\
         position = [0, 0.5]\n[shape.b]\ntype = \"circle\"\nbody = \"b\"\nradius = 0.1\n\
         [shape.floor]\ntype = \"half-plane\"\nbody = \"ground\"\n\
         [contact.bounce]\nbetween = [\"b\", \"floor\"]\nrestitution = 0.5\n{extra}\n\
         [sensor.y]\ntype = \"position\"\nof = \"b\"\ncomponent = \"y\"\n"
    )
}

fn json(bench: &Bench, args: &[&str]) -> Value {
    let mut all = vec!["run", "m.toml", "--json"];
    all.extend(args);
    let ran = bench.run(&all);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn codes(v: &Value) -> Vec<&str> {
    v["notes"].as_array().unwrap().iter().map(|n| n["code"].as_str().unwrap()).collect()
}

fn note<'v>(v: &'v Value, code: &str) -> &'v Value {
    let found = v["notes"].as_array().unwrap().iter().find(|n| n["code"] == code);
    found.unwrap_or(&Value::Null)
}

#[test]
fn a_name_implies_the_scheme() {
    let bench = Bench::new(&ball(""));
    for name in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
        let v = json(&bench, &["--method", name]);
        assert_eq!((&v["method"], &v["scheme"]), (&name.into(), &"time-stepping".into()));
        // the positions of three times allow an overlap
        let told = match name {
            "schatzman-paoli" => &["N_TIME_STEPPING", "N_PENETRATION"][..],
            _ => &["N_TIME_STEPPING"],
        };
        assert_eq!(codes(&v), told);
        assert!(note(&v, "N_TIME_STEPPING")["message"].as_str().unwrap().contains(name));
        let file = Bench::new(&ball(&format!("[method]\nname = \"{name}\"")));
        let same = json(&file, &[]);
        assert_eq!((&same["method"], &same["scheme"]), (&v["method"], &v["scheme"]));
    }
    let v = json(&bench, &["--scheme", "time-stepping"]);
    assert_eq!(v["method"], "moreau-jean");
    // the command line has the last word
    let file = Bench::new(&ball("[method]\nscheme = \"hybrid\"\nname = \"phem56\""));
    assert_eq!(json(&file, &["--method", "schatzman-paoli"])["scheme"], "time-stepping");
    let file = Bench::new(&ball("[method]\nname = \"moreau-jean\""));
    let v = json(&file, &["--method", "phem56"]);
    assert_eq!((&v["method"], &v["scheme"]), (&"phem56".into(), &"hybrid".into()));
}

#[test]
fn options_take_effect_and_are_checked() {
    // a fall onto a stiff spring and the floor: the options change the answer
    let bench = Bench::new(&ball(
        "[force.s]\ntype = \"spring\"\nbetween = [\"ground.p\", \"b\"]\nstiffness = 5000\n\
         [ground.markers]\np = [0.3, 1]",
    ));
    let csv = |args: &[&str]| {
        let mut all = vec!["run", "m.toml", "--csv", "y.csv", "--step", "2 ms"];
        all.extend(args);
        let ran = bench.run(&all);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        bench.read("y.csv")
    };
    let moreau = csv(&["--method", "moreau-jean"]);
    assert_eq!(moreau, csv(&["--scheme", "time-stepping"]));
    assert_eq!(moreau, csv(&["--method", "moreau-jean", "--method-option", "theta=0.5"]));
    assert_ne!(moreau, csv(&["--method", "moreau-jean", "--method-option", "theta=0.8"]));
    assert_ne!(moreau, csv(&["--method", "schatzman-paoli"]));
    let alpha = csv(&["--method", "nonsmooth-gen-alpha"]);
    assert_ne!(moreau, alpha);
    assert_eq!(alpha, csv(&["--method", "nonsmooth-gen-alpha", "--rho-inf", "0.8"]));
    assert_ne!(alpha, csv(&["--method", "nonsmooth-gen-alpha", "--rho-inf", "0"]));

    let bench = Bench::new(&ball(""));
    let refuse = |args: &[&str], code: &str, word: &str| {
        bench.refuses_with(args, 2, code, "--method-option", word);
    };
    refuse(
        &["--method", "moreau-jean", "--method-option", "theta=0.2"],
        "E_RANGE",
        "from 0.5 to 1",
    );
    let foreign = ["--method", "schatzman-paoli", "--method-option", "theta=0.6"];
    refuse(&foreign, "E_METHOD_OPTION", "moreau-jean");
    let smooth = ["--scheme", "time-stepping", "--method-option", "project=never"];
    refuse(&smooth, "E_METHOD_OPTION", "moreau-jean has no option");
}

#[test]
fn a_method_that_would_not_be_used_is_told_or_refused() {
    // in a file it is there for the other schemes
    let bench = Bench::new(&ball("[method]\nname = \"phem56\""));
    let v = json(&bench, &["--scheme", "time-stepping"]);
    assert_eq!(codes(&v), ["N_METHOD_UNUSED", "N_TIME_STEPPING"]);
    let unused = note(&v, "N_METHOD_UNUSED");
    let text = unused["message"].as_str().unwrap();
    assert!(text.contains("phem56") && text.contains("moreau-jean"), "{text}");
    assert!(unused["line"].is_number());
    // on the command line it is a mistake
    let args = ["--scheme", "time-stepping", "--method", "phem56"];
    bench.refuses_with(&args, 2, "E_METHOD_SCHEME", "--method", "nonsmooth-gen-alpha");
    let args = ["--scheme", "hybrid", "--method", "moreau-jean"];
    bench.refuses_with(&args, 2, "E_METHOD_SCHEME", "--scheme", "moreau-jean");
    let both = "[method]\nname = \"moreau-jean\"\nscheme = \"event-driven\"";
    Bench::new(&ball(both)).refuses("E_METHOD_SCHEME", "m.toml:20:", "time-stepping");
    let bench = Bench::new(&ball(""));
    bench.refuses_with(&["--method", "moreau"], 2, "E_UNKNOWN_METHOD", "--method", "moreau-jean");
    // tolerances
    let v = json(&bench, &["--method", "moreau-jean", "--rtol", "1e-6"]);
    assert!(note(&v, "N_TIME_STEPPING")["message"].as_str().unwrap().contains("tolerances"));
}

#[test]
fn laws_that_time_stepping_does_not_have_are_named() {
    let text = ball("restitution_law = \"poisson\"\n[analysis]\nimpacts = \"sequential\"");
    let bench = Bench::new(&text);
    let v = json(&bench, &["--scheme", "time-stepping"]);
    assert_eq!(codes(&v), ["N_RESTITUTION_LAW", "N_IMPACTS_AT_ONCE", "N_TIME_STEPPING"]);
    let law = note(&v, "N_RESTITUTION_LAW");
    let text = law["message"].as_str().unwrap();
    assert!(text.contains("bounce") && text.contains("Poisson"), "{text}");
    assert!(law["line"].is_number(), "{law}");
    assert!(codes(&json(&bench, &[])).is_empty());
    // fixed steps do not look for the start of a contact that yields
    let yields = "law = \"hunt-crossley\"\nstiffness = 1e6\nstart = \"interpolate\"";
    let bench = Bench::new(&ball(yields));
    let v = json(&bench, &["--scheme", "time-stepping", "--step", "1e-4"]);
    assert_eq!(codes(&v), ["N_START_UNUSED", "N_TIME_STEPPING"]);
    assert!(note(&v, "N_START_UNUSED")["line"].is_number());
    assert!(codes(&json(&bench, &[])).is_empty());
    // Newton's law, and no restitution at all, are what time-stepping does
    let text = ball("").replace("restitution = 0.5", "restitution_law = \"energetic\"");
    let v = json(&Bench::new(&text), &["--scheme", "time-stepping"]);
    assert_eq!(codes(&v), ["N_TIME_STEPPING"]);
}

#[test]
fn the_list_has_a_group_for_them() {
    let bench = Bench::new("");
    let text = bench.run(&["methods"]).stdout;
    let group = text.split("--scheme time-stepping").nth(1).unwrap();
    for name in ["moreau-jean", "schatzman-paoli", "nonsmooth-gen-alpha"] {
        assert_eq!(text.matches(&format!("\n{name} ")).count(), 1, "{text}");
        assert!(group.contains(&format!("\n{name} ")));
        let one: Value =
            serde_json::from_str(&bench.run(&["methods", name, "--json"]).stdout).unwrap();
        assert_eq!((&one["group"], &one["adaptive"]), (&"time-stepping".into(), &false.into()));
    }
    let all: Value = serde_json::from_str(&bench.run(&["methods", "--json"]).stdout).unwrap();
    let list = all.as_array().unwrap();
    assert_eq!(list.iter().filter(|m| m["group"] == "time-stepping").count(), 3);
    assert!(
        bench.run(&["methods", "moreau-jean"]).stdout.contains("theta (0.5 to 1, default 0.5)")
    );
    let schema: Value = serde_json::from_str(&bench.run(&["schema"]).stdout).unwrap();
    let keys = &schema["$defs"]["MethodSpec"]["properties"];
    assert!(keys["theta"]["description"].as_str().unwrap().contains("moreau-jean"));
    assert!(keys["rho_inf"]["description"].as_str().unwrap().contains("nonsmooth-gen-alpha"));
}

/// A model without contact runs too, and a bound on the steps holds.
#[test]
fn without_contact_and_with_too_few_steps() {
    let text = "schema = 1\ngravity = [0, -10]\n[body.b]\ntype = \"planar\"\nmass = 1\ninertia = 1\n\
                [sensor.y]\ntype = \"position\"\nof = \"b\"\ncomponent = \"y\"\n";
    let bench = Bench::new(text);
    let v = json(&bench, &["--method", "moreau-jean", "--step", "10 ms"]);
    assert_eq!((&v["method"], &v["steps"]), (&"moreau-jean".into(), &100.into()));
    assert!(codes(&v).is_empty());
    let ran = bench.run(&["run", "m.toml", "--method", "moreau-jean", "--max-steps", "10"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("E_WORK_LIMIT"), "{}", ran.stderr);
}

/// `compare` may name them, and does not run smooth methods by time-stepping.
#[test]
fn they_can_be_compared() {
    let bench = Bench::new(&ball("[method]\nscheme = \"time-stepping\""));
    let ran = bench.run(&[
        "compare",
        "m.toml",
        "--methods",
        "mdop5,moreau-jean",
        "--steps",
        "1 ms, 0.5 ms",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    let rows = v["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let error = row["error_max"].as_f64().unwrap();
        let exact = row["method"] == "mdop5";
        assert!(if exact { error < 1e-10 } else { (1e-5..1e-1).contains(&error) }, "{row}");
    }
}

/// A ball behind a one-sided segment does not face it: no gap, and none is made up.
#[test]
fn a_gap_that_is_not_known_is_an_empty_field() {
    let text = "schema = 1\n[body.b]\ntype = \"planar\"\nmass = 1\ninertia = 0.1\nposition = [0, -1.5]\n\
        velocity = [0, 2]\n[shape.A]\ntype = \"circle\"\nradius = 0.05\nbody = \"b\"\n[shape.B]\n\
        type = \"segment\"\nfrom = [-2, 0]\nto = [2, 0]\nbody = \"ground\"\n[contact.c]\n\
        between = [\"A\", \"B\"]\n[sensor.y]\ntype = \"position\"\nof = \"b\"\ncomponent = \"y\"\n\
        [analysis]\nend = 1\nsample = 0.1\n";
    let bench = Bench::new(text);
    let v = json(&bench, &["--scheme", "time-stepping", "--out", "out", "--no-report"]);
    assert_eq!(v["status"], "done");
    let table = bench.read("out/diagnostics.csv");
    let gaps: Vec<&str> = table.lines().skip(1).map(|l| l.split(',').nth(1).unwrap()).collect();
    assert_eq!((gaps.len(), gaps[0]), (11, ""), "{gaps:?}");
    // y is 0.5 at the end, in front of the segment
    let last: f64 = gaps[10].parse().unwrap();
    assert!((last - 0.45).abs() < 1e-9, "{gaps:?}");
}
