//! `rotor`: its objects, pictures and what it refuses, on a disc between springs.

use crate::support;
use support::Bench;

const DISC: &str = r#"schema = 1
[parameters]
speed = 10
[body.disc]
type = "planar"
mass = 2
inertia = 0.1
rate = "speed"
[force.bearing]
type = "bearing"
between = ["ground", "disc"]
stiffness = [800, 1800]
[analysis]
end = 1
"#;

fn object(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn near(v: &serde_json::Value, right: f64) {
    let x = v.as_f64().unwrap();
    assert!((x - right).abs() <= 1e-9 * right.abs(), "{x} {right}");
}

#[test]
fn three_questions_about_a_disc_between_springs() {
    let bench = Bench::new(DISC);
    let ran = bench.run(&["rotor", "m.toml", "campbell", "--speeds", "0:60 rpm:3", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v = object(&ran.stdout);
    assert_eq!(v["axis"], serde_json::json!([0.0, 0.0, 1.0]));
    let rows = v["campbell"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    near(&rows[1]["speed"], std::f64::consts::PI);
    near(&rows[2]["rpm"], 60.0);
    for row in rows {
        // no gyroscopic terms in the plane
        near(&row["modes"][0]["imag"], 20.0);
        near(&row["modes"][1]["imag"], 30.0);
        assert_eq!(row["modes"][0]["whirl"], "planar");
    }
    let picture =
        ["rotor", "m.toml", "critical", "--speeds", "100", "--plot", "c.svg", "--out", "c.json"];
    let ran = bench.run(&picture);
    assert!(
        ran.code == 0 && ran.stdout.contains("no critical speed"),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
    let ran = bench.run(&["rotor", "m.toml", "critical", "--speeds", "1:100:8", "--json"]);
    let v = object(&ran.stdout);
    assert_eq!(v["critical"].as_array().unwrap().len(), 2, "{}", ran.stdout);
    near(&v["critical"][0]["speed"], 20.0);
    near(&v["critical"][1]["speed"], 30.0);
    let ran = bench.run(&[
        "rotor",
        "m.toml",
        "unbalance",
        "--unbalance",
        "disc=5 g*m",
        "--speeds",
        "25",
        "--json",
        "--plot",
        "u.png",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(bench.path("c.svg").is_file() && bench.path("u.png").is_file());
    let push = 5e-3 * 625.0;
    let v = object(&ran.stdout);
    let orbit = &v["unbalance"][0]["bodies"]["disc"];
    near(&orbit["amplitude"][0], push / (2.0 * 625.0 - 800.0));
    near(&orbit["amplitude"][1], push / (1800.0 - 2.0 * 625.0));
    // beyond one critical speed x is behind by half a turn; y follows x by a quarter, and the orbit runs backward
    near(&orbit["phase_deg"][1], -90.0);
    assert!((orbit["phase_deg"][0].as_f64().unwrap().abs() - 180.0).abs() < 1e-9);
    assert!(orbit["semi_axes"][1].as_f64().unwrap() < 0.0);
}

#[test]
fn what_a_rotor_lacks_is_named() {
    let bench = Bench::new(DISC);
    for (args, code, word) in [
        (&["unbalance", "--speeds", "5"][..], "E_MISSING_FIELD", "--unbalance"),
        (&["unbalance", "--speeds", "5", "--unbalance", "disk=1e-3"], "E_UNKNOWN_NAME", "disc"),
        (&["unbalance", "--speeds", "5", "--unbalance", "disc=1 kg"], "E_DIMENSION", "--unbalance"),
        (&["campbell", "--speeds", "5", "--parameter", "omega"], "E_UNKNOWN_NAME", "omega"),
        (&["campbell", "--speeds", "5:1:3"], "E_RANGE", "--speeds"),
        (&["campbell", "--speeds", "1:5:1"], "E_RANGE", "--speeds"),
        (&["campbell", "--speeds", "1:2:3:4"], "E_RANGE", "--speeds"),
        (&["campbell", "--speeds", "1 m"], "E_DIMENSION", "--speeds"),
        (&["campbell", "--speeds", "1", "--plot", "a.pdf"], "E_OUTPUT", "--plot"),
    ] {
        let ran = bench.run(&[&["rotor", "m.toml"], args].concat());
        assert_eq!(ran.code, 2, "{args:?} {}", ran.stderr);
        assert!(ran.stderr.contains(code) && ran.stderr.contains(word), "{args:?} {}", ran.stderr);
    }
    let still = Bench::new(&DISC.replace("rate = \"speed\"\n", ""));
    let ran = still.run(&["rotor", "m.toml", "campbell", "--speeds", "5"]);
    assert!(ran.code == 2 && ran.stderr.contains("E_ROTOR"), "{}", ran.stderr);
}
