//! The benchmark problems of `models/benchmarks` by the implicit methods on the stabilised
//! index-2 form, against the same references and limits as in `verification.rs`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use delassus::io::results::read_csv;
use delassus::sim::{RunOptions, Silent};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How a result is judged.
enum Limit {
    /// Root mean square over all columns of the reference.
    EpsT(f64),
    /// Largest error over the named columns.
    Max(f64, &'static [&'static str]),
}

struct Case {
    id: &'static str,
    limits: &'static [Limit],
    /// Largest |energy balance|, J.
    energy: Option<f64>,
    /// Tolerances of `bdf` and `radau5`.
    rtol: [f64; 2],
}

use Limit::{EpsT, Max};

const XYZ: &[&str] = &["x", "y", "z"];

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { id: "A1_slider_crank_case1", limits: &[EpsT(2e-4)], energy: Some(1e-3), rtol: [1e-8, 1e-7] },
    Case { id: "A2_slider_crank_case2", limits: &[EpsT(5e-3)], energy: None, rtol: [1e-8, 1e-7] },
    Case { id: "A3_slider_crank_case3", limits: &[EpsT(1e-2)], energy: None, rtol: [1e-8, 1e-7] },
    Case { id: "B1_simple_pendulum", limits: &[Max(1e-5, &["x", "y"])], energy: Some(5e-5), rtol: [1e-9, 1e-8] },
    Case { id: "B2_n_four_bar_N2", limits: &[Max(1e-3, &["xB0", "yB0"])], energy: Some(1e-3), rtol: [1e-8, 1e-8] },
    Case { id: "B2_n_four_bar_N40", limits: &[Max(1e-3, &["xB0", "yB0"])], energy: Some(1e-3), rtol: [2e-8, 1e-6] },
    Case { id: "B3_andrews_50ms", limits: &[], energy: Some(1e-5), rtol: [1e-8, 1e-7] },
    Case { id: "B4_bricard", limits: &[Max(1e-4, &["xP3", "yP3", "zP3"])], energy: Some(1e-3), rtol: [1e-8, 1e-7] },
    Case { id: "B5_flyball_governor", limits: &[Max(1e-4, &["s"])], energy: None, rtol: [1e-8, 1e-7] },
    Case { id: "D1_four_bar", limits: &[Max(1e-6, &["phi1", "phi2", "phi3"])], energy: None, rtol: [1e-12, 1e-9] },
    Case { id: "D2_slider_crank", limits: &[Max(1e-6, &["alpha1", "alpha2", "x_slider"])], energy: None, rtol: [1e-10, 1e-8] },
    Case { id: "I1_heavy_top", limits: &[Max(1e-6, XYZ)], energy: None, rtol: [2e-11, 1e-8] },
    Case { id: "I2_free_rigid_body", limits: &[Max(1e-6, &["W1", "W2", "W3"])], energy: Some(2.5e-9), rtol: [1e-13, 1e-11] },
    Case { id: "I3_spatial_slider_crank", limits: &[Max(1e-4, &["crank_angle", "slider_x"])], energy: None, rtol: [1e-10, 1e-8] },
    Case { id: "I4_spherical_pendulum", limits: &[Max(1e-6, XYZ)], energy: None, rtol: [1e-10, 1e-8] },
    Case { id: "I5_gyroscope", limits: &[Max(1e-6, XYZ)], energy: None, rtol: [1e-10, 1e-8] },
];

fn run_case(id: &str, method: &str) {
    let case = CASES.iter().find(|c| c.id == id).unwrap();
    let model = delassus::load(root().join(format!("models/benchmarks/{id}.toml")))
        .unwrap_or_else(|e| panic!("{id}: {e}"));
    let mut opts = RunOptions::from_model(model.system.model());
    opts.method = method.to_owned();
    opts.rtol = Some(case.rtol[usize::from(method == "radau5")]);
    let out = delassus::sim::run(&model, &opts, &mut Silent).unwrap();
    let s = &out.summary;
    assert!(out.error.is_none(), "{id} {method}: {:?}", out.error);
    let reference =
        read_csv(&root().join(format!("crates/delassus/tests/reference/{id}.csv"))).unwrap();
    // every reference sample must be met by one of ours
    let mut k = 0;
    let at: Vec<usize> = reference
        .column("t")
        .unwrap()
        .iter()
        .map(|t| {
            while (out.results.t[k] - t).abs() > 1e-9 {
                k += 1;
                assert!(k < out.results.t.len(), "{id}: no sample at t = {t}");
            }
            k
        })
        .collect();
    // largest and mean square error
    let error = |name: &str| -> (f64, f64) {
        let want = reference.column(name).unwrap();
        let got = out.results.get(name).unwrap_or_else(|| panic!("{id}: no sensor {name}"));
        let (mut max, mut sum) = (0.0f64, 0.0);
        for (w, k) in want.iter().zip(&at) {
            let d = (got[*k] - w).abs();
            max = max.max(d);
            sum += d * d;
        }
        (max, sum / want.len() as f64)
    };
    for limit in case.limits {
        let (e, limit) = match limit {
            EpsT(limit) => {
                let columns: Vec<&String> = reference.names.iter().filter(|n| *n != "t").collect();
                let sum: f64 = columns.iter().map(|n| error(n).1).sum();
                ((sum / columns.len() as f64).sqrt(), limit)
            }
            Max(limit, names) => (names.iter().map(|n| error(n).0).fold(0.0, f64::max), limit),
        };
        println!("{id} {method}: error {e:.1e} (limit {limit:.0e}), {} steps", s.steps);
        assert!(e <= *limit, "{id} {method}: {e:.3e} > {limit:.0e}");
    }
    if let Some(limit) = case.energy {
        let e = s.energy_error;
        println!("{id} {method}: energy {e:.1e} J (limit {limit:.1e}), {} steps", s.steps);
        assert!(e <= limit, "{id} {method}: energy error {e:.3e} J > {limit:.1e}");
    }
    assert!(s.max_position_drift < 1e-9, "{id} {method}: drift {}", s.max_position_drift);
}

macro_rules! cases {
    ($($name:ident $id:literal;)*) => {
        mod bdf { $(#[test] fn $name() { super::run_case($id, "bdf"); })* }
        mod radau5 { $(#[test] fn $name() { super::run_case($id, "radau5"); })* }
        #[test]
        fn every_case_is_run() {
            assert_eq!([$($id),*, LONG].len(), CASES.len());
        }
    };
}

cases! {
    a1 "A1_slider_crank_case1";
    a2 "A2_slider_crank_case2";
    a3 "A3_slider_crank_case3";
    b1 "B1_simple_pendulum";
    b2_n2 "B2_n_four_bar_N2";
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

/// Run by its own tests.
const LONG: &str = "B2_n_four_bar_N40";

#[test]
fn b2_n40_by_bdf() {
    run_case(LONG, "bdf");
}

#[test]
fn b2_n40_by_radau5() {
    run_case(LONG, "radau5");
}
