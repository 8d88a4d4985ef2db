//! The forms of generalized-α on the benchmark models and on models with everything that is hard:
//! rolling, controllers, redundancy, massless bodies, singular positions.
//!
//! Limits are those of `verification.rs`. Settings: a tolerance where steps may vary, a step where
//! the problem multiplies errors so much that order 2 needs very small ones.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use delassus::io::results::read_csv;
use delassus::model::Assembled;
use delassus::sim::{RunOptions, RunOutcome, Silent};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn load(file: &str) -> Assembled {
    delassus::load(root().join("models").join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn run(m: &Assembled, method: &str, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    let mut o = RunOptions::from_model(m.system.model());
    o.method = method.to_owned();
    o.options = Default::default();
    change(&mut o);
    let out = delassus::sim::run(m, &o, &mut Silent).unwrap();
    assert!(out.error.is_none(), "{method}: {:?}", out.error);
    out
}

/// Limit of the root mean square over all columns, or of the largest error of some.
enum Limit {
    Rms(f64),
    Max(f64, &'static [&'static str]),
}
use Limit::{Max, Rms};

/// Errors of a run against the reference of a benchmark.
fn error(id: &str, out: &RunOutcome, limit: &Limit) -> f64 {
    let reference =
        read_csv(&root().join(format!("crates/delassus/tests/reference/{id}.csv"))).unwrap();
    let times = reference.column("t").unwrap();
    let names: Vec<&str> = match limit {
        Rms(_) => reference.names.iter().map(String::as_str).filter(|n| *n != "t").collect(),
        Max(_, names) => names.to_vec(),
    };
    let (mut max, mut sum) = (0.0_f64, 0.0);
    for name in &names {
        let (want, got) = (reference.column(name).unwrap(), out.results.get(name).unwrap());
        let mut k = 0;
        for (t, w) in times.iter().zip(want) {
            while (out.results.t[k] - t).abs() > 1e-9 {
                k += 1;
            }
            let d = (got[k] - w).abs();
            max = max.max(d);
            sum += d * d / times.len() as f64;
        }
    }
    match limit {
        Rms(_) => (sum / names.len() as f64).sqrt(),
        Max(..) => max,
    }
}

enum By {
    Rtol(f64),
    Step(f64),
}
use By::{Rtol, Step};

fn case(id: &str, limit: Limit, energy: Option<f64>, by: By) {
    let m = load(&format!("benchmarks/{id}.toml"));
    for method in ["gen-alpha-index2", "gen-alpha-ggl"] {
        let out = run(&m, method, |o| match by {
            Rtol(r) => o.rtol = Some(r),
            Step(h) => o.step = Some(h),
        });
        let e = error(id, &out, &limit);
        let s = &out.summary;
        println!(
            "{id} {method}: {e:.2e}, energy {:.2e} J, drift {:.1e} {:.1e}, {} steps, {} hops",
            s.energy_error, s.max_position_drift, s.max_velocity_drift, s.steps, s.singular_hops
        );
        let (Rms(l) | Max(l, _)) = limit;
        assert!(e <= l, "{id} {method}: {e:.3e} > {l:.0e}");
        if let Some(l) = energy {
            assert!(s.energy_error <= l, "{id} {method}: {:.3e} J > {l:.1e}", s.energy_error);
        }
        // positions drift with order 2 on index 2; the stabilised form leaves them alone at a
        // singular position and puts them right after it
        let singular = ["A1", "A3", "B2"].iter().any(|s| id.starts_with(s));
        let drift = match (method, singular) {
            ("gen-alpha-ggl", false) => 1e-12,
            ("gen-alpha-ggl", true) => 1e-7,
            _ => 1e-5,
        };
        assert!(s.max_position_drift < drift, "{id} {method}: {:e}", s.max_position_drift);
    }
}

const XYZ: &[&str] = &["x", "y", "z"];

#[test]
fn a1() {
    case("A1_slider_crank_case1", Rms(2e-4), Some(1e-3), Rtol(1e-7));
}
#[test]
fn a2() {
    case("A2_slider_crank_case2", Rms(5e-3), None, Rtol(1e-7));
}
#[test]
fn a3() {
    case("A3_slider_crank_case3", Rms(1e-2), None, Rtol(1e-7));
}
#[test]
fn b1() {
    case("B1_simple_pendulum", Max(1e-5, &["x", "y"]), Some(5e-5), Rtol(4e-9));
}
#[test]
fn b2_n2() {
    case("B2_n_four_bar_N2", Max(1e-3, &["xB0", "yB0"]), Some(1e-3), Rtol(5e-8));
}
#[test]
fn b2_n40() {
    case("B2_n_four_bar_N40", Max(1e-3, &["xB0", "yB0"]), Some(1e-3), Rtol(3e-8));
}
#[test]
fn b4() {
    case("B4_bricard", Max(1e-4, &["xP3", "yP3", "zP3"]), Some(1e-3), Rtol(1e-7));
}
#[test]
fn b5() {
    case("B5_flyball_governor", Max(1e-4, &["s"]), None, Rtol(1e-7));
}
#[test]
fn d1() {
    case("D1_four_bar", Max(1e-6, &["phi1", "phi2", "phi3"]), None, Step(2e-5));
}
#[test]
fn d2() {
    case("D2_slider_crank", Max(1e-6, &["alpha1", "alpha2", "x_slider"]), None, Rtol(5e-10));
}
#[test]
fn i1() {
    case("I1_heavy_top", Max(1e-6, XYZ), None, Rtol(1e-9));
}
#[test]
fn i2() {
    case("I2_free_rigid_body", Max(1e-6, &["W1", "W2", "W3"]), Some(2.5e-9), Step(5e-6));
}
#[test]
fn i3() {
    let columns = &["crank_angle", "slider_x"];
    case("I3_spatial_slider_crank", Max(1e-4, columns), None, Rtol(2e-9));
}
#[test]
fn i4() {
    case("I4_spherical_pendulum", Max(1e-6, XYZ), None, Rtol(5e-9));
}
#[test]
fn i5() {
    case("I5_gyroscope", Max(1e-6, XYZ), None, Step(5e-6));
}

/// Andrews' mechanism has no reference at its samples; energy must be kept.
#[test]
fn b3_keeps_its_energy() {
    let m = load("benchmarks/B3_andrews_50ms.toml");
    for method in ["gen-alpha-index2", "gen-alpha-ggl"] {
        let e = run(&m, method, |o| o.rtol = Some(1e-7)).summary.energy_error;
        println!("B3 {method}: energy {e:.2e} J");
        assert!(e < 1e-5, "{method}: {e:e}");
    }
}

/// Index 3 stopped with a vanishing step at a singular position when it began afresh there.
#[test]
fn index_3_passes_singular_positions_at_tight_tolerances() {
    let m = load("benchmarks/B2_n_four_bar_N2.toml");
    let out = run(&m, "gen-alpha", |o| o.rtol = Some(1e-8));
    let e = error("B2_n_four_bar_N2", &out, &Max(1e-3, &["xB0", "yB0"]));
    println!("N2 gen-alpha: {e:.1e}, energy {:.1e} J", out.summary.energy_error);
    assert!(e < 2e-4 && out.summary.energy_error < 2e-4);
}

/// Models with a rolling disc, a controller, gears, bushings and redundant joints against `mdop5`.
#[test]
fn everything_that_is_hard_runs_in_all_forms() {
    for (file, end) in [
        ("rolling_disc.toml", 1.0),
        ("motor_pid.toml", 1.0),
        ("gear_train.toml", 1.0),
        ("vehicle_bushing.toml", 1.0),
        ("four_bar_tripled.toml", 0.3),
        ("benchmarks/C1_car_axis.toml", 1.0),
    ] {
        let m = load(file);
        let exact = run(&m, "mdop5", |o| (o.rtol, o.t_end) = (Some(1e-10), end));
        let sensors: Vec<&str> = m
            .system
            .model()
            .sensors
            .iter()
            .filter(|s| !matches!(s.measure, delassus::model::Measure::Reaction(..)))
            .map(|s| s.name.as_str())
            // changes of energy are to be compared with the energy, which no sensor gives
            .filter(|n| exact.results.get(n).is_some() && !n.contains("energy"))
            .collect();
        assert!(!sensors.is_empty(), "{file}");
        for method in ["gen-alpha", "gen-alpha-index2", "gen-alpha-ggl", "hht", "newmark"] {
            let out = run(&m, method, |o| (o.rtol, o.t_end) = (Some(2e-8), end));
            let mut worst = 0.0_f64;
            for name in &sensors {
                let (a, b) = (exact.results.get(name).unwrap(), out.results.get(name).unwrap());
                let size = a.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                let d = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                worst = worst.max(d / size);
            }
            println!("{file} {method}: {worst:.1e}, {} steps", out.summary.steps);
            assert!(worst < 1e-4, "{file} {method}: {worst:e}");
        }
    }
}
