//! `report.html`, and `view`, `report`, `plot` and `export` on results folders.

use crate::support;
use serde_json::Value;
use std::fs;
use support::{Bench, list};

const SWING: &str = r#"schema = 1
title = "swing </script><!-- it"
gravity = [0, -9.81]
body.bob = { type = "planar-point", mass = 1, position = [1, 0] }
joint.rod = { type = "distance", between = ["ground", "bob"] }
sensor.bob = { type = "position", of = "bob" }
sensor.pull = { type = "reaction", joint = "rod", component = "fx" }
analysis = { end = 1, sample = 0.1 }
"#;

fn ran(bench: &Bench) {
    let out = bench.run(&["run", "m.toml", "--out", "o"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    assert!(out.stdout.contains("o/report.html"), "{}", out.stdout);
}

/// The data of a page with the viewer; `None` for one with still pictures.
fn data(page: &str) -> Option<Value> {
    let start = page.find("id=\"delassus-data\">")? + "id=\"delassus-data\">".len();
    let end = start + page[start..].find("</script>")?;
    Some(serde_json::from_str(&page[start..end]).unwrap())
}

#[test]
fn a_run_leaves_a_page() {
    let bench = Bench::new(SWING);
    ran(&bench);
    let page = bench.read("o/report.html");
    assert!(page.contains("<!doctype html>") || page.contains("<!DOCTYPE html>"));
    assert!(
        !page.contains("http://") || page.contains("http://www.w3.org"),
        "no address elsewhere"
    );
    match data(&page) {
        Some(d) => {
            assert_eq!(d["meta"]["status"], "finished");
            assert_eq!(d["meta"]["title"], "swing </script><!-- it");
            assert_eq!(d["meta"]["model_text"], SWING);
            assert_eq!(d["meta"]["method"], "mdop5");
            assert_eq!(d["scene"]["bodies"][1]["name"], "bob");
            assert_eq!(d["motion"]["poses"]["shape"], serde_json::json!([11, 2, 3]));
            assert_eq!(d["columns"].as_array().unwrap().len(), 3 + 8);
            assert!(d["steps"]["h"]["shape"][0].as_u64().unwrap() > 3);
            assert_eq!(d["summary"]["samples"], 11);
        }
        None => assert!(page.contains("without the viewer") && page.contains("<svg")),
    }
    // Without: also the page of the run before goes, which is no longer true.
    assert_eq!(bench.run(&["run", "m.toml", "--out", "o", "--no-report"]).code, 0);
    assert!(!bench.path("o/report.html").exists() && bench.path("o/motion.bin").exists());
    assert_eq!(bench.run(&["run", "m.toml", "--csv", "x.csv"]).code, 0);
    assert!(!bench.path("report.html").exists());
}

/// `exaggerate` is for display only: the page receives it, also when it is made from files, and no bit of the results
/// differs.
#[test]
fn exaggerated_play_changes_no_result() {
    let model = |pin: &str, guide: &str| {
        format!(
            "schema = 1\ngravity = [1, -9.81]\n\
             body.arm = {{ type = 'planar', mass = 1, inertia = 0.01, com = [0.1, 0] }}\n\
             body.block = {{ type = 'planar', mass = 1, inertia = 0.01, com = [0.02, 0], position = [1, 0] }}\n\
             [joint.pin]\ntype = 'revolute'\nbetween = ['ground', 'arm']\n\
             clearance = '0.5 mm'\nradius = '10 mm'\nrestitution = 0.5\n{pin}\
             [joint.guide]\ntype = 'prismatic'\nbetween = ['ground', 'block']\n\
             clearance = '1 mm'\nlength = 0.1\nwidth = 0.05\nrestitution = 0.5\n{guide}\
             [sensor.pin]\ntype = 'eccentricity'\njoint = 'pin'\n\
             [analysis]\nend = 0.02\nsample = 0.001\n"
        )
    };
    let plain = Bench::new(&model("", ""));
    let large = Bench::new(&model("exaggerate = 50\n", "exaggerate = '2*10'\n"));
    for bench in [&plain, &large] {
        assert_eq!(bench.run(&["run", "m.toml", "--out", "o"]).code, 0);
    }
    for file in ["results.csv", "diagnostics.csv", "events.csv"] {
        assert!(plain.read(&format!("o/{file}")) == large.read(&format!("o/{file}")), "{file}");
    }
    assert!(plain.read("o/events.csv").lines().count() > 2);
    let motion = |bench: &Bench| fs::read(bench.path("o/motion.bin")).unwrap();
    assert!(motion(&plain) == motion(&large));
    assert_eq!(large.run(&["report", "o"]).code, 0);
    let (plain, large) = (plain.read("o/report.html"), large.read("o/report.html"));
    match (data(&plain), data(&large)) {
        (Some(plain), Some(large)) => {
            let joint = |d: &Value, k: usize, key: &str| d["scene"]["joints"][k][key].clone();
            assert_eq!(joint(&large, 0, "exaggerate"), 50.0);
            assert_eq!(joint(&large, 1, "exaggerate"), 20.0);
            assert_eq!(joint(&large, 1, "block"), serde_json::json!([0.05, 0.0, 0.1]));
            assert!(joint(&plain, 0, "exaggerate").is_null());
        }
        _ => assert!(large.contains("<code>pin</code> drawn 50 times enlarged")),
    }
}

#[test]
fn the_page_is_made_again_from_the_files() {
    let bench = Bench::new(SWING);
    ran(&bench);
    let first = bench.read("o/report.html");
    let out = bench.run(&["report", "o"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    assert_eq!(out.stdout, "wrote o/report.html\n");
    let second = bench.read("o/report.html");
    assert!(first == second, "the same from files as from memory");
    assert_eq!(bench.run(&["report", "o/summary.json", "-o", "x.html"]).code, 0);
    assert!(bench.read("x.html") == second);
    assert_eq!(bench.run(&["report", "o", "-o", "missing/x.html"]).code, 5);
}

#[test]
fn a_run_that_fails_has_a_page_with_its_error() {
    let bench = Bench::new(SWING);
    let out = bench.run(&["run", "m.toml", "--max-steps", "5", "--out", "o"]);
    assert_eq!(out.code, 3);
    let page = bench.read("o/report.html");
    assert!(page.contains("E_WORK_LIMIT"));
    if let Some(d) = data(&page) {
        assert_eq!(d["meta"]["status"], "failed");
        assert_eq!(d["meta"]["error"]["code"], "E_WORK_LIMIT");
        assert!(d["meta"]["error"]["t"].as_f64().unwrap() > 0.0);
        assert!(d["meta"]["error"]["help"].is_string());
        assert!(d["motion"]["t"]["shape"][0].as_u64().unwrap() >= 1);
    }
}

#[test]
fn damaged_folders_are_shown_as_far_as_they_are_good() {
    let bench = Bench::new(SWING);
    ran(&bench);
    let motion = fs::read(bench.path("o/motion.bin")).unwrap();
    fs::write(bench.path("o/motion.bin"), &motion[..motion.len() / 2]).unwrap();
    let csv = bench.read("o/results.csv");
    fs::write(bench.path("o/results.csv"), &csv[..csv.len() / 2]).unwrap();
    let out = bench.run(&["report", "o"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    for word in ["N_RESULT", "o: motion.bin: the file is cut off", "o: results.csv", "help: "] {
        assert!(out.stderr.contains(word), "{word}: {}", out.stderr);
    }
    assert!(bench.read("o/report.html").contains("cut off"));
    for (args, code) in [
        (&["report", "nowhere"][..], 5),
        (&["report", "m.toml"], 5),
        (&["view", "nowhere", "--no-open"], 5),
        (&["plot", "nowhere", "x"], 5),
        (&["export", "nowhere", "--gltf", "x.glb"], 5),
        (&["export", "o"], 2),
        (&["view", "o", "--live", "--no-open"], 2),
    ] {
        let out = bench.run(args);
        assert_eq!((out.code, out.stdout.as_str()), (code, ""), "{args:?}: {}", out.stderr);
    }
    let out = bench.run(&["report", "nowhere"]);
    assert!(out.stderr.contains("E_RESULT") && out.stderr.contains("help: "), "{}", out.stderr);
    fs::remove_file(bench.path("o/scene.json")).unwrap();
    let out = bench.run(&["export", "o", "--gltf", "x.glb"]);
    assert_eq!(out.code, 5);
    assert!(out.stderr.contains("E_RESULT") && out.stderr.contains("scene"), "{}", out.stderr);
}

#[test]
fn view_prints_where_the_page_is() {
    let bench = Bench::new(SWING);
    ran(&bench);
    for target in ["o", "o/report.html"] {
        let out = bench.run(&["view", target, "--no-open"]);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""));
        let page = fs::canonicalize(bench.path("o/report.html")).unwrap();
        assert_eq!(out.stdout.trim_end(), page.display().to_string());
    }
    // a folder without a page gets one
    fs::remove_file(bench.path("o/report.html")).unwrap();
    assert_eq!(bench.run(&["view", "o", "--no-open"]).code, 0);
    assert!(bench.path("o/report.html").is_file());
    // a model is run for it, into a new folder or the given one
    fs::create_dir(bench.path("tmp")).unwrap();
    let out = bench
        .command()
        .env("TMPDIR", bench.path("tmp"))
        .args(["view", "m.toml", "--no-open", "--end", "0.2"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0));
    let page = String::from_utf8(out.stdout).unwrap();
    assert!(fs::metadata(page.trim_end()).unwrap().is_file(), "{page}");
    assert_eq!(list(&bench.path("tmp")).iter().filter(|f| f.ends_with("report.html")).count(), 1);
    let out = bench.run(&["view", "m.toml", "--no-open", "--out", "v"]);
    assert_eq!(out.code, 0);
    assert!(bench.path("v/results.csv").is_file());
    // a model with faults leaves nothing behind
    let out = bench
        .command()
        .env("TMPDIR", bench.path("tmp"))
        .args(["view", "m.toml", "--no-open", "--step", "-1"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(fs::read_dir(bench.path("tmp")).unwrap().count(), 1);
}

#[test]
fn plots_as_svg_and_png() {
    let bench = Bench::new(SWING);
    ran(&bench);
    let out = bench.run(&["plot", "o"]);
    assert_eq!(out.code, 0);
    for word in ["bob.x", "pull", "energy.balance", " m ", " N "] {
        assert!(out.stdout.contains(word), "{word}: {}", out.stdout);
    }
    let out = bench.run(&["plot", "o", "bob.*", "pull", "bob.x"]);
    assert_eq!((out.code, out.stdout.as_str()), (0, "wrote o/plot.svg\n"), "{}", out.stderr);
    let svg = bench.read("o/plot.svg");
    for name in ["bob.x", "bob.y", "pull"] {
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
    }
    assert!(svg.contains(">pull, N</text>") && svg.contains(">m</text>"), "one panel per unit");
    assert!(!svg.contains("</script>"));
    // of eleven samples those of the times that are asked for
    let points = |options: &[&str]| {
        let out = bench.run(&[&["plot", "o", "bob.x"], options].concat());
        assert_eq!(out.code, 0, "{}", out.stderr);
        let svg = bench.read("o/plot.svg");
        let line = svg.split("<path d=\"M").nth(1).unwrap().split('"').next().unwrap();
        line.split('L').count()
    };
    assert_eq!((points(&[]), points(&["--from", "0.45 s"]), points(&["--to", "0.45"])), (11, 6, 5));
    assert_eq!(points(&["--from", "250 ms", "--to", "0.85", "--over", "bob.y"]), 6);
    for (options, code) in [
        (["--from", "2", "--to", "3"], "E_RANGE"),
        (["--from", "0.6", "--to", "0.3"], "E_RANGE"),
        (["--from", "1 m", "--to", "1"], "E_DIMENSION"),
    ] {
        let out = bench.run(&[&["plot", "o", "bob.x"], &options[..]].concat());
        assert_eq!(out.code, 2, "{}", out.stderr);
        assert!(out.stderr.contains(code) && out.stderr.contains("--from"), "{}", out.stderr);
    }
    assert_eq!(bench.run(&["plot", "o", "bob.x", "-o", "x.png", "--log"]).code, 0);
    let png = fs::read(bench.path("x.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n") && png.ends_with(b"IEND\xaeB`\x82"));
    let out = bench.run(&["plot", "o", "bob.z", "zzz*"]);
    assert_eq!((out.code, out.stdout.as_str()), (2, ""));
    for word in ["E_UNKNOWN_NAME", "`bob.z`", "did you mean: bob.x", "`zzz*`", "2 errors"] {
        assert!(out.stderr.contains(word), "{word}: {}", out.stderr);
    }
    let out = bench.run(&["plot", "o", "bob.x", "-o", "x.pdf"]);
    assert_eq!(out.code, 2);
    assert!(out.stderr.contains(".svg") && out.stderr.contains("E_OUTPUT"), "{}", out.stderr);
}

#[test]
fn motion_for_other_programs() {
    let bench = Bench::new(SWING);
    ran(&bench);
    let out = bench.run(&["export", "o", "--gltf", "x.glb"]);
    assert_eq!((out.code, out.stdout.as_str()), (0, "wrote x.glb\n"), "{}", out.stderr);
    let glb = fs::read(bench.path("x.glb")).unwrap();
    assert!(glb.starts_with(b"glTF\x02\0\0\0"));
    let n = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let v: Value = serde_json::from_slice(&glb[20..20 + n]).unwrap();
    assert!(v["nodes"].as_array().unwrap().iter().any(|node| node["name"] == "bob"));
    assert_eq!(v["animations"][0]["channels"].as_array().unwrap().len(), 2);
    // pictures need a browser; without the scripts that drive it there is a clear word
    let out = bench
        .command()
        .env("DELASSUS_WEB", bench.path("nowhere"))
        .args(["export", "o", "--frames", "f"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(5));
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(text.contains("E_BROWSER") && text.contains("help: "), "{text}");
    assert!(!bench.path("f").exists());
    assert_eq!(bench.run(&["export", "o", "--frames", "f", "--fps", "0"]).code, 2);
}
