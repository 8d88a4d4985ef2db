//! Files on disk: reading, bounds, includes and what they may reach.

use delassus_io::model_file::*;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::{TempDir, tempdir};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn load_at(path: &Path) -> Result<LoadedModel, LoadError> {
    load(path, &Limits::default())
}

fn faults(path: &Path) -> Vec<FileFault> {
    match load_at(path) {
        Err(LoadError::Invalid(p)) => p,
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn merged_before_the_including_file_once_and_nested() {
    let dir = folder(&[
        (
            "m.toml",
            "schema = 1\ntitle = 'main'\ninclude = ['parts/a.toml', 'b.json', './parts/../b.json']\n[parameters]\nz = 1\n[ground.markers]\nq = [0,0]\n",
        ),
        (
            "parts/a.toml",
            "title = 'part'\ninclude = ['c.toml']\n[parameters]\ny = 2\n[ground.markers]\np = [1,0]\n",
        ),
        ("parts/c.toml", "schema = 1\ninclude = ['../b.json']\n[parameters]\nx = 3\n"),
        ("b.json", "{\"parameters\": {\"w\": 4}}"),
    ]);
    let m = load_at(&dir.path().join("m.toml")).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<&str> = m.spec.parameters.iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["w", "x", "y", "z"]);
    let names: Vec<&str> = m.spec.ground.markers.iter().map(|(n, _)| n).collect();
    assert_eq!(names, ["p", "q"]);
    assert_eq!(m.spec.title.as_deref(), Some("main"));
    assert!(m.spec.include.is_empty());
    let x = m.sources.locate("parameters.x").unwrap();
    assert!(x.file().ends_with("parts/c.toml"), "{x}");
    assert_eq!((x.line, x.column, x.text()), (4, 5, "3"));
    assert_eq!(m.sources.files().len(), 4);
}

#[test]
fn same_name_in_two_files() {
    let body = "[body.a]\ntype = 'planar'\nmass = 1\n";
    let dir = folder(&[
        ("m.toml", &format!("schema = 1\ninclude = ['a.toml']\ngravity = [0, 1]\n{body}")),
        ("a.toml", &format!("gravity = [0, 1]\n\n{body}")),
    ]);
    let p = faults(&dir.path().join("m.toml"));
    assert_eq!(p.len(), 2, "{p:#?}");
    assert_eq!((p[0].code, p[0].path.as_str(), p[0].location.line), ("E_DUPLICATE", "gravity", 3));
    assert_eq!((p[1].code, p[1].path.as_str(), p[1].location.line), ("E_DUPLICATE", "body.a", 4));
    assert!(p[1].location.file().ends_with("m.toml"));
    let first = p[1].related.as_ref().unwrap();
    assert!(first.file().ends_with("a.toml"));
    assert_eq!((first.line, first.column), (3, 7));
}

#[test]
fn rel_r07_cycles_and_depth() {
    let dir = folder(&[
        ("m.toml", "schema = 1\ninclude = ['a.toml']\n"),
        ("a.toml", "include = ['b.toml']\n"),
        ("b.toml", "include = ['a.toml']\n"),
        ("self.toml", "schema = 1\ninclude = ['self.toml']\n"),
    ]);
    let p = faults(&dir.path().join("m.toml"));
    assert_eq!(
        (p.len(), p[0].code, p[0].location.line, p[0].location.column),
        (1, "E_CYCLE", 1, 12)
    );
    assert!(p[0].location.file().ends_with("b.toml"));
    let chain: Vec<&str> = p[0].message.split(" → ").collect();
    assert_eq!(chain.len(), 3, "{}", p[0].message);
    assert_eq!(faults(&dir.path().join("self.toml"))[0].code, "E_CYCLE");

    let dir = tempdir().unwrap();
    for i in 0..20 {
        let next = i + 1;
        let text = format!("schema = 1\ninclude = ['{next}.toml']\n");
        fs::write(dir.path().join(format!("{i}.toml")), text).unwrap();
    }
    fs::write(dir.path().join("20.toml"), "schema = 1\n").unwrap();
    let p = faults(&dir.path().join("0.toml"));
    assert_eq!((p.len(), p[0].code), (1, "E_LIMIT"));
    assert!(p[0].location.file().ends_with("16.toml"));
    assert!(load_at(&dir.path().join("4.toml")).is_ok());
}

#[test]
fn rel_r34_references_that_leave_the_folder() {
    let dir = folder(&[
        ("secret.toml", "schema = 1\n"),
        ("in/sub/x.toml", "include = ['../../secret.toml']\n"),
    ]);
    let secret = dir.path().join("secret.toml");
    let absolute = secret.display().to_string();
    let model = dir.path().join("in/m.toml");
    for reference in [
        "../secret.toml",
        "sub/../../secret.toml",
        "./../in/../secret.toml",
        &absolute,
        "file:secret.toml",
        "http://example.org/x.toml",
        "C:x.toml",
        "sub\\x.toml",
        "..\\secret.toml",
        "%2e%2e/secret.toml",
        "a\0b",
        "",
    ] {
        let text =
            format!("schema = 1\ninclude = [{}]\n", serde_json::to_string(reference).unwrap());
        fs::write(&model, text).unwrap();
        let p = faults(&model);
        assert_eq!(
            (p.len(), p[0].code, p[0].path.as_str()),
            (1, "E_PATH_ESCAPE", "include[0]"),
            "{reference:?}"
        );
        assert_eq!((p[0].location.line, p[0].location.column), (2, 12));
        assert!(
            p[0].message.contains(&escape(reference)) && p[0].message.contains("root: "),
            "{}",
            p[0]
        );
    }
    fs::write(&model, "schema = 1\ninclude = ['sub/x.toml']\n").unwrap();
    let p = faults(&model);
    assert_eq!(p[0].code, "E_PATH_ESCAPE");
    assert!(p[0].location.file().ends_with("sub/x.toml"));
}

#[cfg(unix)]
#[test]
fn rel_r34_links_and_special_files() {
    use std::os::unix::fs::symlink;
    let dir = folder(&[("secret.toml", "schema = 1\n"), ("in/ok.toml", "[parameters]\na = 1\n")]);
    let model = dir.path().join("in/m.toml");
    symlink(dir.path().join("secret.toml"), dir.path().join("in/link.toml")).unwrap();
    symlink(dir.path(), dir.path().join("in/up")).unwrap();
    symlink("ok.toml", dir.path().join("in/fine.toml")).unwrap();
    symlink("/dev/zero", dir.path().join("in/zero.toml")).unwrap();
    for (reference, code) in [
        ("link.toml", "E_PATH_ESCAPE"),
        ("up/secret.toml", "E_PATH_ESCAPE"),
        ("zero.toml", "E_PATH_ESCAPE"),
        ("none.toml", "E_INCLUDE"),
        (".", "E_INCLUDE"),
    ] {
        fs::write(&model, format!("schema = 1\ninclude = ['{reference}']\n")).unwrap();
        assert_eq!(faults(&model)[0].code, code, "{reference}");
    }
    fs::write(&model, "schema = 1\ninclude = ['fine.toml']\n").unwrap();
    assert!(load_at(&model).is_ok());
    // Devices never end; they are refused unread.
    assert!(matches!(load_at(Path::new("/dev/zero")), Err(LoadError::Io { .. })));
}

#[test]
fn files_that_cannot_be_read() {
    let dir = tempdir().unwrap();
    for path in [dir.path().join("none.toml"), dir.path().to_owned(), dir.path().join("a/b")] {
        let Err(LoadError::Io { path: named, .. }) = load_at(&path) else { panic!("{path:?}") };
        assert_eq!(named, path);
    }
}

#[test]
fn large_files_are_refused_at_once() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("m.toml");
    // Sparse: takes no room on disk, but 100 MB if it were read.
    fs::File::create(&path).unwrap().set_len(100_000_000).unwrap();
    let start = Instant::now();
    let p = faults(&path);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(p[0].code, "E_LIMIT");
    assert!(p[0].message.contains("100000000") && p[0].message.contains("16777216"));

    let dir = folder(&[
        ("m.toml", "schema = 1\ninclude = ['a.toml', 'b.toml']\n"),
        ("a.toml", &format!("#{}\n", "x".repeat(600))),
        ("b.toml", &format!("#{}\n", "x".repeat(600))),
    ]);
    let limits = Limits { max_file_bytes: 1000, max_total_bytes: 1000, ..Limits::default() };
    let Err(LoadError::Invalid(p)) = load(&dir.path().join("m.toml"), &limits) else { panic!() };
    assert_eq!((p.len(), p[0].code, p[0].path.as_str()), (1, "E_LIMIT", "include[1]"));
    let limits = Limits { max_includes: 1, ..Limits::default() };
    let Err(LoadError::Invalid(p)) = load(&dir.path().join("m.toml"), &limits) else { panic!() };
    assert_eq!((p.len(), p[0].code, p[0].path.as_str()), (1, "E_LIMIT", "include[1]"));
}

#[test]
fn rel_r36_invalid_utf8_has_a_byte_offset() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("m.toml");
    fs::write(&path, b"\xEF\xBB\xBFschema = 1\ntitle = '\xFF'\n").unwrap();
    let p = faults(&path);
    assert_eq!((p[0].code, p[0].location.line, p[0].location.column), ("E_UTF8", 2, 10));
    assert!(p[0].message.contains("byte 23"), "{}", p[0]);
    // Latin-1 text of a German user.
    fs::write(&path, b"schema = 1\ntitle = 'K\xFCrbel'\n").unwrap();
    assert_eq!(faults(&path)[0].code, "E_UTF8");
}
