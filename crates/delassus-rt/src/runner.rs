//! The loop: one step per period, on absolute deadlines.
//!
//! A cycle takes what has come, steps the model, and passes on its outputs. It allocates nothing, locks nothing, and
//! calls the system for the clock and for its link only. A step that ends after its time is counted once; what follows
//! is up to [`OnOverrun`], and never a burst of steps that run after the clock. So the time of the model falls behind:
//! it counts steps, not time.

use crate::clock::Clock;
use crate::gate::Gate;
use crate::grid::Grid;
use crate::host::{self, Usage};
use crate::link::Link;
use crate::packet::Cycle;
use crate::plant::Plant;
use crate::ring::Sender;
use crate::status;
use crate::tally::{Overrun, Tally};
use serde::{Deserialize, Serialize};

/// Late steps up to this one never end a run: caches and clock rates settle.
pub const GRACE: u64 = 1000;
/// The longest sleep between two looks at whether to stop, ns.
const NAP: u64 = 50_000_000;
/// Numbers at the beginning of a row: time, status, delay of the beginning and duration in s, drift.
pub const ROW_HEAD: usize = 5;

/// What a step that ends after its time means for the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnOverrun {
    /// It ends the run, unless it is one of the first [`GRACE`] steps; those count as with `Skip`.
    #[default]
    Stop,
    /// The periods that have begun meanwhile are left out, and the next step begins with the next period: the loop
    /// stays in phase with the clock.
    Skip,
    /// The next step begins at once, and all later ones that much later: nothing is left out, the phase moves.
    Log,
}

/// How to run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// When steps are due; its start does not matter.
    pub grid: Grid,
    /// Wait for the time of each step, or make them one after the other.
    pub throttled: bool,
    /// Number of steps; `None` until something ends the run.
    pub steps: Option<u64>,
    /// What a late step means.
    pub on_overrun: OnOverrun,
    /// Number of steps from row to row.
    pub every: u64,
}

/// Why a loop has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// All steps were made.
    Done,
    /// Whoever runs it asked for the end.
    Interrupted,
    /// No more inputs will come.
    Closed,
    /// A step was late.
    Overrun(Overrun),
    /// No good inputs came for longer than allowed.
    Inputs,
    /// The model could not make a step.
    Model,
}

/// What remains of a loop besides its tally.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Why it ended.
    pub ending: Ending,
    /// Time of the clock from the first deadline on, ns.
    pub clock: u64,
    /// The largest distance from the constraints.
    pub drift: f64,
    /// Steps with each flag of the status word.
    pub flagged: [u64; 32],
    /// Rows for which there was no room.
    pub rows_lost: u64,
    /// What happened to the thread after the first [`GRACE`] steps.
    pub usage: Option<Usage>,
}

/// What a loop works with.
#[derive(Debug)]
pub struct Parts<'a, P, C, L> {
    /// The model.
    pub plant: &'a mut P,
    /// The clock.
    pub clock: &'a mut C,
    /// Where inputs come from.
    pub link: &'a mut L,
    /// The inputs that act.
    pub gate: &'a mut Gate,
    /// What the clock did.
    pub tally: &'a mut Tally,
    /// Places of the outputs among the values of the model.
    pub outputs: &'a [usize],
    /// Where rows go.
    pub rows: Option<&'a mut Sender>,
}

/// Runs until something ends it. `stop` is asked in every cycle.
pub fn run<P: Plant, C: Clock, L: Link>(
    parts: Parts<'_, P, C, L>,
    plan: &Plan,
    stop: impl Fn() -> bool,
) -> Outcome {
    Loop::new(parts, plan).run(&stop)
}

struct Loop<'a, P, C, L> {
    parts: Parts<'a, P, C, L>,
    plan: Plan,
    grid: Grid,
    origin: u64,
    slot: u64,
    values: Vec<f64>,
    late: bool,
    out: Outcome,
    settled: Option<Usage>,
}

impl<'a, P: Plant, C: Clock, L: Link> Loop<'a, P, C, L> {
    fn new(parts: Parts<'a, P, C, L>, plan: &Plan) -> Self {
        let out = Outcome {
            ending: Ending::Done,
            clock: 0,
            drift: parts.plant.drift(),
            flagged: [0; 32],
            rows_lost: 0,
            usage: None,
        };
        let values = vec![0.0; parts.outputs.len()];
        let (grid, origin) = (plan.grid, 0);
        Loop { parts, plan: *plan, grid, origin, slot: 0, values, late: false, out, settled: None }
    }

    fn run(mut self, stop: &impl Fn() -> bool) -> Outcome {
        self.outputs();
        self.send(0, 0);
        self.row(0, [0, 0], stop);
        self.settled = host::usage();
        // the first step begins a period from now
        self.grid = self.grid.from(self.parts.clock.now());
        self.grid.shift(self.grid.due(1) - self.grid.due(0));
        self.origin = self.grid.due(0);
        self.out.ending = loop {
            if self.plan.steps.is_some_and(|n| self.parts.tally.steps() >= n) {
                break Ending::Done;
            }
            if let Some(ending) = self.cycle(stop) {
                break ending;
            }
        };
        self.out.clock = self.parts.clock.now().saturating_sub(self.origin);
        self.out.usage = host::usage().zip(self.settled).map(|(now, then)| now.since(then));
        let ending = match self.out.ending {
            Ending::Inputs => status::TIMEOUT,
            Ending::Model => status::FAILED,
            Ending::Overrun(_) => status::LATE,
            _ => 0,
        };
        self.send(self.next(), ending | status::ENDED);
        self.out
    }

