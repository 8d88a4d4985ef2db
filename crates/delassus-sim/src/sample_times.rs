//! Times at which samples lie, and how close such times may be.

/// How far apart two times may lie that are the same up to rounding, at the end of a step from t0 to t1, s: computed as
/// a multiple of the step or of the sample interval, as a sum, or next to a moment at which a function of time
/// switches.
pub(crate) fn rounding(t0: f64, t1: f64) -> f64 {
    1e-12 * (t1 - t0).max(0.1 * t1.abs())
}

/// Shortest time, s, that may be requested at a time t: twice the resolution of the clock.
pub(crate) fn resolution(t: f64) -> f64 {
    2.0 * rounding(t, t)
}

/// The number of 15 digits next to a time, so that 3 × 0.1 s is 0.3 s, whatever the interval that led there.
pub fn decimal(t: f64) -> f64 {
    let digits = 14 - t.abs().log10().floor() as i32;
    // powers of ten up to here are exact, so that the quotient is the number that is read from a text
    if !(0..=22).contains(&digits) {
        return t;
    }
    let power = 10f64.powi(digits);
    (t * power).round() / power
}
