//! Fehlberg's pair of order 4(5), with local extrapolation: the solution of order 5 is continued, and the difference of
//! the two is the error estimate.
//!
//! Kept for comparison with programs that use it; `dopri5` costs the same and is more accurate.
//! Reference: Fehlberg, NASA TR R-315 (1969).

use super::stabilization::options;
use super::{Method, MethodInfo, Tableau};

/// The method.
pub const RKF45: Method = Method {
    info: MethodInfo {
        name: "rkf45",
        summary: "Fehlberg 4(5) on index 1, order 5 carried on; non-stiff, adaptive or fixed step",
        order: [5, 5, 5],
        dense_order: 5,
        error_order: 5,
        swing: 0.7,
        default_rtol: 1e-8,
        options: &options("projection"),
        citation: "Fehlberg 1969; Munthe-Kaas 1998",
        ..MethodInfo::BASE
    },
    tableau: TABLEAU,
};

const TABLEAU: Tableau = Tableau {
    c: &[0.0, 0.25, 0.375, 12.0 / 13.0, 1.0, 0.5],
    a: &[
        &[],
        &[0.25],
        &[3.0 / 32.0, 9.0 / 32.0],
        &[1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0],
        &[439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0],
        &[-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0],
    ],
    b: &[16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0],
    // weights of order 5 minus weights of order 4
    error: &[1.0 / 360.0, 0.0, -128.0 / 4275.0, -2197.0 / 75240.0, 1.0 / 50.0, 2.0 / 55.0],
    second: &[],
    twin: 4,
    // 3.7 on the real axis, 3.6 to 3.1 up to 80° from it
    border: 3.4,
};

/// Orders of the solution, of the embedded solution and of the second one.
#[cfg(test)]
pub(super) const ORDERS: (&Tableau, [usize; 3]) = (&TABLEAU, [5, 4, 0]);
