//! A comparison as text.

use crate::grid::Grid;
use crate::summary_text::{brief, seconds};
use delassus::io::model_file::escape;
use delassus::sim::compare::{
    Comparison, Measure, Plan, Reached, ReferenceInfo, Row, RowStatus, Source,
};

/// The table of all runs.
pub fn table(c: &Comparison, plan: &Plan) -> String {
    let mut grid = Grid::new(&[
        "method",
        "rtol",
        "step",
        "CPU",
        "steps",
        "rejected",
        "mean step",
        "evals",
        "factor.",
        "|g|",
        "|Gv+g_t|",
        "|Ga+γ|",
        "energy",
        "error",
    ]);
    for row in &c.rows {
        let short = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1e}"));
        let exact = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:e}"));
        let cost = row.cost.as_ref();
        let count = |x: Option<u64>| x.map_or("-".to_owned(), |x| x.to_string());
        let mut error = match (&row.error, &row.code, row.status) {
            (Some(e), _, _) => format!("{:.1e}", e.get(plan.measure)),
            (None, Some(code), _) => code.clone(),
            (None, None, RowStatus::Interrupted) => "stopped".to_owned(),
            (None, None, _) => "?".to_owned(),
        };
        if row.below_reference {
            error.push('*');
        }
        grid.row(vec![
            row.method.clone(),
            exact(row.rtol),
            match (row.step, row.rtol) {
                (Some(h), None) => format!("{h:e}"),
                (step, _) => short(step),
            },
            cost.map_or("-".to_owned(), |c| seconds(c.cpu_s)),
            count(cost.map(|c| c.steps)),
            count(cost.map(|c| c.rejected)),
            short(cost.map(|c| c.mean_step)),
            count(cost.map(|c| c.evaluations)),
            count(cost.map(|c| c.factorizations)),
            short(cost.map(|c| c.drift_position)),
            short(cost.map(|c| c.drift_velocity)),
            short(cost.map(|c| c.drift_acceleration)),
            short(cost.map(|c| c.energy_error)),
            error,
        ]);
    }
    let mut text = grid.text();
    if c.rows.iter().any(|r| r.below_reference) {
        text.push_str("* below what the reference itself is known to\n");
    }
    let failed = c.rows.iter().filter(|r| r.status == RowStatus::Failed);
    for row in failed {
        let (code, message) = (row.code.as_deref(), row.message.as_deref());
        text.push_str(&format!(
            "{}: {}: {}\n",
            at(row),
            code.unwrap_or("failed"),
            escape(message.unwrap_or(""))
        ));
    }
    text
}

/// Method and setting of a run.
fn at(row: &Row) -> String {
    match (row.rtol, row.step) {
        (Some(r), Some(h)) => format!("{} at rtol {r:e} (step {h:.1e} s)", row.method),
        (Some(r), None) => format!("{} at rtol {r:e}", row.method),
        (None, Some(h)) => format!("{} at step {h:e} s", row.method),
        (None, None) => row.method.clone(),
    }
}

/// How the error is measured.
pub fn measure(m: Measure) -> &'static str {
    match m {
        Measure::Relative => "root mean square, relative to the size of each column",
        Measure::Max => "largest deviation, relative to the size of each column",
        Measure::Absolute => "root mean square, SI units",
    }
}

/// What the errors are measured against.
pub fn reference(r: Option<&ReferenceInfo>, measure: Measure) -> String {
    let Some(r) = r else {
        return "none; no errors".to_owned();
    };
    let mut text = match &r.source {
        Source::Given { name } => name.clone(),
        Source::Runs { runs, agreed } => {
            let runs: Vec<String> =
                runs.iter().map(|t| format!("{} at rtol {:e}", t.method, t.rtol)).collect();
            let verb = match (runs.len(), agreed) {
                (1, _) => "alone",
                (_, true) => "which agree",
                (_, false) => "which DO NOT AGREE",
            };
            format!("{}, {verb}", runs.join(" and "))
        }
    };
    text.push_str(&format!("; {} columns at {} times", r.columns.len(), r.times));
    if let Some(u) = &r.uncertainty {
        text.push_str(&format!("; known to {:.1e}", u.get(measure)));
    }
    text
}

/// Which method to use for this mechanism.
pub fn conclusion(c: &Comparison, reached: &[Reached]) -> String {
    let mut text = "Which method for this mechanism?\n".to_owned();
    for r in reached {
        let answer = match r.best.and_then(|k| c.rows.get(k)) {
            Some(row) => {
                let cost = row.cost.as_ref().map_or(f64::NAN, |c| c.cpu_s);
                format!("{}, {}", at(row), seconds(cost))
            }
            None if !r.decidable && c.reference.is_some() => {
                "cannot be told: the reference is not known that well".to_owned()
            }
            None => "none of these runs".to_owned(),
        };
        text.push_str(&format!("  error up to {:<8} {answer}\n", brief_error(r.threshold)));
    }
    text
}

/// For each method the cheapest run below each threshold.
pub fn thresholds(c: &Comparison, reached: &[Reached]) -> String {
    let mut headings = vec!["method".to_owned()];
    headings.extend(reached.iter().map(|r| format!("error up to {}", brief_error(r.threshold))));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut grid = Grid::new(&headings);
    let methods = reached.first().map(|r| r.by_method.as_slice()).unwrap_or_default();
    for (k, (method, _)) in methods.iter().enumerate() {
        let mut cells = vec![method.clone()];
        for r in reached {
            let row = r.by_method.get(k).and_then(|(_, row)| c.rows.get((*row)?));
            cells.push(match row {
                None => "-".to_owned(),
                Some(row) => {
                    let cost = row.cost.as_ref().map_or(f64::NAN, |c| c.cpu_s);
                    let setting = match (row.rtol, row.step) {
                        (Some(r), _) => format!("rtol {r:e}"),
                        (None, Some(h)) => format!("step {h:e}"),
                        (None, None) => String::new(),
                    };
                    format!("{} ({setting})", seconds(cost))
                }
            });
        }
        grid.row(cells);
    }
    grid.text()
}

fn brief_error(x: f64) -> String {
    if x < 1e-2 { format!("{x:e}") } else { brief(x) }
}
