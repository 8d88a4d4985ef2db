//! What the tests on models share: loading, running, the reference solutions and the limits of
//! the benchmark problems.
//!
//! `reference/README.md` says where the reference numbers come from.
#![allow(dead_code, unused_macros, reason = "every test file uses its own part")]

use delassus::io::results::{CsvTable, read_csv};
use delassus::math::{max_abs, max_difference};
use delassus::model::spec::ModelSpec;
use delassus::model::{Assembled, Measure, System, assemble, compile_with};
use delassus::sim::{RunOptions, RunOutcome, Silent};
use std::path::{Path, PathBuf};

/// A file of `models`.
pub fn model_path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(file)
}

/// The description in a file of `models`.
pub fn spec(file: &str) -> ModelSpec {
    let loaded = delassus::io::model_file::load(&model_path(file), &Default::default());
    loaded.unwrap_or_else(|e| panic!("{file}: {e:?}")).spec
}

/// The description in a text.
pub fn parsed(text: &str) -> ModelSpec {
    delassus::io::model_file::parse_str(text, "m.toml", &Default::default()).unwrap().spec
}

/// A model with some parameters changed.
pub fn assembled(spec: &ModelSpec, set: &[(&str, &str)]) -> Assembled {
    let set: Vec<(String, String)> =
        set.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assemble(System::new(compile_with(spec, &set).unwrap()).unwrap()).unwrap()
}

/// A model of `models`, with some parameters changed.
pub fn load(file: &str, set: &[(&str, &str)]) -> Assembled {
    assembled(&spec(file), set)
}

/// Runs a model with the settings of its file, changed; the run may end with an error.
pub fn try_run(m: &Assembled, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    let mut o = RunOptions::from_model(m.system.model());
    change(&mut o);
    delassus::sim::run(m, &o, &mut Silent).unwrap()
}

/// Runs a model to its end.
pub fn run(m: &Assembled, change: impl FnOnce(&mut RunOptions)) -> RunOutcome {
    let out = try_run(m, change);
    let s = &out.summary;
    assert!(out.error.is_none(), "{} {}: {:?}", s.model, s.method, out.error);
    out
}

/// Sensors other than reactions: those do not depend on how constraints are written.
pub fn motions(m: &Assembled) -> Vec<&str> {
    let s = m.system.model().sensors.iter();
    s.filter(|s| !matches!(s.measure, Measure::Reaction(..))).map(|s| s.name.as_str()).collect()
}

/// Largest difference of two runs over the named sensors, relative to size (at least 1), and
/// its sensor.
pub fn difference<'a>(names: &[&'a str], a: &RunOutcome, b: &RunOutcome) -> (f64, &'a str) {
    let mut worst = (0.0, "");
    let mut compared = 0;
    for name in names {
        let (Some(x), Some(y)) = (a.results.get(name), b.results.get(name)) else { continue };
        compared += 1;
        let d = max_difference(x, y);
        let size = max_abs(x.iter().chain([&1.0]));
        if !(d / size <= worst.0) {
            worst = (d / size, name);
        }
    }
    assert!(compared > 0);
    worst
}

/// A reference solution.
pub fn reference(id: &str) -> CsvTable {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reference/{id}.csv"));
    read_csv(&file).unwrap()
}

/// How a result is judged.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// eps_T over all columns of the reference: √((1/n) Σ_j (1/m) Σ_i Δ²).
    EpsT(f64),
    /// Largest |Δ| over the named columns.
    Max(f64, &'static [&'static str]),
}

use Limit::{EpsT, Max};

impl Limit {
    /// The number that may not be exceeded.
    pub fn value(&self) -> f64 {
        let (EpsT(x) | Max(x, _)) = self;
        *x
    }

    /// Error of a run against the reference of this id.
    pub fn error(&self, id: &str, out: &RunOutcome) -> f64 {
        let names = match self {
            EpsT(_) => None,
            Max(_, names) => Some(*names),
        };
        let (max, eps) = errors(id, out, names);
        if names.is_some() { max } else { eps }
    }
}

/// Largest |Δ| and eps_T over the named columns of a reference, or over all.
pub fn errors(id: &str, out: &RunOutcome, names: Option<&[&str]>) -> (f64, f64) {
    let table = reference(id);
    // every reference sample must be met by one of ours
    let mut k = 0;
    let mut at = Vec::new();
    for t in table.column("t").unwrap() {
        while (out.results.t[k] - t).abs() > 1e-9 {
            k += 1;
            assert!(k < out.results.t.len(), "{id}: no sample at t = {t}");
        }
        at.push(k);
    }
    let all: Vec<&str> = table.names.iter().map(String::as_str).filter(|n| *n != "t").collect();
    let names = names.unwrap_or(&all);
    let (mut max, mut sum) = (0.0f64, 0.0);
    for name in names {
        let want = table.column(name).unwrap();
        let got = out.results.get(name).unwrap_or_else(|| panic!("{id}: no sensor {name}"));
        let mut square = 0.0;
        for (w, k) in want.iter().zip(&at) {
            let d = (got[*k] - w).abs();
            // not `max`: it would pass over NaN
            max = if d <= max { max } else { d };
            square += d * d;
        }
        sum += square / want.len() as f64;
    }
    (max, (sum / names.len() as f64).sqrt())
}

