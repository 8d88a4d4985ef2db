//! The clock of the loop.

/// A clock that never goes back, in nanoseconds.
pub trait Clock {
    /// The present time, ns.
    fn now(&mut self) -> u64;

    /// Returns at this time or later; perhaps earlier, if a signal arrives.
    fn sleep_until(&mut self, t: u64);
}

/// The monotonic clock of the system: it neither jumps when somebody sets the time of day, nor with leap seconds.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic(#[allow(dead_code)] std::time::Instant);

impl Default for Monotonic {
    fn default() -> Self {
        Monotonic(std::time::Instant::now())
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
impl Clock for Monotonic {
    fn now(&mut self) -> u64 {
        use nix::time::{ClockId, clock_gettime};
        // fails for clocks that do not exist only
        let t = clock_gettime(ClockId::CLOCK_MONOTONIC);
        t.map_or(0, |t| t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64)
    }

    fn sleep_until(&mut self, t: u64) {
        use nix::sys::time::TimeSpec;
        use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
        let at = TimeSpec::new((t / 1_000_000_000) as i64, (t % 1_000_000_000) as i64);
        // an absolute time: what the caller does before the call does not add to it
        let flags = ClockNanosleepFlags::TIMER_ABSTIME;
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &at);
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
impl Clock for Monotonic {
    fn now(&mut self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    fn sleep_until(&mut self, t: u64) {
        let left = t.saturating_sub(self.now());
        if left > 0 {
            std::thread::sleep(std::time::Duration::from_nanos(left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sleeps_until_the_time_and_not_at_all_for_one_that_is_over() {
        let mut clock = Monotonic::default();
        let start = clock.now();
        while clock.now() < start + 2_000_000 {
            clock.sleep_until(start + 2_000_000);
        }
        let now = clock.now();
        clock.sleep_until(start);
        assert!(now >= start + 2_000_000 && clock.now() >= now);
    }
}
