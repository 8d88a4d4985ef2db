//! Numbers among the arguments of `delassus rt`, checked together.

use super::args::RtArgs;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::number::{count, number};
use crate::settings::{Settings, duration};
use delassus::expr::Dim;
use delassus_rt::{Grid, RATES, host::PRIORITIES};

/// What the arguments say.
pub struct RtSettings {
    /// When steps are due.
    pub grid: Grid,
    /// Steps per second.
    pub rate: f64,
    /// Number of steps; none until something ends the run.
    pub steps: Option<u64>,
    /// Interval of the results, s.
    pub sample: Option<f64>,
    /// Periods over which inputs are held.
    pub patience: u64,
    /// Real-time priority.
    pub priority: Option<u8>,
    /// Points of contact, and sweeps over them.
    pub contacts: [Option<u64>; 2],
}

/// Reads them; reports all that cannot be read.
pub fn read(a: &RtArgs) -> Result<RtSettings, Failure> {
    let mut faults = Vec::new();
    let mut rate = keep(number("--rate", &a.rate, Dim::RATE), &mut faults);
    let grid = rate.and_then(Grid::new);
    if let (Some(x), None) = (rate, grid) {
        let [least, most] = RATES;
        let message = format!("the rate is {x} Hz, but must be from {least} Hz to {most} Hz");
        faults.push(Fault::new("E_RANGE", "--rate", message).help("give a rate such as \"1 kHz\""));
        rate = None;
    }
    let whole = |option: &str, text: &Option<String>, faults: &mut Vec<Fault>| {
        text.as_ref().and_then(|t| keep(count(option, t), faults))
    };
    let time = |option: &str, text: &Option<String>, faults: &mut Vec<Fault>| {
        text.as_ref().and_then(|t| keep(duration(option, t), faults))
    };
    let span = time("--duration", &a.duration, &mut faults);
    let sample = time("--sample", &a.sample, &mut faults);
    let patience = whole("--timeout", &Some(a.timeout.clone()), &mut faults);
    let contacts =
        [whole("--contacts", &a.contacts, &mut faults), whole("--sweeps", &a.sweeps, &mut faults)];
    let priority = keep(priority(&a.priority), &mut faults);
    let steps = span.zip(rate).map(|(span, rate)| (span * rate).round());
    if let Some(n) = steps
        && !(1.0..9e15).contains(&n)
    {
        let message = format!("these are {n} steps, but at least 1 and at most 9e15 can be made");
        let help = "give a duration of at least one period";
        faults.push(Fault::new("E_RANGE", "--duration", message).help(help));
    }
    match (grid, rate, patience, priority) {
        (Some(grid), Some(rate), Some(patience), Some(priority)) if faults.is_empty() => {
            let steps = steps.map(|n| n as u64);
            Ok(RtSettings { grid, rate, steps, sample, patience, priority, contacts })
        }
        _ => Err(Failure::input(faults)),
    }
}

fn priority(text: &str) -> Result<Option<u8>, Box<Fault>> {
    if text == "none" {
        return Ok(None);
    }
    let [least, most] = PRIORITIES;
    let level = text.parse::<u8>().ok().filter(|n| (least..=most).contains(n));
    level.map(Some).ok_or_else(|| {
        let message = format!("\"{text}\" is no priority: they go from {least} to {most}");
        Box::new(Fault::new("E_RANGE", "--priority", message).help("give a number, or `none`"))
    })
}

/// The settings of the model that the arguments replace.
pub fn of_model(a: &RtArgs) -> Result<Settings, Failure> {
    let how = crate::args::MethodArgs {
        method: Some("lin-euler".to_owned()),
        // a scheme of the file may exclude the method
        scheme: Some("hybrid".to_owned()),
        method_option: a.method_option.clone(),
        ..Default::default()
    };
    Settings::read(&how).map_err(Failure::input)
}

fn keep<T>(result: Result<T, Box<Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    result.map_err(|f| faults.push(*f)).ok()
}
