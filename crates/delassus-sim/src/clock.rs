//! CPU time: the cost of a run, also on a machine that is busy with other things.

/// A clock that stops while its thread, or every thread of the process, is not running.
#[derive(Debug, Clone, Copy)]
pub struct CpuClock {
    start: f64,
    of: Of,
}

#[derive(Debug, Clone, Copy)]
enum Of {
    Thread,
    Process,
}

impl CpuClock {
    /// Starts counting in the present thread; must be read in the same one.
    pub fn start() -> CpuClock {
        CpuClock { start: now(Of::Thread), of: Of::Thread }
    }

    /// Starts counting all threads together.
    pub fn of_process() -> CpuClock {
        CpuClock { start: now(Of::Process), of: Of::Process }
    }

    /// CPU time since the start, s; wall-clock time on systems that do not count it per thread.
    pub fn seconds(&self) -> f64 {
        (now(self.of) - self.start).max(0.0)
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "freebsd"))]
fn now(of: Of) -> f64 {
    let t = rustix::time::clock_gettime(match of {
        Of::Thread => rustix::time::ClockId::ThreadCPUTime,
        Of::Process => rustix::time::ClockId::ProcessCPUTime,
    });
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "macos",
    target_os = "freebsd"
)))]
fn now(_: Of) -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn sleep_costs_nothing_and_work_does() {
        let clock = CpuClock::start();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let asleep = clock.seconds();
        assert!(asleep < 0.04, "{asleep}");
        let mut x = 1.0_f64;
        while clock.seconds() < asleep + 0.01 {
            x = (x + 1.0).sqrt();
        }
        assert!(x > 1.0);
    }
}
