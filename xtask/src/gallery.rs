//! `cargo xtask gallery`: a picture of every mechanism of the library, for the gallery of the book.

use crate::web;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the pictures are, a folder per set.
const PICTURES: &str = "docs/src/images/gallery";
/// The sets, each a folder of model files.
const LIBRARY: &str = "models/library";

/// Takes the pictures that are missing and those of the mechanisms that are named; all of them with `--all`.
pub fn pictures(root: &Path, arguments: &[String]) -> Result<(), String> {
    let all = arguments.iter().any(|a| a == "--all");
    if let Some(option) = arguments.iter().find(|a| a.starts_with('-') && *a != "--all") {
        return Err(format!("`{option}` is no option of `gallery`; there is `--all`"));
    }
    let models = models(root)?;
    let named = |name: &str| arguments.iter().any(|a| a == name);
    if let Some(foreign) =
        arguments.iter().find(|a| *a != "--all" && !models.iter().any(|(_, name)| name == *a))
    {
        return Err(format!("{LIBRARY} has no mechanism `{foreign}`"));
    }
    let picture =
        |set: &str, name: &str| root.join(PICTURES).join(set).join(format!("{name}.webp"));
    let due: Vec<(String, String)> = models
        .into_iter()
        .filter(|(set, name)| all || named(name) || !picture(set, name).is_file())
        .collect();
    if due.is_empty() {
        println!("every mechanism has its picture");
        return Ok(());
    }
    let (web, program) = web::camera(root)?;
    let mut shoot = Command::new("node");
    shoot.arg("scripts/gallery.mjs").current_dir(web);
    for (set, name) in &due {
        println!("{set}/{name}");
        let folder = root.join("target/tmp/gallery").join(set).join(name);
        web::report(root, &program, &format!("{LIBRARY}/{set}/{name}.toml"), &folder, &[], 0)?;
        let report = folder.join("report.html");
        shoot.arg(format!("{}={}", report.display(), picture(set, name).display()));
    }
    match shoot.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the pictures were not taken ({status})")),
        Err(e) => Err(format!("`node` cannot be run: {e}")),
    }
}

/// Set and name of every mechanism, in a fixed order.
fn models(root: &Path) -> Result<Vec<(String, String)>, String> {
    let entries = |folder: &Path| {
        let read = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut paths: Vec<PathBuf> = read.flatten().map(|e| e.path()).collect();
        paths.sort();
        Ok::<_, String>(paths)
    };
    let stem = |p: &Path| p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut models = Vec::new();
    for set in entries(&root.join(LIBRARY))?.iter().filter(|p| p.is_dir()) {
        let files = entries(set)?.into_iter();
        let files = files.filter(|p| p.extension().is_some_and(|e| e == "toml"));
        models.extend(files.map(|p| (stem(set), stem(&p))));
    }
    Ok(models)
}
