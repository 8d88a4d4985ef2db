//! The benchmark problems of `models/benchmarks` against independently computed solutions.
//!
//! `reference/README.md` says where the numbers come from. Limits are those of the problem
//! definitions; a tolerance is never tuned per platform.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use delassus::io::results::read_csv;
use delassus::sim::{RunOptions, Silent};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How a result is judged.
enum Limit {
    /// eps_T over all columns of the reference: √((1/n) Σ_j (1/m) Σ_i Δ²).
    EpsT(f64),
    /// Largest |Δ| over the named columns.
    Max(f64, &'static [&'static str]),
}

struct Case {
    id: &'static str,
    limits: &'static [Limit],
    /// Largest |energy balance|, J.
    energy: Option<f64>,
    /// Settings for generalized-α: a tolerance, or a fixed step.
    gen_alpha: GenAlpha,
}

enum GenAlpha {
    Rtol(f64),
    Step(f64),
}

use GenAlpha::{Rtol, Step};
use Limit::{EpsT, Max};

const XYZ: &[&str] = &["x", "y", "z"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { id: "A1_slider_crank_case1", limits: &[EpsT(2e-4)], energy: Some(1e-3), gen_alpha: Rtol(1e-7) },
    Case { id: "A2_slider_crank_case2", limits: &[EpsT(5e-3)], energy: None, gen_alpha: Rtol(1e-7) },
    Case { id: "A3_slider_crank_case3", limits: &[EpsT(1e-2)], energy: None, gen_alpha: Rtol(1e-7) },
    Case { id: "B1_simple_pendulum", limits: &[Max(1e-5, &["x", "y"])], energy: Some(5e-5), gen_alpha: Rtol(4e-9) },
    Case { id: "B2_n_four_bar_N2", limits: &[Max(1e-3, &["xB0", "yB0"])], energy: Some(1e-3), gen_alpha: Rtol(5e-8) },
    Case { id: "B2_n_four_bar_N40", limits: &[Max(1e-3, &["xB0", "yB0"])], energy: Some(1e-3), gen_alpha: Step(2e-4) },
    Case { id: "B3_andrews_50ms", limits: &[], energy: Some(1e-5), gen_alpha: Rtol(1e-7) },
    Case { id: "B4_bricard", limits: &[Max(1e-4, &["xP3", "yP3", "zP3"])], energy: Some(1e-3), gen_alpha: Rtol(1e-7) },
    Case { id: "B5_flyball_governor", limits: &[Max(1e-4, &["s"])], energy: None, gen_alpha: Rtol(1e-7) },
    Case { id: "D1_four_bar", limits: &[Max(1e-6, &["phi1", "phi2", "phi3"])], energy: None, gen_alpha: Step(1e-5) },
    Case { id: "D2_slider_crank", limits: &[Max(1e-6, &["alpha1", "alpha2", "x_slider"])], energy: None, gen_alpha: Rtol(5e-10) },
    Case { id: "I1_heavy_top", limits: &[Max(1e-6, XYZ)], energy: None, gen_alpha: Rtol(1e-9) },
    Case { id: "I2_free_rigid_body", limits: &[Max(1e-6, &["W1", "W2", "W3"])], energy: Some(2.5e-9), gen_alpha: Step(5e-6) },
    Case { id: "I3_spatial_slider_crank", limits: &[Max(1e-4, &["crank_angle", "slider_x"])], energy: None, gen_alpha: Rtol(2e-9) },
    Case { id: "I4_spherical_pendulum", limits: &[Max(1e-6, XYZ)], energy: None, gen_alpha: Rtol(5e-9) },
    Case { id: "I5_gyroscope", limits: &[Max(1e-6, XYZ)], energy: None, gen_alpha: Step(5e-6) },
];

