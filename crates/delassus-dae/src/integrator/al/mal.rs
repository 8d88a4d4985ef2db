//! mAL: stabilised index-1 augmented Lagrangian accelerations, driven by an explicit formula.
//!
//! ```text
//! M a = f + Gᵀλ ,   G a + γ + 2ξω (G v + g_t) + ω² g = 0
//! ```
//!
//! The option `driver` chooses DOPRI5 (adaptive) or the classical method of order 4 (fixed step). With
//! `projection = "step"` positions and velocities are projected at the end of each step, in the mass metric, and ξ and
//! ω are not used. With `"none"` drift decays only through the stabilisation and stays at the size of the integration
//! error. That is enough on regular motions; but what a singular position leaves in the direction it had set free then
//! takes a time 1/ω to vanish, and a slow passage may end on the wrong branch.
//!
//! Use it for non-stiff systems with redundant constraints or singular positions. References:
//! Bayo, García de Jalón & Serna, Comput. Methods Appl. Mech. Eng. 71 (1988); Ruggiu & González,
//! Multibody dynamics conference paper (2021).

use super::eval::AlEval;
use super::{OMEGA, PENALTY, Stabilisation, XI};
use crate::failure::{StepFailure, Work, check_finite};
use crate::integrator::explicit::{DRIVER, Evaluator, Explicit, Rates, StagePoint, driven};
use crate::integrator::{Abilities, MethodInfo, OptionInfo, OptionKind, Settings};
use crate::problem::Problem;
use crate::state::State;
use delassus_linalg::KktError;
use delassus_math::remember;

/// Whether the end of a step is moved onto the constraints.
const PROJECTION: OptionInfo = OptionInfo {
    name: "projection",
    summary: "step: project q and v after each step; none: leave drift to the stabilisation",
    kind: OptionKind::Choice { default: "step", choices: &["step", "none"] },
};

pub(in crate::integrator) const INFO: MethodInfo = MethodInfo {
    name: "mal",
    summary: "augmented Lagrangian on index 1, stabilised, driven by an explicit Runge-Kutta formula; non-stiff",
    order: [5, 5, 5],
    dense_order: 5,
    error_order: 5,
    swing: 1.1,
    default_rtol: 1e-8,
    options: &[DRIVER, PROJECTION, PENALTY, OMEGA, XI],
    citation: "Bayo, García de Jalón & Serna 1988; Ruggiu & González 2021",
    can: Abilities::NOT_DELICATE,
    ..MethodInfo::BASE
};

/// Evaluates stabilised accelerations.
pub(in crate::integrator) struct Stabilised {
    eval: AlEval,
    stab: Stabilisation,
    project: bool,
}
remember!(Stabilised { eval } apart from { stab, project });

/// Sizes the method for a problem.
pub(in crate::integrator) fn mal<P: Problem>(
    p: &P,
    s: &Settings,
) -> Result<Explicit<Stabilised>, KktError> {
    let o = |name| s.options.number(&INFO, name);
    let project = s.options.word(&INFO, PROJECTION.name) == "step";
    let eval = Stabilised {
        eval: AlEval::new(p, o(PENALTY.name), s.constraint_tol)?,
        // after a projection there is nothing to stabilise, and inside a step the terms would only feed the low
        // accuracy of the inner stages back into the accelerations
        stab: if project {
            Stabilisation::NONE
        } else {
            Stabilisation { omega: o(OMEGA.name), xi: o(XI.name) }
        },
        project,
    };
    Ok(driven(p, s, INFO, eval))
}

impl<P: Problem> Evaluator<P> for Stabilised {
    fn restart(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        self.eval.restart(p, ws, s, self.stab, out)
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
        last: bool,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        check_finite("stage", &x.xi)?;
        p.manifold().retract(q0, &x.xi, &mut x.q);
        if last && self.project {
            self.eval.position(p, ws, x.t, &mut x.q, &x.z)?;
            self.eval.velocity(p, ws, &mut x.v, &x.z)?;
        } else {
            p.realize_position(x.t, &x.q, &x.z, ws);
            self.eval.factor(p, ws)?;
            p.realize_velocity(&x.v, &x.z, ws);
        }
        self.eval.accel(p, ws, self.stab, out)
    }

    fn weakest_pivot(&self) -> f64 {
        self.eval.weakest_pivot
    }

    fn work(&self) -> Work {
        self.eval.work
    }
}
