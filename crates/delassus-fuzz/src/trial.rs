//! One run of the command under limits.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Processor time of one command, s, which no answer may exceed.
pub const SECONDS: u64 = 10;
/// Address space of one command, KiB.
pub const KIBIBYTES: u64 = 1 << 20;
/// Elapsed time after which a command that uses no processor time counts as hanging.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Debug, Clone)]
pub struct Outcome {
    /// Exit code; `None` when a signal ended the command.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub error: String,
}

/// Runs the command with its output in files of `scratch`, which exists.
pub fn run(program: &Path, arguments: &[String], scratch: &Path) -> io::Result<Outcome> {
    let (out, error) = (scratch.join("stdout"), scratch.join("stderr"));
    // the shell sets the limits: the standard library cannot, and this crate has no unsafe code
    let limits =
        format!("ulimit -v {KIBIBYTES}; ulimit -t {SECONDS}; ulimit -c 0; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limits])
        .arg(program)
        .args(arguments)
        .current_dir(scratch)
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&error)?)
        .spawn()?;
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            break child.wait()?;
        }
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let error = String::from_utf8_lossy(&fs::read(&error)?).into_owned();
    Ok(Outcome { code: status.code(), signal: signal(status), error })
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}
