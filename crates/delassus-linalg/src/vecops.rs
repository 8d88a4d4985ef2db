//! Kernels that run on every row or result, written so that they vectorise.

/// Rows and columns of dense factors are padded to this many entries, so that
/// inner loops have no remainder: at 8 rows that would be most of the work.
pub(crate) const CHUNK: usize = 4;

/// `target −= c · source`.
#[inline(always)]
pub(crate) fn sub_scaled(target: &mut [[f64; CHUNK]], c: f64, source: &[[f64; CHUNK]]) {
    for (t, s) in target.iter_mut().zip(source) {
        // By value: through the references the compiler vectorised across
        // chunks instead, behind an overlap test, and ran the scalar
        // remainder in practice (LU of 17 took 12 % longer, of 75, 28 %).
        let (mut new, s) = (*t, *s);
        for i in 0..CHUNK {
            new[i] -= c * s[i];
        }
        *t = new;
    }
}

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
