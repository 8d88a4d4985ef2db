//! Samples that are handed on while the run goes on, instead of being kept.

use crate::clock::CpuClock;
use crate::error::{SimError, SimErrorKind};
use crate::results::Results;
use delassus_math::remember;

/// Values that wait before they are handed on, about: 8 MiB, whatever the model.
const VALUES: usize = 1 << 20;
/// Samples that wait at least and at most.
const ROWS: [usize; 2] = [16, 4096];
/// Samples between looks at the clock: cheap beside them, and soon enough where each solves for forces.
const LOOK_EVERY: u64 = 64;

/// Takes in samples, so that the memory of a run does not grow with their number.
pub trait Sink: Send {
    /// Takes in samples that follow those of the call before; they are forgotten afterwards. All of them are as
    /// [`crate::Channel::allows`]. What is refused ends the run.
    fn take(&mut self, samples: &Results) -> Result<(), Refused>;

    /// Asked after every step: whether to hand on now what has come together since.
    fn due(&mut self) -> bool {
        false
    }
}

/// Samples that were not taken in, or not all.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// How many of them were.
    pub taken: u64,
    /// Time up to which samples are kept, s.
    pub t: f64,
    /// Why.
    pub why: String,
}

/// When to leave off inside a step. One step may have any number of samples, and who runs it looks up between
/// steps only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    pub cpu: CpuClock,
    /// CPU time at most, s.
    pub limit: f64,
    /// Whether the user wants no more.
    pub stop: fn() -> bool,
}

/// The way out of a recorder.
#[derive(Default)]
pub(crate) struct Outlet {
    sink: Option<Box<dyn Sink>>,
    pub patience: Option<Patience>,
    /// Patience ended inside a step: its other samples are not taken, nor any later ones.
    pub left_off: bool,
    /// Samples that were handed on.
    pub handed: u64,
    /// Why no more are taken: they were refused, or are not finite.
    pub closed: Option<SimError>,
}
remember!(Outlet { handed } apart from { sink, patience, left_off, closed });

impl Outlet {
    /// Samples of so many columns that wait at most.
    pub fn rows(columns: usize) -> usize {
        (VALUES / (columns + 1)).clamp(ROWS[0], ROWS[1])
    }

    pub fn open(&mut self, sink: Box<dyn Sink>) {
        self.sink = Some(sink);
    }

    /// Whether samples are handed on.
    pub fn is_open(&self) -> bool {
        self.sink.is_some()
    }

    /// Whether another sample beside so many is wanted.
    pub fn wants(&mut self, samples: u64) -> bool {
        if let Some(p) = self.patience.filter(|_| samples.is_multiple_of(LOOK_EVERY)) {
            self.left_off |= (p.stop)() || p.cpu.seconds() > p.limit;
        }
        !self.left_off && self.refused().is_none()
    }

    /// Whether samples were refused.
    pub fn refused(&self) -> Option<&SimError> {
        self.closed.as_ref().filter(|e| e.kind == SimErrorKind::Output)
    }

    pub fn due(&mut self) -> bool {
        self.sink.as_mut().is_some_and(|s| s.due())
    }

    /// Hands on what waits; what comes after a value that is not finite is dropped.
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

/// Drops what comes after the first value that is not finite, and says where that is.
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
