//! One run of a benchmark: what it is, what it cost, how it ended.

use delassus::io::results::Cells;
use delassus::math::Plain;
use delassus::sim::compare::{Cost, Row, RowStatus};
use serde::{Deserialize, Serialize};

/// Code of a run that took too long.
const OVER_TIME: &str = "E_TIME_LIMIT";

/// What makes two runs the same one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Checksum of the model files.
    pub model: String,
    /// Checksum of the reference; empty without one.
    pub reference: String,
    /// Method.
    pub method: String,
    /// Relative tolerance, and the step of a method that needs one, as text.
    pub setting: String,
    /// Version of the program and checksum of its file.
    pub build: String,
}

/// A run. Numbers are stored as text that reads back to the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What it is.
    pub identity: Identity,
    /// Mechanism.
    pub mechanism: String,
    /// Method.
    pub method: String,
    /// Relative tolerance.
    #[serde(with = "exact")]
    pub rtol: f64,
    /// The limit of CPU time that it had, s.
    #[serde(with = "exact")]
    pub limit_s: f64,
    /// Reached the end.
    pub done: bool,
    /// Code of what stopped it.
    pub code: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// Where the reference is from: `stored`, `own`, or `none`.
    pub reference: String,
    /// Cost; none for a run that was refused.
    pub cost: Option<Work>,
    /// Errors; none if there is no reference or the end was not reached.
    pub error: Option<Off>,
    /// The error is smaller than the uncertainty of the reference.
    pub below_reference: bool,
}

/// The cost of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Fixed step, s.
    #[serde(with = "exact::maybe")]
    pub step: Option<f64>,
    /// CPU time, s.
    #[serde(with = "exact")]
    pub cpu_s: f64,
    /// Wall-clock time, s.
    #[serde(with = "exact")]
    pub wall_s: f64,
    /// Time reached, s.
    #[serde(with = "exact")]
    pub t_end: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Average accepted step, s.
    #[serde(with = "exact")]
    pub mean_step: f64,
    /// Evaluations of the equations.
    pub evaluations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Projections.
    pub projections: u64,
    /// Largest violation of positions, velocities and accelerations.
    #[serde(with = "exact")]
    pub drift_position: f64,
    #[serde(with = "exact")]
    pub drift_velocity: f64,
    #[serde(with = "exact")]
    pub drift_acceleration: f64,
    /// Largest error of the energy balance, J.
    #[serde(with = "exact")]
    pub energy_error: f64,
}

/// Errors of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Off {
    /// Root mean square, relative to the size of each column.
    #[serde(with = "exact")]
    pub relative: f64,
    /// Largest, relative in the same way.
    #[serde(with = "exact")]
    pub max: f64,
}

impl Run {
    /// From a row of a comparison.
    pub fn new(
        identity: Identity,
        mechanism: &str,
        limit_s: f64,
        reference: &str,
        row: Row,
    ) -> Run {
        let over = row.code.as_deref() == Some(OVER_TIME);
        Run {
            identity,
            mechanism: mechanism.to_owned(),
            method: row.method,
            rtol: row.rtol.unwrap_or(f64::NAN),
            limit_s,
            done: row.status == RowStatus::Done,
            code: row.code,
            message: row.message,
            reference: reference.to_owned(),
            // how far a run gets in a time differs from machine to machine
            cost: row.cost.filter(|_| !over).map(|c| Work::new(c, row.step)),
            error: row.error.map(|e| Off { relative: e.relative, max: e.max }),
            below_reference: row.below_reference,
        }
    }

    /// Whether it says what it would say under another limit of CPU time.
    pub fn holds_under(&self, limit_s: f64) -> bool {
        match self.code.as_deref() {
            Some(OVER_TIME) => self.limit_s == limit_s,
            _ => self.cost.as_ref().is_none_or(|c| c.cpu_s <= limit_s),
        }
    }
}

impl Work {
    /// Work that no clock measures: evaluations of the equations and factorisations, one unit each.
    pub fn units(&self) -> f64 {
        (self.evaluations + self.factorizations) as f64
    }

    fn new(c: Cost, step: Option<f64>) -> Work {
        Work {
            step,
            cpu_s: c.cpu_s,
            wall_s: c.wall_s,
            t_end: c.t_end,
            steps: c.steps,
            rejected: c.rejected,
            mean_step: c.mean_step,
            evaluations: c.evaluations,
            factorizations: c.factorizations,
            newton_iterations: c.newton_iterations,
            projections: c.projections,
            drift_position: c.drift_position,
            drift_velocity: c.drift_velocity,
            drift_acceleration: c.drift_acceleration,
            energy_error: c.energy_error,
        }
    }
}

/// A cell of the table.
enum Cell {
    Text(Option<String>),
    Number(Option<f64>),
    Whole(Option<u64>),
}

