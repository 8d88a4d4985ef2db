//! What is told about a run in real time, on the screen and in `summary.json`.

use crate::exit::Exit;
use crate::fault::Fault;
use crate::files::Written;
use crate::summary_text::Table;
use delassus::sim::brief;
use delassus::sim::realtime::StepStatus;
use delassus_rt::host::Usage;
use delassus_rt::{Counts, Ending, Figures, Outcome, Sent, status};
use serde::Serialize;
use std::collections::BTreeMap;

/// A run in real time.
#[derive(Debug, Serialize)]
pub struct RtReport {
    /// `done`, `stopped`, `failed` or `interrupted`.
    pub status: &'static str,
    /// Exit code.
    pub code: u8,
    /// Title of the model.
    pub model: String,
    /// The model as named on the command line.
    pub model_file: String,
    /// Identifies its content.
    pub model_sha256: String,
    /// Version of the program.
    pub version: &'static str,
    /// Method.
    pub method: &'static str,
    /// Length of a step, s.
    pub step: f64,
    /// Steps per second that were asked for.
    pub rate_hz: f64,
    /// The loop waited for the clock.
    pub throttled: bool,
    /// Times of the model, s.
    pub t_start: f64,
    /// Where it arrived.
    pub t_end: f64,
    /// Rows in the results.
    pub samples: u64,
    /// Rows that were left out.
    pub rows_lost: u64,
    /// What the clock did.
    #[serde(flatten)]
    pub figures: Figures,
    /// Largest |g|.
    pub max_position_drift: f64,
    /// Steps with each flag of the status word that was ever set.
    pub flags: BTreeMap<String, u64>,
    /// What came in; `null` without a connection.
    pub inputs: Option<Counts>,
    /// What went out over UDP.
    pub sent: Option<Sent>,
    /// Real-time priority that the loop had.
    pub priority: Option<u8>,
    /// All memory was kept in place.
    pub memory_locked: bool,
    /// Page faults of the loop after its first 1000 steps: in memory, and from a disk.
    pub page_faults: Option<[u64; 2]>,
    /// How often the loop waited, and how often something else was run instead of it.
    pub switches: Option<[u64; 2]>,
    /// Whether to trust all this.
    pub verdict: Verdict,
    /// Result files.
    pub files: Vec<Written>,
    /// Notes for the user.
    pub notes: Vec<Fault>,
    /// Why the run stopped early.
    pub errors: Vec<Fault>,
}

/// The judgement, in the form that the page shows.
#[derive(Debug, Serialize)]
pub struct Verdict {
    tone: &'static str,
    text: String,
    items: Vec<Item>,
}

#[derive(Debug, Serialize)]
struct Item {
    key: &'static str,
    title: &'static str,
    value: f64,
    unit: Option<&'static str>,
    tone: &'static str,
    text: String,
}

/// Defect of the constraints, m or rad, up to which it is what steps of fixed cost leave, and above which the mechanism
/// has come apart.
const DRIFT: [f64; 2] = [1e-4, 1e-2];

/// Part of the steps with flags of the model above which its motion is doubtful.
const MUCH: f64 = 0.1;

/// Most steps that have the same flag of the model.
fn flagged(out: &Outcome) -> u64 {
    out.flagged[16..].iter().copied().fold(0, u64::max)
}

/// Whether the mechanism has come apart; what is not a number counts as such.
pub fn is_apart(out: &Outcome) -> bool {
    !(out.drift <= DRIFT[1])
}

/// Judges the figures of a run.
pub fn judge(f: &Figures, out: &Outcome, throttled: bool, period: f64) -> Verdict {
    let tone = if f.missed == 0 { "good" } else { "fair" };
    let drift = match out.drift {
        _ if is_apart(out) => "bad",
        d if d > DRIFT[0] => "fair",
        _ => "good",
    };
    let ended = matches!(out.ending, Ending::Done | Ending::Closed | Ending::Interrupted);
    let odd = flagged(out);
    let model = match odd as f64 / f.steps.max(1) as f64 {
        0.0 => "good",
        part if part <= MUCH => "fair",
        _ => "bad",
    };
    let text = match (ended, throttled, f.missed) {
        (false, ..) => "The run was stopped: see the error.".to_owned(),
        _ if is_apart(out) => "The joints have come apart: do not trust the motion.".to_owned(),
        _ if model == "bad" => {
            format!("{odd} of {} steps have a flag of the model: do not trust the motion.", f.steps)
        }
        _ if f.steps == 0 => "No step was made.".to_owned(),
        (_, false, _) => "The loop did not wait for the clock: no step could be late.".to_owned(),
        (_, _, 0) if f.steps == 1 => "The one step was not late.".to_owned(),
        (_, _, 0) => format!("None of {} steps was late.", f.steps),
        (_, _, 1) => format!("One of {} steps was late.", f.steps),
        (_, _, n) => format!("{n} of {} steps were late.", f.steps),
    };
    let item = |key, title, value, unit, tone, text| Item { key, title, value, unit, tone, text };
    let items = vec![
        item(
            "missed",
            "Late steps",
            f.missed as f64,
            None,
            tone,
            format!(
                "{} periods left out, the model {} s behind the clock",
                f.skipped,
                brief(f.lag_s)
            ),
        ),
        item(
            "p99_us",
            "Time of a step",
            f.p99_us,
            Some("µs"),
            "none",
            format!(
                "99 % are not longer; worst {:.1} µs of {} µs",
                f.worst_us,
                brief(1e6 * period)
            ),
        ),
        item(
            "jitter_us",
            "Delay of a start",
            f.jitter_us,
            Some("µs"),
            "none",
            format!("99 % are not longer; worst {:.1} µs", f.worst_jitter_us),
        ),
        item(
            "flagged",
            "Flags of the model",
            odd as f64,
            None,
            model,
            "steps with the same flag, at most; see the notes".to_owned(),
        ),
        item(
            "max_position_drift",
            "Drift, positions",
            out.drift,
            Some("m"),
            drift,
            "largest at the steps".to_owned(),
        ),
    ];
    let tones = [if ended { tone } else { "bad" }, drift, model];
    let worst = ["bad", "fair", "good"].into_iter().find(|t| tones.contains(t));
    Verdict { tone: worst.unwrap_or("bad"), text, items }
}

