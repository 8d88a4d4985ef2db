//! `delassus check --rt`: what steps in real time need, before they are made.

use crate::analysis_out::heading;
use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::number::{count, number};
use crate::prepare::Prepared;
use crate::summary_text::{Table, brief};
use crate::{console, report};
use delassus::expr::Dim;
use delassus::io::model_file::escape;
use delassus::math::Plain;
use delassus::sim::realtime::{Forecast, RealTimeOptions, StepStatus, forecast};
use serde::Serialize;

/// Steps per second where neither the command nor the model gives a step.
const RATE: f64 = 1000.0;
/// Elements that the screen shows; JSON has more.
const SHOWN: usize = 5;

#[derive(Debug, Serialize)]
struct RtReport<'a> {
    status: &'static str,
    code: u8,
    model: &'a str,
    model_file: String,
    model_sha256: &'a str,
    rate_hz: f64,
    step: f64,
    velocities: usize,
    constraints: usize,
    contact_points: usize,
    contact_capacity: usize,
    operations: u64,
    parts: Vec<Part<'a>>,
    dearest: Vec<Part<'a>>,
    bytes: u64,
    stable: Option<bool>,
    jacobian: &'a str,
    /// Seconds; absent where every step is stable, or where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<ModeJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode_unknown: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured<'a>>,
    notes: &'a [Fault],
}

#[derive(Debug, Serialize)]
struct Part<'a> {
    name: &'a str,
    operations: u64,
}

#[derive(Debug, Serialize)]
struct ModeJson<'a> {
    frequency_hz: f64,
    growth: f64,
    damping_ratio: f64,
    bodies: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_per_period: Option<f64>,
    limits_the_step: bool,
}

#[derive(Debug, Serialize)]
struct Measured<'a> {
    steps: u64,
    median_us: f64,
    p99_us: f64,
    worst_us: f64,
    max_position_drift: f64,
    flags: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'a str>,
}

/// Length of a step, s, for a rate such as "1 kHz".
pub fn step_of_rate(option: &str, text: &str) -> Result<f64, Box<Fault>> {
    let rate = number(option, text, Dim::RATE)?;
    if !(rate > 0.0 && (1.0 / rate).is_finite()) {
        let message = format!("the rate is {} Hz, but it must be positive", Plain(rate));
        let fault = Fault::new("E_RANGE", option, message).help("give a rate such as \"1 kHz\"");
        return Err(Box::new(fault));
    }
    Ok(1.0 / rate)
}

/// Tells what steps in real time need.
pub fn check_rt(a: &CheckArgs, p: &Prepared) -> Result<Exit, Failure> {
    let bad = |f: Box<Fault>| Failure::input(vec![*f]);
    let given = a.rate.as_deref().map(|text| step_of_rate("--rate", text));
    let given = given.transpose().map_err(bad)?;
    let step = given.or(p.options.step).unwrap_or(1.0 / RATE);
    let mut options = RealTimeOptions::of(&p.model.system, step);
    if let Some(n) = &a.contacts {
        options.contacts = count("--contacts", n).map_err(bad)? as usize;
    }
    if let Some(n) = &a.sweeps {
        options.sweeps = u32::try_from(count("--sweeps", n).map_err(bad)?).unwrap_or(u32::MAX);
    }
    let found = forecast(&p.model, &options)
        .map_err(|e| Failure::input(vec![Fault::new(e.code(), "", e.to_string())]))?;
    let file = escape(&a.model.model.display().to_string());
    let refused = found.stability.refuses(step);
    let mut notes = p.notes.clone();
    if refused {
        notes.push(Fault::new("E_STEP_UNSTABLE", "", found.stability.refusal(step)));
    }
    let json = gather(&found, p, file.clone(), &notes);
    if a.json {
        return console::print(&report::to_json(&json));
    }
    report::warnings(&notes);
    console::print(&text(&found, &heading(p, &file)))
}

