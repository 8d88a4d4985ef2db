//! Files of tables: what is read, and what is rejected.

use delassus_io::model_file::*;
use std::fs;
use std::path::Path;
use tempfile::{TempDir, tempdir};

fn folder(table: &str, csv: &str) -> TempDir {
    let dir = tempdir().unwrap();
    let text = format!(
        "schema = 1\n[table.road]\n{table}\n[body.b]\ntype = 'point'\nmass = 'road(1.5)'\n"
    );
    fs::write(dir.path().join("m.toml"), text).unwrap();
    fs::write(dir.path().join("road.csv"), csv).unwrap();
    dir
}

fn mass(dir: &Path) -> f64 {
    let loaded = load(&dir.join("m.toml"), &Limits::default()).unwrap();
    delassus_model::compile(&loaded.spec).unwrap().bodies[0].mass
}

fn refused(table: &str, csv: &str, code: &str, path: &str, part: &str) {
    let dir = folder(table, csv);
    let problems = match load(&dir.path().join("m.toml"), &Limits::default()) {
        Err(LoadError::Invalid(p)) => p,
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("accepted: {table}"),
    };
    let p = &problems[0];
    assert_eq!((problems.len(), p.code, p.path.as_str()), (1, code, path), "{p}");
    assert!(p.message.contains(part), "{p}");
}

#[test]
fn two_columns_become_a_function() {
    let dir = folder("file = 'road.csv'", "s,height\n0,0\n1,10\n2,30\n");
    assert_eq!(mass(dir.path()), 20.0);
    let three = "height,t,s\n0,9,0\n10,9,1\n30,9,2\n";
    let dir = folder("file = 'road.csv'\ncolumns = ['s', 'height']\nunits = ['m', 'g']", three);
    assert!((mass(dir.path()) - 0.02).abs() < 1e-15);
}

#[test]
fn files_that_are_refused() {
    let file = "file = 'road.csv'";
    let at = "table.road.file";
    refused(file, "s,h\n0,0\n1,x\n", "E_TABLE", at, "line 3");
    refused(file, "", "E_TABLE", at, "no names");
    refused(file, "s,h,k\n0,0,0\n", "E_TABLE", "table.road.columns", "3 columns");
    let columns = "file = 'road.csv'\ncolumns = ['s', 'z']";
    refused(columns, "s,h\n0,0\n", "E_TABLE", "table.road.columns", "no column `z`");
    refused("file = 'rod.csv'", "", "E_TABLE", at, "cannot be read");
    refused("file = '../road.csv'", "", "E_PATH_ESCAPE", at, "refused");
}

#[test]
fn the_content_belongs_to_the_model() {
    let dir = folder("file = 'road.csv'", "s,height\n0,0\n2,30\n");
    let digests = || {
        let loaded = load(&dir.path().join("m.toml"), &Limits::default()).unwrap();
        loaded.sources.attached().to_vec()
    };
    let before = digests();
    assert_eq!((before.len(), digests() == before), (1, true));
    fs::write(dir.path().join("road.csv"), "s,height\n0,0\n2,31\n").unwrap();
    assert_ne!(digests(), before);
}

/// Matrices are found and bounded like tables; what is in them is judged when the model is compiled.
#[test]
fn folders_of_matrices() {
    let dir = tempdir().unwrap();
    let model = |folder: &str| {
        let text = format!(
            "schema = 1\n[body.b]\ntype = 'modal'\nmodes = {{ folder = '{folder}', count = 1 }}\n"
        );
        fs::write(dir.path().join("m.toml"), text).unwrap();
        load(&dir.path().join("m.toml"), &Limits::default())
    };
    let refused = |folder: &str, code: &str, part: &str| {
        let Err(LoadError::Invalid(p)) = model(folder) else { panic!("accepted: {folder}") };
        assert_eq!((p[0].code, p[0].path.as_str()), (code, "body.b.modes.folder"), "{}", p[0]);
        assert!(p[0].message.contains(part), "{}", p[0]);
    };
    refused("part", "E_MODES", "part/mass.mtx");
    refused("../part", "E_PATH_ESCAPE", "refused");
    let part = dir.path().join("part");
    fs::create_dir(&part).unwrap();
    fs::write(part.join("mass.mtx"), [0xff, 0xfe]).unwrap();
    refused("part", "E_MODES", "UTF-8");
    let header = "%%MatrixMarket matrix coordinate real symmetric\n";
    fs::write(part.join("mass.mtx"), format!("{header}3 3 1\n1 1 x\n")).unwrap();
    fs::write(part.join("stiffness.mtx"), header).unwrap();
    fs::write(part.join("nodes.csv"), "a, 0, 0, 0\n").unwrap();
    let faults = delassus_model::compile(&model("part").unwrap().spec).unwrap_err();
    assert_eq!((faults[0].code, faults[0].path.as_str()), ("E_MODES", "body.b.modes.folder"));
    assert!(faults[0].message.starts_with("mass.mtx:3:"), "{}", faults[0].message);
}

/// Roads on a grid are read like tables, by three columns.
#[test]
fn grids_of_roads() {
    let dir = tempdir().unwrap();
    let read = |road: &str, csv: &str| {
        fs::write(dir.path().join("m.toml"), format!("schema = 1\n[road.hill]\n{road}\n")).unwrap();
        fs::write(dir.path().join("hill.csv"), csv).unwrap();
        load(&dir.path().join("m.toml"), &Limits::default())
    };
    let file = "file = 'hill.csv'";
    let csv = "x,y,z\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n";
    let loaded = read(file, csv).unwrap();
    let points = loaded.spec.road.0[0].1.points.clone().unwrap();
    assert_eq!((points.x[2], points.y[1], points.z[3]), (1.0, 1.0, 4.0));
    assert_eq!(loaded.sources.attached().len(), 1);
    let picked = read(&format!("{file}\ncolumns = ['z', 'x', 'y']"), csv).unwrap();
    assert_eq!(picked.spec.road.0[0].1.points.clone().unwrap().x[3], 4.0);
    for (road, csv, path, part) in [
        (file, "x,y\n0,0\n", "road.hill.columns", "2 columns"),
        ("file = 'hill.csv'\ncolumns = ['x', 'y', 'h']", csv, "road.hill.columns", "no column `h`"),
        (file, "x,y,z\n0,0,?\n", "road.hill.file", "line 2"),
        ("file = 'hull.csv'", csv, "road.hill.file", "cannot be read"),
    ] {
        let Err(LoadError::Invalid(problems)) = read(road, csv) else { panic!("{road}") };
        let p = &problems[0];
        assert_eq!((problems.len(), p.code, p.path.as_str()), (1, "E_TABLE", path), "{p}");
        assert!(p.message.contains(part), "{p}");
    }
}