fn run_case(case: &Case, method: &str) {
    let model = delassus::load(root().join(format!("models/benchmarks/{}.toml", case.id)))
        .unwrap_or_else(|e| panic!("{}: {e}", case.id));
    let mut opts = RunOptions::from_model(model.system.model());
    if method == "gen-alpha" {
        opts.method = method.to_owned();
        match case.gen_alpha {
            Rtol(r) => opts.rtol = Some(r),
            Step(h) => opts.step = Some(h),
        }
    }
    let out = delassus::sim::run(&model, &opts, &mut Silent).unwrap();
    assert!(out.error.is_none(), "{} {method}: {:?}", case.id, out.error);
    let reference =
        read_csv(&root().join(format!("crates/delassus/tests/reference/{}.csv", case.id))).unwrap();
    let t_ref = reference.column("t").unwrap();
    // every reference sample must be met by one of ours
    let at: Vec<usize> = {
        let mut k = 0;
        t_ref
            .iter()
            .map(|t| {
                while (out.results.t[k] - t).abs() > 1e-9 {
                    k += 1;
                    assert!(k < out.results.t.len(), "{}: no sample at t = {t}", case.id);
                }
                k
            })
            .collect()
    };
    let error = |name: &str| -> (f64, f64) {
        let want = reference.column(name).unwrap();
        let got = out.results.get(name).unwrap_or_else(|| panic!("{}: no sensor {name}", case.id));
        let (mut max, mut sum) = (0.0f64, 0.0);
        for (w, k) in want.iter().zip(&at) {
            let d = (got[*k] - w).abs();
            max = max.max(d);
            sum += d * d;
        }
        (max, sum / want.len() as f64)
    };
    for limit in case.limits {
        match limit {
            EpsT(limit) => {
                let columns: Vec<&String> = reference.names.iter().filter(|n| *n != "t").collect();
                let sum: f64 = columns.iter().map(|n| error(n).1).sum();
                let eps = (sum / columns.len() as f64).sqrt();
                println!(
                    "{} {method}: eps_T = {eps:.2e} (limit {limit:.0e}), {} steps",
                    case.id, out.summary.steps
                );
                assert!(eps <= *limit, "{} {method}: eps_T = {eps:.3e} > {limit:.0e}", case.id);
            }
            Max(limit, names) => {
                let max = names.iter().map(|n| error(n).0).fold(0.0, f64::max);
                println!(
                    "{} {method}: max error = {max:.2e} (limit {limit:.0e}), {} steps",
                    case.id, out.summary.steps
                );
                assert!(max <= *limit, "{} {method}: max error {max:.3e} > {limit:.0e}", case.id);
            }
        }
    }
    if let Some(limit) = case.energy {
        let e = out.summary.energy_error;
        println!(
            "{} {method}: energy error = {e:.2e} J (limit {limit:.1e}), {} steps",
            case.id, out.summary.steps
        );
        assert!(e <= limit, "{} {method}: energy error {e:.3e} J > {limit:.1e}", case.id);
    }
    assert!(out.summary.max_position_drift < 1e-9 * 10.0, "{} {method}: drift", case.id);
}

macro_rules! cases {
    ($($name:ident $id:literal;)*) => {
        mod mdop5 { $(#[test] fn $name() { super::run_case(super::find($id), "mdop5"); })* }
        mod gen_alpha { $(#[test] fn $name() { super::run_case(super::find($id), "gen-alpha"); })* }
        #[test]
        fn every_case_is_run() {
            assert_eq!([$($id),*].len(), CASES.len());
        }
    };
}

fn find(id: &str) -> &'static Case {
    CASES.iter().find(|c| c.id == id).unwrap()
}

cases! {
    a1 "A1_slider_crank_case1";
    a2 "A2_slider_crank_case2";
    a3 "A3_slider_crank_case3";
    b1 "B1_simple_pendulum";
    b2_n2 "B2_n_four_bar_N2";
    b2_n40 "B2_n_four_bar_N40";
    b3 "B3_andrews_50ms";
    b4 "B4_bricard";
    b5 "B5_flyball_governor";
    d1 "D1_four_bar";
    d2 "D2_slider_crank";
    i1 "I1_heavy_top";
    i2 "I2_free_rigid_body";
    i3 "I3_spatial_slider_crank";
    i4 "I4_spherical_pendulum";
    i5 "I5_gyroscope";
}

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
        let model = delassus::load(root().join(format!("models/benchmarks/{id}.toml"))).unwrap();
        let mut opts = RunOptions::from_model(model.system.model());
        opts.rtol = Some(1e-12);
        let out = delassus::sim::run(&model, &opts, &mut Silent).unwrap();
        for (name, want) in values {
            let got = *out.results.get(name).unwrap().last().unwrap();
            let mixed = (got - want).abs() / (1.0 + want.abs());
            assert!(mixed < 1e-8, "{id} {name}: {got} against {want}");
        }
    }
}
