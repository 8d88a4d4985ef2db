//! Hulls, meshes and contacts: in the scene, in glTF and in folders that are damaged.

use delassus_io::model_file::{Limits, load};
use delassus_io::results::{ContactPoints, ContactRow, MotionFile, write_contacts, write_motion};
use delassus_model::{PoseForm, System, compile};
use delassus_report::*;
use std::fs;
use tempfile::TempDir;

const MODEL: &str = r#"schema = 1
title = "die"
body.die = { type = "rigid", mass = 1, inertia = [1, 1, 1], position = [0, 0, 2] }
body.rock = { type = "rigid", mass = 1, inertia = [1, 1, 1], position = [5, 0, 2] }
shape.floor = { type = "half-space", body = "ground" }
shape.die = { type = "hull", body = "die", at = [0, 0, 0.5], points = [[1,0,0],[-1,0,0],[0,1,0],[0,-1,0],[0,0,1],[0,0,-1]] }
shape.rock = { type = "mesh", body = "rock", file = "rock.obj" }
contact.fall = { between = ["floor", "die"] }
contact.leash = { type = "rope", between = ["ground", "rock"] }
joint.hinge = { type = "spherical", between = ["die", "rock"] }
"#;

/// A ball with many more triangles than are drawn.
fn rock() -> String {
    let n = 120;
    let mut out = String::new();
    let pi = std::f64::consts::PI;
    let mut corner = |x: f64, y: f64, z: f64| out.push_str(&format!("v {x:.9} {y:.9} {z:.9}\n"));
    corner(0.0, 0.0, 1.0);
    for i in 1..n {
        for k in 0..2 * n {
            let (s, c) = (pi * f64::from(i) / f64::from(n)).sin_cos();
            let (sk, ck) = (pi * f64::from(k) / f64::from(n)).sin_cos();
            corner(s * ck, s * sk, c);
        }
    }
    corner(0.0, 0.0, -1.0);
    let at = |i: i32, k: i32| 2 + (i - 1) * 2 * n + k % (2 * n);
    let last = 2 + (n - 1) * 2 * n;
    for k in 0..2 * n {
        out.push_str(&format!("f 1 {} {}\n", at(1, k), at(1, k + 1)));
        out.push_str(&format!("f {last} {} {}\n", at(n - 1, k + 1), at(n - 1, k)));
        for i in 1..n - 1 {
            let (a, b, c, d) = (at(i, k), at(i, k + 1), at(i + 1, k), at(i + 1, k + 1));
            out.push_str(&format!("f {a} {c} {b}\nf {b} {c} {d}\n"));
        }
    }
    out
}

fn description(dir: &TempDir) -> Description {
    fs::write(dir.path().join("m.toml"), MODEL).unwrap();
    fs::write(dir.path().join("rock.obj"), rock()).unwrap();
    let loaded = load(&dir.path().join("m.toml"), &Limits::default()).unwrap();
    let sys = System::new(compile(&loaded.spec).unwrap()).unwrap();
    Description::new(&sys, ModelInfo::default(), [].into_iter())
}

fn motion(bodies: usize, form: PoseForm, rows: usize) -> MotionFile {
    let width = bodies * form.width();
    MotionFile {
        forms: vec![form; bodies],
        stride: 1,
        t: (0..rows).map(|k| k as f64).collect(),
        coordinates: (0..rows * width).map(|k| 0.1 + (k % 7) as f64).collect(),
    }
}

