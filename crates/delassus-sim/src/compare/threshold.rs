//! Which method reaches which accuracy at what cost.

use super::measure::Row;
use super::reference::{Measure, ReferenceInfo};
use serde::Serialize;

/// Cheapest runs whose error is at most a threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reached {
    /// Largest error allowed.
    pub threshold: f64,
    /// The reference is accurate enough to decide.
    pub decidable: bool,
    /// Index of the cheapest row of all.
    pub best: Option<usize>,
    /// For each method in order of the rows, the index of its cheapest row.
    pub by_method: Vec<(String, Option<usize>)>,
}

/// For each threshold, the cheapest run by CPU time, over all and of each method. An error counts as at least the
/// uncertainty of the reference, below which it is unknown.
pub fn thresholds(
    rows: &[Row],
    reference: Option<&ReferenceInfo>,
    measure: Measure,
    thresholds: &[f64],
) -> Vec<Reached> {
    let floor = reference.and_then(|r| r.uncertainty.as_ref()).map_or(0.0, |u| u.get(measure));
    let mut methods: Vec<&str> = Vec::new();
    for row in rows {
        if !methods.contains(&row.method.as_str()) {
            methods.push(&row.method);
        }
    }
    let cheapest = |threshold: f64, wanted: &dyn Fn(&Row) -> bool| {
        let cost = |k: &usize| rows[*k].cost.as_ref().map_or(f64::INFINITY, |c| c.cpu_s);
        (0..rows.len())
            .filter(|k| wanted(&rows[*k]))
            .filter(|k| {
                rows[*k].error.as_ref().is_some_and(|e| e.get(measure).max(floor) <= threshold)
            })
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
    };
    thresholds
        .iter()
        .map(|&threshold| Reached {
            threshold,
            decidable: reference.is_some() && floor <= threshold,
            best: cheapest(threshold, &|_| true),
            by_method: methods
                .iter()
                .map(|m| ((*m).to_owned(), cheapest(threshold, &|row| row.method == *m)))
                .collect(),
        })
        .collect()
}
