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

/// The methods of Haddouni, Acary, Garreau, Beley and Brogliato (2017), whose Table 3 is made again.
const THREE: [&str; 3] = ["hem5", "mdop5", "gen-alpha-ggl"];
/// Questions of that table, and the column that answers them.
const QUESTIONS: [&str; 3] = [
    "CPU time at rtol 1e-6",
    "CPU time to reach an error of 1e-5",
    "Work to reach an error of 1e-5",
];
const COLUMN: &str = "ρ(1.2)";

/// Runs the sets that are named, all if none is, and writes tables and plots into the book. Options are passed on to
/// `delassus bench` and need the form `--jobs=1`. A set that was stopped goes on.
pub fn benchmark(root: &Path, arguments: &[String]) -> Result<(), String> {
    let (options, names): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.starts_with('-'));
    if let Some(name) = names.iter().find(|n| !SETS.contains(&n.as_str())) {
        return Err(format!("there is no set `{name}`: smooth, impacts, flexible"));
    }
    let program = crate::library::command(root)?;
    let book = root.join(BOOK);
    std::fs::create_dir_all(&book).map_err(|e| format!("{}: {e}", book.display()))?;
    for set in SETS {
        if !names.is_empty() && names.iter().all(|n| *n != set) {
            continue;
        }
        let out = root.join("target/benchmark").join(set);
        let copy = |from: &str, to: String| {
            let (from, to) = (out.join(from), book.join(to));
            let failed = |e: std::io::Error| format!("{}: {e}", from.display());
            std::fs::copy(&from, &to).map(drop).map_err(failed)
        };
        // a profile depends on which methods take part; the runs of three are those of all
        for three in [true, false] {
            let mut run = Command::new(&program);
            run.current_dir(root).args(["bench", &format!("models/library/{set}"), "--out"]);
            run.arg(&out);
            if !options.iter().any(|o| o.starts_with("--max-time")) {
                run.arg(MAX_TIME);
            }
            let other = |o: &&&String| !(three && o.starts_with("--methods"));
            run.args(options.iter().filter(other));
            if three {
                run.args(["--quiet", "--methods", &THREE.join(",")]);
            }
            println!("\n==> {set}{}", if three { ": three methods" } else { "" });
            match run.status() {
                Ok(status) if status.success() => {}
                Ok(status) => return Err(format!("{set}: {status}; the same command goes on")),
                Err(e) => return Err(format!("{} cannot be run: {e}", program.display())),
            }
            match three {
                true => copy("bench.md", format!("{set}_three.inc"))?,
                false => {
                    copy("bench.md", format!("{set}.inc"))?;
                    PLOTS.iter().try_for_each(|plot| copy(plot, format!("{set}_{plot}")))?;
                }
            }
        }
    }
    let tables = SETS.map(|set| {
        let text = std::fs::read_to_string(book.join(format!("{set}_three.inc")));
        (set, text.unwrap_or_default())
    });
    let table = book.join("table3.inc");
    std::fs::write(&table, table_three(&tables)).map_err(|e| format!("{}: {e}", table.display()))
}

/// Which part of each set the three methods solve within 1.2 times the cost of the best of them.
fn table_three(tables: &[(&str, String)]) -> String {
    let mut out = format!("| set | question | {} |\n|---|---|--:|--:|--:|\n", THREE.join(" | "));
    for (set, text) in tables {
        for question in QUESTIONS {
            let of_question =
                text.lines().skip_while(|l| !l.starts_with(&format!("**{question}**")));
            let rows: Vec<Vec<&str>> = of_question
                .skip(2)
                .take_while(|l| l.starts_with('|'))
                .map(|l| l.split('|').map(str::trim).collect())
                .collect();
            let column = rows.first().and_then(|r| r.iter().position(|c| *c == COLUMN));
            let cell = |method: &&str| {
                let row = rows.iter().find(|r| r.get(1) == Some(method));
                row.zip(column).and_then(|(r, k)| r.get(k).copied()).unwrap_or("-")
            };
            let cells: Vec<&str> = THREE.iter().map(cell).collect();
            out.push_str(&format!("| {set} | {question} | {} |\n", cells.join(" | ")));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_what_the_command_writes() {
        let text = "\n**CPU time at rtol 1e-6**, 2 mechanisms:\n\n| method | solved | ρ(1) | ρ(1.2) |\n|---|--:|--:|--:|\n\
            | hem5 | 100 % | 0.50 | 0.57 |\n| mdop5 | 90 % | 0.25 | 0.54 |\n";
        let table = table_three(&[("smooth", text.to_owned())]);
        assert!(table.contains("| smooth | CPU time at rtol 1e-6 | 0.57 | 0.54 | - |"), "{table}");
        assert!(
            table.contains("| smooth | Work to reach an error of 1e-5 | - | - | - |"),
            "{table}"
        );
    }
}
