//! The certificate in words.

use crate::summary_text::{Table, brief};
use delassus::io::model_file::escape;
use delassus::sim::certify::{Certificate, FamilyRun};

/// The largest number of columns listed, worst first.
const MOST: usize = 12;

/// What is certified, by which methods, and why no more than that.
pub fn text(c: &Certificate) -> String {
    let verdict = match c.certified {
        true => format!("CERTIFIED to {:.0e} of every column", c.accuracy),
        false => format!("NOT certified to {:.0e}", c.accuracy),
    };
    let mut table = Table::new(&verdict);
    if !c.certified {
        table.row("agree until", &format!("{} s", brief(c.until)));
    }
    if let Some(reason) = &c.reason {
        table.row("reason", &reason.text);
    }
    for run in &c.runs {
        table.row(if run.kept { "kept run" } else { "run" }, &told(run));
    }
    let timed = c.events.iter().filter_map(|e| e.uncertainty);
    if let Some(worst) = timed.reduce(f64::max) {
        let n = c.events.len();
        let text = format!("{n} until then, times known to {worst:.1e} s or better");
        table.row("events", &text);
    }
    let lost = c.events.iter().filter(|e| e.uncertainty.is_none()).count();
    if lost > 0 {
        table.row("", &format!("{lost} of them are not in all runs"));
    }
    for remark in &c.remarks {
        table.row("remark", remark);
    }
    let mut text = table.finish();
    let mut columns: Vec<_> = c.columns.iter().collect();
    columns.sort_by(|a, b| (b.worst / b.scale).total_cmp(&(a.worst / a.scale)));
    let width = columns.iter().take(MOST).map(|k| k.name.chars().count()).max().unwrap_or(0);
    for k in columns.iter().take(MOST) {
        let (name, unit) = (escape(&k.name), escape(&k.unit));
        let until =
            if k.until < c.until { format!(", until {} s", brief(k.until)) } else { String::new() };
        text.push_str(&format!("  {name:<width$}  ± {:.1e} {unit}{until}\n", k.worst));
    }
    if columns.len() > MOST {
        text.push_str(&format!("  and {} columns with smaller errors\n", columns.len() - MOST));
    }
    text
}

fn told(run: &FamilyRun) -> String {
    let setting = match (run.rtol, run.step) {
        (Some(rtol), _) => format!("rtol {rtol:.0e}"),
        (None, Some(h)) => format!("step {} s", brief(h)),
        (None, None) => String::new(),
    };
    let end = match &run.code {
        None => String::new(),
        Some(code) => format!(", ended at {} s ({code})", brief(run.t_end)),
    };
    format!("{} ({}, {setting}), {} steps{end}", run.method, run.family.name(), run.steps)
}
