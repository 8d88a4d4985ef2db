//! Explicit Runge–Kutta methods on the index-1 form: one machine, driven by tableaus.
//!
//! ```text
//! ξᵢ = h Σⱼ aᵢⱼ kⱼ        kⱼ = T(ξⱼ)⁻¹ vⱼ          qᵢ = q₀ ∘ exp(ξᵢ)
//! vᵢ = v₀ + h Σⱼ aᵢⱼ v̇ⱼ    zᵢ = z₀ + h Σⱼ aᵢⱼ żⱼ
//! v̇ᵢ, λᵢ, żᵢ from the index-1 equations at (t₀ + cᵢ h, qᵢ, vᵢ, zᵢ)
//! ```
//!
//! and the same with weights b for the end of the step. On rotations these are the stages of
//! Munthe-Kaas, so the order is kept on the group. The derivative at the end is always
//! evaluated: output needs it, it is the first stage of the next step, and a tableau may use it
//! in its error estimate. So a tableau of s stages costs s evaluations per step.
//!
//! Constraints hold at acceleration level only and drift, unless something is done about it:
//! see [`stabilization`]. Where the end of the step is projected, the projection stands *before*
//! its derivative. The next step then starts from consistent values, and the factorisation of
//! W(q₁) serves the derivative and the velocity projection, so projecting costs almost nothing.
//!
//! Use these methods for non-stiff systems; [`Integrator::stiffness`] tells when they are at
//! their limit. References are given with the tableaus, for the machine: Munthe-Kaas, BIT 38
//! (1998); Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I (1993); Haddouni,
//! Acary, Garreau, Beley & Brogliato, Multibody Syst. Dyn. 41 (2017) for the projected variant.

pub(super) mod dop853;
pub(super) mod dopri5;
#[cfg(test)]
mod order_conditions;
pub(super) mod rk4;
pub(super) mod rkf45;
mod stabilization;

use super::{Integrator, MethodInfo, Settings};
use crate::accel::{Accel, Baumgarte};
use crate::control::{ErrorView, SecondError};
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{AtVel, Problem};
use crate::projection::Projector;
use crate::state::{Derived, State};
use delassus_linalg::KktError;
use stabilization::Stabilization;

/// A method of the family: what it says about itself, and its coefficients.
pub(super) struct Method {
    /// Name, order, abilities.
    pub info: MethodInfo,
    tableau: Tableau,
}

/// Coefficients of an explicit method with s stages. "Stage s" is the derivative at the end.
struct Tableau {
    /// Nodes of the stages.
    c: &'static [f64],
    /// Weights of the stages before each stage.
    a: &'static [&'static [f64]],
    /// Weights of the solution.
    b: &'static [f64],
    /// Weights of the error estimate, up to s + 1; empty without one.
    error: &'static [f64],
    /// Weights of a second estimate of lower order.
    second: &'static [f64],
    /// A stage at the end time (c = 1), to be compared with the end itself.
    twin: usize,
    /// h‖J‖ at the border of the region of stability, left of the imaginary axis.
    border: f64,
}

/// Weight of the second estimate: √0.01 in the published error formula of DOP853.
const SECOND_WEIGHT: f64 = 0.1;

/// A method with its memory.
pub struct Explicit {
    method: &'static Method,
    stabilization: Stabilization,
    acc: Accel,
    proj: Projector,
    /// Derivatives of ξ, v and z at the stages and at the end.
    k_xi: Vec<Vec<f64>>,
    k_v: Vec<Vec<f64>>,
    k_z: Vec<Vec<f64>>,
    q: Vec<f64>,
    xi: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    lambda: Vec<f64>,
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

impl Explicit {
    /// Sizes everything for a problem.
    pub(super) fn new<P: Problem>(
        p: &P,
        s: &Settings,
        method: &'static Method,
    ) -> Result<Explicit, KktError> {
        let d = p.dims();
        let t = &method.tableau;
        let stages = |n: usize| vec![vec![0.0; n]; t.b.len() + 1];
        let nv = || vec![0.0; d.nv];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(Explicit {
            stabilization: Stabilization::new(&method.info, &s.options),
            acc: Accel::new(p)?,
            proj: Projector::new(p, s.constraint_tol),
            k_xi: stages(d.nv),
            k_v: stages(d.nv),
            k_z: stages(d.nz),
            q: vec![0.0; d.nq],
            xi: nv(),
            v: nv(),
            z: vec![0.0; d.nz],
            lambda: vec![0.0; d.n_vel],
            twin_xi: nv(),
            twin_v: nv(),
            weight: p.scales().q.iter().map(|s| 1.0 / (s * s)).collect(),
            stiffness: None,
            error: Error::new(t.error, d.nv, d.nz),
            second: Error::new(t.second, d.nv, d.nz),
            start: derived.clone(),
            end: derived,
            method,
        })
    }

    fn gains(&self) -> Option<Baumgarte> {
        match self.stabilization {
            Stabilization::Baumgarte(gains) => Some(gains),
            Stabilization::None | Stabilization::Projection => None,
        }
    }

