//! What the operating system can do for a loop: memory that stays, a place before other threads, counts of what
//! disturbed it.
//!
//! Every request may be refused; the reason is a text for the user, and the loop runs all the same.

use std::hint::black_box;

/// Stack of the thread that runs the loop, bytes.
pub const STACK: usize = 4 << 20;
/// The part of it that is touched before the start, where memory cannot be locked, bytes.
const TOUCHED: usize = 1 << 20;

/// What happened to a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Pages that were not there: those found in memory, and those read from a disk.
    pub faults: [u64; 2],
    /// How often it waited, and how often something else was run instead of it.
    pub switches: [u64; 2],
}

impl Usage {
    /// What happened since an earlier moment.
    pub fn since(self, earlier: Usage) -> Usage {
        let less = |a: [u64; 2], b: [u64; 2]| [a[0] - b[0].min(a[0]), a[1] - b[1].min(a[1])];
        Usage {
            faults: less(self.faults, earlier.faults),
            switches: less(self.switches, earlier.switches),
        }
    }
}

/// What happened to this thread; `None` where the system does not count it per thread.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
pub fn usage() -> Option<Usage> {
    use nix::sys::resource::{UsageWho, getrusage};
    let u = getrusage(UsageWho::RUSAGE_THREAD).ok()?;
    let count = |n: i64| u64::try_from(n).unwrap_or(0);
    Some(Usage {
        faults: [count(u.minor_page_faults()), count(u.major_page_faults())],
        switches: [count(u.voluntary_context_switches()), count(u.involuntary_context_switches())],
    })
}

/// What happened to this thread; `None` where the system does not count it per thread.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub fn usage() -> Option<Usage> {
    None
}

/// Keeps all memory that the process has now in place: no page has to be fetched later. Memory requested afterwards is
/// not included, so that a request of another thread does not fail because of it.
#[cfg(unix)]
pub fn lock_memory() -> Result<(), String> {
    use nix::sys::mman::{MlockAllFlags, mlockall};
    mlockall(MlockAllFlags::MCL_CURRENT).map_err(|e| match e {
        nix::errno::Errno::ENOMEM => "the process needs more than the limit".to_owned(),
        other => other.desc().to_owned(),
    })
}

/// Keeps all memory that the process has now in place.
#[cfg(not(unix))]
pub fn lock_memory() -> Result<(), String> {
    Err("not on this system".to_owned())
}

/// Lets this thread run before all others but those with a higher priority (`SCHED_FIFO`).
#[cfg(unix)]
pub fn prefer(priority: u8) -> Result<(), String> {
    use thread_priority::{
        RealtimeThreadSchedulePolicy::Fifo, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy, thread_native_id,
    };
    let level = priority.try_into().map(ThreadPriority::Crossplatform);
    let level = level?;
    let policy = ThreadSchedulePolicy::Realtime(Fifo);
    let set = set_thread_priority_and_policy(thread_native_id(), level, policy);
    set.map_err(|e| match e {
        thread_priority::Error::OS(code) => std::io::Error::from_raw_os_error(code).to_string(),
        other => other.to_string(),
    })
}

/// Lets this thread run before all others but those with a higher priority.
#[cfg(not(unix))]
pub fn prefer(_: u8) -> Result<(), String> {
    Err("not on this system".to_owned())
}

/// Touches the stack of this thread.
#[inline(never)]
pub fn touch_stack() {
    let mut stack = [0_u8; TOUCHED];
    for byte in stack.iter_mut().step_by(1024) {
        *byte = black_box(1);
    }
    black_box(&stack);
}

/// Priorities that may be asked for.
pub const PRIORITIES: [u8; 2] = [1, 98];
