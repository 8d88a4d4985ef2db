//! Samples that are passed on during the run, instead of being kept.

use crate::clock::CpuClock;
use crate::error::{SimError, SimErrorKind};
use crate::results::Results;
use delassus_math::remember;

/// Approximate number of values that wait before they are passed on: 8 MiB, whatever the model.
const VALUES: usize = 1 << 20;
/// Smallest and largest number of samples that wait.
const ROWS: [usize; 2] = [16, 4096];
/// Number of samples between readings of the clock: cheap compared with them, and often enough where each solves for
/// forces.
const LOOK_EVERY: u64 = 64;

/// Receives samples, so that the memory of a run does not grow with their number.
pub trait Sink: Send {
    /// Takes samples that follow those of the call before; they are forgotten afterwards. All of them are as
    /// [`crate::Channel::allows`]. A refusal ends the run.
    fn take(&mut self, samples: &Results) -> Result<(), Refused>;

    /// Called after every step: whether to pass on now what has accumulated.
    fn due(&mut self) -> bool {
        false
    }
}

/// Samples that were not taken, or not all.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// How many of them were taken.
    pub taken: u64,
    /// Time up to which samples are kept, s.
    pub t: f64,
    /// Why.
    pub why: String,
}

/// When to stop inside a step. One step may have any number of samples, and the caller can react only between steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    pub cpu: CpuClock,
    /// Largest CPU time, s.
    pub limit: f64,
    /// Whether the user wants to stop.
    pub stop: fn() -> bool,
}

/// The output of a recorder.
#[derive(Default)]
pub(crate) struct Outlet {
    sink: Option<Box<dyn Sink>>,
    pub patience: Option<Patience>,
    /// Patience ran out inside a step: its other samples are not taken, nor any later ones.
    pub left_off: bool,
    /// Number of samples passed on.
    pub handed: u64,
    /// Why no more are accepted: they were rejected, or are not finite.
    pub closed: Option<SimError>,
}
remember!(Outlet { handed } apart from { sink, patience, left_off, closed });

impl Outlet {
    /// Largest number of waiting samples with this many columns.
    pub fn rows(columns: usize) -> usize {
        (VALUES / (columns + 1)).clamp(ROWS[0], ROWS[1])
    }

    pub fn open(&mut self, sink: Box<dyn Sink>) {
        self.sink = Some(sink);
    }

    /// Whether samples are passed on.
    pub fn is_open(&self) -> bool {
        self.sink.is_some()
    }

    /// Whether another sample is wanted after this many.
    pub fn wants(&mut self, samples: u64) -> bool {
        if let Some(p) = self.patience.filter(|_| samples.is_multiple_of(LOOK_EVERY)) {
            self.left_off |= (p.stop)() || p.cpu.seconds() > p.limit;
        }
        !self.left_off && self.refused().is_none()
    }

    /// The error with which samples were rejected, if they were.
    pub fn refused(&self) -> Option<&SimError> {
        self.closed.as_ref().filter(|e| e.kind == SimErrorKind::Output)
    }

    pub fn due(&mut self) -> bool {
        self.sink.as_mut().is_some_and(|s| s.due())
    }

    /// Passes on the waiting samples; everything after a non-finite value is dropped.
    pub fn hand_on(&mut self, waiting: &mut Results) {
        let Some(sink) = &mut self.sink else { return };
        if self.closed.is_none() {
            self.closed = cut_at_non_finite(waiting);
            match sink.take(waiting) {
                Ok(()) => self.handed += waiting.t.len() as u64,
                Err(e) => {
                    self.handed += e.taken;
                    self.closed = Some(refused(e));
                }
            }
        }
        waiting.clear();
    }
}

fn refused(e: Refused) -> SimError {
    SimError {
        kind: SimErrorKind::Output,
        t: e.t,
        h: 0.0,
        detail: e.why,
        blame: Vec::new(),
        help: "make room on the disk, sample less often, or choose another folder, and run again"
            .to_owned(),
    }
}

/// Drops everything after the first non-finite value, and says where that is.
pub(crate) fn cut_at_non_finite(results: &mut Results) -> Option<SimError> {
    let Results { channels, t, data } = results;
    let (row, k) = data
        .iter()
        .zip(&*channels)
        .enumerate()
        .filter_map(|(k, (column, c))| Some((column.iter().position(|x| !c.allows(*x))?, k)))
        .min()?;
    let (time, value, name) = (t[row], data[k][row], &channels[k].name);
    for column in data.iter_mut().chain([&mut *t]) {
        column.truncate(row);
    }
    Some(SimError {
        kind: SimErrorKind::NotFinite,
        t: time,
        h: 0.0,
        detail: format!(
            "the column \"{name}\" is {value} at t = {time} s; results before that time are kept"
        ),
        blame: vec![format!("sensor.{name}")],
        help: "check divisions, roots and logarithms in the sensor and what it refers to"
            .to_owned(),
    })
}
