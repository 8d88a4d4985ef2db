//! The benchmark problems of `models/benchmarks` by the implicit methods on the stabilised
//! index-2 form, against the same references and limits as in `verification.rs`.

use crate::support;

use support::{benchmark, run};

/// Tolerances of `bdf` and `radau5`.
const RTOL: &[(&str, [f64; 2])] = &[
    ("A1_slider_crank_case1", [1e-8, 1e-7]),
    ("A2_slider_crank_case2", [1e-8, 1e-7]),
    ("A3_slider_crank_case3", [1e-8, 1e-7]),
    ("B1_simple_pendulum", [1e-9, 1e-8]),
    ("B2_n_four_bar_N2", [1e-8, 1e-8]),
    ("B2_n_four_bar_N40", [2e-8, 1e-6]),
    ("B3_andrews_50ms", [1e-8, 1e-7]),
    ("B4_bricard", [1e-8, 1e-7]),
    ("B5_flyball_governor", [1e-8, 1e-7]),
    ("D1_four_bar", [1e-12, 1e-9]),
    ("D2_slider_crank", [1e-10, 1e-8]),
    ("I1_heavy_top", [2e-11, 1e-8]),
    ("I2_free_rigid_body", [1e-13, 1e-11]),
    ("I3_spatial_slider_crank", [1e-10, 1e-8]),
    ("I4_spherical_pendulum", [1e-10, 1e-8]),
    ("I5_gyroscope", [1e-10, 1e-8]),
];

fn run_case(id: &str, method: &str) {
    let case = benchmark(id);
    let rtol = RTOL.iter().find(|c| c.0 == id).unwrap().1[usize::from(method == "radau5")];
    let out = run(&case.load(), |o| (o.method, o.rtol) = (method.to_owned(), Some(rtol)));
    case.check(method, &out);
    let drift = out.summary.max_position_drift;
    assert!(drift < 1e-9, "{id} {method}: drift {drift:e}");
}

every_benchmark!(bdf "bdf", radau5 "radau5");
