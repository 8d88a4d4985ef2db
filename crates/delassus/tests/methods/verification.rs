//! The benchmark problems of `models/benchmarks` against independently computed solutions.
//!
//! References and limits are in `support`.

use crate::support;

use support::{benchmark, load, run};

/// How generalized-α chooses its steps.
#[derive(Clone, Copy)]
enum GenAlpha {
    Rtol(f64),
    Step(f64),
}

use GenAlpha::{Rtol, Step};

/// Settings of generalized-α; `mdop5` runs with those of the files.
const GEN_ALPHA: &[(&str, GenAlpha)] = &[
    ("A1_slider_crank_case1", Rtol(1e-7)),
    ("A2_slider_crank_case2", Rtol(1e-7)),
    ("A3_slider_crank_case3", Rtol(1e-7)),
    ("B1_simple_pendulum", Rtol(4e-9)),
    ("B2_n_four_bar_N2", Rtol(5e-8)),
    ("B2_n_four_bar_N40", Rtol(3e-8)),
    ("B3_andrews_50ms", Rtol(1e-7)),
    ("B4_bricard", Rtol(1e-7)),
    ("B5_flyball_governor", Rtol(1e-7)),
    ("D1_four_bar", Step(1e-5)),
    ("D2_slider_crank", Rtol(5e-10)),
    ("I1_heavy_top", Rtol(1e-9)),
    ("I2_free_rigid_body", Step(5e-6)),
    ("I3_spatial_slider_crank", Rtol(2e-9)),
    ("I4_spherical_pendulum", Rtol(5e-9)),
    ("I5_gyroscope", Step(5e-6)),
];

fn run_case(id: &str, method: &str) {
    let case = benchmark(id);
    let out = run(&case.load(), |o| {
        if method == "gen-alpha" {
            o.method = method.to_owned();
            match GEN_ALPHA.iter().find(|c| c.0 == id).unwrap().1 {
                Rtol(r) => o.rtol = Some(r),
                Step(h) => o.step = Some(h),
            }
        }
    });
    case.check(method, &out);
    assert!(out.summary.max_position_drift < 1e-8, "{id} {method}: drift");
}

every_benchmark!(mdop5 "mdop5", gen_alpha "gen-alpha");

/// Car axis and squeezing mechanism as model files: end values as published, to 8 digits.
#[test]
fn c1_and_c2_reach_the_published_end_values() {
    #[rustfmt::skip]
    let cases: [(&str, &[(&str, f64)]); 2] = [
        ("C1_car_axis", &[
            ("xl", 0.4934557842754028e-1), ("yl", 0.4969894602301712), ("xr", 1.041742524885422),
            ("yr", 0.3739110272653613), ("vxl", -0.7705836840409724e-1), ("vyl", 0.7446866587237786e-2),
            ("vxr", 0.1755681575372322e-1), ("vyr", 0.770_341_043_779_252),
        ]),
        ("C2_andrews", &[
            ("beta", 15.81077119629904), ("theta", -15.75637105984298), ("gamma", 0.04082224013073101),
            ("phi", -0.5347301163226948), ("delta", 0.5244099658805304), ("omega", 0.5347301163226948),
            ("epsilon", 1.048080741042263),
        ]),
    ];
    for (id, values) in cases {
        let out = run(&load(&format!("benchmarks/{id}.toml"), &[]), |o| o.rtol = Some(1e-12));
        for (name, want) in values {
            let got = *out.results.get(name).unwrap().last().unwrap();
            let mixed = (got - want).abs() / (1.0 + want.abs());
            assert!(mixed < 1e-8, "{id} {name}: {got} against {want}");
        }
    }
}
