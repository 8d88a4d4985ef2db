//! Cost of steps in real time: `realtime MODEL RATE_HZ STEPS [BLOCK [SKIP]]` prepares a stepper, makes SKIP steps, then
//! STEPS more in blocks of BLOCK, and prints CPU times, flags, drift, and the memory before and after. The environment may set
//! CONTACTS and PROJECTIONS. `block` is a function of its own so that an
//! instruction counter can tell blocks apart; see `benches/realtime`.

#![allow(clippy::print_stdout)]

use delassus::dae::integrator::OptionValue;
use delassus::sim::CpuClock;
use delassus::sim::realtime::{RealTimeOptions, StepStatus, Stepper};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A block of steps, told apart by the instruction counter.
#[inline(never)]
fn block(stepper: &mut Stepper, inputs: &[f64], steps: u64) -> StepStatus {
    let mut all = StepStatus::GOOD;
    for _ in 0..steps {
        all |= stepper.step(inputs);
    }
    all
}

/// Resident memory, kB, where the system tells it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, usual: &str| -> Outcome<f64> {
        Ok(args.get(k).map_or(usual, String::as_str).parse()?)
    };
    let path = args.first().ok_or("usage: realtime MODEL RATE_HZ STEPS [BLOCK [SKIP]]")?;
    let model = delassus::load(path)?;
    let mut options = RealTimeOptions::of(&model.system, 1.0 / number(1, "1000")?);
    if let Ok(capacity) = std::env::var("CONTACTS") {
        options.contacts = capacity.parse()?;
    }
    if let Ok(projections) = std::env::var("PROJECTIONS") {
        options.options.set("projections", OptionValue::Number(projections.parse()?));
    }
    let steps = number(2, "1000")? as u64;
    let size = number(3, "1000")? as u64;
    let mut stepper = Stepper::prepare(&model, &options)?;
    let inputs: Vec<f64> = stepper.inputs().iter().map(|i| i.default).collect();
    for _ in 0..number(4, "0")? as u64 {
        stepper.step(&inputs);
    }
    let before = resident();
    let (mut least, mut most, mut total) = (f64::INFINITY, 0.0f64, 0.0);
    let mut all = StepStatus::GOOD;
    for _ in 0..steps.div_ceil(size.max(1)) {
        let clock = CpuClock::start();
        all |= block(&mut stepper, &inputs, size);
        let us = 1e6 * clock.seconds() / size as f64;
        (least, most, total) = (least.min(us), most.max(us), total + us * size as f64);
    }
    println!(
        "{path}: {} steps to {} s, {:.2} us a step (blocks of {size}: {least:.2} to {most:.2}), drift {:.2e}, {all}",
        stepper.counters().steps,
        stepper.time(),
        total / (steps.div_ceil(size.max(1)) * size) as f64,
        stepper.most_position_drift(),
    );
    if let (Some(before), Some(after)) = (before, resident()) {
        println!("  memory in use {before} kB before these steps, {after} kB after");
    }
    if let Some(failure) = stepper.failure() {
        println!("stopped: {failure}");
    }
    Ok(())
}
