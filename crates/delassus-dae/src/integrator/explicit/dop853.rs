//! DOP853: Hairer's method of order 8 with 12 stages after Dormand & Prince.
//!
//! Two embedded estimates, of order 5 and 3, are combined to one that behaves like h⁸ (see
//! [`SecondError`](crate::control::SecondError)):
//!
//! ```text
//! err = ‖e₅‖² / √(‖e₅‖² + 0.01 ‖e₃‖²)
//! ```
//!
//! Use it for accurate solutions of smooth problems, tolerances of 1e-9 and below; at loose
//! tolerances `mdop5` is cheaper. Values between its long steps come from the quintic Hermite
//! interpolant and are of order 5. Reference: Hairer, Nørsett & Wanner, Solving Ordinary
//! Differential Equations I, 2nd ed. (1993), II.5 and II.10.

use super::stabilization::options;
use super::{Method, MethodInfo, Tableau};

/// The method.
pub const DOP853: Method = Method {
    info: MethodInfo {
        name: "dop853",
        summary: "Dormand-Prince 8(5,3) on index 1; accurate solutions of non-stiff, smooth systems",
        order: [8, 8, 8],
        dense_order: 5,
        error_order: 8,
        swing: 6.0,
        default_rtol: 1e-10,
        options: &options("projection"),
        citation: "Dormand & Prince 1981; Hairer, Nørsett & Wanner 1993; Munthe-Kaas 1998",
        ..MethodInfo::BASE
    },
    tableau: TABLEAU,
};

const TABLEAU: Tableau = Tableau {
    c: &[
        0.0,
        0.05260015195876773,
        0.0789002279381516,
        0.1183503419072274,
        0.2816496580927726,
        0.3333333333333333,
        0.25,
        0.3076923076923077,
        0.6512820512820513,
        0.6,
        0.8571428571428571,
        1.0,
    ],
    a: &[
        &[],
        &[0.05260015195876773],
        &[0.0197250569845379, 0.0591751709536137],
        &[0.02958758547680685, 0.0, 0.08876275643042054],
        &[0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792],
        &[0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242],
        &[0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125],
        &[
            0.03709200011850479,
            0.0,
            0.0,
            0.17038392571223998,
            0.10726203044637328,
            -0.015319437748624402,
            0.008273789163814023,
        ],
        &[
            0.6241109587160757,
            0.0,
            0.0,
            -3.3608926294469414,
            -0.868219346841726,
            27.59209969944671,
            20.154067550477894,
            -43.48988418106996,
        ],
        &[
            0.47766253643826434,
            0.0,
            0.0,
            -2.4881146199716677,
            -0.590290826836843,
            21.230051448181193,
            15.279233632882423,
            -33.28821096898486,
            -0.020331201708508627,
        ],
        &[
            -0.9371424300859873,
            0.0,
            0.0,
            5.186372428844064,
            1.0914373489967295,
            -8.149787010746927,
            -18.52006565999696,
            22.739487099350505,
            2.4936055526796523,
            -3.0467644718982196,
        ],
        &[
            2.273310147516538,
            0.0,
            0.0,
            -10.53449546673725,
            -2.0008720582248625,
            -17.9589318631188,
            27.94888452941996,
            -2.8589982771350235,
            -8.87285693353063,
            12.360567175794303,
            0.6433927460157636,
        ],
    ],
    b: &[
        0.054293734116568765,
        0.0,
        0.0,
        0.0,
        0.0,
        4.450312892752409,
        1.8915178993145003,
        -5.801203960010585,
        0.3111643669578199,
        -0.1521609496625161,
        0.20136540080403034,
        0.04471061572777259,
    ],
    // solution minus an embedded one of order 5
    error: &[
        0.01312004499419488,
        0.0,
        0.0,
        0.0,
        0.0,
        -1.2251564463762044,
        -0.4957589496572502,
        1.6643771824549864,
        -0.35032884874997366,
        0.3341791187130175,
        0.08192320648511571,
        -0.022355307863886294,
    ],
    // solution minus an embedded one of order 3
    second: &[
        -0.18980075407240762,
        0.0,
        0.0,
        0.0,
        0.0,
        4.450312892752409,
        1.8915178993145003,
        -5.801203960010585,
        -0.4226823213237919,
        -0.1521609496625161,
        0.20136540080403034,
        0.02265179219836082,
    ],
    twin: 11,
    // 6.4 on the real axis, 6.3 to 6.7 up to 80° from it; the value of Hairer's code
    border: 6.1,
};

/// Orders of the solution, of the embedded solution and of the second one.
#[cfg(test)]
pub(super) const ORDERS: (&Tableau, [usize; 3]) = (&TABLEAU, [8, 5, 3]);
