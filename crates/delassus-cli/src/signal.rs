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
/// The work has seen that it is to stop, and ends in order.
static SEEN: AtomicBool = AtomicBool::new(false);

/// How long work may go on without looking whether it is to stop: seconds of its own time, or of the
/// clock where it does nothing.
const PATIENCE: (f64, Duration) = (0.35, Duration::from_secs(3));

/// From now on the first signal asks the work to stop and keeps its results; the second one ends the
/// process at once, as the first does where the work does not look up.
pub fn listen() {
    // Without a handler a signal ends the process as it always did: nothing is lost but the
    // partial results.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            leave();
        }
        thread::spawn(wait_for_work);
    });
}

/// Whether a signal came; who asks is taken to end in order.
pub fn stopped() -> bool {
    let stop = STOP.load(Ordering::Relaxed);
    if stop {
        SEEN.store(true, Ordering::Relaxed);
    }
    stop
}

/// Ends the process where the work is inside something that takes long: preparation, or one step of
/// a large model. What was written so far is whole, as after a crash.
fn wait_for_work() {
    let (cpu, wall) = (CpuClock::of_process(), Instant::now());
    while cpu.seconds() < PATIENCE.0 && wall.elapsed() < PATIENCE.1 {
        thread::sleep(Duration::from_millis(10));
        if SEEN.load(Ordering::Relaxed) {
            return;
        }
    }
    let _ = writeln!(
        std::io::stderr(),
        "interrupted inside a step, or before the first one; samples that were written are kept, \
         and `delassus report` reads them"
    );
    leave();
}

/// How much longer than allowed a run may take that does not look at the clock, as part of the time allowed, beside
/// [`PATIENCE`]. In that time steps of most models end.
const GRACE: f64 = 0.1;

/// A limit of CPU time that holds until it is dropped.
pub struct TimeLimit(Arc<AtomicBool>);

impl Drop for TimeLimit {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the process some time after a limit of CPU time, s. A run looks at the clock after its steps and ends in
/// order; this is for preparation, and for steps that take too long.
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
        let message =
            format!("more than {limit} s of CPU time, inside a step or before the first one");
        let fault = Fault::new("E_TIME_LIMIT", "--max-time", message).help(
            "raise it, or make the model smaller; samples that were written are kept, and `delassus report` \
             reads them",
        );
        report::failure(Exit::Numerical, &[fault], json);
        std::process::exit(i32::from(Exit::Numerical.code()))
    });
    TimeLimit(over)
}

fn leave() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}
