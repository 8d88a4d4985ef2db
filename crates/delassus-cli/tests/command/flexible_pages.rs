//! What pages of bodies that deform are made from: forces and moments along beams, and the factor by which deformation is
//! drawn.

use crate::support;
use delassus::io::results::read_motion;
use serde_json::Value;
use std::fs;
use support::Bench;

/// A heavy arm in the plane with a sensor at both of its ends, and a modal one beside it.
const ARM: &str = "schema = 1\ngravity = [0, -9.81]\n\
    [section.bar]\ntype = 'rectangle'\nheight = 0.02\nwidth = 0.02\n\
    [material.steel]\nyoung = '210 GPa'\npoisson = 0.3\ndensity = 7850\n\
    [body.arm]\ntype = 'planar-beam'\nlength = 1\nelements = 4\nsection = 'bar'\nmaterial = 'steel'\n\
    [body.rod]\ntype = 'planar-modal'\nposition = [0, 1]\nlength = 1\nelements = 4\nsection = 'bar'\nmaterial = 'steel'\n\
    modes = { count = 2, held = ['start'] }\n\
    [ground.markers]\nhigh = [0, 1]\n\
    [joint.low]\ntype = 'fixed'\nbetween = ['ground', 'arm.start']\n\
    [joint.high]\ntype = 'fixed'\nbetween = ['ground.high', 'rod.start']\n\
    [sensor.root]\ntype = 'section'\nof = 'arm'\nat = 0\n\
    [sensor.tip]\ntype = 'section'\nof = 'arm'\nat = 1\n\
    [analysis]\nend = 0.01\nsample = 0.001\n\
    [method]\nname = 'gen-alpha-ggl'\nstep = 0.0005\n";

/// The data of a page with the viewer; `None` for one with still pictures.
fn data(page: &str) -> Option<Value> {
    let start = page.find("id=\"delassus-data\">")? + "id=\"delassus-data\">".len();
    let end = start + page[start..].find("</script>")?;
    Some(serde_json::from_str(&page[start..end]).unwrap())
}

fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let at = lines.next().unwrap().split(',').position(|n| n == name).unwrap();
    lines.map(|l| l.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn forces_along_beams_are_those_of_sensors() {
    let bench = Bench::new(ARM);
    let out = bench.run(&["run", "m.toml", "--out", "o"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let file = fs::read(bench.path("o/sections.bin")).unwrap();
    let read = read_motion(&file).unwrap();
    assert!(read.problem.is_none());
    // three numbers at both ends of four elements
    assert_eq!(read.motion.forms.len(), 8);
    let csv = bench.read("o/results.csv");
    for (sensor, first) in [("root", 0), ("tip", 21)] {
        for (k, part) in ["fx", "fy", "tz"].into_iter().enumerate() {
            let measured = column(&csv, &format!("{sensor}.{part}"));
            assert_eq!(measured.len(), read.motion.t.len());
            for (row, x) in measured.iter().enumerate() {
                assert_eq!(read.motion.row(row).unwrap()[first + k], *x, "{sensor}.{part} {row}");
            }
        }
    }
    // the weight of the arm bends its root
    assert!(column(&csv, "root.tz").iter().any(|x| x.abs() > 1.0));
    let summary: Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    let listed = summary["files"].as_array().unwrap();
    assert!(listed.iter().any(|f| f["path"].as_str().unwrap().ends_with("sections.bin")));
}

#[test]
fn a_folder_without_them_opens_and_a_wrong_file_is_told() {
    let bench = Bench::new(ARM);
    assert_eq!(bench.run(&["run", "m.toml", "--out", "o"]).code, 0);
    let again = |want: bool| {
        let out = bench.run(&["report", "o"]);
        assert_eq!(out.code, 0, "{}", out.stderr);
        if let Some(page) = data(&bench.read("o/report.html")) {
            assert_eq!(page["motion"]["sections"].is_object(), want);
            assert_eq!(page["scene"]["sections"][0]["name"], "arm");
        }
        out.stderr
    };
    assert_eq!(again(true), "");
    // as earlier versions left it: without the file and without its entry in the summary
    fs::remove_file(bench.path("o/sections.bin")).unwrap();
    assert!(again(false).contains("sections.bin: the file is missing"));
    let mut summary: Value = serde_json::from_str(&bench.read("o/summary.json")).unwrap();
    let files = summary["files"].as_array_mut().unwrap();
    files.retain(|f| !f["path"].as_str().unwrap().ends_with("sections.bin"));
    fs::write(bench.path("o/summary.json"), summary.to_string()).unwrap();
    assert_eq!(again(false), "");
    // vectors of something else
    fs::copy(bench.path("o/loads.bin"), bench.path("o/sections.bin")).unwrap();
    assert!(again(false).contains("sections.bin"));
}

/// Like that of play, the factor is for display only.
#[test]
fn exaggerated_deformation_changes_no_result() {
    let plain = Bench::new(ARM);
    let with = |arm: &str, rod: &str| {
        let arm = format!("exaggerate = {arm}\n[body.rod]");
        let text = ARM.replace("[body.rod]", &arm);
        Bench::new(
            &text.replace("[ground.markers]", &format!("exaggerate = {rod}\n[ground.markers]")),
        )
    };
    let large = with("50", "'2*10'");
    for bench in [&plain, &large] {
        let out = bench.run(&["run", "m.toml", "--out", "o"]);
        assert_eq!(out.code, 0, "{}", out.stderr);
    }
    for file in ["results.csv", "diagnostics.csv", "motion.bin", "sections.bin"] {
        let of = |b: &Bench| fs::read(b.path(&format!("o/{file}"))).unwrap();
        assert!(of(&plain) == of(&large), "{file}");
    }
    let scene = |b: &Bench| -> Value { serde_json::from_str(&b.read("o/scene.json")).unwrap() };
    let factor = |s: &Value, k: usize| s["scene"]["flexible"][k]["exaggerate"].clone();
    let (without, with_factors) = (scene(&plain), scene(&large));
    assert_eq!([factor(&with_factors, 0), factor(&with_factors, 1)], [50.0, 20.0]);
    assert!(factor(&without, 0).is_null() && factor(&without, 1).is_null());
}

#[test]
fn the_factor_is_a_plain_number_from_one_on_of_a_body_that_deforms() {
    let with =
        |x: &str| Bench::new(&ARM.replace("[body.rod]", &format!("exaggerate = {x}\n[body.rod]")));
    for x in ["0", "-3", "0.5", "1.1e6"] {
        with(x).refuses("E_RANGE", "m.toml:17:14", "`exaggerate`");
    }
    with("'50 mm'").refuses("E_DIMENSION", "m.toml:17:15", "exaggerate");
    let rigid = "schema = 1\n[body.stone]\ntype = 'planar'\nmass = 1\ninertia = 1\nexaggerate = 5\n\
                 [analysis]\nend = 1\n";
    Bench::new(rigid).refuses("E_FIELD_UNUSED", "m.toml:6:14", "exaggerate");
}