    /// One period, up to the moment at which the next one can be waited for.
    fn cycle(&mut self, stop: &impl Fn() -> bool) -> Option<Ending> {
        let due = self.grid.due(self.slot);
        let Some(began) = self.wait(due, stop) else { return Some(Ending::Interrupted) };
        let mut flags = if std::mem::take(&mut self.late) { status::LATE } else { 0 };
        let Parts { plant, link, gate, .. } = &mut self.parts;
        if link.is_open() {
            gate.begin();
            if !link.receive(gate) {
                return Some(if stop() { Ending::Interrupted } else { Ending::Closed });
            }
            flags |= gate.end();
            if gate.stops(flags) {
                return Some(Ending::Inputs);
            }
        }
        let stepped = plant.step(gate.values());
        flags |= status::of_model(stepped.flags);
        if stepped.stopped {
            self.count(flags);
            return Some(Ending::Model);
        }
        self.outputs();
        self.send(self.next(), flags);
        let ended = self.parts.clock.now();
        let delay = if self.plan.throttled { began.saturating_sub(due) } else { 0 };
        let length = ended.saturating_sub(began);
        self.parts.tally.step(began.saturating_sub(self.origin), delay, length);
        let overrun = self.judge(ended);
        let drift = self.parts.plant.drift();
        // a value that is not finite stays
        if !(drift <= self.out.drift) && !self.out.drift.is_nan() {
            self.out.drift = drift;
        }
        self.count(flags);
        let steps = self.parts.tally.steps();
        if steps == GRACE {
            self.settled = host::usage();
        }
        if steps.is_multiple_of(self.plan.every) {
            self.row(flags | if self.late { status::LATE } else { 0 }, [delay, length], stop);
        }
        overrun
    }

    /// Chooses the next period, after a step that ended at this time.
    fn judge(&mut self, ended: u64) -> Option<Ending> {
        let next = self.grid.due(self.slot + 1);
        if !self.plan.throttled {
            self.slot += 1;
            return None;
        }
        if ended <= next {
            self.slot += 1;
            return None;
        }
        self.late = true;
        let late = ended - next;
        let (skipped, lag) = match self.plan.on_overrun {
            OnOverrun::Log => {
                self.grid.shift(late);
                self.slot += 1;
                (0, late)
            }
            OnOverrun::Stop | OnOverrun::Skip => {
                // the period in which it ended cannot begin any more
                let from = self.slot + 1;
                self.slot = self.grid.slot_at(ended - 1) + 1;
                (self.slot - from, self.grid.due(self.slot) - self.grid.due(from))
            }
        };
        let due = next.saturating_sub(self.origin);
        self.parts.tally.late(due, late, skipped, lag);
        let ends = self.plan.on_overrun == OnOverrun::Stop && self.parts.tally.steps() > GRACE;
        let at = Overrun {
            step: self.parts.tally.steps(),
            at_s: due as f64 * 1e-9,
            late_us: late as f64 * 1e-3,
            skipped,
        };
        ends.then_some(Ending::Overrun(at))
    }

    /// Waits for a time, and returns when it was; `None` to stop.
    fn wait(&mut self, due: u64, stop: &impl Fn() -> bool) -> Option<u64> {
        loop {
            if stop() {
                return None;
            }
            let now = self.parts.clock.now();
            if now >= due || !self.plan.throttled {
                return Some(now);
            }
            self.parts.clock.sleep_until(due.min(now + NAP));
        }
    }

    /// Number of the next message: that of its step, and one more after the last step.
    fn next(&self) -> u64 {
        self.parts.tally.steps() + 1
    }

    fn outputs(&mut self) {
        let from = self.parts.plant.values();
        for (x, k) in self.values.iter_mut().zip(self.parts.outputs) {
            *x = from.get(*k).copied().unwrap_or(f64::NAN);
        }
    }

    /// Sends the outputs as number `sequence`; number 0 are those of the start.
    fn send(&mut self, sequence: u64, status: u32) {
        let Parts { plant, link, gate, tally, .. } = &mut self.parts;
        let (late, inputs, t) = (tally.missed(), gate.last(), plant.time());
        link.send(&Cycle { sequence, status, late, inputs, t, values: &self.values });
    }

    fn count(&mut self, flags: u32) {
        for (k, n) in self.out.flagged.iter_mut().enumerate() {
            *n += u64::from(flags >> k & 1);
        }
    }

    /// Hands on a row, at a moment at which there is time for it. A loop that need not hurry waits for room.
    fn row(&mut self, status: u32, [delay, length]: [u64; 2], stop: &impl Fn() -> bool) {
        let Parts { plant, rows: Some(rows), .. } = &mut self.parts else { return };
        let head = [
            plant.time(),
            f64::from(status),
            delay as f64 * 1e-9,
            length as f64 * 1e-9,
            plant.drift(),
        ];
        let row = || head.iter().chain(plant.values()).chain(plant.coordinates()).copied();
        let mut sent = rows.send(row());
        while !sent && !self.plan.throttled && !stop() {
            std::thread::yield_now();
            sent = rows.send(row());
        }
        self.out.rows_lost += u64::from(!sent);
    }
}
