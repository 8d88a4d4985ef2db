//! Writes compare.csv.

use delassus::math::Plain;
use delassus::sim::compare::{Cost, Errors, Row, RowStatus};

/// All runs as a table.
pub const COMPARE_CSV: &str = "compare.csv";
/// The whole comparison; also marks a folder as made by this program.
pub const COMPARE_JSON: &str = "compare.json";

type Column<T> = (&'static str, fn(&T) -> String);

const COST: [Column<Cost>; 16] = [
    ("cpu_s", |c| number(c.cpu_s)),
    ("wall_s", |c| number(c.wall_s)),
    ("t_end", |c| number(c.t_end)),
    ("steps", |c| c.steps.to_string()),
    ("rejected", |c| c.rejected.to_string()),
    ("mean_step", |c| number(c.mean_step)),
    ("evaluations", |c| c.evaluations.to_string()),
    ("factorizations", |c| c.factorizations.to_string()),
    ("newton_iterations", |c| c.newton_iterations.to_string()),
    ("projections", |c| c.projections.to_string()),
    ("singular_hops", |c| c.singular_hops.to_string()),
    ("drift_position", |c| number(c.drift_position)),
    ("drift_velocity", |c| number(c.drift_velocity)),
    ("drift_acceleration", |c| number(c.drift_acceleration)),
    ("energy_error", |c| number(c.energy_error)),
    ("stiff_since", |c| c.stiff_since.map(number).unwrap_or_default()),
];

const ERRORS: [Column<Errors>; 3] = [
    ("error_relative", |e| number(e.relative)),
    ("error_max", |e| number(e.max)),
    ("error_absolute", |e| number(e.absolute)),
];

/// One line per run; cells are empty if there is nothing to report.
pub fn csv(rows: &[Row]) -> String {
    let mut names = vec!["method", "rtol", "step", "status", "code"];
    names.extend(COST.iter().map(|c| c.0));
    names.extend(ERRORS.iter().map(|c| c.0));
    names.push("below_reference");
    let mut out = names.join(",") + "\n";
    for row in rows {
        let status = match row.status {
            RowStatus::Done => "done",
            RowStatus::Failed => "failed",
            RowStatus::Interrupted => "interrupted",
        };
        let mut cells = vec![
            row.method.clone(),
            row.rtol.map(number).unwrap_or_default(),
            row.step.map(number).unwrap_or_default(),
            status.to_owned(),
            row.code.clone().unwrap_or_default(),
        ];
        cells.extend(COST.iter().map(|(_, f)| row.cost.as_ref().map(f).unwrap_or_default()));
        cells.extend(ERRORS.iter().map(|(_, f)| row.error.as_ref().map(f).unwrap_or_default()));
        cells.push(row.below_reference.to_string());
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

/// The shortest number that reads back to the same bits.
fn number(x: f64) -> String {
    Plain(x).to_string()
}
