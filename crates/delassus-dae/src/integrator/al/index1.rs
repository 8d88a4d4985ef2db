//! AL: the index-1 augmented Lagrangian with the trapezoidal rule in fixed-point form, positions
//! and velocities projected after each step in the metric of the masses.
//!
//! ```text
//! v₁ = v₀ + h/2 (a₀ + a₁) ,  ξ = h/2 (v₀ + v₁) ,  q₁ = q₀ ∘ exp(ξ) ,  z₁ = z₀ + h/2 (ż₀ + ż₁)
//! a₁ = a(q₁, v₁)   from   M a = f + Gᵀλ ,  G a + γ + 2ξω (G v + g_t) + ω² g = 0
//! ```
//!
//! a₁ is put back into the formulas until it no longer changes: no tangent is needed, but the step must stay below
//! about 2/ω for the highest frequency of the system, and each iteration evaluates and factors again. After the
//! projections a and λ are computed at the projected state. Error estimate: e = h²/12 (a₁ − a₀) − h³/12 v₀×a₀, the last
//! term on rotations only.
//!
//! Use it for comparison, and for singular positions when tangents are not available.
//! References: Bayo, García de Jalón & Serna, Comput. Methods Appl. Mech. Eng. 71 (1988); Bayo &
//! Ledesma, Nonlinear Dyn. 9 (1996).

use super::eval::AlEval;
use super::{
    OMEGA, PENALTY, Stabilisation, XI, iteration_tolerance, of_positions, trapezoidal_error,
};
use crate::control::ErrorView;
use crate::failure::{StepFailure, Work, check_finite};
use crate::integrator::explicit::Rates;
use crate::integrator::{Abilities, Integrator, MethodInfo, Settings};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_linalg::KktError;
use delassus_math::remember;

pub(in crate::integrator) const INFO: MethodInfo = MethodInfo {
    name: "al",
    summary: "augmented Lagrangian on index 1, trapezoidal rule by fixed-point iteration, projections; singular positions",
    order: [2, 2, 2],
    dense_order: 2,
    error_order: 3,
    per_unit_step: true,
    default_rtol: 1e-6,
    options: &[PENALTY, OMEGA, XI],
    citation: "Bayo & Ledesma 1996; Ruggiu & González 2021",
    can: Abilities::NOT_DELICATE,
    ..MethodInfo::BASE
};

/// Iterations before an attempt is given up.
const MAX_ITERATIONS: usize = 40;
/// Increments of this relative size that no longer decrease are round-off, which is amplified near singular positions.
const STALLED: f64 = 1e-10;

/// The method with its memory.
pub struct Al {
    eval: AlEval,
    stab: Stabilisation,
    scale: Vec<f64>,
    xi: Vec<f64>,
    a: Vec<f64>,
    err: Vec<f64>,
    start: Derived,
    end: Derived,
    newton: u64,
}
remember!(Al { eval, start, newton } apart from { stab, scale, xi, a, err, end });

impl Al {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Al, KktError> {
        let d = p.dims();
        let nv = || vec![0.0; d.nv];
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        let o = |name| s.options.number(&INFO, name);
        Ok(Al {
            eval: AlEval::new(p, o(PENALTY.name), s.constraint_tol)?,
            stab: Stabilisation { omega: o(OMEGA.name), xi: o(XI.name) },
            scale: p.scales().q,
            xi: nv(),
            a: nv(),
            err: nv(),
            start: derived.clone(),
            end: derived,
            newton: 0,
        })
    }

    /// Solves the trapezoidal rule; `to` and `end` hold the result, not yet projected.
    fn iterate<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        let tol = iteration_tolerance(h, &from.v, &self.start.a, &self.scale);
        self.end.copy_from(&self.start);
        let mut last = f64::INFINITY;
        let mut worst = 0;
        for k in 0..MAX_ITERATIONS {
            for i in 0..self.xi.len() {
                to.v[i] = from.v[i] + 0.5 * h * (self.start.a[i] + self.end.a[i]);
                self.xi[i] = 0.5 * h * (from.v[i] + to.v[i]);
            }
            for i in 0..to.z.len() {
                to.z[i] = from.z[i] + 0.5 * h * (self.start.zdot[i] + self.end.zdot[i]);
            }
            if last <= tol {
                break;
            }
            p.manifold().retract(&from.q, &self.xi, &mut to.q);
            check_finite("coordinates", &to.q)?;
            p.realize_position(to.t, &to.q, &to.z, ws);
            p.realize_velocity(&to.v, &to.z, ws);
            self.eval.factor(p, ws)?;
            let d = &mut self.end;
            self.a.copy_from_slice(&d.a);
            self.eval.accel(p, ws, self.stab, Rates::of(d))?;
            self.newton += 1;
            let mut norm: f64 = 0.0;
            for i in 0..self.a.len() {
                let w = 0.5 * h * h * (d.a[i] - self.a[i]).abs() / self.scale[i];
                if !(w <= norm) {
                    norm = w;
                    worst = i;
                }
            }
            if k > 1 && norm > 0.5 * last {
                if norm <= STALLED {
                    return Ok(());
                }
                // contraction this slow cannot reach the tolerance
                if k > 3 {
                    return Err(StepFailure::NewtonDiverged {
                        iterations: k,
                        increment: norm,
                        worst,
                    });
                }
            }
            last = norm;
        }
        if last <= STALLED {
            return Ok(());
        }
        Err(StepFailure::NewtonDiverged { iterations: MAX_ITERATIONS, increment: last, worst })
    }
}

impl<P: Problem> Integrator<P> for Al {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.eval.restart(p, ws, s, Stabilisation::NONE, Rates::of(&mut self.start))
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        self.eval.weakest_pivot = 1.0;
        to.t = from.t + h;
        self.iterate(p, ws, from, h, to)?;
        p.manifold().retract(&from.q, &self.xi, &mut to.q);
        check_finite("coordinates", &to.q)?;
        self.eval.position(p, ws, to.t, &mut to.q, &to.z)?;
        self.eval.velocity(p, ws, &mut to.v, &to.z)?;
        self.eval.accel(p, ws, Stabilisation::NONE, Rates::of(&mut self.end))?;
        p.manifold().bracket(&from.v, &self.start.a, &mut self.err);
        trapezoidal_error(h, &self.start.a, &self.end.a, &mut self.err);
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    fn error(&self) -> ErrorView<'_> {
        of_positions(&self.err)
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        self.eval.weakest_pivot
    }

    fn pivot_is_of_rows(&self) -> bool {
        false
    }

    fn work(&self) -> Work {
        Work { newton: self.newton, ..self.eval.work }
    }
}
