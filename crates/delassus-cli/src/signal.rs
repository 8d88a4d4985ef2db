//! Ctrl-C and SIGTERM.

use crate::exit::Exit;
use crate::fault::Fault;
use crate::report;
use delassus::sim::CpuClock;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);
/// The work has noticed that it must stop, and ends cleanly.
static SEEN: AtomicBool = AtomicBool::new(false);
/// The work writes samples as it goes, which outlive it.
static SAMPLES: AtomicBool = AtomicBool::new(false);

/// How long work may continue without checking whether it must stop: seconds of its own CPU time, or of wall-clock time
/// if it is idle.
const PATIENCE: (f64, Duration) = (0.35, Duration::from_secs(3));

/// From now on the first signal asks the work to stop and to keep its results. The second one ends the process
/// immediately, as does the first if the work does not respond.
pub fn listen() {
    // Without a handler a signal ends the process as usual: nothing but the partial results is lost.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            leave();
        }
        thread::spawn(wait_for_work);
    });
}

/// From now on the work writes samples, and whoever ends it is told that they are kept.
pub fn samples_are_written() {
    SAMPLES.store(true, Ordering::Relaxed);
}

/// Where work was ended that did not end by itself, and what is left of it.
fn place_and_remains() -> (&'static str, &'static str) {
    if SAMPLES.load(Ordering::Relaxed) {
        (
            "inside a step, or before the first one",
            "; samples that were written are kept, and `delassus report` reads them",
        )
    } else {
        ("before there was an answer", "")
    }
}

/// Whether a signal has arrived; the caller is assumed to end cleanly.
pub fn stopped() -> bool {
    let stop = STOP.load(Ordering::Relaxed);
    if stop {
        SEEN.store(true, Ordering::Relaxed);
    }
    stop
}

/// Ends the process if the work is inside something that takes long: preparation, or one step of a large model. Files
/// written so far are whole, as after a crash.
fn wait_for_work() {
    let (cpu, wall) = (CpuClock::of_process(), Instant::now());
    while cpu.seconds() < PATIENCE.0 && wall.elapsed() < PATIENCE.1 {
        thread::sleep(Duration::from_millis(10));
        if SEEN.load(Ordering::Relaxed) {
            return;
        }
    }
    let (place, remains) = place_and_remains();
    let _ = writeln!(std::io::stderr(), "interrupted {place}{remains}");
    leave();
}

/// How much longer than allowed a run that does not check the clock may take, as a fraction of the time allowed, in
/// addition to [`PATIENCE`]. The steps of most models end within that time.
const GRACE: f64 = 0.1;

/// A limit of CPU time that holds until it is dropped.
pub struct TimeLimit(Arc<AtomicBool>);

impl Drop for TimeLimit {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the process some time after a limit of CPU time, s. A run checks the clock after its steps and ends cleanly;
/// this is for preparation, for steps that take too long, and for work that has no steps.
pub fn end_after(limit: f64, json: bool) -> TimeLimit {
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    let cpu = CpuClock::of_process();
    let most = limit * (1.0 + GRACE) + PATIENCE.0;
    thread::spawn(move || {
        while cpu.seconds() < most {
            thread::sleep(Duration::from_millis(50));
            if seen.load(Ordering::Relaxed) {
                return;
            }
        }
        let (place, remains) = place_and_remains();
        let message = format!("more than {limit} s of CPU time, {place}");
        let fault = Fault::new("E_TIME_LIMIT", "--max-time", message)
            .help(format!("raise it, or make the model smaller{remains}"));
        report::failure(Exit::Numerical, &[fault], json);
        std::process::exit(i32::from(Exit::Numerical.code()))
    });
    TimeLimit(over)
}

fn leave() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}
