//! Explicit Runge–Kutta methods on the index-1 form: one implementation for all tableaus and for every way of computing
//! accelerations.
//!
//! ```text
//! ξᵢ = h Σⱼ aᵢⱼ kⱼ        kⱼ = T(ξⱼ)⁻¹ vⱼ          qᵢ = q₀ ∘ exp(ξᵢ)
//! vᵢ = v₀ + h Σⱼ aᵢⱼ v̇ⱼ    zᵢ = z₀ + h Σⱼ aᵢⱼ żⱼ
//! v̇ᵢ, λᵢ, żᵢ from the index-1 equations at (t₀ + cᵢ h, qᵢ, vᵢ, zᵢ) by an [`Evaluator`]
//! ```
//!
//! and the same with weights b for the end of the step. On rotations these are the stages of
//! Munthe-Kaas, so the order is kept on the group. The derivative at the end is always
//! evaluated: output needs it, it is the first stage of the next step, and a tableau may use it
//! in its error estimate. So a tableau of s stages costs s evaluations per step.
//!
//! Constraints hold at acceleration level only and drift, unless the evaluator prevents it; that of the plain methods
//! is [`direct`].
//!
//! Use these methods for non-stiff systems; [`Integrator::stiffness`] shows when they are at their limit. References
//! are given with the tableaus; for the method in general: Munthe-Kaas, BIT 38 (1998); Hairer, Nørsett & Wanner,
//! Solving Ordinary Differential Equations I (1993); Haddouni, Acary, Garreau, Beley & Brogliato, Multibody Syst. Dyn.
//! 41 (2017) for the projected variant.

mod direct;
pub(super) mod dop853;
pub(super) mod dopri5;
mod driver;
mod evaluator;
#[cfg(test)]
mod order_conditions;
pub(super) mod rk4;
pub(super) mod rkf45;
mod stabilization;

pub use direct::Direct;
pub(super) use driver::{DRIVER, driven};
pub(super) use evaluator::{Evaluator, Rates, StagePoint};

use super::combine::combine;
use super::{AT_BORDER, Integrator, MethodInfo};
use crate::control::{ErrorView, SecondError};
use crate::failure::{StepFailure, Work};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_math::memory::Remember;
use delassus_math::remember;

/// A method of the family: its description and its coefficients.
pub(super) struct Method {
    /// Name, order, abilities.
    pub info: MethodInfo,
    tableau: Tableau,
}

/// Coefficients of an explicit method with s stages. "Stage s" is the derivative at the end.
pub(super) struct Tableau {
    /// Nodes of the stages.
    pub c: &'static [f64],
    /// Weights of the stages before each stage.
    pub a: &'static [&'static [f64]],
    /// Weights of the solution.
    pub b: &'static [f64],
    /// Weights of the error estimate, up to s + 1; empty without one.
    pub error: &'static [f64],
    /// Weights of a second estimate of lower order.
    second: &'static [f64],
    /// A stage at the end time (c = 1), to be compared with the end itself.
    twin: usize,
    /// h‖J‖ at the border of the stability region, left of the imaginary axis.
    border: f64,
}

/// Weight of the second estimate: √0.01 in the published error formula of DOP853.
const SECOND_WEIGHT: f64 = 0.1;

/// A method with its memory; `E` computes the accelerations.
pub struct Explicit<E> {
    info: MethodInfo,
    tableau: &'static Tableau,
    eval: E,
    /// Derivatives of ξ, v and z at the stages and at the end.
    k_xi: Vec<Vec<f64>>,
    k_v: Vec<Vec<f64>>,
    k_z: Vec<Vec<f64>>,
    x: StagePoint,
    /// Where the twin of the end was evaluated.
    twin_xi: Vec<f64>,
    twin_v: Vec<f64>,
    /// 1/scale² per velocity coordinate.
    weight: Vec<f64>,
    stiffness: Option<f64>,
    error: Error,
    second: Error,
    start: Derived,
    end: Derived,
}
remember!(Explicit<E: Remember> { eval, start } apart from {
    info, tableau, k_xi, k_v, k_z, x, twin_xi, twin_v, weight, stiffness, error, second, end,
});

/// An error estimate; its parts are empty where the method has none.
#[derive(Default)]
struct Error {
    xi: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
}

impl Error {
    fn new(weights: &[f64], nv: usize, nz: usize) -> Error {
        if weights.is_empty() {
            return Error::default();
        }
        Error { xi: vec![0.0; nv], v: vec![0.0; nv], z: vec![0.0; nz] }
    }
}

impl<E> Explicit<E> {
    /// Allocates everything for a problem.
    fn with<P: Problem>(
        p: &P,
        info: MethodInfo,
        tableau: &'static Tableau,
        eval: E,
    ) -> Explicit<E> {
        let d = p.dims();
        let stages = |n: usize| vec![vec![0.0; n]; tableau.b.len() + 1];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Explicit {
            info,
            tableau,
            eval,
            k_xi: stages(d.nv),
            k_v: stages(d.nv),
            k_z: stages(d.nz),
            x: StagePoint::new(d),
            twin_xi: vec![0.0; d.nv],
            twin_v: vec![0.0; d.nv],
            weight: p.scales().q.iter().map(|s| 1.0 / (s * s)).collect(),
            stiffness: None,
            error: Error::new(tableau.error, d.nv, d.nz),
            second: Error::new(tableau.second, d.nv, d.nz),
            start: derived.clone(),
            end: derived,
        }
    }

