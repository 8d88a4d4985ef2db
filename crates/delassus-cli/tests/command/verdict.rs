//! Compromises made during a run are reported: notes with names and times, one verdict, `--strict`.

use crate::support;
use serde_json::Value;
use support::Bench;

/// Kane's double pendulum: with friction, Newton's law of impact gains energy at its tip.
const KANE: &str = r#"schema = 1
parameters = { a1 = "20 deg", a2 = "30 deg", L = "1 m" }
[body.upper]
type = "planar"
mass = 1
inertia = "1/12"
position = ["0.5*L*sin(a1)", "-0.5*L*cos(a1)"]
angle = "a1"
rate = -0.1
markers = { top = { position = [0, 0.5] }, end = { position = [0, -0.5] } }
[body.lower]
type = "planar"
mass = 1
inertia = "1/12"
position = ["L*sin(a1) + 0.5*L*sin(a2)", "-L*cos(a1) - 0.5*L*cos(a2)"]
angle = "a2"
rate = -0.2
markers = { top = { position = [0, 0.5] } }
[joint.pivot]
type = "revolute"
between = ["ground", "upper.top"]
[joint.elbow]
type = "revolute"
between = ["upper.end", "lower.top"]
[shape.tip]
type = "point"
body = "lower"
at = [0, -0.5]
[shape.floor]
type = "half-plane"
body = "ground"
at = [0, "-L*cos(a1) - L*cos(a2) - 1 mm"]
[contact.tap]
between = ["tip", "floor"]
restitution = 0.7
friction = 0.5
[analysis]
end = 0.02
sample = 0.001
"#;

/// A point on a rail and a stiff spring that is stretched by 1 mm.
const SPRING: &str = r#"schema = 1
[body.mass]
type = "planar-point"
mass = 1
position = [1.001, 0]
[joint.rail]
type = "point-on-line"
between = ["ground", "mass"]
axis = [1, 0]
[force.spring]
type = "spring"
between = ["ground", "mass"]
stiffness = 1e12
length = 1
[analysis]
end = 0.2
sample = 0.01
"#;

/// A disc that falls on a floor and bounces until it rests.
const BALL: &str = r#"schema = 1
gravity = [0, -9.81]
body.b = { type = "planar", mass = 1, inertia = 0.1, position = [0, 0.5] }
shape.b = { type = "circle", body = "b", radius = 0.1 }
shape.floor = { type = "half-plane", body = "ground" }
contact.bounce = { between = ["b", "floor"], restitution = 0.8 }
analysis = { end = 3, sample = 0.01 }
"#;

fn json(bench: &Bench, args: &[&str]) -> Value {
    let mut all = vec!["run", "m.toml", "--json"];
    all.extend(args);
    let ran = bench.run(&all);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn note<'v>(v: &'v Value, code: &str) -> &'v Value {
    let found = v["notes"].as_array().unwrap().iter().find(|n| n["code"] == code);
    found.unwrap_or_else(|| panic!("no {code} in {}", v["notes"]))
}

#[test]
fn a_reduced_restitution_is_an_event_and_a_note() {
    let bench = Bench::new(KANE);
    for scheme in ["hybrid", "event-driven", "time-stepping"] {
        let v = json(&bench, &["--scheme", scheme, "--events", "e.csv"]);
        let told = note(&v, "N_RESTITUTION_REDUCED");
        let message = told["message"].as_str().unwrap();
        assert!(message.contains("tap") && message.contains("1 impact"), "{message}");
        assert!(told["t"].as_f64().is_some_and(|t| (t - 0.0075).abs() < 1e-3), "{told}");
        let c = &v["contact"];
        assert_eq!(c["restitution_reduced"]["count"], 1);
        assert!(c["least_restitution_factor"].as_f64().unwrap() < 0.9);
        assert_eq!(v["verdict"]["tone"], "fair", "{}", v["verdict"]);
        let events = bench.read("e.csv");
        let lines: Vec<&str> = events.lines().filter(|l| l.contains(",tap,")).collect();
        let reduced: Vec<_> = lines.iter().filter(|l| l.contains("restitution-reduced")).collect();
        assert_eq!(reduced.len(), 1, "{events}");
        let impacts = lines.iter().filter(|l| l.contains(",impact,")).count();
        assert_eq!(impacts, 1, "{events}");
    }
    // as text, in the order of the run
    let ran = bench.run(&["run", "m.toml", "--out", "o"]);
    assert!(ran.stderr.contains("N_RESTITUTION_REDUCED"), "{}", ran.stderr);
    assert!(ran.stdout.contains("verdict") && ran.stdout.contains("reduced restitution"));
    assert!(ran.stdout.contains("touching 1e-10"), "{}", ran.stdout);
}

