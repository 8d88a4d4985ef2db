//! FMUs in another program: FMPy, installed from its package index into `target/tools`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of FMPy, the same everywhere.
const VERSION: &str = "0.3.32";
/// Where it is installed, below the root.
const FOLDER: &str = "target/tools/fmpy";

/// What prevents the check.
enum Missing {
    /// Something is missing on this machine.
    Here(String),
    /// A failure.
    Failed(String),
}

/// Exports models and runs them in FMPy. On a machine without Python this is reported and the test passes, unless it is
/// a machine for continuous integration.
pub fn test(root: &Path) -> Result<(), String> {
    println!("\n==> xtask fmu");
    match all(root) {
        Ok(()) => Ok(()),
        Err(Missing::Failed(message)) => Err(message),
        Err(Missing::Here(what)) if std::env::var_os("CI").is_some() => Err(what),
        Err(Missing::Here(what)) => {
            eprintln!("\n*** FMUS WERE NOT TESTED IN FMPY: {what} ***\n");
            Ok(())
        }
    }
}

fn all(root: &Path) -> Result<(), Missing> {
    let python = installed(root)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--profile", "ci", "-p", "delassus-cli"]).current_dir(root);
    run(&mut build)?;
    let program = format!("target/ci/delassus{}", std::env::consts::EXE_SUFFIX);
    let mut check = Command::new(python);
    check.arg(root.join("crates/delassus-fmu/tests/in_fmpy.py")).current_dir(root);
    check.arg(root.join(program)).arg(root.join("models")).arg(root.join("target/tmp/fmu"));
    run(&mut check)
}

/// The Python of an environment that has FMPy.
fn installed(root: &Path) -> Result<PathBuf, Missing> {
    let folder = root.join(FOLDER);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let version = "import importlib.metadata as m; print(m.version('FMPy'))";
    let present = Command::new(&python).args(["-c", version]).stderr(Stdio::null()).output();
    if present.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).trim() == VERSION) {
        return Ok(python);
    }
    let here = |e: Missing| match e {
        Missing::Failed(what) | Missing::Here(what) => Missing::Here(what),
    };
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(&folder);
    run(&mut make).map_err(here)?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.arg(format!("FMPy=={VERSION}"));
    run(&mut install).map_err(here)?;
    Ok(python)
}

fn run(command: &mut Command) -> Result<(), Missing> {
    let name = command.get_program().display().to_string();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Missing::Failed(format!("{name} failed ({status})"))),
        Err(e) => Err(Missing::Here(format!("{name} cannot be run: {e}"))),
    }
}