/// A benchmark problem: a model of `models/benchmarks` and what a good solution satisfies.
pub struct Benchmark {
    /// Name of the model and of the reference.
    pub id: &'static str,
    /// Limit of the error against the reference.
    pub limit: Option<Limit>,
    /// Largest |energy balance|, J.
    pub energy: Option<f64>,
}

const XYZ: &[&str] = &["x", "y", "z"];

/// Limits are those of the problem definitions; a tolerance is never tuned per platform.
#[rustfmt::skip]
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { id: "A1_slider_crank_case1", limit: Some(EpsT(2e-4)), energy: Some(1e-3) },
    Benchmark { id: "A2_slider_crank_case2", limit: Some(EpsT(5e-3)), energy: None },
    Benchmark { id: "A3_slider_crank_case3", limit: Some(EpsT(1e-2)), energy: None },
    Benchmark { id: "B1_simple_pendulum", limit: Some(Max(1e-5, &["x", "y"])), energy: Some(5e-5) },
    Benchmark { id: "B2_n_four_bar_N2", limit: Some(Max(1e-3, &["xB0", "yB0"])), energy: Some(1e-3) },
    Benchmark { id: "B2_n_four_bar_N40", limit: Some(Max(1e-3, &["xB0", "yB0"])), energy: Some(1e-3) },
    // no reference at its samples
    Benchmark { id: "B3_andrews_50ms", limit: None, energy: Some(1e-5) },
    Benchmark { id: "B4_bricard", limit: Some(Max(1e-4, &["xP3", "yP3", "zP3"])), energy: Some(1e-3) },
    Benchmark { id: "B5_flyball_governor", limit: Some(Max(1e-4, &["s"])), energy: None },
    Benchmark { id: "D1_four_bar", limit: Some(Max(1e-6, &["phi1", "phi2", "phi3"])), energy: None },
    Benchmark { id: "D2_slider_crank", limit: Some(Max(1e-6, &["alpha1", "alpha2", "x_slider"])), energy: None },
    Benchmark { id: "I1_heavy_top", limit: Some(Max(1e-6, XYZ)), energy: None },
    Benchmark { id: "I2_free_rigid_body", limit: Some(Max(1e-6, &["W1", "W2", "W3"])), energy: Some(2.5e-9) },
    Benchmark { id: "I3_spatial_slider_crank", limit: Some(Max(1e-4, &["crank_angle", "slider_x"])), energy: None },
    Benchmark { id: "I4_spherical_pendulum", limit: Some(Max(1e-6, XYZ)), energy: None },
    Benchmark { id: "I5_gyroscope", limit: Some(Max(1e-6, XYZ)), energy: None },
];

/// One test per method and benchmark: `every_benchmark!(hem5 "hem5", phem56 "phem56")` makes a
/// module for each method whose tests call `run_case(id, method)` of the file.
macro_rules! every_benchmark {
    ($($module:ident $method:literal),*) => {
        $(mod $module { every_benchmark! { @list $method } })*
    };
    (@list $method:literal) => {
        every_benchmark! {
            @tests $method;
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
    };
    (@tests $method:literal; $($name:ident $id:literal;)*) => {
        $(#[test] fn $name() { super::run_case($id, $method); })*
        #[test]
        fn every_case_is_run() {
            assert_eq!([$($id),*].len(), super::support::BENCHMARKS.len());
        }
    };
}

/// The first benchmark whose id begins like this.
pub fn benchmark(id: &str) -> &'static Benchmark {
    BENCHMARKS.iter().find(|b| b.id.starts_with(id)).unwrap_or_else(|| panic!("no benchmark {id}"))
}

impl Benchmark {
    /// Its model.
    pub fn load(&self) -> Assembled {
        load(&format!("benchmarks/{}.toml", self.id), &[])
    }

    /// Compares a run with the limits.
    pub fn check(&self, method: &str, out: &RunOutcome) {
        let (id, s) = (self.id, &out.summary);
        assert!(out.error.is_none(), "{id} {method}: {:?}", out.error);
        let error = self.limit.map(|l| (l.error(id, out), l.value()));
        let error_text =
            error.map_or(String::new(), |(e, limit)| format!("{e:.1e} of {limit:.0e}, "));
        println!(
            "{id} {method}: {error_text}energy {:.1e} J, drift {:.1e} {:.1e}, {} steps, {} rejected, \
             {} hops, {} evaluations, {:.2} s",
            s.energy_error,
            s.max_position_drift,
            s.max_velocity_drift,
            s.steps,
            s.rejected,
            s.singular_hops,
            s.evaluations,
            s.wall_s
        );
        if let Some((e, limit)) = error {
            assert!(e <= limit, "{id} {method}: error {e:.3e} > {limit:.0e}");
        }
        if let Some(limit) = self.energy {
            let e = s.energy_error;
            assert!(e <= limit, "{id} {method}: energy error {e:.3e} J > {limit:.1e}");
        }
    }
}
