//! What errors are measured against, and how.
//!
//! For n columns y_j sampled at m common times t_i, the error is
//!
//! ```text
//! ε = √( 1/n Σ_j w_j/m Σ_i (y_j(t_i) − ŷ_j(t_i))² )
//! ```
//!
//! as in M. Ruggiu, F. González, "Assessment of variable step-size integration of multibody
//! systems" (2021): with w_j = 1 in SI units it is their absolute error; with w_j = 1/s_j², s_j
//! the largest magnitude of the column, it is relative.

use crate::column_scale::column_scales;
use crate::results::{Channel, Results};
use serde::Serialize;
use thiserror::Error;

/// Times are the same if they differ by less than this fraction of the span.
const SAME_TIME: f64 = 1e-9;

/// Which error counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Root mean square, each column relative to its largest magnitude.
    Relative,
    /// Largest deviation, relative in the same way.
    Max,
    /// Root mean square in SI units.
    Absolute,
}

/// Error of a run in all measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Errors {
    /// See [`Measure::Relative`].
    #[serde(rename = "error_relative")]
    pub relative: f64,
    /// See [`Measure::Max`].
    #[serde(rename = "error_max")]
    pub max: f64,
    /// See [`Measure::Absolute`].
    #[serde(rename = "error_absolute")]
    pub absolute: f64,
}

impl Errors {
    /// The error in one measure.
    pub fn get(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Relative => self.relative,
            Measure::Max => self.max,
            Measure::Absolute => self.absolute,
        }
    }
}

/// Where a reference comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "source", rename_all = "kebab-case")]
pub enum Source {
    /// Given by the caller.
    Given {
        /// The name given by the caller.
        name: String,
    },
    /// Tight runs of different methods; the first one is the reference.
    Runs {
        /// The runs.
        runs: Vec<TightRun>,
        /// They agree well enough to trust them.
        agreed: bool,
    },
}

/// A run made for the reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TightRun {
    /// Method.
    pub method: String,
    /// Relative tolerance.
    pub rtol: f64,
    /// CPU time, s.
    pub cpu_s: f64,
}

/// What is known about a reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceInfo {
    /// Origin.
    #[serde(flatten)]
    pub source: Source,
    /// How well it is known; `None` if the caller did not say.
    pub uncertainty: Option<Errors>,
    /// Columns that are compared.
    pub columns: Vec<String>,
    /// Times that are compared.
    pub times: usize,
}

/// A reference that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReferenceError {
    /// No column of time.
    #[error("it has no column `t`")]
    NoTime,
    /// Times that do not increase.
    #[error("its times do not rise at row {row}: {before} s, then {after} s")]
    Order {
        /// Row of numbers, from 1.
        row: usize,
        /// Time before.
        before: f64,
        /// Time after.
        after: f64,
    },
    /// No column has the name of a sensor.
    #[error("none of its columns is a sensor of the model (columns: {}; sensors: {})", list(.columns), list(.sensors))]
    NoColumn {
        /// Columns it has.
        columns: Vec<String>,
        /// Sensors of the model.
        sensors: Vec<String>,
    },
    /// No time at which the runs are sampled.
    #[error(
        "none of its times after the start is a sample time of the run (every {sample} s from {start} to {end} s)"
    )]
    NoCommonTime {
        /// Start, s.
        start: f64,
        /// Sample interval, s.
        sample: f64,
        /// End, s.
        end: f64,
    },
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(", …");
    }
    if text.is_empty() { "none".to_owned() } else { text }
}

/// A column of the reference.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    values: Vec<f64>,
    /// The size to which relative errors refer.
    scale: f64,
}

/// A reference solution.
#[derive(Debug, Clone)]
pub struct Reference {
    /// What is known about it.
    pub info: ReferenceInfo,
    t: Vec<f64>,
    columns: Vec<Column>,
}

impl Reference {
    /// From a table of the caller, reduced to the sensors of the model and to the times start + k·sample up to the end.
    pub fn from_table(
        name: &str,
        table: &[(String, Vec<f64>)],
        sensors: &[Channel],
        [start, sample, end]: [f64; 3],
    ) -> Result<Reference, ReferenceError> {
        let (_, t) = table.iter().find(|(n, _)| n == "t").ok_or(ReferenceError::NoTime)?;
        if let Some(k) = t.windows(2).position(|w| !(w[1] > w[0])) {
            return Err(ReferenceError::Order { row: k + 2, before: t[k], after: t[k + 1] });
        }
        let same = SAME_TIME * (end - start);
        let sampled = |t: f64| {
            let k = ((t - start) / sample).round();
            (-same..=end - start + same).contains(&(t - start))
                && (start + k * sample - t).abs() <= same
        };
        let keep: Vec<usize> = (0..t.len()).filter(|k| sampled(t[*k])).collect();
        if !keep.iter().any(|k| t[*k] > start + same) {
            return Err(ReferenceError::NoCommonTime { start, sample, end });
        }
        let pick = |values: &[f64]| keep.iter().filter_map(|k| values.get(*k).copied()).collect();
        let columns: Vec<(&Channel, Vec<f64>)> = sensors
            .iter()
            .filter_map(|c| {
                let (_, values) = table.iter().find(|(n, _)| *n == c.name)?;
                Some((c, pick(values)))
            })
            .collect();
        if columns.is_empty() {
            return Err(ReferenceError::NoColumn {
                columns: table.iter().map(|(n, _)| n.clone()).filter(|n| n != "t").collect(),
                sensors: sensors.iter().map(|c| c.name.clone()).collect(),
            });
        }
        let source = Source::Given { name: name.to_owned() };
        Ok(Reference::build(source, pick(t), columns))
    }

