//! Makes references: runs of unrelated families of methods that agree at tight tolerances.

use super::cases::Case;
use crate::signal;
use delassus::math::{Plain, largest};
use delassus::sim::certify::{Cause, Certified, ColumnBand, FamilyRun, Plan, Watch, certify};
use delassus::sim::compare::Reference;
use delassus::sim::{Results, RunLimits, RunOptions, brief};

/// Accuracies that are tried, relative to the size of each column: the first one to which the families agree up to the
/// end is taken. With contacts all families share errors near the first one.
const ACCURACIES: [f64; 3] = [1e-8, 1e-6, 1e-4];
/// Runs of a certificate: two rounds, the runs of time-stepping, and those of a method in place of others.
const RUNS: usize = 8;
/// Rows and columns of a reference at most, and rows at least if it does not reach the end.
const ROWS: usize = 25;
const COLUMNS: usize = 8;
const FEWEST: usize = 5;
/// Largest uncertainty of a column that is stored, relative to its size, and what counts as zero, SI.
const KNOWN: f64 = 1e-2;
const ZERO: f64 = 1e-9;
/// Tolerance of runs that are made only once, relative to the accuracy.
const TIGHTER: f64 = 1e-3;
/// Times are the same up to this part of the interval between samples.
const SAME_TIME: f64 = 1e-6;
/// Decimal places of the mantissa: less than any uncertainty that occurs.
const DIGITS: usize = 13;

/// A reference and how good it is.
pub struct Made {
    /// Content of the file.
    pub text: String,
    /// Accuracy to which the families agree, relative to each column.
    pub accuracy: f64,
    /// They agree up to this time, s.
    pub until: f64,
    /// The end of the run, s.
    pub end: f64,
    /// Why not up to the end, or other doubts.
    pub doubt: Option<String>,
}

struct Stoppable;

impl Watch for Stoppable {
    fn stop(&self) -> bool {
        signal::stopped()
    }
}

/// The reference of a case, or why there is none; one that contradicts the exact solution is none.
pub fn make(case: &Case, max_cpu_s: f64, exact: Option<&Reference>) -> Result<Made, String> {
    let model = &case.prepared.model;
    let options = RunOptions {
        limits: RunLimits { cpu_s: f64::INFINITY, ..case.prepared.options.limits },
        ..case.prepared.options.clone()
    };
    let (start, end) = (model.state.t, options.t_end);
    let usual = |accuracy: f64| Plan { accuracy, max_runs: RUNS, ..Plan::new(options.clone()) };
    let (mut made, mut accuracy) = best(case, max_cpu_s, &usual)?;
    let mut scheme = None;
    let reason = made.certificate.reason.as_ref().filter(|r| r.cause == Cause::Scheme);
    if let Some(reason) = reason {
        // three runs are too few for time-stepping, and have no second round to become tighter in
        let by_events = |accuracy: f64| Plan {
            accuracy,
            max_runs: 3,
            ..Plan::new(RunOptions { rtol: Some(TIGHTER * accuracy), ..options.clone() })
        };
        let other = best(case, max_cpu_s, &by_events)?;
        if horizon(&other.0, end, other.1) > horizon(&made, end, accuracy) {
            scheme = Some(format!("{}; the methods that locate events agree", reason.text));
            (made, accuracy) = other;
        }
    }
    let until = horizon(&made, end, accuracy);
    if let Some(exact) = exact {
        confirmed(&made.outcome.results, exact, accuracy)?;
    }
    let reason = made.certificate.reason.as_ref().map(|r| r.text.clone());
    let why = reason.unwrap_or_else(|| "the families do not agree".to_owned());
    let mut columns = columns(&made, until, accuracy);
    let rows = rows(&made, &columns, [start, options.sample, until]);
    columns.retain(|c| c.says_something(&rows));
    if until < end && rows.len() < FEWEST {
        let (until, end) = (brief(until), brief(end));
        return Err(format!("the families agree up to {until} s of {end} s only: {why}"));
    }
    if columns.is_empty() || rows.is_empty() {
        return Err(format!("no sensor is known to two digits: {why}"));
    }
    let lost = made.certificate.columns.iter().filter(|c| agreed(&made, c, accuracy) < until);
    let lost: Vec<&str> = lost.map(|c| c.name.as_str()).collect();
    // a looser accuracy or fewer columns than requested are no doubt: they are told
    let looser = accuracy > made.certificate.accuracy || !lost.is_empty();
    let told = made.certificate.certified || (until >= end && looser);
    let doubts = [(!told).then_some(why), scheme];
    let lost = (!lost.is_empty()).then(|| format!("not known as well: {}", lost.join(", ")));
    let doubts: Vec<String> = doubts.into_iter().chain([lost]).flatten().collect();
    let doubt = (!doubts.is_empty()).then(|| doubts.join("; "));
    let text = text(case, &made, &columns, &rows, [accuracy, until, end], doubt.as_deref());
    Ok(Made { text, accuracy, until, end, doubt })
}

