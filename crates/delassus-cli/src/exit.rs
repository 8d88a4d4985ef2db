//! Exit codes, and the handling of panics.

use crate::fault::Fault;
use crate::report;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    Done,
    /// Bad input or usage.
    Input,
    /// Numerical failure; partial results are kept.
    Numerical,
    /// The run is complete, but the requested accuracy is not certified.
    NotCertified,
    /// Done, but the verdict on the results is not good, and `--strict` was given.
    Doubtful,
    /// File or system error.
    File,
    /// A step in real time was late, or its inputs stayed away, and that was to end the run.
    Deadline,
    /// A bug of this program.
    Internal,
    /// Stopped by a signal; partial results are kept.
    Interrupted,
}

impl Exit {
    /// The code that the shell receives.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Input => 2,
            Exit::Numerical => 3,
            Exit::NotCertified => 4,
            Exit::Doubtful => 4,
            Exit::File => 5,
            Exit::Deadline => 6,
            Exit::Internal => 70,
            Exit::Interrupted => 130,
        }
    }
}

/// Why a command ended early: what to print and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub exit: Exit,
    /// At least one.
    pub faults: Vec<Fault>,
}

impl Failure {
    /// Bad input.
    pub fn input(faults: Vec<Fault>) -> Self {
        Failure { exit: Exit::Input, faults }
    }

    /// File or system error.
    pub fn file(fault: Fault) -> Self {
        Failure { exit: Exit::File, faults: vec![fault] }
    }
}

/// Where the last panic was; the hook itself prints nothing.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command; a panic becomes a short report and exit code 70.
pub fn guarded(line: &[OsString], json: bool, command: impl FnOnce() -> Exit) -> Exit {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let payload = info.payload();
        let message = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        if let Ok(mut last) = PANIC.lock() {
            *last = Some(format!("{place}: {message}"));
        }
    }));
    match panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(exit) => exit,
        Err(_) => {
            let detail = PANIC.lock().ok().and_then(|mut p| p.take()).unwrap_or_default();
            let words: Vec<String> =
                line.iter().map(|w| w.to_string_lossy().into_owned()).collect();
            let version = env!("CARGO_PKG_VERSION");
            let message = format!(
                "this is a bug in delassus {version}, not in your model ({detail}); command line: {}",
                words.join(" ")
            );
            let fault = Fault::new("E_INTERNAL", "", message)
                .help("please report it with the model file and the text above");
            report::failure(Exit::Internal, &[fault], json);
            Exit::Internal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rel_g1_a_panic_becomes_exit_70() {
        let line = [OsString::from("delassus"), OsString::from("run")];
        assert_eq!(guarded(&line, false, || panic!("planted")).code(), 70);
        assert_eq!(guarded(&line, false, || Exit::Done).code(), 0);
    }
}
