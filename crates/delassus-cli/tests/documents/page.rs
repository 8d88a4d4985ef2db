//! One page: its files are written, its commands run, its outputs compared.

use super::fit::{fits, refreshed};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Commands that the documents mention and this test leaves alone: they need other programs, a browser,
/// or minutes.
const NOT_HERE: [&str; 7] =
    ["gnuplot", "fmpy", "jq", "cargo ", "delassus view", "resume", "--methods all"];

/// A name for the reader's own model: such commands are examples of options and are not run.
const READERS_OWN: [&str; 2] = ["model.toml", "big.toml"];

pub struct Page {
    /// `line: what does not fit`.
    pub faults: Vec<String>,
    /// The page with the present output.
    pub text: String,
}

/// A command with the output that is shown below it.
struct Shown<'t> {
    line: usize,
    command: String,
    output: Vec<&'t str>,
}

impl Page {
    pub fn run(text: &str, root: &Path) -> Page {
        let folder = tempfile::tempdir().unwrap();
        for name in ["models", "crates"] {
            symlink(root.join(name), folder.path().join(name)).unwrap();
        }
        let mut page = Page { faults: Vec::new(), text: String::new() };
        let mut lines = text.lines().enumerate().peekable();
        while let Some((_, line)) = lines.next() {
            page.push(line);
            let Some(info) = line.strip_prefix("```").filter(|i| !i.is_empty()) else { continue };
            let mut block = Vec::new();
            while let Some((i, line)) = lines.next_if(|(_, l)| *l != "```") {
                block.push((i + 1, line));
            }
            match info.split_once(' ').unwrap_or((info, "")) {
                ("console", _) => page.console(&block, &folder),
                (_, file) => {
                    if !file.is_empty() {
                        let body: Vec<&str> = block.iter().map(|l| l.1).collect();
                        fs::write(folder.path().join(file), body.join("\n")).unwrap();
                    }
                    block.iter().for_each(|l| page.push(l.1));
                }
            }
        }
        page
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn console(&mut self, block: &[(usize, &str)], folder: &TempDir) {
        let mut at = 0;
        while at < block.len() {
            let (shown, next) = shown(block, at);
            let is_command = block[at].1.starts_with("$ ");
            let first_output = next - shown.output.len();
            block[at..first_output].iter().for_each(|l| self.push(l.1));
            at = next;
            if !is_command || !is_run_here(&shown) {
                shown.output.iter().for_each(|l| self.push(l));
                continue;
            }
            let (printed, good) = run(&shown, folder);
            if shown.output.is_empty() {
                if !good {
                    self.faults
                        .push(format!("{}: `{}` fails: {printed}", shown.line, shown.command));
                }
                continue;
            }
            let printed: Vec<&str> = printed.lines().collect();
            if let Err(fault) = fits(&shown.output, &printed) {
                self.faults.push(format!("{}: `{}`: {fault}", shown.line, shown.command));
                refreshed(&shown.output, &printed).iter().for_each(|l| self.push(l));
            } else {
                shown.output.iter().for_each(|l| self.push(l));
            }
        }
    }
}

/// The command that begins at `at`, its output, and where the next begins.
fn shown<'t>(block: &[(usize, &'t str)], at: usize) -> (Shown<'t>, usize) {
    let (line, first) = block[at];
    let mut command = first.trim_start_matches("$ ").to_owned();
    let mut next = at + 1;
    while command.ends_with('\\') && next < block.len() {
        command.pop();
        command.push_str(block[next].1.trim_start());
        next += 1;
    }
    let begin = next;
    while next < block.len() && !block[next].1.starts_with("$ ") {
        next += 1;
    }
    let output = block[begin..next].iter().map(|l| l.1).collect();
    (Shown { line, command, output }, next)
}

fn is_run_here(shown: &Shown<'_>) -> bool {
    let command = &shown.command;
    let readers = command.split_whitespace().any(|w| READERS_OWN.contains(&w));
    let quick = ["delassus run", "delassus new"].iter().any(|c| command.contains(c));
    let quick = quick || !shown.output.is_empty();
    command.contains("delassus ")
        && quick
        && !readers
        && !NOT_HERE.iter().any(|w| command.contains(w))
}

/// What the command prints, and whether it ended well. Where no output is shown it runs only as far as
/// it takes to see that its options exist.
fn run(shown: &Shown<'_>, folder: &TempDir) -> (String, bool) {
    let mut command = shown.command.clone();
    let only_options = shown.output.is_empty() && command.starts_with("delassus run");
    if only_options && !command.contains("--end") {
        let bare = command.split(" #").next().unwrap_or("").trim_end().to_owned();
        command = format!("{bare} --end 0.01");
    }
    let bin = Path::new(env!("CARGO_BIN_EXE_delassus")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(folder.path());
    let ran = shell.env("PATH", path).env("COLUMNS", "120").env("NO_COLOR", "1").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(ran.stdout) + &text(ran.stderr), ran.status.success())
}