#[test]
fn surfaces_are_drawn_and_large_ones_coarser() {
    let dir = tempfile::tempdir().unwrap();
    let d = description(&dir);
    let [Geometry::Mesh { triangles, vertices, of: None }] =
        &d.scene.bodies[1].shapes.iter().map(|s| s.geometry.clone()).collect::<Vec<_>>()[..]
    else {
        unreachable!("{:?}", d.scene.bodies[1].shapes)
    };
    assert_eq!((triangles.shape[0], vertices.shape[0]), (8, 6));
    assert_eq!(d.scene.bodies[1].shapes[0].p, [0.0, 0.0, 0.5]);
    let Geometry::Mesh { triangles, of: Some(before), .. } = &d.scene.bodies[2].shapes[0].geometry
    else {
        unreachable!()
    };
    assert_eq!(*before, 57120);
    assert!((5_000..=20_000).contains(&triangles.shape[0]), "{:?}", triangles.shape);
    let contacts: Vec<(&str, &str)> =
        d.scene.contacts.iter().map(|c| (c.name.as_str(), c.kind.as_str())).collect();
    assert_eq!(contacts, [("fall", "shapes"), ("leash", "rope")]);
    assert_eq!(d.scene.contacts[1].ends.len(), 2);
    let groups: Vec<(&str, &str)> =
        d.channels.iter().map(|c| (c.name.as_str(), c.group.as_str())).take(2).collect();
    assert_eq!(groups, [("fall.gap", "contact/fall"), ("fall.normal", "contact/fall")]);
    // what was written is read
    assert_eq!(Description::read(&d.json()).unwrap(), d);

    let report = Report {
        description: Some(d),
        motion: motion(2, PoseForm::Spatial, 3),
        ..Report::default()
    };
    let glb = report.glb().unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let counts: Vec<u64> = json["meshes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["primitives"][0]["indices"].as_u64().unwrap() as usize)
        .map(|a| json["accessors"][a]["count"].as_u64().unwrap())
        .collect();
    assert!(counts.contains(&24), "the eight faces of the hull: {counts:?}");
    assert!(counts.iter().any(|n| *n > 15_000), "the mesh: {counts:?}");
}

#[test]
fn contacts_and_forces_of_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let d = description(&dir);
    let loads = d.scene.arrows.len();
    assert_eq!(loads, 2, "force and torque of the hinge");
    let path = |name: &str| dir.path().join(name);
    let write = |name: &str, m: &MotionFile| {
        let mut bytes = Vec::new();
        write_motion(&mut bytes, m).unwrap();
        fs::write(path(name), bytes).unwrap();
    };
    fs::write(path("summary.json"), r#"{"status":"done"}"#).unwrap();
    fs::write(path(SCENE_JSON), d.json()).unwrap();
    for name in ["results.csv", "diagnostics.csv"] {
        fs::write(path(name), "t\n0\n1\n").unwrap();
    }
    write(MOTION_BIN, &motion(2, PoseForm::Spatial, 100));
    write(LOADS_BIN, &motion(loads, PoseForm::Point, 100));
    let row =
        |row: u32| ContactRow { row, force: 5.0, normal: [0.0, 0.0, 1.0], ..Default::default() };
    let points: Vec<ContactRow> = (0..600).map(|k| row(k / 6)).collect();
    let contacts = ContactPoints { stride: 1, points, events: vec![row(0)] };
    let mut bytes = Vec::new();
    write_contacts(&mut bytes, &contacts).unwrap();
    fs::write(path(CONTACTS_BIN), &bytes).unwrap();
    let event =
        "t,kind,contact,speed_before,speed_after,impulse,energy_lost\n0.5,impact,fall,-1,1,2,0\n";
    fs::write(path(EVENTS_CSV), event).unwrap();

    let r = read_folder(dir.path()).unwrap();
    assert_eq!(r.problems, [""; 0]);
    assert_eq!((r.contacts.points.len(), r.loads.t.len()), (600, 100));
    let page = r.payload();
    assert_eq!(page["motion"]["contacts"]["force"]["shape"][0], 600);
    assert_eq!(page["motion"]["loads"]["index"], serde_json::json!([0, 1]));
    assert_eq!(page["events"][0]["normal"], serde_json::json!([0.0, 0.0, 1.0]));

    // truncated, of another version, of another model: reported, and the rest is shown
    fs::write(path(CONTACTS_BIN), &bytes[..bytes.len() / 2]).unwrap();
    write(LOADS_BIN, &motion(5, PoseForm::Point, 100));
    let r = read_folder(dir.path()).unwrap();
    assert_eq!(r.problems.len(), 2, "{:?}", r.problems);
    assert!(r.problems[0].contains("contacts.bin") && r.problems[0].contains("256 of 601"));
    assert!(r.problems[1].contains("loads.bin"));
    assert_eq!((r.contacts.points.len(), r.loads.t.len(), r.motion.t.len()), (256, 0, 100));
    let mut other = bytes.clone();
    other[8] = 9;
    fs::write(path(CONTACTS_BIN), other).unwrap();
    fs::remove_file(path(LOADS_BIN)).unwrap();
    let r = read_folder(dir.path()).unwrap();
    assert_eq!(r.problems.len(), 1);
    assert!(r.problems[0].contains("version 9"));
    assert!(r.html().contains("version 9"));
}
