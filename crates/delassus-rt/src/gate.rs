//! What acts as inputs: checks every message as a whole, holds values while none comes, and says so.

use crate::layout::Layout;
use crate::packet::Refusal;
use crate::status;
use serde::{Deserialize, Serialize};

/// Cycles over which the last inputs are held without saying that they are too old, where nothing else was asked for.
pub const PATIENCE: u64 = 5;

/// What happens when no good message has come for longer than allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// The last values act on.
    Hold,
    /// All inputs become zero, or the limit that is next to it.
    Zero,
    /// The run ends.
    #[default]
    Stop,
}

/// What came, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Messages that were taken.
    pub accepted: u64,
    /// Messages that are none, or of a wrong size.
    pub malformed: u64,
    /// Messages with NaN or infinite numbers.
    pub not_finite: u64,
    /// Messages that were not newer than the last one.
    pub stale: u64,
    /// Messages with unknown inputs, or for another model.
    pub unknown: u64,
    /// Messages of a second sender.
    pub foreign: u64,
    /// Values that were cut at a limit.
    pub clamped: u64,
    /// Cycles without a good message after the first one.
    pub held_cycles: u64,
    /// How often the time allowed for that ran out.
    pub timeouts: u64,
}

/// The inputs of a model.
#[derive(Debug, Clone)]
pub struct Gate {
    values: Vec<f64>,
    bounds: Vec<[f64; 2]>,
    on_timeout: OnTimeout,
    patience: u64,
    /// Number of the last message.
    last: Option<u64>,
    /// There was a good message in this cycle; at any time.
    fresh: bool,
    ever: bool,
    /// Cycles without one.
    without: u64,
    flags: u32,
    counts: Counts,
}

impl Gate {
    /// The defaults of a model act until something else comes.
    pub fn new(layout: &Layout, on_timeout: OnTimeout, patience: u64) -> Gate {
        Gate {
            values: layout.inputs().iter().map(|i| i.default).collect(),
            bounds: layout.inputs().iter().map(|i| i.bounds).collect(),
            on_timeout,
            patience,
            last: None,
            fresh: false,
            ever: false,
            without: 0,
            flags: 0,
            counts: Counts::default(),
        }
    }

    /// Begins a cycle: messages that are offered from now on belong to it.
    pub fn begin(&mut self) {
        (self.flags, self.fresh) = (0, false);
    }

    /// Offers the values of a message, all finite or NaN for those that it does not have. It is taken as a whole if it
    /// is newer than the last one; values beyond limits are cut.
    pub fn offer(&mut self, sequence: Option<u64>, values: &[f64]) -> bool {
        if sequence.is_some() && sequence <= self.last {
            self.refuse(Refusal::Stale);
            return false;
        }
        self.last = sequence.or(self.last);
        for ((held, [least, most]), x) in self.values.iter_mut().zip(&self.bounds).zip(values) {
            if x.is_nan() {
                continue;
            }
            *held = x.clamp(*least, *most);
            if *held != *x {
                self.flags |= status::CLAMPED;
                self.counts.clamped += 1;
            }
        }
        (self.fresh, self.ever, self.without) = (true, true, 0);
        self.counts.accepted += 1;
        true
    }

    /// Notes a message that is not taken.
    pub fn refuse(&mut self, why: Refusal) {
        let (flag, count) = match why {
            Refusal::Malformed => (status::MALFORMED, &mut self.counts.malformed),
            Refusal::NotFinite => (status::NOT_FINITE, &mut self.counts.not_finite),
            Refusal::Stale => (status::STALE, &mut self.counts.stale),
            Refusal::Unknown => (status::UNKNOWN, &mut self.counts.unknown),
            Refusal::Foreign => (status::FOREIGN, &mut self.counts.foreign),
        };
        self.flags |= flag;
        *count += 1;
    }