    /// From results of a run: its sensors, or its energies if it has none.
    pub(super) fn from_results(source: Source, results: &Results) -> Reference {
        let any_sensor = results.channels.iter().any(|c| c.sensor);
        let wanted = |c: &Channel| match any_sensor {
            true => c.sensor,
            false => matches!(c.name.as_str(), "energy.kinetic" | "energy.potential"),
        };
        let columns = results.channels.iter().zip(&results.data);
        let columns = columns.filter(|(c, _)| wanted(c)).map(|(c, d)| (c, d.clone()));
        Reference::build(source, results.t.clone(), columns.collect())
    }

    fn build(source: Source, t: Vec<f64>, columns: Vec<(&Channel, Vec<f64>)>) -> Reference {
        let scales = column_scales(columns.iter().map(|(c, v)| (*c, v.as_slice())));
        let columns: Vec<Column> = columns
            .into_iter()
            .zip(scales)
            .map(|((c, values), scale)| Column { name: c.name.clone(), values, scale })
            .collect();
        Reference {
            info: ReferenceInfo {
                source,
                uncertainty: None,
                columns: columns.iter().map(|c| c.name.clone()).collect(),
                times: t.len(),
            },
            t,
            columns,
        }
    }

    /// The same with the accuracy of its columns: half-widths in their units, in the order of its columns.
    pub fn known_to(mut self, widths: &[f64]) -> Reference {
        let (mut relative, mut absolute, mut max) = (0.0, 0.0, 0.0_f64);
        for (column, width) in self.columns.iter().zip(widths) {
            let part = width / column.scale;
            (relative, absolute) = (relative + part * part, absolute + width * width);
            max = max.max(part);
        }
        let n = self.columns.len() as f64;
        let (relative, absolute) = ((relative / n).sqrt(), (absolute / n).sqrt());
        self.info.uncertainty = Some(Errors { relative, max, absolute });
        self
    }

    /// Error of results that cover the reference; `None` if some common time or column is missing.
    pub fn error(&self, results: &Results) -> Option<Errors> {
        let span = self.t.last()? - self.t.first()?;
        let same = SAME_TIME * span.max(results.t.last()? - results.t.first()?);
        let mut rows = Vec::with_capacity(self.t.len());
        let mut k = 0;
        for t in &self.t {
            while results.t.get(k).is_some_and(|x| *x < t - same) {
                k += 1;
            }
            results.t.get(k).filter(|x| (*x - t).abs() <= same)?;
            rows.push(k);
        }
        let (mut relative, mut absolute, mut max) = (0.0, 0.0, 0.0_f64);
        for column in &self.columns {
            let found = results.get(&column.name)?;
            let mut sum = 0.0;
            for (row, expected) in rows.iter().zip(&column.values) {
                let found = *found.get(*row)?;
                let d = match (found.is_nan(), expected.is_nan()) {
                    // both have no value
                    (true, true) => 0.0,
                    (false, false) => found - expected,
                    _ => f64::INFINITY,
                };
                sum += d * d;
                max = max.max((d / column.scale).abs());
            }
            let mean = sum / rows.len() as f64;
            absolute += mean;
            relative += mean / (column.scale * column.scale);
        }
        let n = self.columns.len() as f64;
        Some(Errors { relative: (relative / n).sqrt(), max, absolute: (absolute / n).sqrt() })
    }

