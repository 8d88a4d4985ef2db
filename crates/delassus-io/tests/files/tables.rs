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
