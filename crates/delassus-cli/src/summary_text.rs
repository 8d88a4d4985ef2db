//! The summary of a run as a table.

use crate::files::Written;
use crate::output::{DIAGNOSTICS_CSV, REPORT_HTML, RESULTS_CSV, RESULTS_PARQUET, SUMMARY_JSON};
use crate::run_cmd::RunReport;
use delassus::io::model_file::escape;
use delassus::model::ContactTolerances;
pub use delassus::sim::brief;
use delassus::sim::{Item, Status, Tone, Verdict};
use std::path::Path;

/// Lines of names and values.
pub struct Table(String);

impl Table {
    /// A table under a heading.
    pub fn new(heading: &str) -> Self {
        Table(format!("{}\n", escape(heading)))
    }

    /// Adds a line.
    pub fn row(&mut self, name: &str, value: &str) {
        self.0.push_str(&format!("  {name:<14} {}\n", escape(value)));
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

/// The summary of a run; `page` says whether the folder has one.
pub fn text(r: &RunReport<'_>, folder: Option<&Path>, page: bool) -> String {
    let s = r.summary;
    let heading = if s.model.is_empty() {
        r.model_file.clone()
    } else {
        format!("{}: {}", r.model_file, s.model)
    };
    let mut table = Table::new(&heading);
    let status = match (s.status, &s.error) {
        (Status::Done, _) => "done".to_owned(),
        (Status::Failed, Some(code)) => format!("FAILED ({code}); results up to there are kept"),
        (Status::Failed, None) => "FAILED; results up to there are kept".to_owned(),
        (Status::Interrupted, _) => "INTERRUPTED; results up to there are kept".to_owned(),
    };
    table.row("status", &status);
    let mut method = s.method.clone();
    for (name, value) in [("rtol", s.rtol), ("atol", s.atol), ("step", s.step)] {
        if let Some(x) = value.filter(|x| *x != 0.0) {
            let value = match name == "step" && s.step_chosen {
                // its last digits are of no interest
                true => format!("{x:.3e}"),
                false => format!("{x:e}"),
            };
            method.push_str(&format!(", {name} {value}"));
        }
    }
    if s.step.is_some() {
        method.push_str(" s");
    }
    if s.step_chosen {
        let from = if s.scheme == Some("time-stepping") { "rates" } else { "tolerance" };
        method.push_str(&format!(" (chosen from the {from}; set another one with --step)"));
    }
    table.row("method", &method);
    if let Some(scheme) = s.scheme {
        table.row("contact", &format!("{scheme}, {} events", s.events));
    }
    let span = format!("{} to {} s, {} samples", brief(s.t_start), brief(s.t_end), s.samples);
    table.row("time", &span);
    table.row("steps", &format!("{} ({} rejected)", s.steps, s.rejected));
    let work = format!("{} ({} factorizations)", s.evaluations, s.factorizations);
    table.row("evaluations", &work);
    let time = format!("{} (CPU {})", seconds(s.wall_s), seconds(s.cpu_s));
    table.row("wall time", &time);
    if let Some(t) = &s.contact_tolerances {
        table.row("tolerances", &tolerances(t));
    }
    let energy = format!("{:.2e} J of {:.2e} J that move", s.energy_error, s.energy.moved);
    table.row("energy error", &energy);
    table.row(
        "drift",
        &format!(
            "position {:.2e}, velocity {:.2e}, acceleration {:.2e}",
            s.max_position_drift, s.max_velocity_drift, s.max_acceleration_drift
        ),
    );
    table.row("verdict", &verdict(&s.verdict));
    table.row("mobility", &degrees_of_freedom(s.mobility));
    if let Some((body, distance)) = &s.assembly_moved {
        table.row("assembly", &format!("moved bodies by up to {distance:.2e} m (\"{body}\")"));
    }
    // a negligible amount is round-off
    if s.start_energy_taken.abs() > 1e-9 * s.energy.moved {
        let taken = s.start_energy_taken;
        table.row("start", &format!("joints took {taken:.3e} J from the given velocities"));
    }
    if s.redundant > 0 {
        table.row("redundant", &redundant(s.redundant, &s.non_unique_reactions));
    }
    ignored_keys(&mut table, r.ignored_keys);
    if let Some(folder) = folder {
        let names = [RESULTS_CSV, RESULTS_PARQUET, DIAGNOSTICS_CSV, SUMMARY_JSON].join(", ");
        table.row("results", &format!("{}: {names}", folder.display()));
        if page {
            table.row("report", &folder.join(REPORT_HTML).display().to_string());
        }
    }
    let inside = |file: &&Written| folder.is_some_and(|f| Path::new(&file.path).starts_with(f));
    for file in r.files.iter().filter(|file| !inside(file)) {
        table.row("results", &file.path);
    }
    table.finish()
}

/// Tolerances of contact; those of large problems follow in parentheses.
fn tolerances(t: &ContactTolerances) -> String {
    format!(
        "touching {:e}, zero {:e}, rest {:e}, slow {:e}, still {:e}, dense {:e}, crowded {:e}, \
         residual {:e} ({:e}), penetration {:e} ({:e})",
        t.touching,
        t.zero,
        t.rest,
        t.slow,
        t.still,
        t.dense,
        t.crowded,
        t.residual,
        t.large_residual,
        t.penetration,
        t.large_penetration
    )
}

/// The verdict and its reasons.
fn verdict(v: &Verdict) -> String {
    let marked = |i: &&Item| i.tone > Tone::Good;
    let marked: Vec<&str> = v.items.iter().filter(marked).map(|i| i.title).collect();
    let word = match v.tone {
        Tone::None => "not judged",
        Tone::Good => "good",
        Tone::Fair => "mostly good; look at",
        Tone::Bad => "DOUBTFUL",
    };
    match (v.tone, marked.is_empty()) {
        (Tone::Fair, _) => format!("{word} {}", marked.join("; ").to_lowercase()),
        (Tone::Bad, false) => format!("{word}: {}", marked.join("; ").to_lowercase()),
        _ => word.to_owned(),
    }
}

/// What a lenient reader ignored, if anything.
pub fn ignored_keys(table: &mut Table, n: usize) {
    if n > 0 {
        table.row("ignored keys", &format!("{n}; the warnings name them"));
    }
}

/// How many rows, and which joints have reactions that are affected.
pub fn redundant(rows: usize, joints: &[String]) -> String {
    let constraints = if rows == 1 { "constraint" } else { "constraints" };
    format!("{rows} {constraints}; reactions are not unique for {}", short_list(joints))
}

/// The number with its noun.
pub fn degrees_of_freedom(n: usize) -> String {
    format!("{n} degree{} of freedom", if n == 1 { "" } else { "s" })
}

/// At most twelve names.
pub fn short_list(names: &[String]) -> String {
    let mut text = names.iter().take(12).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 12 {
        text.push_str(&format!(" and {} more", names.len() - 12));
    }
    text
}

/// A duration.
pub fn seconds(x: f64) -> String {
    if x < 1e-3 {
        format!("{:.0} us", x * 1e6)
    } else if x < 1.0 {
        format!("{:.1} ms", x * 1e3)
    } else {
        format!("{x:.2} s")
    }
}
