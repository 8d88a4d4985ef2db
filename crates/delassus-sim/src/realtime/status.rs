//! What happened in a step, as bits.

use std::fmt;
use std::ops::BitOrAssign;

/// What happened in a step: a set of flags. Empty where all went well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct StepStatus(u32);

impl StepStatus {
    /// Nothing to tell.
    pub const GOOD: StepStatus = StepStatus(0);
    /// More points touch than the capacity has room for: the deepest were taken.
    pub const DEGRADED: StepStatus = StepStatus(1);
    /// The sweeps left the contact problem with a residual above the tolerance.
    pub const CONTACT_RESIDUAL: StepStatus = StepStatus(1 << 1);
    /// Constraints depend on each other here, beyond what was found at the start: a singular position.
    pub const RANK: StepStatus = StepStatus(1 << 2);
    /// An input was not a finite number, or is missing: the last good value acts.
    pub const INPUT_HELD: StepStatus = StepStatus(1 << 3);
    /// An input was beyond its limits: the limit acts.
    pub const INPUT_LIMITED: StepStatus = StepStatus(1 << 4);
    /// The step could not be made (its result would not be finite, or has grown beyond all bounds). The last good state
    /// is kept, and no further step is made.
    pub const STOPPED: StepStatus = StepStatus(1 << 5);
    /// Inputs were bad for longer than they may be held: no further step is made.
    pub const INPUT_LOST: StepStatus = StepStatus(1 << 6);

    /// All flags with their names in reports.
    pub const ALL: [(StepStatus, &'static str); 7] = [
        (StepStatus::DEGRADED, "contact-capacity"),
        (StepStatus::CONTACT_RESIDUAL, "contact-residual"),
        (StepStatus::RANK, "rank"),
        (StepStatus::INPUT_HELD, "input-held"),
        (StepStatus::INPUT_LIMITED, "input-limited"),
        (StepStatus::STOPPED, "stopped"),
        (StepStatus::INPUT_LOST, "input-lost"),
    ];

    /// Whether it contains all flags of another.
    pub fn contains(self, flags: StepStatus) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Whether no further step is made.
    pub fn stopped(self) -> bool {
        self.0 & (Self::STOPPED.0 | Self::INPUT_LOST.0) != 0
    }

    /// The bits, for packets and logs.
    pub fn bits(self) -> u32 {
        self.0
    }
}

impl BitOrAssign for StepStatus {
    fn bitor_assign(&mut self, other: StepStatus) {
        self.0 |= other.0;
    }
}

impl fmt::Display for StepStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::GOOD {
            return f.write_str("good");
        }
        let mut first = true;
        for (_, name) in Self::ALL.iter().filter(|(flag, _)| self.contains(*flag)) {
            f.write_str(if first { "" } else { ", " })?;
            f.write_str(name)?;
            first = false;
        }
        Ok(())
    }
}
