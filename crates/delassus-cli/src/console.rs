//! Writing to the terminal or a pipe without ever panicking.

use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use delassus::io::model_file::escape;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints to standard output. A closed pipe (`| head`) is not an error.
pub fn print(text: &str) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(e) => {
            let message = format!("cannot write to standard output: {e}");
            Err(Failure::file(
                Fault::new("E_OUTPUT", "", message).help("check where the output is sent"),
            ))
        }
    }
}

/// Prints to standard error; there is nowhere left to report a failure to.
pub fn warn(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether messages may be coloured.
pub fn colour() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    wanted && std::env::var_os("TERM").is_none_or(|t| t != "dumb") && io::stderr().is_terminal()
}

/// Several lines of unknown origin, without control characters other than line ends.
pub fn safe(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escape).collect();
    lines.join("\n")
}
