//! How the time of `ci` is spent.
//!
//! No test asserts how long something takes: machines differ. Instead every run of `ci` ends with the time of each step
//! and of the slowest tests, and says so when the whole run took too long.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Time that the whole of `ci` may take before a warning, builds included.
const BUDGET: Duration = Duration::from_secs(25 * 60);
/// Number of tests that are listed; the others are summed.
const LISTED: usize = 20;

/// The time of each step and test.
#[derive(Debug, Default)]
pub struct Times {
    steps: Vec<(String, Duration)>,
    tests: Vec<(String, f64)>,
}

impl Times {
    /// Records a completed step of `ci`.
    pub fn step(&mut self, name: &str, took: Duration) {
        self.steps.push((name.to_owned(), took));
    }

    /// Runs a `cargo test` without arguments for the tests, shows its output and records the time of each test.
    pub fn test(&mut self, command: &mut Command) -> io::Result<ExitStatus> {
        if cfg!(unix) {
            // tests report their times with an unstable option; only they receive it, not the compiler, because it
            // would produce different artefacts
            command.args(["--config", r#"target."cfg(unix)".runner=["env","RUSTC_BOOTSTRAP=1"]"#]);
            command.args(["--", "-Zunstable-options", "--report-time"]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        self.tests = copy(child.stdout.take(), io::stdout(), timed);
        child.wait()
    }

    /// The table, and a warning if the whole run took too long.
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
            text.push_str("\ntime per test, slowest first\n");
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
                "\nwarning: ci took {:.0} minutes, more than the {} it may take; the slowest tests \
                 above are where to begin\n",
                all.as_secs_f64() / 60.0,
                BUDGET.as_secs() / 60
            ));
        }
        text
    }
}

/// Copies lines and collects what `take` finds in them.
fn copy<T>(
    from: Option<impl Read>,
    mut to: impl Write,
    take: impl Fn(&str) -> Option<T>,
) -> Vec<T> {
    let mut found = Vec::new();
    let mut line = Vec::new();
    let Some(from) = from else { return found };
    let mut from = BufReader::new(from);
    // by bytes: the output of a test need not be text
    while from.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        // the reader may have gone; the tests continue
        let _ = to.write_all(&line);
        found.extend(take(&String::from_utf8_lossy(&line)));
        line.clear();
    }
    found
}

/// Name and seconds of a test: `test a::b ... ok <1.234s>`.
fn timed(line: &str) -> Option<(String, f64)> {
    let (name, result) = line.trim().strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = result.rsplit_once('<')?.1.strip_suffix("s>")?.parse().ok()?;
    Some((name.to_owned(), seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tests_are_read() {
        assert_eq!(timed("test a::b ... ok <12.345s>\n"), Some(("a::b".to_owned(), 12.345)));
        assert_eq!(timed("test a ... FAILED <0.001s>\n"), Some(("a".to_owned(), 0.001)));
        assert_eq!(timed("test a ... ignored, slow\n"), None);
        assert_eq!(timed("test a ... ok\n"), None);
    }

    #[test]
    fn the_slowest_comes_first_and_too_long_is_said() {
        let tests = vec![("a".to_owned(), 1.0), ("b".to_owned(), 7.0)];
        let mut times = Times { tests, ..Times::default() };
        times.step("tests", Duration::from_secs(60));
        let text = times.report();
        let at = |what: &str| text.find(what).unwrap_or(usize::MAX);
        assert!(at("7.0 s  b") < at("1.0 s  a"));
        assert!(!text.contains("warning"));
        times.step("lints", Duration::from_secs(1500));
        assert!(times.report().contains("warning: ci took 26 minutes, more than the 25"));
    }
}