#[test]
fn a_fixed_step_that_gains_energy_is_told_with_its_time() {
    let bench = Bench::new(SPRING);
    for method in ["newmark", "gen-alpha"] {
        let v = json(&bench, &["--step", "1e-3", "--method", method]);
        // whether it gains energy or loses it, or stays bounded: an error of the balance is reported
        let e = &v["energy"];
        let off = e["error"].as_f64().unwrap() > e["limit"].as_f64().unwrap();
        assert_eq!(off, e["off_since"].is_number(), "{e}");
        if !off {
            continue;
        }
        let told = note(&v, "N_ENERGY");
        assert!(told["message"].as_str().unwrap().contains("step of 0.001 s"), "{told}");
        assert!(told["t"].as_f64().is_some_and(|t| t <= 0.2), "{told}");
        assert_eq!(v["verdict"]["tone"], "bad");
    }
    // with steps that resolve it all is well
    let v = json(&bench, &["--end", "1e-4", "--sample", "1e-5"]);
    assert_eq!((&v["verdict"]["tone"], v["notes"].as_array().unwrap().len()), (&"good".into(), 0));
}

/// Linear-implicit Euler damps a pendulum by a third of its energy; the tolerances of other methods
/// explain theirs.
#[test]
fn a_method_that_loses_energy_is_told_and_tolerances_explain_their_errors() {
    let bench = Bench::new(
        "schema = 1\ngravity = [0, -9.81]\n\
         body.bob = { type = \"planar-point\", mass = 1, position = [1, 0] }\n\
         joint.rod = { type = \"distance\", between = [\"ground\", \"bob\"] }\n\
         analysis = { end = 5, sample = 0.1 }\n",
    );
    let v = json(&bench, &["--method", "lin-euler", "--step", "0.02"]);
    let told = note(&v, "N_ENERGY");
    assert!(told["t"].as_f64().is_some_and(|t| t > 0.0 && t < 1.0), "{told}");
    assert_eq!(v["verdict"]["tone"], "bad", "{}", v["verdict"]);
    for rtol in ["1e-4", "1e-6", "1e-8", "1e-12"] {
        for method in ["mdop5", "radau5", "phem56"] {
            let v = json(&bench, &["--method", method, "--rtol", rtol]);
            assert!(v["energy"]["off_since"].is_null(), "{method} {rtol}: {}", v["energy"]);
            assert!(v["energy"]["error"].as_f64() < v["energy"]["explained"].as_f64());
        }
    }
}

#[test]
fn strict_makes_an_exit_code_of_the_verdict() {
    let bench = Bench::new(KANE);
    let ran = bench.run(&["run", "m.toml", "--strict", "--json"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let v: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&v["status"], &v["code"]), (&"done".into(), &4.into()));
    let bench = Bench::new(&KANE.replace("restitution = 0.7", "restitution = 0"));
    let ran = bench.run(&["run", "m.toml", "--strict", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn hand_overs_are_counted_and_do_no_harm() {
    let bench = Bench::new(BALL);
    let v = json(&bench, &[]);
    let message = note(&v, "N_HAND_OVER")["message"].as_str().unwrap();
    assert!(message.contains("bounce") && message.contains("1 time"), "{message}");
    assert_eq!(v["contact"]["hand_overs"]["count"], 1);
    assert_eq!(v["verdict"]["tone"], "good", "{}", v["verdict"]);
    let keys: Vec<&str> = v["verdict"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["key"].as_str().unwrap())
        .collect();
    for key in ["energy", "position_drift", "velocity_drift", "hand_overs"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
}

#[test]
fn tolerances_of_contact_are_set_in_the_file() {
    let tight = format!("{BALL}[contact_tolerances]\nresidual = 1e-12\ndense = 1e-5\n");
    let v = json(&Bench::new(&tight), &[]);
    assert_eq!(v["contact_tolerances"]["residual"], 1e-12);
    assert_eq!(v["contact_tolerances"]["dense"], 1e-5);
    assert_eq!(v["contact_tolerances"]["touching"], 1e-10);
    // impacts accumulate earlier now
    let usual = json(&Bench::new(BALL), &[]);
    assert!(v["events"].as_u64() < usual["events"].as_u64());
    for (line, code, place) in [
        ("residual = 0", "E_TOLERANCE", "contact_tolerances.residual"),
        ("slow = 2", "E_TOLERANCE", "contact_tolerances.slow"),
        ("slwo = 1e-9", "E_UNKNOWN_KEY", "contact_tolerances.slwo"),
    ] {
        let bad = Bench::new(&format!("{BALL}[contact_tolerances]\n{line}\n"));
        bad.refuses(code, place, "");
    }
}

#[test]
fn places_of_events_belong_to_their_lines() {
    // events that are sure only some steps later are inserted before others
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ratchet.toml");
    let bench = Bench::new("schema = 1\n");
    let ran = bench.run(&[
        "run",
        model,
        "--scheme",
        "time-stepping",
        "--end",
        "1",
        "--out",
        "o",
        "--no-report",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let events = bench.read("o/events.csv");
    let rows: Vec<Vec<&str>> = events.lines().skip(1).map(|l| l.split(',').collect()).collect();
    let bytes = std::fs::read(bench.path("o/contacts.bin")).unwrap();
    let points = delassus::io::results::read_contacts(&bytes).unwrap().0;
    assert!(points.events.len() > 100, "{}", points.events.len());
    for p in &points.events {
        let row = &rows[p.row as usize];
        assert_eq!(row[5].parse::<f64>().unwrap(), p.force, "{row:?}");
    }
}
