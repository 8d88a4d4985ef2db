//! `cargo xtask library`: the library of mechanisms against its stored references, or these references made again.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The sets, each a folder of model files.
const LIBRARY: &str = "models/library";
/// What every mechanism must pass.
const METHODS: &str = "default,mdop5,hem5,phem56,gen-alpha-ggl";
/// The set of bodies that bend. Explicit methods may refuse a mechanism of it by name, within a budget of CPU time, and
/// another implicit one is there.
const STIFF: &str = "flexible";
const STIFF_METHODS: &str = "default,bdf,gen-alpha-ggl,mdop5,hem5,phem56";
const STIFF_OPTIONS: [&str; 4] =
    ["--accept", "E_STIFF,E_WORK_LIMIT,E_TIME_LIMIT", "--max-time", "20 s"];
const RTOL: &str = "1e-8";
/// Largest error in tolerances: all answers within 1e-4. A method of second order that takes a hundred thousand steps
/// through a sensitive motion loses more than three digits.
const OFF: &str = "10000";

/// What the arguments request.
struct Asked {
    make: bool,
    /// Names of sets or mechanisms; all sets if there are none.
    names: Vec<String>,
    /// Options for `delassus bench`.
    options: Vec<String>,
}

impl Asked {
    fn read(arguments: &[String]) -> Asked {
        let (options, names): (Vec<String>, Vec<String>) =
            arguments.iter().cloned().partition(|a| a.starts_with('-'));
        let make = options.iter().any(|o| o == "--make");
        Asked { make, names, options: options.into_iter().filter(|o| o != "--make").collect() }
    }
}

/// Checks the library or makes its references. Options are passed on and need the form `--jobs=1`.
pub fn library(root: &Path, arguments: &[String]) -> Result<(), String> {
    let asked = Asked::read(arguments);
    let work = work(root, &asked.names)?;
    let program = command(root)?;
    let mut bad = Vec::new();
    for (set, only) in work {
        let name = set.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let mut run = Command::new(&program);
        run.current_dir(root).arg("bench").arg(&set);
        match asked.make {
            true => run.arg("--make-references"),
            false => {
                let stiff = name == STIFF;
                run.args(["--methods", if stiff { STIFF_METHODS } else { METHODS }])
                    .args(stiff.then_some(STIFF_OPTIONS).into_iter().flatten())
                    .args(["--strict", "--rtols", RTOL, "--off", OFF, "--out"])
                    .arg(root.join("target/library").join(&name))
            }
        };
        if !only.is_empty() {
            run.args(["--filter", &only.join(",")]);
        }
        run.args(&asked.options);
        println!("\n==> {name}");
        match run.status() {
            Ok(status) if status.success() => {}
            Ok(_) => bad.push(name),
            Err(e) => return Err(format!("{} cannot be run: {e}", program.display())),
        }
    }
    if bad.is_empty() { Ok(()) } else { Err(format!("not all is well in: {}", bad.join(", "))) }
}

/// Builds the command.
pub fn command(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--profile", "ci", "-p", "delassus-cli"]).current_dir(root);
    if !build.status().is_ok_and(|s| s.success()) {
        return Err("the command cannot be built".to_owned());
    }
    Ok(root.join(format!("target/ci/delassus{}", std::env::consts::EXE_SUFFIX)))
}

/// Sets and the mechanisms in them that are meant; all of a set if none is listed.
fn work(root: &Path, names: &[String]) -> Result<Vec<(PathBuf, Vec<String>)>, String> {
    let library = root.join(LIBRARY);
    let entries = std::fs::read_dir(&library).map_err(|e| format!("{LIBRARY}: {e}"))?;
    let mut sets: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| has_models(p)).collect();
    sets.sort();
    if names.is_empty() {
        return Ok(sets.into_iter().map(|s| (s, Vec::new())).collect());
    }
    let mut work: Vec<(PathBuf, Vec<String>)> = Vec::new();
    for name in names {
        let whole = sets.iter().find(|s| s.ends_with(name));
        let holds = |s: &&PathBuf| s.join(format!("{name}.toml")).is_file();
        let found: Vec<&PathBuf> = match whole {
            Some(set) => vec![set],
            None => sets.iter().filter(holds).collect(),
        };
        if found.is_empty() {
            return Err(format!("{LIBRARY} has no set or mechanism `{name}`"));
        }
        for set in found {
            let only = whole.is_none().then(|| name.clone());
            match work.iter_mut().find(|(s, _)| s == set) {
                Some((_, list)) => list.extend(only),
                None => work.push((set.clone(), only.into_iter().collect())),
            }
        }
    }
    Ok(work)
}

fn has_models(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.path()).any(|p| p.extension().is_some_and(|e| e == "toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_mechanisms_by_name() {
        let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let work = |list: &[&str]| {
            let work = work(xtask::root(), &names(list))?;
            let short = |s: &Path| s.file_name().unwrap().to_string_lossy().into_owned();
            Ok::<_, String>(work.into_iter().map(|(s, only)| (short(&s), only)).collect::<Vec<_>>())
        };
        let all = work(&[]).unwrap();
        assert!(all.len() >= 2 && all.iter().all(|(_, only)| only.is_empty()), "{all:?}");
        let two = work(&["jansen_leg", "heavy_top"]).unwrap();
        assert_eq!(two, [("smooth".to_owned(), names(&["jansen_leg", "heavy_top"]))]);
        assert_eq!(work(&["impacts"]).unwrap(), [("impacts".to_owned(), Vec::new())]);
        // a mechanism of both sets
        assert_eq!(work(&["tippe_top"]).unwrap().len(), 2);
        assert!(work(&["jansen_legs"]).is_err());
        let asked = Asked::read(&names(&["--make", "jansen_leg", "--jobs=1"]));
        assert!(asked.make);
        assert_eq!((asked.names, asked.options), (names(&["jansen_leg"]), names(&["--jobs=1"])));
    }
}
