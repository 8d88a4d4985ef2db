//! Builds the page of the viewer from `web/` where Node.js is there, else leaves a mark that it
//! is not.
//!
//! The sources are copied to the output folder and built there: a build must not change the
//! sources, and two builds at a time must not meet in one `node_modules`. Nothing that goes wrong
//! here fails the build: the report then falls back to still pictures.
#![allow(clippy::print_stdout)] // this is how a build script talks to cargo

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What the page is made from, in `web/`.
const SOURCES: [&str; 8] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    "vite.config.js",
];
/// Where the data goes.
const MARKER: &str = "<!--DELASSUS-DATA-->";
/// No step takes longer on a machine that works.
const PATIENCE: Duration = Duration::from_secs(240);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DELASSUS_NO_WEB");
    println!("cargo::rerun-if-env-changed=PATH");
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    let template = out.join("template.html");
    let page = match build(&out) {
        Ok(page) => page,
        Err(Missing::Asked) => String::new(),
        Err(Missing::Why(why)) => {
            println!(
                "cargo::warning=reports will have still pictures only: {why}. With Node.js 20 or \
                 later and npm, `cargo clean -p delassus-report` and the next build try again"
            );
            String::new()
        }
    };
    if let Err(e) = fs::write(&template, page) {
        println!("cargo::error=cannot write {}: {e}", template.display());
    }
}

enum Missing {
    /// The user said so.
    Asked,
    Why(String),
}

fn why(what: impl Into<String>) -> Missing {
    Missing::Why(what.into())
}

fn build(out: &Path) -> Result<String, Missing> {
    if std::env::var_os("DELASSUS_NO_WEB").is_some_and(|v| !v.is_empty() && v != "0") {
        return Err(Missing::Asked);
    }
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    for name in SOURCES {
        let path = web.join(name);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    if !web.join("package-lock.json").is_file() || !web.join("index.html").is_file() {
        return Err(why("the folder web/ is not there"));
    }
    for program in ["node", npm()] {
        let found = Command::new(program).arg("--version").output();
        if !found.is_ok_and(|o| o.status.success()) {
            return Err(why(format!("`{program}` is not installed")));
        }
    }
    let work = out.join("web");
    copy_sources(&web, &work).map_err(|e| why(format!("web/ cannot be copied: {e}")))?;
    install(&work)?;
    run(&work, &["run", "build", "--silent"], "the page cannot be built")?;
    let page = fs::read_to_string(work.join("dist/template.html"))
        .or_else(|_| fs::read_to_string(work.join("dist/index.html")))
        .map_err(|e| why(format!("the built page cannot be read: {e}")))?;
    match page.matches(MARKER).count() {
        1 => Ok(page),
        n => {
            Err(why(format!("the built page has the mark for the data {n} times instead of once")))
        }
    }
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// The packages of the lock file, unless they are there from the build before.
fn install(work: &Path) -> Result<(), Missing> {
    let (lock, done) = (work.join("package-lock.json"), work.join(".installed-lock.json"));
    let wanted = fs::read(&lock).map_err(|e| why(format!("the lock file cannot be read: {e}")))?;
    if fs::read(&done).is_ok_and(|have| have == wanted) && work.join("node_modules").is_dir() {
        return Ok(());
    }
    // Packages of the lock file need no scripts of their own, and a machine without a network
    // should find that out soon.
    let mut arguments = [
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--prefer-offline",
        "--loglevel=error",
        "--fetch-retries=1",
        "--fetch-retry-mintimeout=1000",
        "--fetch-retry-maxtimeout=2000",
        "--fetch-timeout=30000",
    ];
    let failed = "its packages cannot be installed";
    if run(work, &arguments, failed).is_err() {
        // A lock file that was made where a registry lacked a package for another machine is not
        // complete for `ci`; what it has is still what gets installed.
        arguments[0] = "install";
        run(work, &arguments, failed)?;
        fs::write(&lock, &wanted).map_err(|e| why(format!("{failed}: {e}")))?;
    }
    let _ = fs::write(done, wanted);
    Ok(())
}

/// Runs npm without a word; its last words are the reason where it fails.
fn run(work: &Path, arguments: &[&str], failed: &str) -> Result<(), Missing> {
    let log = work.join("npm.log");
    let file = || fs::File::create(&log).map(Stdio::from).unwrap_or_else(|_| Stdio::null());
    let spawned = Command::new(npm())
        .args(arguments)
        .current_dir(work)
        .env("npm_config_update_notifier", "false")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file())
        .spawn();
    let mut child = spawned.map_err(|e| why(format!("{failed}: {e}")))?;
    let clock = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => {
                let text = fs::read_to_string(&log).unwrap_or_default();
                let words: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
                let last = words.iter().take(3).copied().collect::<Vec<_>>().join("; ");
                return Err(why(format!("{failed} ({last})")));
            }
            Ok(None) if clock.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(50)),
            other => {
                let _ = child.kill();
                let _ = child.wait();
                let reason = match other {
                    Err(e) => e.to_string(),
                    _ => format!("no end after {} s", PATIENCE.as_secs()),
                };
                return Err(why(format!("{failed}: {reason}")));
            }
        }
    }
}

/// A fresh copy of the sources; packages that are installed there stay.
fn copy_sources(web: &Path, work: &Path) -> std::io::Result<()> {
    fs::create_dir_all(work)?;
    for name in SOURCES {
        let (from, to) = (web.join(name), work.join(name));
        if to.is_dir() {
            fs::remove_dir_all(&to)?;
        } else if to.exists() {
            fs::remove_file(&to)?;
        }
        if from.exists() {
            copy(&from, &to)?;
        }
    }
    let dist = work.join("dist");
    if dist.is_dir() { fs::remove_dir_all(dist) } else { Ok(()) }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else {
        fs::copy(from, to).map(|_| ())
    }
}
