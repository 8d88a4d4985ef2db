//! Scans that run on every result, written so that they vectorise.

const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

/// Whether all entries are finite. Integer tests have no ordering to
/// preserve, so unlike a floating-point sum this loop vectorises.
pub(crate) fn all_finite(x: &[f64]) -> bool {
    let mut bad = false;
    for v in x {
        bad |= (v.to_bits() & EXPONENT) == EXPONENT;
    }
    !bad
}

/// Index of the first non-finite entry.
pub(crate) fn first_non_finite(x: &[f64]) -> Option<usize> {
    x.iter().position(|v| !v.is_finite())
}

/// Largest `|x[i]| · w[i]`, with its index. NaN compares as larger.
pub(crate) fn weighted_max(x: &[f64], w: &[f64]) -> (f64, usize) {
    let mut best = (0.0, 0);
    for (i, (x, w)) in x.iter().zip(w).enumerate() {
        let v = x.abs() * w;
        if v > best.0 || v.is_nan() {
            best = (v, i);
        }
    }
    best
}
