//! Explicit Runge–Kutta formulas that drive any way of computing accelerations.
//!
//! The stages are those of Munthe-Kaas: ξᵢ = h Σ aᵢⱼ T(ξⱼ)⁻¹ vⱼ, qᵢ = q₀ ∘ exp(ξᵢ). The last row of
//! a tableau is the solution; it is evaluated too, gives a and λ at the end, and is the first
//! stage of the next step.

use super::{Integrator, MethodInfo, OptionInfo, OptionKind, Settings};
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::Problem;
use crate::state::{Derived, State};

/// Which formula.
pub(super) const DRIVER: OptionInfo = OptionInfo {
    name: "driver",
    summary: "explicit formula: dopri5 (order 5, adaptive) or rk4 (order 4, fixed step)",
    kind: OptionKind::Choice { default: "dopri5", choices: &["dopri5", "rk4"] },
};

/// Coefficients of a formula.
#[derive(Clone, Copy)]
struct Tableau {
    c: &'static [f64],
    a: &'static [&'static [f64]],
    /// Weights of the solution minus those of the embedded one; empty: no estimate.
    e: &'static [f64],
}

/// Dormand & Prince 1980.
const DOPRI5: Tableau = Tableau {
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    a: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ],
    e: &[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ],
};

/// Kutta 1901.
const RK4: Tableau = Tableau {
    c: &[0.0, 0.5, 0.5, 1.0, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0], &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]],
    e: &[],
};

/// A point of a step as the formula proposes it; an evaluator may move it onto the constraints.
pub(super) struct StagePoint {
    /// Time.
    pub t: f64,
    /// Increment from the start of the step.
    pub xi: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Auxiliary states.
    pub z: Vec<f64>,
    /// Configuration; the evaluator sets it to q₀ ∘ exp(ξ).
    pub q: Vec<f64>,
}

/// Computes accelerations at the points of a step.
pub(super) trait Evaluator<P: Problem>: Send {
    /// Starts at a consistent state; gives a, λ and ż there.
    fn restart(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        out: &mut Derived,
    ) -> Result<(), StepFailure>;
    /// A step begins.
    fn begin(&mut self, p: &P, ws: &mut P::Ws, from: &State) -> Result<(), StepFailure>;
    /// a, λ and ż at a point of the step that began at q₀; the last one is its end.
    fn stage(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        q0: &[f64],
        x: &mut StagePoint,
        last: bool,
        out: &mut Derived,
    ) -> Result<(), StepFailure>;
    /// Smallest relative pivot since the step began.
    fn weakest_pivot(&self) -> f64;
    /// What was spent.
    fn work(&self) -> Work;
}

/// A formula with an evaluator.
pub(super) struct Driven<E> {
    eval: E,
    info: MethodInfo,
    tableau: Tableau,
    k_xi: Vec<Vec<f64>>,
    k_v: Vec<Vec<f64>>,
    k_z: Vec<Vec<f64>>,
    x: StagePoint,
    err_xi: Vec<f64>,
    err_v: Vec<f64>,
    err_z: Vec<f64>,
    start: Derived,
    end: Derived,
}

impl<E> Driven<E> {
    /// The formula that the option [`DRIVER`] asks for; `info` describes it with `dopri5`.
    pub fn new<P: Problem>(p: &P, s: &Settings, info: MethodInfo, eval: E) -> Driven<E> {
        let d = p.dims();
        let (tableau, info) = match s.options.word(&info, DRIVER.name) {
            "rk4" => {
                let order = [4, 4, 4];
                (RK4, MethodInfo { order, dense_order: 4, adaptive: false, error_order: 4, ..info })
            }
            _ => (DOPRI5, info),
        };
        let stages = tableau.c.len();
        let zeros = |n: usize| vec![0.0; n];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        // without an estimate the error is empty, which is judged as none
        let estimated = |n: usize| zeros(if tableau.e.is_empty() { 0 } else { n });
        Driven {
            eval,
            info,
            k_xi: vec![zeros(d.nv); stages],
            k_v: vec![zeros(d.nv); stages],
            k_z: vec![zeros(d.nz); stages],
            x: StagePoint {
                t: 0.0,
                xi: zeros(d.nv),
                v: zeros(d.nv),
                z: zeros(d.nz),
                q: zeros(d.nq),
            },
            err_xi: estimated(d.nv),
            err_v: estimated(d.nv),
            err_z: estimated(d.nz),
            tableau,
            start: derived.clone(),
            end: derived,
        }
    }
}

/// out = y + h Σ c_j k_j; zero weights are skipped.
fn combine(y: Option<&[f64]>, h: f64, c: &[f64], k: &[Vec<f64>], out: &mut [f64]) {
    match y {
        Some(y) => out.copy_from_slice(y),
        None => out.fill(0.0),
    }
    for (c, k) in c.iter().zip(k) {
        let hc = h * c;
        if hc != 0.0 {
            for (o, k) in out.iter_mut().zip(k) {
                *o += hc * k;
            }
        }
    }
}

impl<P: Problem, E: Evaluator<P>> Integrator<P> for Driven<E> {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.eval.restart(p, ws, s, &mut self.start)
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let m = p.manifold();
        self.eval.begin(p, ws, from)?;
        self.k_xi[0].copy_from_slice(&from.v);
        self.k_v[0].copy_from_slice(&self.start.a);
        self.k_z[0].copy_from_slice(&self.start.zdot);
        let Tableau { c, a, e } = self.tableau;
        for i in 1..c.len() {
            let x = &mut self.x;
            x.t = from.t + c[i] * h;
            combine(None, h, a[i], &self.k_xi, &mut x.xi);
            combine(Some(&from.v), h, a[i], &self.k_v, &mut x.v);
            combine(Some(&from.z), h, a[i], &self.k_z, &mut x.z);
            check_finite("stage", &x.xi)?;
            self.eval.stage(p, ws, &from.q, x, i + 1 == c.len(), &mut self.end)?;
            m.tangent_inv(&x.xi, &x.v, &mut self.k_xi[i]);
            self.k_v[i].copy_from_slice(&self.end.a);
            self.k_z[i].copy_from_slice(&self.end.zdot);
        }
        to.t = from.t + h;
        to.q.copy_from_slice(&self.x.q);
        to.v.copy_from_slice(&self.x.v);
        to.z.copy_from_slice(&self.x.z);
        if !e.is_empty() {
            combine(None, h, e, &self.k_xi, &mut self.err_xi);
            combine(None, h, e, &self.k_v, &mut self.err_v);
            combine(None, h, e, &self.k_z, &mut self.err_z);
        }
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        ErrorView { xi: &self.err_xi, v: &self.err_v, z: &self.err_z, second: None }
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        self.eval.weakest_pivot()
    }

    fn work(&self) -> Work {
        self.eval.work()
    }
}
