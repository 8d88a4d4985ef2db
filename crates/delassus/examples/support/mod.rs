//! What the measuring programs share: models, a clock, and the error measure of problem A1.

#![allow(dead_code)] // each program uses a part

use delassus::dae::integrator::make;
use delassus::dae::{Accel, Derived, Options, Problem, Settings, State, Tolerances};
use delassus::io::model_file::{self, Limits};
use delassus::model::{self, Assembled, System};
use delassus::sim::{Driver, DriverOptions, RunOptions};
use std::error::Error;
use std::path::{Path, PathBuf};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A model file, assembled.
pub fn load(name: &str) -> Outcome<Assembled> {
    Ok(delassus::load(repository().join("models").join(name))?)
}

/// The slider-crank of problem A1.
pub fn a1() -> Outcome<Assembled> {
    load("benchmarks/A1_slider_crank_case1.toml")
}

/// The mechanism of N windows.
pub fn n_four_bar(n: usize) -> Outcome<Assembled> {
    let path = repository().join("models/n_four_bar.toml");
    let spec = model_file::load(&path, &Limits::default())?.spec;
    let set = [("N".to_owned(), n.to_string())];
    let text = |faults| format!("n_four_bar with N = {n}: {faults:?}");
    let compiled = model::compile_with(&spec, &set).map_err(text)?;
    Ok(model::assemble(System::new(compiled).map_err(text)?).map_err(text)?)
}

/// A driver without recorder.
pub fn driver(model: &Assembled, options: &RunOptions) -> Outcome<Driver<System>> {
    let tol = Tolerances { rtol: options.rtol.unwrap_or(1e-8), atol: options.atol.unwrap_or(0.0) };
    let settings = Settings { tol, options: options.options.clone(), ..Settings::default() };
    let method = make(&options.method, &*model.system, &settings).ok_or("no such method")??;
    let options =
        DriverOptions { tol, step: options.step, max_step: f64::INFINITY, max_steps: u64::MAX };
    Ok(Driver::new(&*model.system, method, model.state.clone(), options)?)
}

/// Steps to the end without recording anything.
pub fn integrate(model: &Assembled, options: &RunOptions) -> Outcome<Driver<System>> {
    let mut driver = driver(model, options)?;
    while !reached(&driver, options.t_end) {
        driver.advance(&model.system)?;
    }
    Ok(driver)
}

/// Whether a driver has reached a time, apart from rounding.
pub fn reached(driver: &Driver<System>, t: f64) -> bool {
    driver.state().t >= t - 1e-12 * t.abs()
}

/// Fixed steps with the method and spectral radius the peers use on problem A1.
pub fn gen_alpha(model: &Assembled, step: f64, t_end: f64) -> RunOptions {
    RunOptions {
        method: "gen-alpha".to_owned(),
        step: Some(step),
        options: Options::default().with("rho_inf", 0.8),
        t_end,
        ..RunOptions::from_model(model.system.model())
    }
}

/// Accelerations and multipliers of a model at one state, again and again.
pub struct Evaluator<'a> {
    system: &'a System,
    ws: <System as Problem>::Ws,
    accel: Accel,
    state: State,
    out: Derived,
}

impl<'a> Evaluator<'a> {
    /// At a state a few steps after the start.
    pub fn new(model: &'a Assembled) -> Outcome<Evaluator<'a>> {
        let mut driver = driver(model, &RunOptions::from_model(model.system.model()))?;
        for _ in 0..5 {
            driver.advance(&model.system)?;
        }
        let system = &*model.system;
        Ok(Evaluator {
            system,
            ws: system.workspace(),
            accel: Accel::new(system)?,
            state: driver.state().clone(),
            out: driver.derived().clone(),
        })
    }

    /// One evaluation: kinematics, forces, factorisation, solution.
    pub fn eval(&mut self) -> Outcome<()> {
        let (s, o) = (&self.state, &mut self.out);
        Ok(self.accel.eval(
            self.system,
            &mut self.ws,
            s.t,
            &s.q,
            &s.v,
            &s.z,
            &mut o.a,
            &mut o.lambda,
            &mut o.zdot,
        )?)
    }
}

/// CPU time of this thread, s. Unlike a clock on the wall it does not count what other
/// programs take away from a busy machine.
#[cfg(unix)]
pub fn cpu_time() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}

/// Time since the first call, s.
#[cfg(not(unix))]
pub fn cpu_time() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Seconds that `work` takes.
pub fn seconds<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<f64> {
    let start = cpu_time();
    std::hint::black_box(work()?);
    Ok(cpu_time() - start)
}

/// The smallest of several timings of `work`, s.
pub fn best<T>(repetitions: usize, mut work: impl FnMut() -> Outcome<T>) -> Outcome<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..repetitions {
        best = best.min(seconds(&mut work)?);
    }
    Ok(best)
}

/// Crank angle and slider position of problem A1 at every sample.
#[derive(Default)]
pub struct A1Motion {
    pub angle: Vec<f64>,
    pub slider: Vec<f64>,
}

/// The reference solution of problem A1.
pub fn a1_reference() -> Outcome<A1Motion> {
    let path = repository().join("crates/delassus/tests/reference/A1_slider_crank_case1.csv");
    let mut motion = A1Motion::default();
    for line in std::fs::read_to_string(path)?.lines().skip(1) {
        let mut cells = line.split(',').skip(1).map(str::parse::<f64>);
        motion.angle.push(cells.next().ok_or("no angle")??);
        motion.slider.push(cells.next().ok_or("no position")??);
    }
    Ok(motion)
}

/// Root of the mean square of the differences over both columns.
pub fn eps_t(angle: &[f64], slider: &[f64], reference: &A1Motion) -> f64 {
    let m = reference.angle.len();
    if angle.len() != m || slider.len() != m {
        return f64::INFINITY;
    }
    let squares = |x: &[f64], r: &[f64]| x.iter().zip(r).map(|(x, r)| (x - r).powi(2)).sum::<f64>();
    let sum = squares(angle, &reference.angle) + squares(slider, &reference.slider);
    (sum / (2 * m) as f64).sqrt()
}