/// Whether results are as far from an exact solution as both may be wrong, and no farther.
fn confirmed(results: &Results, exact: &Reference, accuracy: f64) -> Result<(), String> {
    let known = exact.info.uncertainty.as_ref().map_or(0.0, |u| u.max);
    match exact.error(results) {
        Some(e) if e.max <= accuracy + known => Ok(()),
        Some(e) => Err(format!(
            "the families agree to {accuracy:.0e}, but are {:.1e} from the exact solution, which is known to {known:.1e}",
            e.max
        )),
        None => Err("the run ends before the exact solution does".to_owned()),
    }
}

/// The certificate that reaches the end, or gets farthest, and the tightest accuracy at which it does. Runs with tight
/// tolerances are judged by looser accuracies too; they are made again with looser ones only if they cost too much.
fn best(
    case: &Case,
    max_cpu_s: f64,
    plan: &dyn Fn(f64) -> Plan,
) -> Result<(Certified, f64), String> {
    let (model, end) = (&case.prepared.model, case.prepared.options.t_end);
    let mut best: Option<(Certified, f64)> = None;
    for accuracy in ACCURACIES {
        if accuracy == ACCURACIES[0] && model.system.has_contacts() {
            continue;
        }
        let plan = Plan { max_cpu_s, jobs: 1, ..plan(accuracy) };
        let made = certify(model, &plan, &Stoppable).map_err(|e| e.to_string())?;
        if signal::stopped() {
            return Err("stopped".to_owned());
        }
        let mut reached = (horizon(&made, end, accuracy), accuracy);
        for looser in ACCURACIES.into_iter().filter(|a| *a > accuracy) {
            let reach = horizon(&made, end, looser);
            if reach > reached.0 {
                reached = (reach, looser);
            }
        }
        let alone = made.certificate.reason.as_ref().is_some_and(|r| r.cause == Cause::Alone);
        if best.as_ref().is_none_or(|(b, a)| reached.0 > horizon(b, end, *a)) {
            best = Some((made, reached.1));
        }
        if !alone {
            break;
        }
    }
    best.ok_or_else(|| "nothing could be run".to_owned())
}

/// Time up to which the columns that are stored agree to an accuracy.
fn horizon(made: &Certified, end: f64, accuracy: f64) -> f64 {
    let c = &made.certificate;
    let until = match c.reason.as_ref().map(|r| r.cause) {
        // reactions that no motion determines are left out
        Some(Cause::NotUnique) => return end,
        Some(Cause::Alone) => return f64::NEG_INFINITY,
        // no band ends the agreement
        Some(Cause::Scheme | Cause::Failed | Cause::Painleve) => c.until,
        _ => {
            // forces of stiff parts are known less well than motion, and are left out where they are not known
            let motion: Vec<&ColumnBand> = c.columns.iter().filter(|c| !is_force(c)).collect();
            let all: Vec<&ColumnBand> = c.columns.iter().collect();
            let counted = if motion.is_empty() { all } else { motion };
            counted.into_iter().map(|c| agreed(made, c, accuracy)).fold(f64::INFINITY, f64::min)
        }
    };
    // the last sample may lie before the end
    let whole = until >= last_sample(made) && made.outcome.summary.t_end >= end;
    if whole { end } else { until }
}

/// A force, moment, stress, power or acceleration.
fn is_force(column: &ColumnBand) -> bool {
    ["N", "Pa", "W"].iter().any(|u| column.unit.contains(u)) || column.unit.ends_with("/s^2")
}

/// Time up to which a column is known to an accuracy. A single sample, as beside an event, does not end it.
fn agreed(made: &Certified, column: &ColumnBand, accuracy: f64) -> f64 {
    if accuracy <= made.certificate.accuracy {
        return column.until;
    }
    let results = &made.outcome.results;
    let Some(band) = results.get(&format!("{}.band", column.name)) else { return column.until };
    let wide = |k: usize| band.get(k).is_some_and(|b| !(*b <= accuracy * column.scale));
    let first = (0..band.len()).find(|k| wide(*k) && (wide(k + 1) || k + 1 == band.len()));
    match first {
        Some(k) => results.t.get(k.saturating_sub(1)).copied().unwrap_or(f64::NEG_INFINITY),
        None => last_sample(made),
    }
}

fn last_sample(made: &Certified) -> f64 {
    made.outcome.results.t.last().copied().unwrap_or(f64::INFINITY)
}

/// A column and its band among the results.
struct Kept<'a> {
    name: &'a str,
    values: &'a [f64],
    band: &'a [f64],
}

