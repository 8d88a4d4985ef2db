//! Largest magnitudes that do not overlook NaN.
//!
//! `f64::max` returns the other argument if one is NaN, so a fold with it calls a list of NaN perfect. Comparisons, in
//! tests and in the code, use these functions instead.

/// Largest magnitude, 0 for none; NaN as soon as one of the numbers is.
///
/// ```
/// use delassus_math::max_abs;
/// assert_eq!(max_abs(&[1.0, -3.0, 2.0]), 3.0);
/// assert!(max_abs(&[1.0, f64::NAN, 2.0]).is_nan());
/// ```
pub fn max_abs<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    largest(numbers.into_iter().map(|x| x.abs()))
}

/// Largest of some non-negative numbers, 0 for none; NaN as soon as one of them is.
pub fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |m: f64, x| if m.is_nan() || x <= m { m } else { x })
}

/// Largest difference of two lists, entry by entry. Lists of unequal length are infinitely
/// different: the shorter one must not hide what is missing.
///
/// ```
/// use delassus_math::max_difference;
/// assert_eq!(max_difference(&[1.0, 2.0], &[1.0, 2.5]), 0.5);
/// assert_eq!(max_difference(&[1.0, 2.0], &[1.0]), f64::INFINITY);
/// assert!(max_difference(&[f64::NAN], &[1.0]).is_nan());
/// ```
pub fn max_difference(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    largest(a.iter().zip(b).map(|(x, y)| (x - y).abs()))
}
