//! Mesh files of shapes: what is read, and what is rejected.

use delassus_io::model_file::*;
use std::fs;
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// A tetrahedron.
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn model(file: &str) -> String {
    format!(
        "schema = 1\n[body.b]\ntype = 'rigid'\nmass = 1\ninertia = [1, 1, 1]\n\
         [shape.s]\ntype = 'mesh'\nbody = 'b'\nfile = '{file}'\nscale = 0.001\n\
         [shape.f]\ntype = 'half-space'\nbody = 'ground'\nat = [0, 0, -1]\n\
         [contact.c]\nbetween = ['s', 'f']\n"
    )
}

fn folder(file: &str, mesh: &[u8]) -> TempDir {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("m.toml"), model(file)).unwrap();
    fs::write(dir.path().join("part.obj"), mesh).unwrap();
    fs::write(dir.path().join("part.stl"), mesh).unwrap();
    dir
}

fn refused(dir: &Path, limits: &Limits, code: &str, part: &str) {
    let problems = match load(&dir.join("m.toml"), limits) {
        Err(LoadError::Invalid(p)) => p,
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("accepted"),
    };
    let p = &problems[0];
    assert_eq!((problems.len(), p.code, p.path.as_str()), (1, code, "shape.s.file"), "{p}");
    assert!(p.message.contains(part), "{p}");
    assert_eq!(p.location.line, 9, "{p}");
}

#[test]
fn triangles_come_with_the_model() {
    let dir = folder("part.obj", OBJ.as_bytes());
    let loaded = load(&dir.path().join("m.toml"), &Limits::default()).unwrap();
    let mesh = loaded.spec.shape.get("s").unwrap().mesh.clone().unwrap();
    assert_eq!(mesh.triangles().len(), 4);
    let model = delassus_model::compile(&loaded.spec).unwrap();
    let delassus_model::Form::Mesh { mesh } = &model.shapes[0].form else { panic!() };
    assert!((mesh.volume() - 1e-9 / 6.0).abs() < 1e-20);
    delassus_model::assemble(delassus_model::System::new(model).unwrap()).unwrap();
}

#[test]
fn faulty_meshes() {
    let try_obj = |text: &str, part: &str| {
        let dir = folder("part.obj", text.as_bytes());
        refused(dir.path(), &Limits::default(), "E_MESH", part);
    };
    try_obj(&OBJ.replace("v 1 0 0", "v nan 0 0"), "finite");
    try_obj(&OBJ.replace("f 2 3 4\n", ""), "open");
    let inside_out = OBJ
        .replace("f 1 3 2", "f 1 2 3")
        .replace("f 1 2 4", "f 1 4 2")
        .replace("f 1 4 3", "f 1 3 4")
        .replace("f 2 3 4", "f 2 4 3");
    try_obj(&inside_out, "inside out");
    try_obj(&OBJ.replace("f 2 3 4", "f 2 3 9"), "9");
    // a binary STL whose header lies
    let mut stl = vec![0u8; 80];
    stl.extend(1_000_000u32.to_le_bytes());
    stl.extend([0u8; 100]);
    let dir = folder("part.stl", &stl);
    refused(dir.path(), &Limits::default(), "E_MESH", "1000000 triangles");
}

#[test]
fn files_that_are_not_read() {
    let dir = folder("missing.stl", b"");
    refused(dir.path(), &Limits::default(), "E_MESH", "cannot be read");
    let dir = folder("part.step", b"");
    fs::write(dir.path().join("part.step"), "x").unwrap();
    refused(dir.path(), &Limits::default(), "E_MESH", "unknown format");
    for outside in ["../part.stl", "/etc/passwd", "file:part.stl"] {
        let dir = folder(outside, b"");
        refused(dir.path(), &Limits::default(), "E_PATH_ESCAPE", "refused");
    }
    let dir = folder("part.obj", &vec![b'#'; 4000]);
    let limits = Limits { max_file_bytes: 2000, ..Limits::default() };
    refused(dir.path(), &limits, "E_LIMIT", "4000 bytes");
    // a text has no folder
    let Err(LoadError::Invalid(p)) = parse_str(&model("part.obj"), "m", &Limits::default()) else {
        panic!("accepted");
    };
    assert_eq!(p[0].code, "E_MESH");
}