/// How often each flag was set, by name.
pub fn flags(out: &Outcome) -> BTreeMap<String, u64> {
    let own = status::NAMES.iter().map(|(bit, name)| (*bit, (*name).to_owned()));
    let model = StepStatus::ALL.iter();
    let model = model.map(|(flag, name)| (status::of_model(flag.bits()), format!("model.{name}")));
    let count = |bit: u32| out.flagged[bit.trailing_zeros() as usize % 32];
    own.chain(model).map(|(bit, name)| (name, count(bit))).filter(|(_, n)| *n > 0).collect()
}

/// `status` and exit code.
pub fn ending(e: &Ending) -> (&'static str, Exit) {
    match e {
        Ending::Done | Ending::Closed => ("done", Exit::Done),
        Ending::Interrupted => ("interrupted", Exit::Interrupted),
        Ending::Overrun(_) | Ending::Inputs => ("stopped", Exit::Deadline),
        Ending::Model => ("failed", Exit::Numerical),
    }
}

/// Page faults and switches.
pub fn counted(u: Option<Usage>) -> (Option<[u64; 2]>, Option<[u64; 2]>) {
    (u.map(|u| u.faults), u.map(|u| u.switches))
}

/// The report as a table.
pub fn text(r: &RtReport, folder: Option<&std::path::Path>, page: bool) -> String {
    let heading = match r.model.is_empty() {
        true => r.model_file.clone(),
        false => format!("{}: {}", r.model_file, r.model),
    };
    let (f, us) = (&r.figures, |x: f64| format!("{x:.1} µs"));
    let mut table = Table::new(&heading);
    let status = match r.errors.first() {
        Some(e) => format!("{} ({})", r.status.to_uppercase(), e.code),
        None => r.status.to_owned(),
    };
    table.row("status", &status);
    let throttle = if r.throttled { "" } else { ", not waiting for the clock" };
    table.row("rate", &format!("{} Hz{throttle}", brief(r.rate_hz)));
    let time =
        format!("{} to {} s in {:.3} s", brief(r.t_start), brief(r.t_end), r.figures.clock_s);
    table.row("time", &time);
    table.row("steps", &f.steps.to_string());
    if r.throttled {
        let lag = format!("{} periods left out, {} s behind the clock", f.skipped, brief(f.lag_s));
        table.row(
            "late",
            &if f.missed == 0 { "none".to_owned() } else { format!("{} ({lag})", f.missed) },
        );
    }
    let spread = format!(
        "p50 {}, p99 {}, p99.9 {}, worst {}",
        us(f.p50_us),
        us(f.p99_us),
        us(f.p999_us),
        us(f.worst_us)
    );
    table.row("step time", &spread);
    if r.throttled {
        let jitter = format!("p99 {}, worst {}", us(f.jitter_us), us(f.worst_jitter_us));
        table.row("delay", &jitter);
        let memory = if r.memory_locked { "memory locked" } else { "memory not locked" };
        let priority = r.priority.map_or("none".to_owned(), |n| n.to_string());
        table.row("system", &format!("real-time priority {priority}, {memory}"));
    }
    if let (Some([soft, hard]), Some([_, forced])) = (r.page_faults, r.switches) {
        let text = format!("{} page faults, interrupted {forced} times", soft + hard);
        table.row("disturbed", &text);
    }
    if let Some(c) = &r.inputs {
        let reasons = [
            ("malformed", c.malformed),
            ("not finite", c.not_finite),
            ("stale", c.stale),
            ("unknown", c.unknown),
            ("from another sender", c.foreign),
        ];
        let why: Vec<String> =
            reasons.iter().filter(|r| r.1 > 0).map(|(word, n)| format!("{n} {word}")).collect();
        let refused = if why.is_empty() { "none".to_owned() } else { why.join(", ") };
        let text =
            format!("{} messages, refused: {refused}; held {} times", c.accepted, c.held_cycles);
        table.row("inputs", &text);
    }
    table.row("drift", &format!("position {:.2e}", r.max_position_drift));
    table.row("verdict", &format!("{}: {}", r.verdict.tone, r.verdict.text));
    if let Some(folder) = folder {
        table.row("results", &format!("{}: {} rows", folder.display(), r.samples));
        if page {
            table.row("report", &folder.join(crate::output::REPORT_HTML).display().to_string());
        }
    }
    table.finish()
}
