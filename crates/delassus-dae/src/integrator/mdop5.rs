//! MDOP5: Dormand & Prince's explicit pair of order 5(4) on the index-1 form, with projection
//! onto the position and velocity constraints.
//!
//! On rotations the stages are those of Munthe-Kaas: q = q₀ ∘ exp(ξ), ξ̇ = T(ξ)⁻¹ v, so the
//! order is kept on the group. The projection stands *before* the last stage: that stage is
//! evaluated at the projected end point, is the first stage of the next step (FSAL), and its
//! factorisation of W(q₁) serves the projection too, so projecting costs almost nothing.
//!
//! Use it for non-stiff systems. Reference: Dormand & Prince, J. Comput. Appl. Math. 6 (1980);
//! Munthe-Kaas, BIT 38 (1998); Haddouni, Acary, Garreau, Beley & Brogliato, Multibody Syst.
//! Dyn. 41 (2017) for the projected variant.

use super::{Integrator, MethodInfo, Settings};
use crate::accel::Accel;
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::problem::{AtVel, Problem};
use crate::projection::Projector;
use crate::state::{Derived, State};
use delassus_linalg::KktError;

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "mdop5",
    summary: "explicit Runge-Kutta 5(4) on index 1 with projection; non-stiff, adaptive or fixed step",
    order: [5, 5, 5],
    dense_order: 5,
    error_order: 5,
    default_rtol: 1e-8,
    citation: "Dormand & Prince 1980; Munthe-Kaas 1998; Haddouni et al. 2017",
    ..MethodInfo::BASE
};

/// Nodes.
const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
/// Stages; the last row is the solution of order 5.
const A: [&[f64]; 7] = [
    &[],
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Weights of order 5 minus weights of order 4.
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// The method with its memory.
pub struct Mdop5 {
    acc: Accel,
    proj: Projector,
    /// Stage derivatives of ξ, v and z; stage 0 of v and z lives in `start`.
    k_xi: [Vec<f64>; 7],
    k_v: [Vec<f64>; 7],
    k_z: [Vec<f64>; 7],
    q: Vec<f64>,
    xi: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    lambda: Vec<f64>,
    err_xi: Vec<f64>,
    err_v: Vec<f64>,
    err_z: Vec<f64>,
    start: Derived,
    end: Derived,
}

impl Mdop5 {
    /// Sizes everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Mdop5, KktError> {
        let d = p.dims();
        let nv = || vec![0.0; d.nv];
        let nz = || vec![0.0; d.nz];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        Ok(Mdop5 {
            acc: Accel::new(p)?,
            proj: Projector::new(p, s.constraint_tol),
            k_xi: std::array::from_fn(|_| nv()),
            k_v: std::array::from_fn(|_| nv()),
            k_z: std::array::from_fn(|_| nz()),
            q: vec![0.0; d.nq],
            xi: nv(),
            v: nv(),
            z: nz(),
            lambda: vec![0.0; d.n_vel],
            err_xi: nv(),
            err_v: nv(),
            err_z: nz(),
            start: derived.clone(),
            end: derived,
        })
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

impl<P: Problem> Integrator<P> for Mdop5 {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        let d = &mut self.start;
        self.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, &mut d.a, &mut d.lambda, &mut d.zdot)
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
        self.acc.weakest_pivot = 1.0;
        // first stage: the last one of the step before
        self.k_xi[0].copy_from_slice(&from.v);
        self.k_v[0].copy_from_slice(&self.start.a);
        self.k_z[0].copy_from_slice(&self.start.zdot);
        // inner stages
        for i in 1..6 {
            let t = from.t + C[i] * h;
            combine(None, h, A[i], &self.k_xi, &mut self.xi);
            combine(Some(&from.v), h, A[i], &self.k_v, &mut self.v);
            combine(Some(&from.z), h, A[i], &self.k_z, &mut self.z);
            m.retract(&from.q, &self.xi, &mut self.q);
            self.acc.eval(
                p,
                ws,
                t,
                &self.q,
                &self.v,
                &self.z,
                &mut self.k_v[i],
                &mut self.lambda,
                &mut self.k_z[i],
            )?;
            m.tangent_inv(&self.xi, &self.v, &mut self.k_xi[i]);
        }
        // solution of order 5, projected
        to.t = from.t + h;
        combine(None, h, A[6], &self.k_xi, &mut self.xi);
        combine(Some(&from.v), h, A[6], &self.k_v, &mut to.v);
        combine(Some(&from.z), h, A[6], &self.k_z, &mut to.z);
        m.retract(&from.q, &self.xi, &mut to.q);
        check_finite("coordinates", &to.q)?;
        self.proj.position(p, ws, &mut self.acc, to.t, &mut to.q, &to.z)?;
        self.proj.velocity(p, ws, &mut self.acc, &mut to.v, &to.z)?;
        // last stage at the projected point
        let d = &mut self.end;
        let e = AtVel::realized(p, ws);
        self.acc.solve_at(&e, &mut d.a, &mut d.lambda, &mut d.zdot)?;
        m.tangent_inv(&self.xi, &to.v, &mut self.k_xi[6]);
        self.k_v[6].copy_from_slice(&d.a);
        self.k_z[6].copy_from_slice(&d.zdot);
        // error of the embedded pair
        combine(None, h, &E, &self.k_xi, &mut self.err_xi);
        combine(None, h, &E, &self.k_v, &mut self.err_v);
        combine(None, h, &E, &self.k_z, &mut self.err_z);
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
        self.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        self.acc.work
    }
}
