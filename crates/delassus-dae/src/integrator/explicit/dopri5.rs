//! Dormand & Prince's pair of order 5(4), plain (`dopri5`) and projected (`mdop5`).
//!
//! The solution of order 5 is continued; its last stage is the first one of the next step.
//! `mdop5` (Munthe-Kaas, Dormand, Prince) is the default method for ordinary mechanisms.
//! Reference: Dormand & Prince, J. Comput. Appl. Math. 6 (1980).

use super::stabilization::options;
use super::{Method, MethodInfo, Tableau};

/// Always projected.
pub const MDOP5: Method = Method {
    info: MethodInfo {
        name: "mdop5",
        summary: "explicit Runge-Kutta 5(4) on index 1 with projection; non-stiff, adaptive or fixed step",
        citation: "Dormand & Prince 1980; Munthe-Kaas 1998; Haddouni et al. 2017",
        options: &[],
        ..INFO
    },
    tableau: TABLEAU,
};

/// The textbook method, with a choice of stabilisation.
pub const DOPRI5: Method = Method { info: INFO, tableau: TABLEAU };

const INFO: MethodInfo = MethodInfo {
    name: "dopri5",
    summary: "Dormand-Prince 5(4) on index 1; non-stiff, adaptive or fixed step",
    order: [5, 5, 5],
    dense_order: 5,
    error_order: 5,
    swing: 1.1,
    default_rtol: 1e-8,
    options: &options("projection"),
    citation: "Dormand & Prince 1980; Munthe-Kaas 1998",
    ..MethodInfo::BASE
};

pub(in crate::integrator) const TABLEAU: Tableau = Tableau {
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0],
    a: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    ],
    b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    // weights of order 5 minus weights of order 4
    error: &[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ],
    second: &[],
    twin: 5,
    // 3.3 on the real axis, 3.3 to 2.9 up to 80° from it; the value of Hairer's code
    border: 3.25,
};

/// Orders of the solution, of the embedded solution and of the second one.
#[cfg(test)]
pub(super) const ORDERS: (&Tableau, [usize; 3]) = (&TABLEAU, [5, 4, 0]);
