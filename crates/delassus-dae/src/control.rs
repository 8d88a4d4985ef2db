//! Error norms and step-size control, outside the methods.

use crate::problem::Scales;
use crate::state::{Derived, State};

/// What accuracy is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Relative to the model's size and speed.
    pub rtol: f64,
    /// Absolute, SI; added to the relative part.
    pub atol: f64,
}

/// Local error of an attempt in tangent coordinates; an empty part is not judged.
#[derive(Debug, Clone, Copy)]
pub struct ErrorView<'a> {
    /// Positions.
    pub xi: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Auxiliary states.
    pub z: &'a [f64],
    /// A second estimate, of lower order.
    pub second: Option<SecondError<'a>>,
}

/// A second, coarser estimate. The two are combined to e₁² / √(e₁² + (w e₂)²), which behaves
/// like a higher power of h than e₁ and stays sound where e₁ vanishes by chance.
#[derive(Debug, Clone, Copy)]
pub struct SecondError<'a> {
    /// Positions.
    pub xi: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Auxiliary states.
    pub z: &'a [f64],
    /// w.
    pub weight: f64,
}

/// Weights of the error norm.
///
/// Positions are measured against the model's size (or one radian), velocities against that
/// size times the fastest rate seen so far, so a model scaled to other units takes the same
/// steps, and moving the origin does not loosen the tolerance.
#[derive(Debug, Clone)]
pub struct ErrorScale {
    tol: Tolerances,
    scale: Vec<f64>,
    /// Fastest rate seen, 1/s.
    rate: f64,
    z: Vec<f64>,
}

impl ErrorScale {
    /// Weights for a problem with these scales.
    pub fn new(tol: Tolerances, scales: &Scales, nz: usize) -> ErrorScale {
        ErrorScale { tol, scale: scales.q.clone(), rate: 0.0, z: vec![0.0; nz] }
    }

    /// The slowest rate that matters, 1/s: for a run, one over its span. A velocity error of
    /// `rtol` times size times this rate moves nothing by more than `rtol` times its size until
    /// the end. Without it a system in equilibrium is judged against its own round-off.
    pub fn set_least_rate(&mut self, rate: f64) {
        self.rate = self.rate.max(rate);
    }

    /// Takes note of a state that was reached.
    pub fn observe(&mut self, s: &State, d: &Derived) {
        let mut rate = self.rate;
        for i in 0..self.scale.len() {
            rate = rate.max(s.v[i].abs() / self.scale[i]);
            // √(a/L): the rate a system at rest is about to reach.
            rate = rate.max((0.1 * d.a[i].abs() / self.scale[i]).sqrt());
        }
        self.rate = rate;
        for i in 0..self.z.len() {
            let typical = if rate > 0.0 { d.zdot[i].abs() / rate } else { 0.0 };
            self.z[i] = self.z[i].max(s.z[i].abs()).max(typical);
        }
    }

    /// Fastest rate seen so far, 1/s, or the least one that matters.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Root mean square of the weighted error; ≤ 1 is good enough.
    pub fn norm(&self, e: &ErrorView<'_>) -> f64 {
        let first = self.rms(e.xi, e.v, e.z);
        match &e.second {
            Some(s) if first > 0.0 => {
                first * first / first.hypot(s.weight * self.rms(s.xi, s.v, s.z))
            }
            _ => first,
        }
    }

    /// Root mean square of a vector with the weights of the error norm.
    pub fn rms(&self, xi: &[f64], v: &[f64], z: &[f64]) -> f64 {
        let Tolerances { rtol, atol } = self.tol;
        let tiny = f64::MIN_POSITIVE.sqrt();
        let mut sum = 0.0;
        for (x, s) in xi.iter().zip(&self.scale) {
            sum += sq(x / (atol + rtol * s));
        }
        for (x, s) in v.iter().zip(&self.scale) {
            sum += sq(x / (atol + rtol * s * self.rate + tiny));
        }
        for (x, s) in z.iter().zip(&self.z) {
            sum += sq(x / (atol + rtol * s + tiny));
        }
        let n = xi.len() + v.len() + z.len();
        if n == 0 { 0.0 } else { (sum / n as f64).sqrt() }
    }

