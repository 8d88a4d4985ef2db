//! Ctrl-C and SIGTERM.

use crate::exit::Exit;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on the first signal asks the run to stop and keeps its results; the second one
/// ends the process at once.
pub fn listen() {
    // Without a handler a signal ends the process as it always did: nothing is lost but the
    // partial results.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// Whether a signal came.
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}