    /// Whether an error is smaller than the accuracy of the reference.
    pub(super) fn is_below(&self, error: &Errors, measure: Measure) -> bool {
        self.info.uncertainty.as_ref().is_some_and(|u| error.get(measure) < u.get(measure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(name: &str, unit: &str) -> Channel {
        Channel { name: name.to_owned(), unit: unit.to_owned(), frame: String::new(), sensor: true }
    }

    fn table(t: &[f64], x: &[f64]) -> Vec<(String, Vec<f64>)> {
        vec![("t".to_owned(), t.to_vec()), ("x".to_owned(), x.to_vec())]
    }

    #[test]
    fn errors_by_hand() {
        let sensors = [channel("x", "m"), channel("a", "rad")];
        let mut given = table(&[0.0, 0.5, 1.0], &[0.0, 4.0, 2.0]);
        given.push(("a".to_owned(), vec![0.0, 0.0, 0.0]));
        let r = Reference::from_table("f", &given, &sensors, [0.0, 0.5, 1.0]).unwrap();
        let results = Results {
            channels: sensors.to_vec(),
            t: vec![0.0, 0.5, 1.0],
            data: vec![vec![0.0, 4.4, 2.0], vec![0.0, 0.0, 0.3]],
        };
        let e = r.error(&results).unwrap();
        // x is relative to 4, the angle has no size and counts in rad
        let close = |a: f64, b: f64| (a - b).abs() < 1e-15;
        assert!(close(e.relative, ((0.01 / 3.0 + 0.09 / 3.0) / 2.0_f64).sqrt()), "{e:?}");
        assert!(close(e.absolute, ((0.16 / 3.0 + 0.09 / 3.0) / 2.0_f64).sqrt()), "{e:?}");
        assert!(close(e.max, 0.3), "{e:?}");
    }

    #[test]
    fn a_missing_value_is_an_infinite_error_and_widths_are_kept() {
        let sensors = [channel("x", "m"), channel("a", "rad")];
        let mut given = table(&[0.0, 1.0], &[0.0, 4.0]);
        given.push(("a".to_owned(), vec![0.5, f64::NAN]));
        let r = Reference::from_table("f", &given, &sensors, [0.0, 1.0, 1.0]).unwrap();
        let results = |a: f64| Results {
            channels: sensors.to_vec(),
            t: vec![0.0, 1.0],
            data: vec![vec![0.0, 4.0], vec![0.5, a]],
        };
        assert_eq!(r.error(&results(f64::NAN)).unwrap().max, 0.0);
        let e = r.error(&results(0.5)).unwrap();
        assert!(e.max.is_infinite() && e.relative.is_infinite() && e.absolute.is_infinite());
        // 0.4 m of 4 m, and nothing of the angle
        let u = r.known_to(&[0.4, 0.0]).info.uncertainty.unwrap();
        assert!((u.max - 0.1).abs() < 1e-15 && (u.relative - (0.005_f64).sqrt()).abs() < 1e-15);
        assert!((u.absolute - (0.08_f64).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn common_times_and_columns_only() {
        let sensors = [channel("x", "m"), channel("y", "m")];
        let given = table(&[0.0, 0.1, 0.15, 0.2, 9.0], &[0.0, 1.0, 99.0, 2.0, 99.0]);
        let r = Reference::from_table("f", &given, &sensors, [0.0, 0.1, 1.0]).unwrap();
        assert_eq!((r.info.times, r.info.columns.as_slice()), (3, &["x".to_owned()][..]));
        let t: Vec<f64> = (0..=10).map(|k| 0.1 * f64::from(k)).collect();
        let x = t.iter().map(|t| 10.0 * t).collect();
        let y = vec![7.0; 11];
        let results = Results { channels: sensors.to_vec(), t, data: vec![x, y] };
        assert!(r.error(&results).unwrap().max < 1e-15);
        let short = Results { t: vec![0.0, 0.1], data: vec![vec![0.0, 1.0]; 2], ..results };
        assert_eq!(r.error(&short), None);
    }

    #[test]
    fn unusable_tables() {
        let sensors = [channel("x", "m")];
        let span = [0.0, 0.1, 1.0];
        let no_time = vec![("x".to_owned(), vec![1.0])];
        let of = |table: &[(String, Vec<f64>)]| {
            Reference::from_table("f", table, &sensors, span).map(|_| ()).unwrap_err()
        };
        assert_eq!(of(&no_time), ReferenceError::NoTime);
        assert!(matches!(
            of(&table(&[0.0, 0.1, 0.1], &[0.0; 3])),
            ReferenceError::Order { row: 3, .. }
        ));
        assert!(matches!(of(&table(&[0.0, 0.05], &[0.0; 2])), ReferenceError::NoCommonTime { .. }));
        let other = vec![("t".to_owned(), vec![0.0, 0.1]), ("z".to_owned(), vec![0.0, 0.1])];
        assert!(matches!(of(&other), ReferenceError::NoColumn { .. }));
    }

    #[test]
    fn a_quantity_that_stays_at_zero_is_no_error_of_one() {
        let sensors = [channel("x", "m"), channel("y", "m")];
        let mut given = table(&[0.0, 1.0], &[1.0, 2.0]);
        given.push(("y".to_owned(), vec![1e-15, -2e-15]));
        let r = Reference::from_table("f", &given, &sensors, [0.0, 1.0, 1.0]).unwrap();
        let results = Results {
            channels: sensors.to_vec(),
            t: vec![0.0, 1.0],
            data: vec![vec![1.0, 2.0], vec![0.0, 1e-15]],
        };
        assert!(r.error(&results).unwrap().max < 1e-12);
    }
}
