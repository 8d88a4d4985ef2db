//! The classical method of order 4. It has no error estimate: steps are fixed.
//!
//! For teaching, and for comparison with programs that have nothing else. Reference: Kutta,
//! Z. Math. Phys. 46 (1901).

use super::stabilization::options;
use super::{Method, MethodInfo, Tableau};

/// The method.
pub const RK4: Method = Method {
    info: MethodInfo {
        name: "rk4",
        summary: "classical Runge-Kutta of order 4 on index 1; non-stiff, fixed step only",
        order: [4, 4, 4],
        dense_order: 4,
        adaptive: false,
        error_order: 4,
        default_rtol: 1e-8,
        options: &options("projection"),
        citation: "Kutta 1901; Munthe-Kaas 1998",
        ..MethodInfo::BASE
    },
    tableau: TABLEAU,
};

pub(super) const TABLEAU: Tableau = Tableau {
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    error: &[],
    second: &[],
    twin: 3,
    // 2.8 on the real axis, 2.6 to 2.95 up to the imaginary one
    border: 2.7,
};

/// Orders of the solution, of the embedded solution and of the second one.
#[cfg(test)]
pub(super) const ORDERS: (&Tableau, [usize; 3]) = (&TABLEAU, [4, 0, 0]);
