//! Where the time of `ci` goes.
//!
//! No test asserts how long something takes: machines differ. Instead every run of `ci` ends with
//! the time of each step and of each test binary, and says in words when all of it took too long.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

/// What all of `ci` may take before a warning, builds included.
const BUDGET: Duration = Duration::from_secs(25 * 60);
/// Test binaries that are listed; the others are summed.
const LISTED: usize = 20;

/// What took how long.
#[derive(Debug, Default)]
pub struct Times {
    steps: Vec<(String, Duration)>,
    tests: Vec<(String, f64)>,
}

impl Times {
    /// A step of `ci` that has ended.
    pub fn step(&mut self, name: &str, took: Duration) {
        self.steps.push((name.to_owned(), took));
    }

    /// Runs `cargo test`, shows what it prints and notes the time of each test binary.
    pub fn test(&mut self, command: &mut Command) -> io::Result<ExitStatus> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let names = thread::spawn(move || copy(err, io::stderr(), binary));
        let seconds = copy(out, io::stdout(), finished);
        let names = names.join().unwrap_or_default();
        self.tests = pair(names, &seconds);
        child.wait()
    }

    /// The table, and a warning if all of it took too long.
    pub fn report(&self) -> String {
        let mut text = String::from("\ntime per step\n");
        let all: Duration = self.steps.iter().map(|s| s.1).sum();
        for (name, took) in &self.steps {
            text.push_str(&format!("{:>9.1} s  {name}\n", took.as_secs_f64()));
        }
        text.push_str(&format!("{:>9.1} s  all\n", all.as_secs_f64()));
        let mut tests = self.tests.clone();
        tests.sort_by(|a, b| b.1.total_cmp(&a.1));
        if !tests.is_empty() {
            text.push_str("\ntime per test binary, slowest first\n");
        }
        for (name, seconds) in tests.iter().take(LISTED) {
            text.push_str(&format!("{seconds:>9.1} s  {name}\n"));
        }
        if tests.len() > LISTED {
            let rest: f64 = tests[LISTED..].iter().map(|t| t.1).sum();
            text.push_str(&format!("{rest:>9.1} s  {} others\n", tests.len() - LISTED));
        }
        if all > BUDGET {
            text.push_str(&format!(
                "\nwarning: ci took {:.0} minutes, more than the {} it may take; the slowest test \
                 binaries above are where to begin\n",
                all.as_secs_f64() / 60.0,
                BUDGET.as_secs() / 60
            ));
        }
        text
    }
}

/// Passes lines on and collects what `take` finds in them.
fn copy<T>(
    from: Option<impl Read>,
    mut to: impl Write,
    take: impl Fn(&str) -> Option<T>,
) -> Vec<T> {
    let mut found = Vec::new();
    let mut line = Vec::new();
    let Some(from) = from else { return found };
    let mut from = BufReader::new(from);
    // by bytes: what a test prints need not be text
    while from.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        // who reads this may have gone; the tests go on
        let _ = to.write_all(&line);
        found.extend(take(&String::from_utf8_lossy(&line)));
        line.clear();
    }
    found
}

/// The test binary that a line of cargo announces: `Running tests/a.rs (target/ci/deps/a-0123)`.
fn binary(line: &str) -> Option<String> {
    let (source, path) = line.trim().strip_prefix("Running ")?.split_once(" (")?;
    let file = path.trim_end_matches(')').rsplit(['/', '\\']).next()?;
    let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
    Some(format!("{name} ({})", source.trim_start_matches("unittests ")))
}

/// Seconds in the last line of a test binary: `test result: ok. … finished in 1.23s`.
fn finished(line: &str) -> Option<f64> {
    let result = line.trim().strip_prefix("test result:")?;
    result.rsplit_once("finished in ")?.1.strip_suffix('s')?.parse().ok()
}

/// Binaries run one after another, and documentation last, of which cargo tells no binary.
fn pair(names: Vec<String>, seconds: &[f64]) -> Vec<(String, f64)> {
    let (own, documentation) = seconds.split_at(names.len().min(seconds.len()));
    let mut out: Vec<(String, f64)> = names.into_iter().zip(own.iter().copied()).collect();
    if !documentation.is_empty() {
        out.push(("examples in the documentation".to_owned(), documentation.iter().sum()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_cargo_are_read() {
        let unit = "     Running unittests src/lib.rs (target/ci/deps/delassus_dae-0a1b)\n";
        assert_eq!(binary(unit).as_deref(), Some("delassus_dae (src/lib.rs)"));
        let test = "     Running tests/no_alloc.rs (target/ci/deps/no_alloc-0a1b)\n";
        assert_eq!(binary(test).as_deref(), Some("no_alloc (tests/no_alloc.rs)"));
        assert_eq!(binary("   Doc-tests delassus\n"), None);
        let line = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
                    finished in 12.34s\n";
        assert_eq!(finished(line), Some(12.34));
        assert_eq!(finished("test a ... ok\n"), None);
    }

    #[test]
    fn the_slowest_comes_first_and_too_long_is_said() {
        let tests = pair(vec!["a".to_owned(), "b".to_owned()], &[1.0, 7.0, 0.5, 0.25]);
        let mut times = Times { tests, ..Times::default() };
        times.step("tests", Duration::from_secs(60));
        let text = times.report();
        let at = |what: &str| text.find(what).unwrap_or(usize::MAX);
        assert!(at("7.0 s  b") < at("1.0 s  a") && at("1.0 s  a") < at("0.8 s  examples"));
        assert!(!text.contains("warning"));
        times.step("lints", Duration::from_secs(1500));
        assert!(times.report().contains("warning: ci took 26 minutes, more than the 25"));
    }
}
