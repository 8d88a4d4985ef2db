//! `statics` and `modes`: their objects, exit codes and files.

use crate::support;
use support::Bench;

const BLOCK: &str = r#"schema = 1
gravity = [0, -9.81]
body.block = { type = "planar-point", mass = 2, position = [0, -1] }
force.spring = { type = "spring", between = ["ground", "block"], stiffness = 100, length = 1 }
joint.guide = { type = "point-on-line", between = ["ground", "block"], axis = [0, 1] }
analysis = { end = 1 }
"#;

fn object(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn statics_and_modes_as_json_and_as_files() {
    let bench = Bench::new(BLOCK);
    let ran = bench.run(&["statics", "m.toml", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let v = object(&ran.stdout);
    let y = v["positions"]["block"]["position"][1].as_f64().unwrap();
    assert!((y + 1.1962).abs() < 1e-9, "{y}");
    let pull = v["forces"]["spring"]["value"].as_f64().unwrap();
    assert!((pull - 19.62).abs() < 1e-9, "{pull}");
    assert_eq!((&v["stable"], &v["stability"]), (&true.into(), &"stable".into()));
    assert!(v["reactions"]["guide"]["force"].is_array());
    let ran = bench.run(&["modes", "m.toml", "--json", "--out", "modes.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(bench.read("modes.json"), ran.stdout);
    let v = object(&ran.stdout);
    let modes = v["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 1);
    let of = |key: &str| modes[0][key].as_f64().unwrap();
    let omega = 50_f64.sqrt();
    assert!((of("imag") - omega).abs() < 1e-9 && of("real") == 0.0);
    assert!((of("frequency_hz") - omega / std::f64::consts::TAU).abs() < 1e-9);
    assert_eq!(of("damping_ratio"), 0.0);
    assert_eq!(modes[0]["shape"]["block"]["displacement"].as_array().unwrap().len(), 3);
    let ran = bench.run(&["modes", "m.toml"]);
    assert!(ran.stdout.contains("all 1 modes next to the equilibrium"), "{}", ran.stdout);
}

#[test]
fn what_has_no_answer_ends_with_its_code() {
    let falling = Bench::new(
        "schema = 1\ngravity = [0, -9.81]\nbody.stone = { type = \"planar\", mass = 1, inertia = 1 }\nanalysis = { end = 1 }\n",
    );
    let ran = falling.run(&["statics", "m.toml"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.contains("E_NO_EQUILIBRIUM")
            && ran.stderr.contains("body \"stone\" along (0, -1, 0)"),
        "{}",
        ran.stderr
    );
    let ran = falling.run(&["statics", "m.toml", "--json"]);
    assert_eq!(object(&ran.stdout)["errors"][0]["code"], "E_NO_EQUILIBRIUM");
    let block = Bench::new(BLOCK);
    for (at, code) in [("2", "E_RANGE"), ("5 kg", "E_DIMENSION"), ("nonsense", "E_UNKNOWN_NAME")] {
        let ran = block.run(&["modes", "m.toml", "--at", at]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(code), "{at}: {}", ran.stderr);
    }
    let ran = block.run(&["modes", "m.toml", "--count", "0"]);
    assert!(ran.code == 2 && ran.stderr.contains("E_RANGE"), "{}", ran.stderr);
}

#[test]
fn an_analysis_keeps_to_the_time_that_it_may_take() {
    let bench = Bench::new(BLOCK);
    for command in ["statics", "modes"] {
        let ran = bench.run(&[command, "m.toml", "--max-time", "0"]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("E_RANGE") && ran.stderr.contains("--max-time"));
        assert_eq!(bench.run(&[command, "m.toml", "--max-time", "1 min"]).code, 0);
    }
    // a heap whose search takes much longer than a second
    let heap = Bench::new(include_str!("../../../../models/spheres_in_box.toml"));
    for command in ["statics", "modes"] {
        let ran = heap.run(&[command, "m.toml", "--max-time", "0.1 s"]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("E_TIME_LIMIT") && !ran.stderr.contains("samples"),
            "{}",
            ran.stderr
        );
    }
}
