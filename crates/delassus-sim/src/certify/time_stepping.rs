//! Confirmation by time-stepping: it needs no search for contacts and no modes, so it checks what the other families
//! share.

use crate::results::Results;

/// Time-stepping is of first order: the error of the finer run is about the difference of the two. Up to this many
/// times that is not a contradiction.
const ALLOWED: f64 = 5.0;
/// Differences below this fraction of a column are ignored: resting contacts are held to that.
const SMALL: f64 = 1e-3;

/// The last time up to which the kept run is within the accuracy of time-stepping. A single deviating sample belongs to
/// an impact, whose time is known to a step.
pub(super) fn until<'a>(
    kept: &Results,
    pair: &[Results; 2],
    columns: impl Iterator<Item = (usize, f64, &'a [f64])>,
) -> f64 {
    let rows = kept.t.len().min(pair[0].t.len()).min(pair[1].t.len());
    let mut last = rows;
    for (column, scale, band) in columns {
        let [coarse, fine] = [&pair[0].data[column], &pair[1].data[column]];
        let mut own = 0.0_f64;
        let mut off = 0;
        for row in 0..rows {
            let differ = |a: f64, b: f64| (a - b).abs();
            own = own.max(differ(coarse[row], fine[row]));
            let band = if band[row].is_finite() { band[row] } else { 0.0 };
            let allowed = ALLOWED * own + band + SMALL * scale;
            // NaN: one of them has no value, which proves nothing
            let contradicts = differ(fine[row], kept.data[column][row]) > allowed;
            off = if contradicts { off + 1 } else { 0 };
            if off > 1 {
                last = last.min(row.saturating_sub(1));
                break;
            }
        }
    }
    match last {
        0 => kept.t.first().copied().unwrap_or(0.0),
        _ => kept.t[last - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(f: impl Fn(f64) -> f64) -> Results {
        let t: Vec<f64> = (0..=100).map(|k| k as f64 * 0.01).collect();
        Results { channels: Vec::new(), data: vec![t.iter().map(|t| f(*t)).collect()], t }
    }

    #[test]
    fn a_run_within_the_order_of_the_steps_is_confirmed() {
        let kept = results(|t| t * t);
        let band = vec![0.0; 101];
        let column = || std::iter::once((0, 1.0, band.as_slice()));
        let pair = [results(|t| t * t + 0.02 * t), results(|t| t * t + 0.01 * t)];
        assert_eq!(until(&kept, &pair, column()), 1.0);
        // another motion from half way on
        let off = |t: f64| if t > 0.5 { t - 0.5 } else { 0.0 };
        let pair = [results(|t| t * t + off(t)), results(|t| t * t + off(t))];
        let t = until(&kept, &pair, column());
        assert!((0.49..0.53).contains(&t), "{t}");
    }
}
