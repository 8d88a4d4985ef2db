//! How far runs differ from the kept one, column by column over time.

use crate::results::Results;
use delassus_math::largest;

/// Factor on the largest difference. With errors of the same size and opposite sign the error of each is half the
/// difference; with errors of the same sign and different size the difference is less than the larger one. Two covers
/// ratios of up to one half.
const SAFETY: f64 = 2.0;
/// Samples on either side whose differences count too: differences cross zero where errors do not.
const NEIGHBOURS: usize = 3;
/// Round-off of a value, relative to it, and of a column, relative to its scale.
const ROUND_OFF: f64 = 1e-14;

/// Half-widths of the band of one column at all samples of `kept`; infinite where nothing confirms the value. A run
/// that ended early says nothing about later times, if another one does. `breaks` are the times of events, ascending: a
/// difference on one side says nothing about the other.
pub(super) fn band(
    kept: &Results,
    others: &[&Results],
    column: usize,
    scale: f64,
    breaks: &[f64],
) -> Vec<f64> {
    let values = &kept.data[column];
    let difference = |row: usize, other: &Results| -> Option<f64> {
        let x = other.data.get(column).and_then(|d| d.get(row))?;
        Some(match (values[row].is_nan(), x.is_nan()) {
            // both runs have no value
            (true, true) => 0.0,
            (false, false) => (values[row] - x).abs(),
            _ => f64::INFINITY,
        })
    };
    let widest: Vec<f64> = (0..values.len())
        .map(|row| {
            let mut known = others.iter().filter_map(|o| difference(row, o)).peekable();
            if known.peek().is_none() { f64::INFINITY } else { largest(known) }
        })
        .collect();
    let mut next_break = 0;
    let piece: Vec<usize> = kept
        .t
        .iter()
        .map(|t| {
            while breaks.get(next_break).is_some_and(|b| b <= t) {
                next_break += 1;
            }
            next_break
        })
        .collect();
    (0..values.len())
        .map(|row| {
            let near = row.saturating_sub(NEIGHBOURS)..(row + NEIGHBOURS + 1).min(values.len());
            let near = near.filter(|k| piece.get(*k) == piece.get(row));
            let d = largest(near.map(|k| widest[k]));
            let size = if values[row].is_nan() { 0.0 } else { values[row].abs() };
            SAFETY * d + ROUND_OFF * size.max(scale)
        })
        .collect()
}

/// Sum of relative differences of one run from the others, up to the shortest of them: the run with the smallest sum is
/// in the middle.
pub(super) fn distance(run: &Results, others: &[&Results], columns: &[(usize, f64)]) -> f64 {
    let rows = others.iter().map(|o| o.t.len()).chain([run.t.len()]).min().unwrap_or(0);
    let mut sum = 0.0;
    for other in others {
        for (column, scale) in columns {
            let (a, b) = (&run.data[*column], &other.data[*column]);
            let worst = a.iter().zip(b).take(rows).fold(0.0_f64, |m, (x, y)| {
                let d = (x - y).abs();
                // a value that only one run has counts as a full difference
                m.max(if d.is_nan() && x.is_nan() != y.is_nan() { *scale } else { d })
            });
            sum += worst / scale;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Channel;

    fn results(values: &[f64]) -> Results {
        let channel = Channel {
            name: "x".to_owned(),
            unit: "m".to_owned(),
            frame: String::new(),
            sensor: true,
        };
        Results {
            channels: vec![channel],
            t: (0..values.len()).map(|k| k as f64).collect(),
            data: vec![values.to_vec()],
        }
    }

    #[test]
    fn the_largest_difference_near_by_counts_twice() {
        let kept = results(&[0.0; 12]);
        let mut other = [0.0; 12];
        other[5] = 0.5;
        let other = results(&other);
        let wide = band(&kept, &[&other], 0, 1.0, &[]);
        let near: Vec<bool> = wide.iter().map(|b| *b > 0.9).collect();
        assert_eq!(near.iter().filter(|n| **n).count(), 7);
        assert!(near[2] && near[8] && !near[1] && !near[9]);
        // not across an event
        let cut = band(&kept, &[&other], 0, 1.0, &[4.5]);
        assert!(cut[4] < 1e-9 && cut[5] > 0.9);
    }

    #[test]
    fn what_nothing_confirms_has_no_bound() {
        let (kept, short) = (results(&[1.0; 4]), results(&[1.0; 2]));
        let b = band(&kept, &[&short], 0, 1.0, &[]);
        assert!(b.iter().all(|x| x.is_infinite()), "the missing end is near all four");
        assert!(band(&kept, &[], 0, 1.0, &[])[0].is_infinite());
    }

    #[test]
    fn a_run_that_ended_early_counts_up_to_there() {
        let (kept, whole) = (results(&[1.0; 12]), results(&[1.0; 12]));
        let short = results(&[1.0, 1.5]);
        let b = band(&kept, &[&short, &whole], 0, 1.0, &[]);
        assert!(b[0] > 0.9 && b[4] > 0.9 && b[5] < 1e-9, "{b:?}");
    }

    #[test]
    fn values_that_are_unknown_in_both_agree() {
        let nan = results(&[f64::NAN; 3]);
        assert!(band(&nan, &[&nan], 0, 1.0, &[]).iter().all(|b| *b < 1e-9));
        assert!(band(&nan, &[&results(&[1.0; 3])], 0, 1.0, &[])[0].is_infinite());
    }

    #[test]
    fn the_run_in_the_middle_is_nearest() {
        let runs = [results(&[0.0, 1.0]), results(&[0.0, 1.1]), results(&[0.0, 3.0])];
        let d: Vec<f64> = (0..3)
            .map(|k| {
                let others: Vec<&Results> =
                    runs.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, r)| r).collect();
                distance(&runs[k], &others, &[(0, 1.0)])
            })
            .collect();
        assert!(d[1] < d[0] && d[1] < d[2]);
    }
}
