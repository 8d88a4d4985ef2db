//! The mechanisms of a set: every model file of a folder, read and assembled.

use super::asked::Asked;
use crate::args::{ModelArgs, ModelOptions};
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::plot_cmd::matches;
use crate::prepare::{Prepared, hex, prepare};
use crate::settings::Settings;
use crate::signal;
use delassus::expr::suggest;
use delassus::io::model_file::{LoadOptions, load_with};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of model files.
const ENDINGS: [&str; 2] = ["toml", "json"];

/// A mechanism.
pub struct Case {
    /// Its file without the ending.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Ready to run.
    pub prepared: Prepared,
    /// Identifies what is computed: the model without its title and description.
    pub identity: String,
}

/// All mechanisms of a folder in alphabetical order; those that the filter names.
pub fn read(asked: &Asked) -> Result<Vec<Case>, Failure> {
    let files = files(asked)?;
    let mut cases = Vec::new();
    let mut faults: Vec<(PathBuf, Failure)> = Vec::new();
    for (name, file) in files {
        if signal::stopped() {
            return Err(Failure { exit: Exit::Interrupted, faults: Vec::new() });
        }
        let args = ModelArgs { model: file.clone(), options: ModelOptions::default() };
        match prepare(&args, Settings::default()) {
            Ok(prepared) => match identity(&file, &prepared) {
                Ok(identity) => cases.push(Case { name, file, prepared, identity }),
                Err(failure) => faults.push((file, failure)),
            },
            Err(failure) => faults.push((file, failure)),
        }
    }
    // a part that another model includes is no model of its own
    let parts: Vec<PathBuf> = cases.iter().flat_map(|c| included(&c.prepared)).collect();
    faults.retain(|(file, _)| fs::canonicalize(file).map_or(true, |f| !parts.contains(&f)));
    let silent: Vec<&Case> =
        cases.iter().filter(|c| c.prepared.model.system.model().sensors.is_empty()).collect();
    let mut found: Vec<Fault> = silent.iter().map(|c| without_sensors(c)).collect();
    let exit = faults.iter().map(|(_, f)| f.exit).find(|e| *e != Exit::Input);
    found.extend(faults.into_iter().flat_map(|(_, f)| f.faults));
    if !found.is_empty() {
        return Err(Failure { exit: exit.unwrap_or(Exit::Input), faults: found });
    }
    Ok(cases)
}

fn without_sensors(case: &Case) -> Fault {
    let message =
        format!("{} has no sensors, so that nothing can be compared", case.file.display());
    Fault::new("E_BENCH_SENSORS", "sensor", message).help(
        "add what matters, as [sensor.tip] with type = \"position\"; see `delassus fields sensor`",
    )
}

fn included(p: &Prepared) -> Vec<PathBuf> {
    p.places.files().skip(1).filter_map(|f| fs::canonicalize(f).ok()).collect()
}

/// Names and files of a folder, without its subfolders.
fn files(asked: &Asked) -> Result<Vec<(String, PathBuf)>, Failure> {
    let refused = |e: std::io::Error| {
        let message = format!("cannot read {}: {e}", asked.folder.display());
        Failure::file(Fault::new("E_FILE", "SET", message).help("check the folder"))
    };
    let mut list: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(&asked.folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let model = ending.is_some_and(|e| ENDINGS.contains(&e.as_str())) && path.is_file();
        if let (true, Some(stem)) = (model, path.file_stem()) {
            list.push((stem.to_string_lossy().into_owned(), path));
        }
    }
    list.sort();
    let folder = asked.folder.display();
    let none = |message: String, help: String| {
        Failure::input(vec![Fault::new("E_BENCH_SET", "SET", message).help(help)])
    };
    if list.is_empty() {
        let help = "model files end with .toml or .json; subfolders are sets of their own";
        return Err(none(format!("the folder {folder} has no models"), help.to_owned()));
    }
    let twice = list.windows(2).find(|w| w[0].0 == w[1].0).map(|w| w[0].0.clone());
    if let Some(name) = twice {
        let message = format!("two models in {folder} are called {name}");
        return Err(none(message, "give each file a name of its own".to_owned()));
    }
    let mut faults = Vec::new();
    for pattern in &asked.filter {
        if !list.iter().any(|(name, _)| matches(pattern, name)) {
            let near = suggest(pattern, list.iter().map(|(n, _)| n.as_str()));
            let help = near
                .map_or("`*` stands for any text".to_owned(), |n| format!("did you mean `{n}`?"));
            let message = format!("no model in {folder} is called `{pattern}`");
            faults.push(Fault::new("E_UNKNOWN_NAME", "--filter", message).help(help));
        }
    }
    if !faults.is_empty() {
        return Err(Failure::input(faults));
    }
    let wanted =
        |name: &str| asked.filter.is_empty() || asked.filter.iter().any(|p| matches(p, name));
    list.retain(|(name, _)| wanted(name));
    Ok(list)
}

/// A checksum of everything in a model but its title and description.
fn identity(file: &Path, prepared: &Prepared) -> Result<String, Failure> {
    let failed = |message: String| {
        Failure::file(Fault::new("E_FILE", "", message).help("the file changed while it was read"))
    };
    let loaded = load_with(file, &LoadOptions::default()).map_err(|e| failed(e.to_string()))?;
    let mut spec = loaded.spec;
    (spec.title, spec.description) = (None, None);
    let text = serde_json::to_string(&spec).map_err(|e| failed(e.to_string()))?;
    let mut sha = Sha256::new();
    sha.update(text);
    for digest in prepared.places.attached() {
        sha.update(digest);
    }
    Ok(hex(&sha.finalize()))
}
