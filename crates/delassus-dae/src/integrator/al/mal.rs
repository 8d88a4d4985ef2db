//! mAL: stabilised index-1 augmented Lagrangian accelerations, driven by an explicit formula.
//!
//! ```text
//! M a = f + Gᵀλ ,   G a + γ + 2ξω (G v + g_t) + ω² g = 0
//! ```
//!
//! No projections: drift dies out with the stabilisation and stays at the size of the
//! integration error. The option `driver` chooses DOPRI5 (adaptive) or the classical method of
//! order 4 (fixed step).
//!
//! Use it for non-stiff systems with redundant constraints or singular positions, when a small
//! drift is no harm. References: Bayo, García de Jalón & Serna, Comput. Methods Appl. Mech. Eng. 71
//! (1988); Ruggiu & González, Multibody dynamics conference paper (2021).

use super::eval::AlEval;
use super::{OMEGA, PENALTY, Stabilisation, XI};
use crate::failure::{StepFailure, Work};
use crate::integrator::driven::{DRIVER, Driven, Evaluator, StagePoint};
use crate::integrator::{MethodInfo, Settings};
use crate::problem::Problem;
use crate::state::{Derived, State};
use delassus_linalg::KktError;

pub(in crate::integrator) const INFO: MethodInfo = MethodInfo {
    name: "mal",
    summary: "augmented Lagrangian on index 1, stabilised, driven by an explicit Runge-Kutta formula; non-stiff",
    order: [5, 5, 5],
    dense_order: 5,
    error_order: 5,
    default_rtol: 1e-8,
    options: &[DRIVER, PENALTY, OMEGA, XI],
    citation: "Bayo, García de Jalón & Serna 1988; Ruggiu & González 2021",
    ..MethodInfo::BASE
};

/// Evaluates stabilised accelerations at unprojected points.
pub(in crate::integrator) struct Stabilised {
    eval: AlEval,
    stab: Stabilisation,
}

/// Sizes the method for a problem.
pub(in crate::integrator) fn mal<P: Problem>(
    p: &P,
    s: &Settings,
) -> Result<Driven<Stabilised>, KktError> {
    let o = |name| s.options.number(&INFO, name);
    let eval = Stabilised {
        eval: AlEval::new(p, o(PENALTY.name), s.constraint_tol)?,
        stab: Stabilisation { omega: o(OMEGA.name), xi: o(XI.name) },
    };
    Ok(Driven::new(p, s, INFO, eval))
}

impl<P: Problem> Evaluator<P> for Stabilised {
    fn restart(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        out: &mut Derived,
    ) -> Result<(), StepFailure> {
        p.realize_position(s.t, &s.q, &s.z, ws);
        self.eval.weigh(p, ws);
        self.eval.factor(p, ws)?;
        p.realize_velocity(&s.v, &s.z, ws);
        self.eval.accel(p, ws, self.stab, &mut out.a, &mut out.lambda, &mut out.zdot)
    }

    fn begin(&mut self, _: &P, _: &mut P::Ws, _: &State) -> Result<(), StepFailure> {
        self.eval.weakest_pivot = 1.0;
        Ok(())
    }

    fn stage(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        q0: &[f64],
        x: &mut StagePoint,
        out: &mut Derived,
    ) -> Result<(), StepFailure> {
        p.manifold().retract(q0, &x.xi, &mut x.q);
        p.realize_position(x.t, &x.q, &x.z, ws);
        self.eval.factor(p, ws)?;
        p.realize_velocity(&x.v, &x.z, ws);
        self.eval.accel(p, ws, self.stab, &mut out.a, &mut out.lambda, &mut out.zdot)
    }

    fn weakest_pivot(&self) -> f64 {
        self.eval.weakest_pivot
    }

    fn work(&self) -> Work {
        self.eval.work
    }
}
