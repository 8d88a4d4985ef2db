//! Includes from folders other than that of the model, if they are allowed.

use delassus_io::model_file::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::{TempDir, tempdir};

/// `model/m.toml` includes the reference; parts are in `lib`, a secret is beside both.
fn folder(reference: &str) -> (TempDir, PathBuf) {
    let dir = tempdir().unwrap();
    let model = dir.path().join("model/m.toml");
    for (name, text) in [
        ("model/m.toml", &*format!("schema = 1\ninclude = ['{reference}']\n")),
        ("model/own.toml", "[parameters]\no = 1\n"),
        ("lib/a.toml", "include = ['sub/b.toml']\n[parameters]\na = 1\n"),
        ("lib/sub/b.toml", "include = ['../c.toml']\n[parameters]\nb = 1\n"),
        ("lib/c.toml", "[parameters]\nc = 1\n"),
        ("lib/out.toml", "include = ['../secret.toml']\n"),
        ("lib2/x.toml", "[parameters]\nx = 1\n"),
        ("secret.toml", "[parameters]\ns = 1\n"),
    ] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (dir, model)
}

fn names(model: &Path, allowed: &[PathBuf]) -> Result<Vec<String>, LoadError> {
    let options = LoadOptions { allowed_dirs: allowed.to_vec(), ..LoadOptions::default() };
    let loaded = load_with(model, &options)?;
    Ok(loaded.spec.parameters.iter().map(|(n, _)| n.to_owned()).collect())
}

fn code(model: &Path, allowed: &[PathBuf]) -> String {
    match names(model, allowed) {
        Err(LoadError::Invalid(p)) => format!("{} {}", p[0].code, p[0].message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn relative_absolute_and_nested() {
    let (dir, model) = folder("../lib/a.toml");
    let lib = dir.path().join("lib");
    assert!(code(&model, &[]).starts_with("E_PATH_ESCAPE"));
    assert_eq!(names(&model, std::slice::from_ref(&lib)).unwrap(), ["c", "b", "a"]);
    // by another spelling of the folder
    let roundabout = dir.path().join("model/../lib/sub/..");
    assert_eq!(names(&model, &[roundabout]).unwrap(), ["c", "b", "a"]);
    let absolute = lib.join("a.toml").display().to_string();
    fs::write(&model, format!("schema = 1\ninclude = ['{absolute}', 'own.toml']\n")).unwrap();
    assert!(code(&model, &[]).contains("absolute"));
    assert_eq!(names(&model, &[lib]).unwrap(), ["c", "b", "a", "o"]);
}

#[test]
fn each_allowed_folder_counts_and_no_other() {
    let (dir, model) = folder("../lib2/x.toml");
    let (lib, lib2) = (dir.path().join("lib"), dir.path().join("lib2"));
    let refused = code(&model, std::slice::from_ref(&lib));
    assert!(refused.starts_with("E_PATH_ESCAPE") && refused.contains("allowed: "), "{refused}");
    assert_eq!(names(&model, &[lib.clone(), lib2]).unwrap(), ["x"]);
    for reference in [
        "../lib/out.toml",
        "../secret.toml",
        "../lib/../secret.toml",
        "/etc/passwd",
        "../../../../../../../../../../etc/passwd",
        "file:../lib/a.toml",
        "http://example.org/a.toml",
        "..\\lib\\a.toml",
        "%2e%2e/lib/a.toml",
    ] {
        fs::write(&model, format!("schema = 1\ninclude = ['{reference}']\n")).unwrap();
        let refused = code(&model, std::slice::from_ref(&lib));
        assert!(refused.starts_with("E_PATH_ESCAPE"), "{reference}: {refused}");
    }
}

#[test]
fn what_is_allowed_must_be_a_folder() {
    let (dir, model) = folder("../lib/a.toml");
    for bad in ["none", "secret.toml"] {
        let bad = dir.path().join(bad);
        let Err(LoadError::Io { path, .. }) = names(&model, std::slice::from_ref(&bad)) else {
            panic!()
        };
        assert_eq!(path, bad);
    }
}

#[cfg(unix)]
#[test]
fn links_and_special_files() {
    use std::os::unix::fs::symlink;
    let (dir, model) = folder("../lib/link.toml");
    let lib = [dir.path().join("lib")];
    let link = dir.path().join("lib/link.toml");
    symlink(dir.path().join("secret.toml"), &link).unwrap();
    assert!(code(&model, &lib).contains("link"));
    fs::remove_file(&link).unwrap();
    symlink("/dev/zero", &link).unwrap();
    assert!(code(&model, &lib).starts_with("E_PATH_ESCAPE"));
    // an allowed folder full of devices gives none of them either
    let devices = [PathBuf::from("/dev")];
    fs::write(&model, "schema = 1\ninclude = ['/dev/zero']\n").unwrap();
    assert!(code(&model, &devices).starts_with("E_INCLUDE"));
    // the folder may be named through a link, and so may its files
    let alias = dir.path().join("alias");
    symlink(dir.path().join("lib"), &alias).unwrap();
    let absolute = alias.join("c.toml").display().to_string();
    fs::write(&model, format!("schema = 1\ninclude = ['{absolute}']\n")).unwrap();
    assert_eq!(names(&model, &[alias]).unwrap(), ["c"]);
}