    /// Largest error of a position, in sizes of the model (or radians).
    pub fn largest_position(&self, e: &ErrorView<'_>) -> f64 {
        let sizes = e.xi.iter().zip(&self.scale).map(|(x, s)| x.abs() / s);
        sizes.fold(0.0, |m: f64, x| if x > m || x.is_nan() { x } else { m })
    }

    /// The (at most three) coordinates with the largest weighted error, worst first.
    /// Does not allocate when `out` has room for three.
    pub fn worst(&self, e: &ErrorView<'_>, out: &mut Vec<usize>) {
        let Tolerances { rtol, atol } = self.tol;
        let weight = |i: usize| {
            let s = self.scale[i];
            let xi = e.xi.get(i).map_or(0.0, |x| (x / (atol + rtol * s)).abs());
            let v = e.v.get(i).map_or(0.0, |x| (x / (atol + rtol * s * self.rate)).abs());
            xi.max(v)
        };
        out.clear();
        for i in 0..self.scale.len() {
            let w = weight(i);
            let at = out.iter().position(|k| w > weight(*k)).unwrap_or(out.len());
            if at < 3 {
                out.truncate(2);
                out.insert(at.min(out.len()), i);
            }
        }
    }

    /// A careful first step for a method of this order.
    pub fn first_step(&self, order: u32, span: f64) -> f64 {
        if self.rate <= 0.0 {
            return span;
        }
        let tol = (self.tol.rtol + self.tol.atol).max(1e-14);
        (0.5 * tol.powf(1.0 / f64::from(order)) / self.rate).min(span)
    }
}

fn sq(x: f64) -> f64 {
    x * x
}

/// PI step-size control (Gustafsson; constants of DOPRI5 for order 5).
#[derive(Debug, Clone)]
pub struct StepControl {
    exponent: f64,
    beta: f64,
    grow: f64,
    err_old: f64,
    rejected: bool,
}

/// Safety factor on the predicted step. The usual 0.9 rejects every fifth attempt on mechanisms
/// that speed up and slow down (A1: 60 of 300 attempts, against 6 of 264 with 0.8 at equal
/// error), and a rejected attempt costs as much as a step.
const SAFETY: f64 = 0.8;

impl StepControl {
    /// Control for an error measure that behaves like h to the power `order`.
    pub fn new(order: u32) -> StepControl {
        let mut control =
            StepControl { exponent: 0.0, beta: 0.0, grow: 0.0, err_old: 1e-4, rejected: false };
        control.set_order(order);
        control
    }

    /// The error measure behaves like h to the power `order` from now on.
    pub fn set_order(&mut self, order: u32) {
        self.beta = 0.2 / f64::from(order);
        self.exponent = 1.0 / f64::from(order) - 0.75 * self.beta;
        self.grow = if order >= 4 { 5.0 } else { 2.0 };
    }

    /// Factor for the next step after an accepted one with this error.
    pub fn accepted(&mut self, err: f64) -> f64 {
        let e = err.max(1e-10);
        let fac = SAFETY * self.err_old.powf(self.beta) / e.powf(self.exponent);
        let max = if self.rejected { 1.0 } else { self.grow };
        self.err_old = e.max(1e-4);
        self.rejected = false;
        fac.clamp(0.2, max)
    }

    /// Factor after a rejected attempt with this error.
    pub fn rejected(&mut self, err: f64) -> f64 {
        self.rejected = true;
        (SAFETY / err.powf(self.exponent)).clamp(0.1, 0.9)
    }

    /// Factor after an attempt that failed without an error estimate.
    pub fn failed(&mut self) -> f64 {
        self.rejected = true;
        0.25
    }
}
