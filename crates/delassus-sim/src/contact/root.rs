//! Roots of functions of one variable inside a bracket.

/// Where f falls through zero in [a, b], f(a) > 0 ≥ f(b): the right end of an interval that is as short as numbers
/// allow. Bisection with regula falsi (Illinois) steps in between.
pub(crate) fn falling_root(f: impl FnMut(f64) -> f64, a: (f64, f64), b: (f64, f64)) -> f64 {
    falling_bracket(f, a, b).1
}

/// Both ends of that interval. NaN counts as fallen, so at the left end f is a number.
pub(crate) fn falling_bracket(
    mut f: impl FnMut(f64) -> f64,
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
) -> (f64, f64) {
    let mut halve = false;
    for _ in 0..200 {
        let width = b - a;
        let mid = 0.5 * (a + b);
        if !(width > 4.0 * f64::EPSILON * b.abs().max(1e-3)) || mid <= a || mid >= b {
            break;
        }
        let secant = a + width * fa / (fa - fb);
        let inside = secant > a && secant < b;
        let x = if halve || !inside { mid } else { secant };
        let fx = f(x);
        if fx > 0.0 {
            (a, fa) = (x, fx);
            fb *= 0.5;
        } else {
            (b, fb) = (x, fx);
            fa *= 0.5;
            if fx == 0.0 {
                break;
            }
        }
        // a step that did not halve the bracket is followed by one that does
        halve = b - a > 0.5 * width;
    }
    (a, b)
}

/// The same for a function that may start at zero: the left end is moved to where f is positive. `None` if it never is,
/// which means that the root is at a.
pub(crate) fn falling_root_from_zero(
    mut f: impl FnMut(f64) -> f64,
    (a, fa): (f64, f64),
    (b, fb): (f64, f64),
) -> Option<f64> {
    if fa > 0.0 {
        return Some(falling_root(f, (a, fa), (b, fb)));
    }
    let mut part = 0.5;
    for _ in 0..24 {
        let x = a + (b - a) * part;
        let fx = f(x);
        if fx > 0.0 {
            return Some(falling_root(f, (x, fx), (b, fb)));
        }
        part *= 0.25;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_simple_and_flat_roots() {
        let r = falling_root(|x| 2.0 - x * x, (0.0, 2.0), (2.0, -2.0));
        assert!((r - 2f64.sqrt()).abs() < 1e-14);
        let r = falling_root(|x| -(x - 1.0f64).powi(3), (0.0, 1.0), (3.0, -8.0));
        assert!((r - 1.0).abs() < 1e-4);
    }

    #[test]
    fn starts_at_zero() {
        let f = |x: f64| x * (0.3 - x);
        let r = falling_root_from_zero(f, (0.0, 0.0), (1.0, -0.7));
        assert!((r.unwrap_or(0.0) - 0.3).abs() < 1e-14);
        assert!(falling_root_from_zero(|x| -x, (0.0, 0.0), (1.0, -1.0)).is_none());
    }
}
