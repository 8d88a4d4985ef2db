//! Runs the built binary in an empty folder and checks everything it leaves behind.
#![allow(dead_code)] // each test file uses a part
#![allow(clippy::unwrap_used, clippy::expect_used)] // tests

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A folder with model files.
pub struct Bench {
    pub dir: TempDir,
    names: Vec<String>,
}

/// What a command did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    pub fn new(text: &str) -> Self {
        let bench = Bench { dir: tempfile::tempdir().unwrap(), names: vec!["m.toml".to_owned()] };
        fs::write(bench.path("m.toml"), text).unwrap();
        bench
    }

    pub fn with(mut self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).unwrap();
        self.names.push(name.to_owned());
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self) -> Command {
        let mut c = Command::new(env!("CARGO_BIN_EXE_delassus"));
        c.current_dir(self.dir.path()).timeout(Duration::from_secs(60));
        c.env_remove("NO_COLOR");
        c
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        let out = self.command().args(args).output().unwrap();
        let ran = Ran {
            code: out.status.code().expect("ended by a signal"),
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8(out.stderr).unwrap(),
        };
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        assert!(
            !ran.stderr.contains('\x1b') && !ran.stdout.contains('\x1b'),
            "escape codes in a pipe"
        );
        ran
    }

    /// Nothing but the files of the test is there, not even hidden ones.
    pub fn assert_nothing_left(&self) {
        let mut found = list(self.dir.path());
        found.retain(|f| !self.names.contains(f));
        assert!(found.is_empty(), "left behind: {found:?}");
    }

    /// `run` and `check` refuse the model with this exit code and a fault that has this code,
    /// place, word and help, as text and as JSON; nothing is left behind.
    pub fn refuses(&self, code: &str, place: &str, word: &str) -> Ran {
        self.refuses_with(&[], 2, code, place, word)
    }

    pub fn refuses_with(
        &self,
        extra: &[&str],
        exit: i32,
        code: &str,
        place: &str,
        word: &str,
    ) -> Ran {
        let with = |first: &[&'static str]| -> Vec<String> {
            first.iter().chain(extra).map(|s| (*s).to_owned()).collect()
        };
        let run =
            |args: Vec<String>| self.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let text = run(with(&["run", "m.toml"]));
        let all = format!("{}\n{}", text.stdout, text.stderr);
        assert_eq!(text.code, exit, "{all}");
        assert_eq!(text.stdout, "");
        assert!(text.stderr.contains(code), "no {code} in\n{all}");
        assert!(text.stderr.contains(place), "no {place} in\n{all}");
        assert!(text.stderr.contains(word), "no {word} in\n{all}");
        assert!(text.stderr.contains("help: "), "no help in\n{all}");
        let json = run(with(&["run", "m.toml", "--json"]));
        assert_eq!(json.code, exit);
        let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(value["status"], "error");
        assert_eq!(value["code"], exit);
        let errors = value["errors"].as_array().unwrap();
        let fault = errors.iter().find(|e| e["code"] == code).expect("the code in JSON");
        assert!(fault["help"].is_string(), "{fault}");
        assert!(fault["message"].is_string() && fault["path"].is_string());
        if let Some((file, rest)) = place.split_once(':')
            && let Some((line, column)) = rest.split_once(':')
        {
            let found = errors.iter().any(|e| {
                e["file"] == file
                    && number(&e["line"]) == line
                    && (column.is_empty() || number(&e["column"]) == column)
            });
            assert!(found, "no {place} in\n{}", json.stdout);
        }
        if extra.is_empty() {
            assert_eq!(self.run(&["check", "m.toml"]).code, exit);
        }
        self.assert_nothing_left();
        text
    }
}

fn number(value: &serde_json::Value) -> String {
    value.as_u64().map(|n| n.to_string()).unwrap_or_default()
}

/// All entries of a folder and of those in it.
pub fn list(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            names.extend(list(&entry.path()).iter().map(|n| format!("{name}/{n}")));
        }
        names.push(name);
    }
    names
}

/// A good model to break: line 4 the body, line 5 the joint, line 6 the analysis.
pub const GOOD: &str = r#"schema = 1
title = "good"
gravity = [0, -9.81]
body.bar = { type = "planar", mass = 1, inertia = 0.1, position = [1, 0], markers = { end = [-1, 0] } }
joint.pin = { type = "revolute", between = ["ground", "bar.end"] }
analysis = { end = 1 }
"#;

/// The good model with one text replaced by another.
pub fn broken(from: &str, to: &str) -> Bench {
    assert!(GOOD.contains(from), "{from}");
    Bench::new(&GOOD.replace(from, to))
}