impl Kept<'_> {
    /// Half-width at the rows that are stored.
    fn width(&self, rows: &[usize]) -> f64 {
        largest(rows.iter().map(|k| self.band[*k]))
    }

    /// A column whose size is that of its own uncertainty is rounding, such as the force of a balanced engine. One that
    /// stays at zero is a result.
    fn says_something(&self, rows: &[usize]) -> bool {
        let size = largest(rows.iter().map(|k| self.values[*k].abs()));
        size <= ZERO || self.width(rows) <= KNOWN * size
    }
}

fn columns(made: &Certified, until: f64, accuracy: f64) -> Vec<Kept<'_>> {
    let results: &Results = &made.outcome.results;
    let until = until.min(last_sample(made));
    let confirmed = made.certificate.columns.iter().filter(|c| agreed(made, c, accuracy) >= until);
    let kept = confirmed.filter_map(|c| {
        let sensor = results.channels.iter().any(|x| x.sensor && x.name == c.name);
        let band = results.get(&format!("{}.band", c.name))?;
        let values = results.get(&c.name).filter(|_| sensor)?;
        Some(Kept { name: &c.name, values, band })
    });
    kept.take(COLUMNS).collect()
}

/// Samples that are stored: one of each part of the time, as far from events as possible, because at an event a small
/// error in time is a large one in speed. The start is not among them: all runs begin with it.
fn rows(made: &Certified, columns: &[Kept<'_>], [start, sample, until]: [f64; 3]) -> Vec<usize> {
    let t = &made.outcome.results.t;
    let usable: Vec<usize> = (0..t.len())
        .filter(|k| t[*k] > start && t[*k] <= until)
        // the end of a run may lie between two sample times
        .filter(|k| (start + *k as f64 * sample - t[*k]).abs() <= SAME_TIME * sample)
        .filter(|k| columns.iter().all(|c| c.values[*k].is_finite() && c.band[*k].is_finite()))
        .collect();
    let far = |k: usize| {
        let events = made.outcome.events.iter().map(|e| (e.t - t[k]).abs());
        events.fold(f64::INFINITY, f64::min)
    };
    let parts = ROWS.min(usable.len());
    let part = |p: usize| &usable[p * usable.len() / parts..(p + 1) * usable.len() / parts];
    // of equal distance the last one, so that without events the end is among them
    (0..parts)
        .filter_map(|p| part(p).iter().copied().max_by(|a, b| far(*a).total_cmp(&far(*b))))
        .collect()
}

fn told(run: &FamilyRun) -> String {
    let setting = match (run.rtol, run.step) {
        (Some(r), _) => format!("rtol {r:.0e}"),
        (None, Some(h)) => format!("step {h:.2e} s"),
        (None, None) => String::new(),
    };
    let end = run.code.as_ref().map(|c| format!(", ended by {c}")).unwrap_or_default();
    format!("{} {setting} ({}{end})", run.method, run.family.name())
}

fn text(
    case: &Case,
    made: &Certified,
    columns: &[Kept<'_>],
    rows: &[usize],
    [accuracy, until, end]: [f64; 3],
    doubt: Option<&str>,
) -> String {
    let one_line = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = one_line(&case.prepared.model.system.model().title);
    let mut runs: Vec<&FamilyRun> = made.certificate.runs.iter().collect();
    runs.sort_by_key(|r| !r.kept);
    let runs: Vec<String> = runs.into_iter().map(told).collect();
    // rounded up
    let widths: Vec<String> =
        columns.iter().map(|c| format!("{:.1e}", 1.05 * c.width(rows))).collect();
    let mut out = format!("# reference of {}: {title}\n", case.name);
    out.push_str(&format!("# model: {}\n# made by: {}\n", case.identity, runs.join("; ")));
    out.push_str(&format!(
        "# agreed: {accuracy:.0e} of the size of each column, up to {} s\n",
        Plain(until)
    ));
    if until < end {
        out.push_str(&format!(
            "# horizon: the run ends at {} s; this reference does not reach it\n",
            Plain(end)
        ));
    }
    if let Some(doubt) = doubt {
        out.push_str(&format!("# remark: {}\n", one_line(doubt)));
    }
    out.push_str(&format!("# uncertainty: {}\n", widths.join(",")));
    let quoted = |n: &str| match n.contains([',', '"']) {
        true => format!("\"{}\"", n.replace('"', "\"\"")),
        false => n.to_owned(),
    };
    let names: Vec<String> = columns.iter().map(|c| quoted(c.name)).collect();
    out.push_str(&format!("t,{}\n", names.join(",")));
    for k in rows {
        let short = |x: f64| format!("{x:.*e}", DIGITS - 1).parse().unwrap_or(x);
        let cells: Vec<String> =
            columns.iter().map(|c| Plain(short(c.values[*k])).to_string()).collect();
        out.push_str(&format!("{},{}\n", Plain(made.outcome.results.t[*k]), cells.join(",")));
    }
    out
}
