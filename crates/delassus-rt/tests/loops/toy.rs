//! A plant whose steps take as long as the test says, on a clock that only moves when they do.

use delassus_rt::{
    Clock, Gate, Grid, Link, OnOverrun, OnTimeout, Outcome, Parts, Plan, Plant, Sender, Stepped,
    Tally,
};
use delassus_rt::{Layout, Output};
use std::cell::Cell;
use std::rc::Rc;

/// Period of the loops, ns.
pub const PERIOD: u64 = 1_000_000;

/// Time that passes when it is told to.
#[derive(Clone, Default)]
pub struct Time {
    pub now: Rc<Cell<u64>>,
    /// How much later than asked for a sleep ends.
    pub oversleep: Rc<Cell<u64>>,
}

impl Clock for Time {
    fn now(&mut self) -> u64 {
        self.now.get()
    }

    fn sleep_until(&mut self, t: u64) {
        self.now.set(self.now.get().max(t) + self.oversleep.take());
    }
}

/// Its value is the sum of its first input over all steps.
pub struct Toy<'a> {
    pub time: Time,
    pub n: u64,
    pub values: [f64; 2],
    pub drift: f64,
    /// Called with the number of each step, from 1: how long it takes, ns; `None` if it cannot be made.
    pub cost: Box<dyn FnMut(u64) -> Option<u64> + 'a>,
    /// When steps began.
    pub began: Vec<u64>,
}

impl<'a> Toy<'a> {
    pub fn new(time: &Time, cost: impl FnMut(u64) -> Option<u64> + 'a) -> Toy<'a> {
        let began = Vec::with_capacity(200_000);
        let cost = Box::new(cost);
        Toy { time: time.clone(), n: 0, values: [0.0; 2], drift: 1e-12, cost, began }
    }
}

impl Plant for Toy<'_> {
    fn step(&mut self, inputs: &[f64]) -> Stepped {
        let Some(cost) = (self.cost)(self.n + 1) else {
            return Stepped { flags: 1, stopped: true };
        };
        self.n += 1;
        if self.began.len() < self.began.capacity() {
            self.began.push(self.time.now.get());
        }
        self.time.now.set(self.time.now.get() + cost);
        self.values = [self.values[0] + inputs.first().unwrap_or(&0.0), self.n as f64];
        Stepped::default()
    }

    fn time(&self) -> f64 {
        self.n as f64 * 1e-3
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn coordinates(&self) -> &[f64] {
        &[]
    }

    fn drift(&self) -> f64 {
        self.drift
    }
}

/// Inputs `force`, from −10 to 10, and `gain`; outputs `sum` and `steps`.
pub fn layout() -> Layout {
    let input = |name: &str, bound: f64, default: f64| delassus_model::Input {
        name: name.to_owned(),
        unit: "N".to_owned(),
        default,
        bounds: [-bound, bound],
    };
    let output = |name: &str| Output { name: name.to_owned(), unit: "1".to_owned() };
    let inputs = vec![input("force", 10.0, 0.0), input("gain", f64::INFINITY, 1.0)];
    Layout::new(inputs, vec![output("sum"), output("steps")])
}

/// Steps at 1 kHz.
pub fn plan(steps: u64, on_overrun: OnOverrun) -> Plan {
    let grid = Grid::new(1000.0).unwrap();
    Plan { grid, throttled: true, steps: Some(steps), on_overrun, every: 1 }
}

/// Runs a toy with a link.
pub fn run(
    toy: &mut Toy<'_>,
    link: &mut impl Link,
    gate: &mut Gate,
    plan: &Plan,
    rows: Option<&mut Sender>,
    stop: impl Fn() -> bool,
) -> (Outcome, Tally) {
    let mut tally = Tally::default();
    let mut clock = toy.time.clone();
    let parts = Parts {
        plant: toy,
        clock: &mut clock,
        link,
        gate,
        tally: &mut tally,
        outputs: &[0, 1],
        rows,
    };
    let out = delassus_rt::run(parts, plan, stop);
    (out, tally)
}

/// A gate of that layout that holds.
pub fn gate(on_timeout: OnTimeout) -> Gate {
    Gate::new(&layout(), on_timeout, delassus_rt::PATIENCE)
}
