//! The size of a column of results, for errors relative to it.

use crate::results::Channel;
use std::collections::BTreeMap;

/// Columns far smaller than others of their unit are measured against this fraction of the largest one: otherwise the
/// round-off of a quantity that stays at zero would be an error of one.
const SMALL_PART: f64 = 1e-2;
/// Columns smaller than this, with no larger one of their unit, are measured in SI.
const NOTHING: f64 = 1e-9;

/// A scale for each column: its largest magnitude, or a fraction of the largest one of its unit.
pub(crate) fn column_scales<'a>(
    columns: impl Iterator<Item = (&'a Channel, &'a [f64])> + Clone,
) -> Vec<f64> {
    let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut largest: BTreeMap<&str, f64> = BTreeMap::new();
    for (channel, values) in columns.clone() {
        let entry = largest.entry(&channel.unit).or_default();
        *entry = entry.max(size(values));
    }
    columns
        .map(|(channel, values)| {
            let of_unit = largest.get(channel.unit.as_str()).copied().unwrap_or(0.0);
            let scale = size(values).max(SMALL_PART * of_unit);
            if scale > NOTHING { scale } else { 1.0 }
        })
        .collect()
}