type Column = (&'static str, fn(&Run) -> Cell);

fn text(x: impl Into<String>) -> Cell {
    Cell::Text(Some(x.into()))
}

fn work(r: &Run, f: impl Fn(&Work) -> f64) -> Cell {
    Cell::Number(r.cost.as_ref().map(f))
}

fn count(r: &Run, f: impl Fn(&Work) -> u64) -> Cell {
    Cell::Whole(r.cost.as_ref().map(f))
}

/// The table. The measured times come last: they are all that two tables of the same runs may differ in.
const COLUMNS: [Column; 23] = [
    ("mechanism", |r| text(&r.mechanism)),
    ("method", |r| text(&r.method)),
    ("rtol", |r| Cell::Number(Some(r.rtol))),
    ("step", |r| Cell::Number(r.cost.as_ref().and_then(|c| c.step))),
    ("status", |r| text(if r.done { "done" } else { "failed" })),
    ("code", |r| Cell::Text(r.code.clone())),
    ("reference", |r| text(&r.reference)),
    ("error_relative", |r| Cell::Number(r.error.as_ref().map(|e| e.relative))),
    ("error_max", |r| Cell::Number(r.error.as_ref().map(|e| e.max))),
    ("below_reference", |r| text(if r.below_reference { "true" } else { "false" })),
    ("t_end", |r| work(r, |c| c.t_end)),
    ("steps", |r| count(r, |c| c.steps)),
    ("rejected", |r| count(r, |c| c.rejected)),
    ("mean_step", |r| work(r, |c| c.mean_step)),
    ("evaluations", |r| count(r, |c| c.evaluations)),
    ("factorizations", |r| count(r, |c| c.factorizations)),
    ("newton_iterations", |r| count(r, |c| c.newton_iterations)),
    ("projections", |r| count(r, |c| c.projections)),
    ("drift_position", |r| work(r, |c| c.drift_position)),
    ("drift_velocity", |r| work(r, |c| c.drift_velocity)),
    ("drift_acceleration", |r| work(r, |c| c.drift_acceleration)),
    ("energy_error", |r| work(r, |c| c.energy_error)),
    ("cpu_s", |r| work(r, |c| c.cpu_s)),
];

/// All runs as CSV; cells are empty if there is nothing to report.
pub fn csv(runs: &[&Run]) -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
    let mut out = names.join(",") + "\n";
    for run in runs {
        let cells = COLUMNS.iter().map(|(_, value)| match value(run) {
            Cell::Text(x) => quoted(x.unwrap_or_default()),
            Cell::Number(x) => x.map(|x| Plain(x).to_string()).unwrap_or_default(),
            Cell::Whole(x) => x.map(|x| x.to_string()).unwrap_or_default(),
        });
        out.push_str(&cells.collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}

fn quoted(text: String) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// The same as columns for Parquet.
pub fn cells(runs: &[&Run]) -> Vec<(&'static str, Cells)> {
    let column = |value: fn(&Run) -> Cell| {
        let values: Vec<Cell> = runs.iter().map(|r| value(r)).collect();
        let whole = |x: u64| i64::try_from(x).unwrap_or(i64::MAX);
        match values.first() {
            Some(Cell::Number(_)) => Cells::Number(values.iter().map(Cell::number).collect()),
            Some(Cell::Whole(_)) => {
                let of = |c: &Cell| if let Cell::Whole(x) = c { x.map(whole) } else { None };
                Cells::Whole(values.iter().map(of).collect())
            }
            _ => {
                let of = |c: &Cell| if let Cell::Text(x) = c { x.clone() } else { None };
                Cells::Text(values.iter().map(of).collect())
            }
        }
    };
    COLUMNS.iter().map(|(name, value)| (*name, column(*value))).collect()
}

impl Cell {
    fn number(&self) -> Option<f64> {
        if let Cell::Number(x) = self { *x } else { None }
    }
}

/// Numbers as text, because a reader of JSON may change their last digit, and cannot store all of them.
mod exact {
    use delassus::math::Plain;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(x: &f64, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&Plain(*x))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }

    /// The same for a number that may be missing.
    pub mod maybe {
        use super::{Deserialize, Deserializer, Error, Plain, Serializer};

        pub fn serialize<S: Serializer>(x: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
            match x {
                Some(x) => s.collect_str(&Plain(*x)),
                None => s.serialize_none(),
            }
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
            let text = Option::<String>::deserialize(d)?;
            text.map(|t| t.parse().map_err(D::Error::custom)).transpose()
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A run that took some CPU time and has some error.
    pub fn run(mechanism: &str, method: &str, rtol: f64, cpu_s: f64, error: Option<f64>) -> Run {
        Run {
            identity: Identity {
                model: format!("sha of {mechanism}"),
                reference: String::new(),
                method: method.to_owned(),
                setting: rtol.to_string(),
                build: "1".to_owned(),
            },
            mechanism: mechanism.to_owned(),
            method: method.to_owned(),
            rtol,
            limit_s: 60.0,
            done: true,
            code: None,
            message: None,
            reference: "stored".to_owned(),
            cost: Some(Work {
                step: None,
                cpu_s,
                wall_s: cpu_s,
                t_end: 1.0,
                steps: 10,
                rejected: 1,
                mean_step: 0.1,
                evaluations: 70,
                factorizations: 80,
                newton_iterations: 0,
                projections: 10,
                drift_position: 1e-16,
                drift_velocity: 0.1 + 0.2,
                drift_acceleration: f64::NAN,
                energy_error: 5e-324,
            }),
            error: error.map(|e| Off { relative: e, max: f64::INFINITY }),
            below_reference: false,
        }
    }

    #[test]
    fn every_number_survives_the_journal() {
        let mut run = run("a, \"b\"", "mdop5", 1e-4, 0.1, Some(1.0 / 3.0));
        let line = serde_json::to_string(&run).unwrap();
        let back: Run = serde_json::from_str(&line).unwrap();
        assert!(back.cost.as_ref().unwrap().drift_acceleration.is_nan());
        let calm = |r: &mut Run| r.cost.as_mut().unwrap().drift_acceleration = 0.0;
        let mut same = back;
        calm(&mut run);
        calm(&mut same);
        assert_eq!(same, run);
        assert!(!line.contains('\n'));
    }

    #[test]
    fn a_run_over_its_time_is_made_again_with_more() {
        let mut run = run("a", "b", 1e-4, 5.0, None);
        assert!(run.holds_under(60.0) && run.holds_under(600.0) && !run.holds_under(4.0));
        (run.done, run.code) = (false, Some("E_TIME_LIMIT".to_owned()));
        assert!(run.holds_under(60.0) && !run.holds_under(600.0));
    }
}