    /// h‖k₁ − k₂‖ / ‖y₁ − y₂‖ for the end and its twin, relative to the border of stability: an estimate of h‖J‖ that
    /// needs no Jacobian. With y = (ξ, h v) both parts have the same units, and near the border, where h ω is about 1,
    /// both measure h ω on a vibration. Far beyond it they do not, and y = (ξ, v/Ω) with Ω the rate itself is used
    /// instead ([`Apart`]).
    fn compare_with_twin(&mut self, h: f64) {
        let Tableau { twin, border, b, .. } = self.tableau;
        let (k_xi, k_v, x) = (&self.k_xi, &self.k_v, &self.x);
        let mut d = Apart::default();
        for (i, w) in self.weight.iter().enumerate() {
            let dx = x.xi[i] - self.twin_xi[i];
            let dv = x.v[i] - self.twin_v[i];
            let kx = k_xi[b.len()][i] - k_xi[*twin][i];
            let kv = k_v[b.len()][i] - k_v[*twin][i];
            d.xi += w * dx * dx;
            d.v += w * dv * dv;
            d.xi_dot += w * kx * kx;
            d.v_dot += w * kv * kv;
        }
        self.stiffness = (d.xi + h * h * d.v > 0.0).then(|| {
            let ratio = h * d.rate(1.0 / h) / border;
            // beyond the border in any case, but by how much?
            match d.own_rate() {
                Some(omega) if ratio >= 1.0 => (h * omega / border).max(AT_BORDER),
                _ => ratio,
            }
        });
    }
}

/// Squares of the distances between the end of a step and its twin, and between their rates.
#[derive(Debug, Clone, Copy, Default)]
struct Apart {
    xi: f64,
    v: f64,
    xi_dot: f64,
    v_dot: f64,
}

impl Apart {
    /// ‖(ξ̇, v̇/Ω)‖ / ‖(ξ, v/Ω)‖.
    fn rate(&self, omega: f64) -> f64 {
        let w = 1.0 / (omega * omega);
        ((self.xi_dot + w * self.v_dot) / (self.xi + w * self.v)).sqrt()
    }

    /// The rate measured by itself, Ω = ‖(ξ̇, v̇/Ω)‖ / ‖(ξ, v/Ω)‖: ω of a vibration, however the difference is
    /// distributed over ξ and v. `None` without a difference in ξ.
    fn own_rate(&self) -> Option<f64> {
        let Apart { xi, v, xi_dot, v_dot } = *self;
        let b = xi_dot - v;
        let square = (b + (b * b + 4.0 * xi * v_dot).sqrt()) / (2.0 * xi);
        (square.is_finite() && square > 0.0).then(|| square.sqrt())
    }
}

impl<P: Problem, E: Evaluator<P>> Integrator<P> for Explicit<E> {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.eval.restart(p, ws, s, Rates::of(&mut self.start))
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
        let Tableau { c, a, b, error, second, twin, .. } = self.tableau;
        let stages = b.len();
        self.eval.begin(p, ws, from)?;
        // first stage: the end of the step before
        self.k_xi[0].copy_from_slice(&from.v);
        self.k_v[0].copy_from_slice(&self.start.a);
        self.k_z[0].copy_from_slice(&self.start.zdot);
        let x = &mut self.x;
        for i in 1..=stages {
            let last = i == stages;
            let (node, weights) = if last { (1.0, *b) } else { (c[i], a[i]) };
            x.t = from.t + node * h;
            combine(None, h, weights, &self.k_xi, &mut x.xi);
            combine(Some(&from.v), h, weights, &self.k_v, &mut x.v);
            combine(Some(&from.z), h, weights, &self.k_z, &mut x.z);
            let (k_v, k_z) = (&mut self.k_v[i], &mut self.k_z[i]);
            let out = Rates { a: k_v, lambda: &mut self.end.lambda, zdot: k_z };
            self.eval.stage(p, ws, &from.q, x, last, out)?;
            m.tangent_inv(&x.xi, &x.v, &mut self.k_xi[i]);
            if i == *twin {
                self.twin_xi.copy_from_slice(&x.xi);
                self.twin_v.copy_from_slice(&x.v);
            }
        }
        to.t = x.t;
        to.q.copy_from_slice(&x.q);
        to.v.copy_from_slice(&x.v);
        to.z.copy_from_slice(&x.z);
        self.end.a.copy_from_slice(&self.k_v[stages]);
        self.end.zdot.copy_from_slice(&self.k_z[stages]);
        for (weights, e) in [(error, &mut self.error), (second, &mut self.second)] {
            if !weights.is_empty() {
                combine(None, h, weights, &self.k_xi, &mut e.xi);
                combine(None, h, weights, &self.k_v, &mut e.v);
                combine(None, h, weights, &self.k_z, &mut e.z);
            }
        }
        self.compare_with_twin(h);
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        let Error { xi, v, z } = &self.error;
        let second = (!self.tableau.second.is_empty()).then_some(SecondError {
            xi: &self.second.xi,
            v: &self.second.v,
            z: &self.second.z,
            weight: SECOND_WEIGHT,
        });
        ErrorView { xi, v, z, second }
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

    fn stiffness(&self) -> Option<f64> {
        self.stiffness
    }

    fn leaves_realized(&self) -> bool {
        self.eval.leaves_realized()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Far beyond the border of stability, however position and velocity share in the difference.
    #[test]
    fn the_rate_of_a_vibration_is_measured_by_itself() {
        let omega = 1e6_f64;
        for share in [0.0, 1e-3, 0.3, 1.0, 10.0] {
            // a difference in ξ of 1, one in v of `share` ω
            let v = (share * omega).powi(2);
            let d = Apart { xi: 1.0, v, xi_dot: v, v_dot: omega.powi(4) };
            let rate = d.own_rate().unwrap_or(0.0);
            assert!((rate / omega - 1.0).abs() < 1e-6, "{share}: {rate}");
        }
    }
}