fn gather<'a>(
    f: &'a Forecast,
    p: &'a Prepared,
    model_file: String,
    notes: &'a [Fault],
) -> RtReport<'a> {
    let s = &f.stability;
    RtReport {
        status: "ok",
        code: Exit::Done.code(),
        model: &p.model.system.model().title,
        model_file,
        model_sha256: &p.hash,
        rate_hz: 1.0 / f.step,
        step: f.step,
        velocities: f.velocities,
        constraints: f.rows,
        contact_points: f.points,
        contact_capacity: f.capacity,
        operations: f.operations,
        parts: f.parts.iter().map(|(name, n)| Part { name, operations: *n }).collect(),
        dearest: f
            .dearest
            .iter()
            .map(|d| Part { name: &d.element, operations: d.operations })
            .collect(),
        bytes: f.bytes,
        stable: s.largest_step.map(|most| f.step <= most),
        jacobian: s.jacobian,
        largest_step: s.largest_step.filter(|h| h.is_finite()),
        mode: s.mode.as_ref().map(|m| ModeJson {
            frequency_hz: m.frequency_hz,
            growth: m.growth,
            damping_ratio: m.damping_ratio,
            bodies: &m.bodies,
            steps_per_period: m.steps_per_period,
            limits_the_step: s.limited_by_mode,
        }),
        mode_unknown: s.unknown.as_deref(),
        measured: f.trial.as_ref().map(|t| Measured {
            steps: t.steps,
            median_us: t.median_us,
            p99_us: t.p99_us,
            worst_us: t.worst_us,
            max_position_drift: t.drift,
            flags: StepStatus::ALL
                .iter()
                .filter(|(flag, _)| t.status.contains(*flag))
                .map(|(_, name)| *name)
                .collect(),
            stopped: t.failure.as_deref(),
        }),
        notes,
    }
}

/// A number of operations or bytes in thousands or millions.
fn large(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..10_000_000 => format!("{:.0} thousand", n as f64 / 1e3),
        _ => format!("{:.0} million", n as f64 / 1e6),
    }
}

fn text(f: &Forecast, heading: &str) -> String {
    let mut table = Table::new(heading);
    let rate = 1.0 / f.step;
    table.row("rate", &format!("{} Hz, steps of {} s", brief(rate), brief(f.step)));
    table.row("size", &format!("{} velocities, {} constraints", f.velocities, f.rows));
    if f.points > 0 {
        table.row("contacts", &format!("{} of {} points may act at a time", f.capacity, f.points));
    }
    table.row("operations", &format!("about {} per step", large(f.operations)));
    let of = |n: u64| 100.0 * n as f64 / (f.operations.max(1)) as f64;
    for (name, n) in f.parts.iter().filter(|(_, n)| *n > 0) {
        table.row("", &format!("{:>3.0} %  {name}", of(*n)));
    }
    for (k, d) in f.dearest.iter().take(SHOWN).enumerate() {
        let name = if k == 0 { "dearest" } else { "" };
        table.row(name, &format!("{} ({} operations)", d.element, large(d.operations)));
    }
    table.row("memory", &format!("about {} bytes", large(f.bytes)));
    let s = &f.stability;
    let verdict = match s.largest_step {
        Some(most) if f.step > most => format!("no: {}", s.refusal(f.step)),
        Some(most) if most.is_finite() => {
            format!("yes, up to steps of {} s (jacobian = \"{}\")", brief(most), s.jacobian)
        }
        Some(_) => format!("yes, whatever the step (jacobian = \"{}\")", s.jacobian),
        None => "not known".to_owned(),
    };
    table.row("stable", &verdict);
    if let Some(m) = &s.mode {
        let steps = m.steps_per_period.map_or_else(String::new, |n| {
            format!(
                ": {n:.1} steps in a period{}",
                if n < 6.0 { ", damped by the step" } else { "" }
            )
        });
        let which = if s.limited_by_mode { "limited by" } else { "fastest mode" };
        table.row(which, &format!("{}{steps}", m.text()));
    }
    if let Some(why) = &s.unknown {
        table.row("modes", why);
    }
    match &f.trial {
        Some(t) => {
            table.row(
                "measured",
                &format!(
                    "{} steps here: median {:.1} us, 99 % below {:.1} us, worst {:.1} us",
                    t.steps, t.median_us, t.p99_us, t.worst_us
                ),
            );
            table.row("drift", &format!("{:.1e}; flags: {}", t.drift, t.status));
            if let Some(why) = &t.failure {
                table.row("stopped", why);
            }
        }
        None => table.row("measured", "not tried: the step is unstable"),
    }
    table.finish()
}