    /// Ends the messages of a cycle: what was unusual, as flags of the status word.
    pub fn end(&mut self) -> u32 {
        if self.fresh {
            return self.flags;
        }
        if !self.ever {
            return self.flags | status::WAITING;
        }
        self.without += 1;
        self.counts.held_cycles += 1;
        self.flags |= status::HELD;
        if self.without > self.patience {
            self.flags |= status::TIMEOUT;
            self.counts.timeouts += u64::from(self.without == self.patience + 1);
            if self.on_timeout == OnTimeout::Zero {
                for (x, [least, most]) in self.values.iter_mut().zip(&self.bounds) {
                    *x = 0.0_f64.clamp(*least, *most);
                }
            }
        }
        self.flags
    }

    /// Whether the run must end because of what [`Gate::end`] returned.
    pub fn stops(&self, flags: u32) -> bool {
        flags & status::TIMEOUT != 0 && self.on_timeout == OnTimeout::Stop
    }

    /// Whether nothing good has come for longer than allowed, so that another sender may take over.
    pub fn is_deserted(&self) -> bool {
        !self.ever || self.without > self.patience
    }

    /// Another sender counts its own messages.
    pub fn forget_sequence(&mut self) {
        self.last = None;
    }

    /// The values that act.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of the last message that was taken; 0 before the first.
    pub fn last(&self) -> u64 {
        self.last.unwrap_or(0)
    }

    /// What came so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::layout;

    fn cycle(gate: &mut Gate, messages: &[(u64, [f64; 2])]) -> u32 {
        gate.begin();
        messages.iter().for_each(|(n, values)| {
            gate.offer(Some(*n), values);
        });
        gate.end()
    }

    #[test]
    fn the_newest_message_acts_and_older_ones_do_not() {
        let mut gate = Gate::new(&layout(), OnTimeout::Hold, 2);
        assert_eq!((cycle(&mut gate, &[]), gate.values()), (status::WAITING, &[0.5, 0.0][..]));
        assert_eq!(cycle(&mut gate, &[(7, [0.1, 1.0]), (8, [0.2, f64::NAN])]), 0);
        assert_eq!((gate.values(), gate.last()), (&[0.2, 1.0][..], 8));
        for stale in [8, 3] {
            let flags = cycle(&mut gate, &[(stale, [0.9, 9.0])]);
            assert_eq!(flags, status::STALE | status::HELD);
            assert_eq!(gate.values(), [0.2, 1.0]);
        }
        let flags = cycle(&mut gate, &[(9, [-7.0, 3.0])]);
        assert_eq!((flags, gate.values()), (status::CLAMPED, &[-1.0, 3.0][..]));
        let counts = gate.counts();
        assert_eq!((counts.accepted, counts.stale, counts.clamped), (3, 2, 1));
    }

    #[test]
    fn rel_r47_bad_inputs_are_held_for_the_allowed_cycles_and_then_the_run_stops() {
        for (on_timeout, values, stops) in [
            (OnTimeout::Hold, [0.2, 1.0], false),
            (OnTimeout::Zero, [0.0, 0.0], false),
            (OnTimeout::Stop, [0.2, 1.0], true),
        ] {
            let mut gate = Gate::new(&layout(), on_timeout, PATIENCE);
            cycle(&mut gate, &[(1, [0.2, 1.0])]);
            for k in 1..=PATIENCE + 3 {
                gate.begin();
                gate.refuse(Refusal::NotFinite);
                let flags = gate.end();
                let late = k > PATIENCE;
                assert_eq!(flags & status::NOT_FINITE, status::NOT_FINITE);
                assert_eq!(flags & status::HELD, status::HELD);
                assert_eq!(flags & status::TIMEOUT != 0, late, "{k}");
                assert_eq!(gate.stops(flags), late && stops);
                assert_eq!(gate.values(), if late { values } else { [0.2, 1.0] });
            }
            assert_eq!((gate.counts().timeouts, gate.is_deserted()), (1, true));
            // a good message ends it
            assert_eq!(cycle(&mut gate, &[(2, [0.3, 2.0])]), 0);
            assert!(!gate.is_deserted());
        }
    }

    #[test]
    fn nobody_is_late_before_the_first_message() {
        let mut gate = Gate::new(&layout(), OnTimeout::Stop, 1);
        for _ in 0..100 {
            let flags = cycle(&mut gate, &[]);
            assert!(flags == status::WAITING && !gate.stops(flags));
        }
        assert_eq!(gate.counts().timeouts, 0);
    }
}
