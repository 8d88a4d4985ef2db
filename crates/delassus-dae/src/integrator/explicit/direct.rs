//! Accelerations by the unmodified index-1 equations, for the plain methods; drift is treated as [`Stabilization`]
//! says.
//!
//! Where the end of the step is projected, the projection comes *before* its derivative. The next step then starts from
//! consistent values, and the factorisation of W(q₁) serves both the derivative and the velocity projection, so
//! projecting costs almost nothing.

use super::stabilization::Stabilization;
use super::{Evaluator, Explicit, Method, Rates, StagePoint};
use crate::accel::Accel;
use crate::failure::{StepFailure, Work, check_finite};
use crate::integrator::Settings;
use crate::problem::{AtVel, Problem};
use crate::projection::Projector;
use crate::state::State;
use delassus_linalg::KktError;
use delassus_math::remember;

/// The evaluator of the plain methods.
pub struct Direct {
    stabilization: Stabilization,
    acc: Accel,
    proj: Projector,
}
remember!(Direct { acc } apart from { stabilization, proj });

impl Explicit<Direct> {
    /// A plain method, allocated for a problem.
    pub(in crate::integrator) fn new<P: Problem>(
        p: &P,
        s: &Settings,
        method: &'static Method,
    ) -> Result<Explicit<Direct>, KktError> {
        let eval = Direct {
            stabilization: Stabilization::new(&method.info, &s.options),
            acc: Accel::new(p)?,
            proj: Projector::new(p, s.constraint_tol),
        };
        Ok(Explicit::with(p, method.info, &method.tableau, eval))
    }
}

impl Direct {
    /// a, λ and ż at the point realised in `ws`, with its factor.
    fn solve<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        let gains = match self.stabilization {
            Stabilization::Baumgarte(gains) => Some(gains),
            Stabilization::None | Stabilization::Projection => None,
        };
        let e = AtVel::realized(p, ws);
        self.acc.solve_stabilized_at(&e, gains, out.a, out.lambda, out.zdot)
    }
}

impl<P: Problem> Evaluator<P> for Direct {
    fn restart(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        s: &State,
        out: Rates<'_>,
    ) -> Result<(), StepFailure> {
        self.acc.factor_at(p, ws, s.t, &s.q, &s.z)?;
        p.realize_velocity(&s.v, &s.z, ws);
        self.solve(p, ws, out)
    }

    fn begin(&mut self, _: &P, _: &mut P::Ws, _: &State) -> Result<(), StepFailure> {
        self.acc.weakest_pivot = 1.0;
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
        p.manifold().retract(q0, &x.xi, &mut x.q);
        if last {
            check_finite("coordinates", &x.q)?;
        }
        if last && self.stabilization == Stabilization::Projection {
            self.proj.position(p, ws, &mut self.acc, x.t, &mut x.q, &x.z)?;
            self.proj.velocity(p, ws, &mut self.acc, &mut x.v, &x.z)?;
        } else {
            self.acc.factor_at(p, ws, x.t, &x.q, &x.z)?;
            p.realize_velocity(&x.v, &x.z, ws);
        }
        self.solve(p, ws, out)
    }

    fn weakest_pivot(&self) -> f64 {
        self.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        self.acc.work
    }

    fn leaves_realized(&self) -> bool {
        true
    }
}
