//! Damaged results folders: the intact part is kept, the rest is named.

use delassus_io::model_file::{Limits, parse_str};
use delassus_io::results::{MotionFile, write_motion};
use delassus_model::{PoseForm, System, compile};
use delassus_report::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const MODEL: &str = "schema = 1\ntitle = \"bead\"\nbody.p = { type = \"planar-point\", mass = 1 }\n\
                     sensor.p = { type = \"position\", of = \"p\" }\n";

/// A good folder with 100 samples.
fn folder() -> TempDir {
    let loaded = parse_str(MODEL, "m.toml", &Limits::default()).unwrap();
    let sys = System::new(compile(&loaded.spec).unwrap()).unwrap();
    let info = ModelInfo { title: "bead".to_owned(), text: MODEL.to_owned(), ..Default::default() };
    let d = Description::new(&sys, info, [("energy.kinetic", "J")].into_iter());
    let dir = tempfile::tempdir().unwrap();
    let t: Vec<f64> = (0..100).map(|k| f64::from(k) * 0.1).collect();
    let coordinates = t.iter().flat_map(|t| [*t, 2.0 * t]).collect();
    let motion =
        MotionFile { forms: vec![PoseForm::PlanarPoint], stride: 1, t: t.clone(), coordinates };
    let mut bytes = Vec::new();
    write_motion(&mut bytes, &motion).unwrap();
    let (mut results, mut other) = ("t,p.x,p.y\n".to_owned(), "t,energy.kinetic\n".to_owned());
    let mut steps = "t,h,rejected,energy_error,drift_pos,drift_vel,drift_acc\n".to_owned();
    for t in &t {
        results.push_str(&format!("{t},{t},{}\n", 2.0 * t));
        other.push_str(&format!("{t},5\n"));
        steps.push_str(&format!("{t},0.1,0,0,0,0,0\n"));
    }
    for (name, content) in [
        ("summary.json", br#"{"status":"done","method":"mdop5"}"#.to_vec()),
        (SCENE_JSON, d.json().into_bytes()),
        (MOTION_BIN, bytes),
        ("results.csv", results.into_bytes()),
        ("diagnostics.csv", other.into_bytes()),
        (STEPS_CSV, steps.into_bytes()),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
    }
    dir
}

fn read(dir: &TempDir) -> Report {
    read_folder(dir.path()).unwrap()
}

fn cut(path: &Path, part: f64) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..(bytes.len() as f64 * part) as usize]).unwrap();
}

#[test]
fn a_good_folder() {
    let dir = folder();
    let r = read(&dir);
    assert_eq!(r.problems, [""; 0]);
    assert_eq!((r.motion.t.len(), r.column_t.len(), r.steps.t.len()), (100, 100, 100));
    let names: Vec<(&str, &str)> =
        r.columns.iter().map(|c| (c.info.name.as_str(), c.info.unit.as_str())).collect();
    assert_eq!(names, [("p.x", "m"), ("p.y", "m"), ("energy.kinetic", "J")]);
    assert_eq!(r.columns[0].info.group, "body/p");
    assert!(r.html().contains("bead"));
    let events = "t,kind,contact,speed_before,speed_after,impulse,energy_lost\n\
                  0.45,impact,floor,-4.4,3.5,8,3.5\n";
    fs::write(dir.path().join(EVENTS_CSV), events).unwrap();
    let r = read(&dir);
    assert_eq!((r.events.len(), r.events[0].impulse), (1, 8.0));
    assert_eq!(r.payload()["events"][0]["contact"], "floor");
}

#[test]
fn each_file_missing_or_cut_off_is_named_and_the_rest_is_shown() {
    for name in ["summary.json", SCENE_JSON, MOTION_BIN, "results.csv", "diagnostics.csv"] {
        let dir = folder();
        cut(&dir.path().join(name), 0.7);
        let r = read(&dir);
        assert_eq!(r.problems.len(), 1, "{name}: {:?}", r.problems);
        assert!(r.problems[0].starts_with(name) && r.problems[0].contains("cut off"), "{name}");
        match name {
            MOTION_BIN => assert_eq!(r.motion.t.len(), 64),
            SCENE_JSON => assert!(r.description.is_none() && r.motion.t.len() == 100),
            "summary.json" => assert!(r.summary.is_null()),
            // the other table has all times: gaps, not fewer rows
            "results.csv" => {
                assert_eq!(r.column_t.len(), 100);
                let x = &r.columns[0].values;
                assert!(x[60] == 6.0 && x[99].is_nan());
            }
            _ => assert!(r.columns.iter().any(|c| c.values[99].is_nan())),
        }
        let page = r.html();
        assert!(page.contains("cut off"), "the page says so");
        fs::remove_file(dir.path().join(name)).unwrap();
        let r = read(&dir);
        assert_eq!(r.problems, [format!("{name}: the file is missing")]);
        r.html();
        r.still_html();
    }
}

#[test]
fn other_versions_and_other_files() {
    let dir = folder();
    let scene = dir.path().join(SCENE_JSON);
    let text = fs::read_to_string(&scene).unwrap();
    fs::write(&scene, text.replace("\"version\":1", "\"version\":7")).unwrap();
    let motion = dir.path().join(MOTION_BIN);
    let mut bytes = fs::read(&motion).unwrap();
    bytes[8] = 2;
    fs::write(&motion, bytes).unwrap();
    let r = read(&dir);
    assert_eq!(r.problems.len(), 2);
    assert!(r.problems[0].contains("scene.json") && r.problems[0].contains("version 7"));
    assert!(r.problems[1].contains("motion.bin") && r.problems[1].contains("version 2"));
    assert_eq!(r.columns.len(), 3);
    fs::write(&scene, "{\"format\":\"other\",\"version\":1}").unwrap();
    fs::write(&motion, "PAR1").unwrap();
    fs::write(dir.path().join("results.csv"), b"\xff\xfe").unwrap();
    assert!(read(&dir).problems.len() >= 3);
}

#[test]
fn numbers_that_are_not_finite() {
    let dir = folder();
    let path = dir.path().join("results.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\n0.1,0.1,", "\n0.1,NaN,", 1)).unwrap();
    let r = read(&dir);
    assert_eq!(r.problems, ["results.csv: column `p.x` has 1 values that are not finite"]);
    assert!(r.columns[0].values[1].is_nan() && r.columns[0].values.len() == 100);
    assert!(r.html().contains("not finite"));
    assert!(!r.still_html().contains("NaN"));
}

#[test]
fn bodies_that_do_not_fit() {
    let dir = folder();
    let mut bytes = Vec::new();
    let two = MotionFile {
        forms: vec![PoseForm::PlanarPoint; 2],
        stride: 1,
        t: vec![0.0],
        coordinates: vec![0.0; 4],
    };
    write_motion(&mut bytes, &two).unwrap();
    fs::write(dir.path().join(MOTION_BIN), bytes).unwrap();
    let r = read(&dir);
    assert!(r.problems[0].contains("bodies of scene.json") && r.motion.t.is_empty());
}

#[test]
fn no_results_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let e = read_folder(dir.path()).unwrap_err().to_string();
    assert!(e.contains("no results") && e.contains("summary.json: the file is missing"), "{e}");
    let missing = read_folder(&dir.path().join("nowhere")).unwrap_err();
    assert!(matches!(missing, FolderError::Io { .. }));
    fs::write(dir.path().join("file"), "").unwrap();
    let file = read_folder(&dir.path().join("file")).unwrap_err();
    assert!(file.to_string().contains("not a folder"));
}
