//! `cargo xtask benchmark`: all methods on the sets of the library, and what the book shows of it.

use std::path::Path;
use std::process::Command;

/// The sets.
const SETS: [&str; 3] = ["smooth", "impacts", "flexible"];
/// CPU time of a run if none is given: a hundred times that of a usual one.
const MAX_TIME: &str = "--max-time=10 s";
/// Where the book has tables and plots.
const BOOK: &str = "docs/src/benchmark";
/// What is copied to it from the results of a set.
const PLOTS: [&str; 4] =
    ["steps.svg", "profile_tolerance.svg", "profile_error.svg", "profile_work.svg"];

/// Runs the sets that are named, all if none is, and writes tables and plots into the book. Options are passed on to
/// `delassus bench` and need the form `--jobs=1`. A set that was stopped goes on.
pub fn benchmark(root: &Path, arguments: &[String]) -> Result<(), String> {
    let (options, names): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.starts_with('-'));
    if let Some(name) = names.iter().find(|n| !SETS.contains(&n.as_str())) {
        return Err(format!("there is no set `{name}`: smooth, impacts, flexible"));
    }
    let program = crate::library::command(root)?;
    for set in SETS {
        if !names.is_empty() && names.iter().all(|n| *n != set) {
            continue;
        }
        let out = root.join("target/benchmark").join(set);
        let mut run = Command::new(&program);
        run.current_dir(root).args(["bench", &format!("models/library/{set}"), "--out"]);
        run.arg(&out);
        if !options.iter().any(|o| o.starts_with("--max-time")) {
            run.arg(MAX_TIME);
        }
        run.args(&options);
        println!("\n==> {set}");
        match run.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("{set}: {status}; the same command goes on")),
            Err(e) => return Err(format!("{} cannot be run: {e}", program.display())),
        }
        publish(root, set, &out)?;
    }
    Ok(())
}

fn publish(root: &Path, set: &str, out: &Path) -> Result<(), String> {
    let book = root.join(BOOK);
    let copy = |from: &str, to: String| {
        let (from, to) = (out.join(from), book.join(to));
        let failed = |e: std::io::Error| format!("{}: {e}", from.display());
        std::fs::copy(&from, &to).map(drop).map_err(failed)
    };
    std::fs::create_dir_all(&book).map_err(|e| format!("{}: {e}", book.display()))?;
    copy("bench.md", format!("{set}.md"))?;
    PLOTS.iter().try_for_each(|plot| copy(plot, format!("{set}_{plot}")))
}
