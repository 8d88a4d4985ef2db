//! Pages of `modes`, `rotor` and `statics`: what `--report` writes, refuses and leaves alone.

use crate::support;
use serde_json::Value;
use support::Bench;

/// A disc on two springs, whose motions have 20 and 30 rad/s, and damping along y.
const DISC: &str = r#"schema = 1
title = "disc </script> on springs"
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
damping = [0, 4]
[analysis]
end = 1
"#;

const HANGING: &str = r#"schema = 1
gravity = [0, -9.81]
body.bob = { type = "planar", mass = 2, inertia = 0.1, com = [0, -1] }
joint.pin = { type = "revolute", between = ["ground", "bob"] }
analysis = { end = 1 }
"#;

/// The data of a page with the viewer; `None` for one with still pictures.
fn data(page: &str) -> Option<Value> {
    let start = page.find("id=\"delassus-data\">")? + "id=\"delassus-data\">".len();
    let end = start + page[start..].find("</script>")?;
    Some(serde_json::from_str(&page[start..end]).unwrap())
}

#[test]
fn a_page_of_modes() {
    let bench = Bench::new(DISC);
    let args = ["modes", "m.toml", "--at", "start", "--report", "p.html", "--out", "m.json"];
    let ran = bench.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("report         p.html"), "{}", ran.stdout);
    let json: Value = serde_json::from_str(&bench.read("m.json")).unwrap();
    let page = bench.read("p.html");
    assert!(!page.contains("disc </script>"), "names cannot leave the data");
    match data(&page) {
        Some(d) => {
            assert_eq!((&d["format"], &d["kind"]), (&"delassus-report".into(), &"modes".into()));
            let list = d["modes"]["list"].as_array().unwrap();
            assert_eq!(list.len(), json["modes"].as_array().unwrap().len());
            for (page, own) in list.iter().zip(json["modes"].as_array().unwrap()) {
                assert_eq!(page["imag"], own["imag"]);
            }
            let kinds: Vec<&str> = list.iter().map(|m| m["kind"].as_str().unwrap()).collect();
            assert_eq!(kinds, ["moves freely", "vibration", "damped vibration"]);
            assert_eq!(d["modes"]["shapes"]["shape"], serde_json::json!([3, 1, 12]));
            assert_eq!(d["motion"]["t"]["shape"], serde_json::json!([1]));
            assert_eq!(d["scene"]["bodies"][1]["name"], "disc");
        }
        None => assert!(page.contains("damped vibration") && page.contains("<svg")),
    }
}

#[test]
fn a_page_of_a_rotor_has_what_was_asked_for() {
    let bench = Bench::new(DISC);
    let page = |what: &str, more: &[&str]| {
        let args = ["rotor", "m.toml", what, "--speeds", "0:40:8", "--report", "r.html"];
        let ran = bench.run(&[&args, more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (data(&bench.read("r.html")), bench.read("r.html"), ran.stdout)
    };
    let (d, html, text) = page("all", &["--unbalance", "disc=5 g*m"]);
    assert!(text.contains("whirl") && text.contains("rad/s") && text.contains("disc"), "{text}");
    let Some(d) = d else {
        assert!(html.contains("<svg") && html.contains("critical speed"));
        return;
    };
    let rotor = &d["rotor"];
    assert_eq!(rotor["campbell"]["speed"]["shape"], serde_json::json!([8]));
    assert_eq!(rotor["campbell"]["modes"]["shape"], serde_json::json!([8, 2, 3]));
    assert_eq!(rotor["unbalance"]["bodies"], serde_json::json!(["disc"]));
    let critical = rotor["critical"].as_array().unwrap();
    assert!((critical[0]["speed"].as_f64().unwrap() - 20.0).abs() < 1e-8);
    assert!((critical[1]["speed"].as_f64().unwrap() - 30.0).abs() < 1e-8);
    // a rotor has no motion of its own
    assert!(d["motion"].is_null());
    // without unbalance, `all` leaves it out; the single questions have their part
    let (d, ..) = page("all", &[]);
    assert!(d.as_ref().unwrap()["rotor"]["unbalance"].is_null());
    assert!(d.unwrap()["rotor"]["critical"].is_array());
    let (d, ..) = page("campbell", &[]);
    assert!(d.unwrap()["rotor"]["critical"].is_null());
    let (d, ..) = page("unbalance", &["--unbalance", "disc=5 g*m"]);
    assert!(d.unwrap()["rotor"]["campbell"].is_null());
}

#[test]
fn a_page_of_an_equilibrium() {
    let bench = Bench::new(HANGING);
    let ran = bench.run(&["statics", "m.toml", "--report", "s.html"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = bench.read("s.html");
    let words = match data(&page) {
        Some(d) => {
            assert_eq!(d["kind"], "statics");
            let pin = &d["statics"]["loads"][0];
            assert_eq!((&pin["name"], &pin["kind"]), (&"pin".into(), &"reaction".into()));
            // the arrow of the reaction
            assert_eq!(d["motion"]["loads"]["t"]["shape"], serde_json::json!([1]));
            format!("{} {}", d["statics"]["words"], pin["text"])
        }
        None => page,
    };
    assert!(words.contains("stable") && words.contains("19.62"), "{words}");
}

#[test]
fn a_page_is_opened_and_a_wrong_name_is_refused_before_the_work() {
    let bench = Bench::new(HANGING);
    for command in [&["modes", "m.toml"][..], &["statics", "m.toml"]] {
        let with = |file: &str| bench.run(&[command, &["--report", file]].concat());
        for file in ["page.pdf", "page", "m.toml"] {
            let ran = with(file);
            assert_eq!(ran.code, 2, "{file} {}", ran.stderr);
            assert!(ran.stderr.contains("--report"), "{file} {}", ran.stderr);
        }
        let ran = with("missing/p.html");
        assert!(ran.code == 5 && ran.stderr.contains("E_OUTPUT"), "{}", ran.stderr);
    }
    assert_eq!(bench.read("m.toml"), HANGING);
    bench.assert_nothing_left();
    assert_eq!(bench.run(&["modes", "m.toml", "--report", "p.html"]).code, 0);
    let ran = bench.run(&["view", "p.html", "--no-open"]);
    assert!(ran.code == 0 && ran.stdout.trim_end().ends_with("p.html"), "{}", ran.stdout);
    let ran = bench.run(&["view", "p.html", "--live"]);
    assert!(ran.code == 2 && ran.stderr.contains("--live"), "{}", ran.stderr);
    let ran = bench.run(&["view", "gone.html", "--no-open"]);
    assert!(ran.code != 0, "{}", ran.stdout);
}