    /// h‖k₁ − k₂‖ / ‖y₁ − y₂‖ for the end and its twin, relative to the border of stability:
    /// an estimate of h‖J‖ that needs no Jacobian. With y = (ξ, h v) both parts have the same
    /// units, and on a vibration both measure h ω.
    fn compare_with_twin(&mut self, h: f64, v_end: &[f64]) {
        let Tableau { twin, border, b, .. } = &self.method.tableau;
        let (k_xi, k_v) = (&self.k_xi, &self.k_v);
        let (mut change, mut distance) = (0.0, 0.0);
        for (i, w) in self.weight.iter().enumerate() {
            let dx = self.xi[i] - self.twin_xi[i];
            let dv = h * (v_end[i] - self.twin_v[i]);
            let kx = k_xi[b.len()][i] - k_xi[*twin][i];
            let kv = h * (k_v[b.len()][i] - k_v[*twin][i]);
            distance += w * (dx * dx + dv * dv);
            change += w * (kx * kx + kv * kv);
        }
        self.stiffness = (distance > 0.0).then(|| h * (change / distance).sqrt() / border);
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

impl<P: Problem> Integrator<P> for Explicit {
    fn info(&self) -> MethodInfo {
        self.method.info
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let gains = self.gains();
        let d = &mut self.start;
        self.acc.factor_at(p, ws, s.t, &s.q, &s.z)?;
        p.realize_velocity(&s.v, &s.z, ws);
        let e = AtVel::realized(p, ws);
        self.acc.solve_stabilized_at(&e, gains, &mut d.a, &mut d.lambda, &mut d.zdot)
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
        let tableau = &self.method.tableau;
        let stages = tableau.b.len();
        let gains = self.gains();
        self.acc.weakest_pivot = 1.0;
        // first stage: the end of the step before
        self.k_xi[0].copy_from_slice(&from.v);
        self.k_v[0].copy_from_slice(&self.start.a);
        self.k_z[0].copy_from_slice(&self.start.zdot);
        for i in 1..stages {
            let a = tableau.a[i];
            combine(None, h, a, &self.k_xi, &mut self.xi);
            combine(Some(&from.v), h, a, &self.k_v, &mut self.v);
            combine(Some(&from.z), h, a, &self.k_z, &mut self.z);
            m.retract(&from.q, &self.xi, &mut self.q);
            self.acc.factor_at(p, ws, from.t + tableau.c[i] * h, &self.q, &self.z)?;
            p.realize_velocity(&self.v, &self.z, ws);
            let e = AtVel::realized(p, ws);
            let (a, zdot) = (&mut self.k_v[i], &mut self.k_z[i]);
            self.acc.solve_stabilized_at(&e, gains, a, &mut self.lambda, zdot)?;
            m.tangent_inv(&self.xi, &self.v, &mut self.k_xi[i]);
            if i == tableau.twin {
                self.twin_xi.copy_from_slice(&self.xi);
                self.twin_v.copy_from_slice(&self.v);
            }
        }
        // the end of the step
        to.t = from.t + h;
        combine(None, h, tableau.b, &self.k_xi, &mut self.xi);
        combine(Some(&from.v), h, tableau.b, &self.k_v, &mut to.v);
        combine(Some(&from.z), h, tableau.b, &self.k_z, &mut to.z);
        m.retract(&from.q, &self.xi, &mut to.q);
        check_finite("coordinates", &to.q)?;
        match self.stabilization {
            Stabilization::Projection => {
                self.proj.position(p, ws, &mut self.acc, to.t, &mut to.q, &to.z)?;
                self.proj.velocity(p, ws, &mut self.acc, &mut to.v, &to.z)?;
            }
            Stabilization::None | Stabilization::Baumgarte(_) => {
                self.acc.factor_at(p, ws, to.t, &to.q, &to.z)?;
                p.realize_velocity(&to.v, &to.z, ws);
            }
        }
        // its derivative
        let d = &mut self.end;
        let e = AtVel::realized(p, ws);
        self.acc.solve_stabilized_at(&e, gains, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        m.tangent_inv(&self.xi, &to.v, &mut self.k_xi[stages]);
        self.k_v[stages].copy_from_slice(&d.a);
        self.k_z[stages].copy_from_slice(&d.zdot);
        for (weights, e) in [(tableau.error, &mut self.error), (tableau.second, &mut self.second)] {
            if !weights.is_empty() {
                combine(None, h, weights, &self.k_xi, &mut e.xi);
                combine(None, h, weights, &self.k_v, &mut e.v);
                combine(None, h, weights, &self.k_z, &mut e.z);
            }
        }
        self.compare_with_twin(h, &to.v);
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        let Error { xi, v, z } = &self.error;
        let second = (!self.method.tableau.second.is_empty()).then_some(SecondError {
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
        self.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        self.acc.work
    }

    fn stiffness(&self) -> Option<f64> {
        self.stiffness
    }
}
