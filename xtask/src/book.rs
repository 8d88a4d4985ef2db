//! The book, built by mdBook.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of mdBook used to build the book, the same everywhere.
const VERSION: &str = "0.5.4";

/// Builds the book into `docs/book`; warnings of mdBook are faults.
pub fn build(root: &Path) -> Result<(), String> {
    println!("\n==> xtask book");
    let program = installed(root)?;
    let built = Command::new(&program)
        .args(["build", "docs"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("{} cannot be run: {e}", program.display()))?;
    let said = String::from_utf8_lossy(&built.stderr);
    print!("{said}");
    let faulty = said.lines().any(|line| ["WARN", "ERROR"].iter().any(|w| line.contains(w)));
    match built.status.success() && !faulty {
        true => Ok(()),
        false => Err("the book is not built without warnings".to_owned()),
    }
}

/// mdBook in `target`, installed there if it is missing; without its search and server, which are not needed here.
fn installed(root: &Path) -> Result<PathBuf, String> {
    let tools = root.join("target/tools");
    let program = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let present = Command::new(&program).arg("--version").output();
    if present.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).trim().ends_with(VERSION)) {
        return Ok(program);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .args(["install", "mdbook", "--version", VERSION, "--locked", "--debug"])
        .args(["--no-default-features", "--force", "--root"])
        .arg(&tools)
        .arg("--target-dir")
        .arg(tools.join("build"))
        .current_dir(root)
        .status();
    match done {
        Ok(status) if status.success() => Ok(program),
        Ok(status) => Err(format!("mdBook cannot be installed ({status})")),
        Err(e) => Err(format!("mdBook cannot be installed: {e}")),
    }
}
