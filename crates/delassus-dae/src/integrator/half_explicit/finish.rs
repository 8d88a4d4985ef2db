//! The end of a half-explicit step: positions are projected when they need it, and one index-1
//! solve gives the accelerations and multipliers that belong to the end state.
//!
//! Velocities already satisfy their constraint. Positions drift only by the local error, so they are projected when
//!
//! - |g| exceeds a fraction of the tolerance ([`DRIFT`]);
//! - constraints are redundant: off g = 0 the rows contradict each other, and those that are not solved for would
//!   exceed round-off at velocity level too;
//! - a pivot below [`NEAR`] was met: on g = c the branches of a singular position turn away from each other within √c
//!   (see [`crate::projection`]).
//!
//! The option `project` makes this `always` (round-off at every step) or `never` (the method
//! as it was published).

use super::stage::StageSolver;
use crate::failure::{StepFailure, check_finite};
use crate::integrator::{MethodInfo, Settings};
use crate::problem::{AtVel, Problem};
use crate::projection::Projector;
use crate::state::{Derived, State};

/// Allowed drift, in tolerances: below the error of a run, which for `hem5` is about a hundredth of the tolerance.
const DRIFT: f64 = 1e-3;

/// Relative pivot of W below which positions are projected at every step.
const NEAR: f64 = 1e-2;

/// When positions are projected.
#[derive(Debug, Clone, Copy)]
enum When {
    Never,
    /// Scaled |g| above this, or a weak pivot.
    Above(f64),
}

pub(super) struct Finish {
    proj: Projector,
    when: When,
}

impl Finish {
    pub fn new<P: Problem>(p: &P, s: &Settings, info: &MethodInfo) -> Finish {
        let redundant = p.structure().independent_rows.is_some();
        let when = match s.options.word(info, "project") {
            "never" => When::Never,
            "auto" if !redundant => {
                When::Above((DRIFT * (s.tol.rtol + s.tol.atol)).min(s.constraint_tol))
            }
            _ => When::Above(0.0),
        };
        Finish { proj: Projector::new(p, s.constraint_tol), when }
    }

    /// Completes `to`, whose position is realised in `ws`, and fills `end`.
    pub fn run<P: Problem>(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        solver: &mut StageSolver,
        to: &mut State,
        end: &mut Derived,
    ) -> Result<(), StepFailure> {
        let acc = &mut solver.acc;
        check_finite("coordinates", &to.q)?;
        let stages = std::mem::replace(&mut acc.weakest_pivot, 1.0);
        acc.factor_realized(p, ws)?;
        let drift = self.proj.drift(p, ws);
        let project = match self.when {
            When::Never => false,
            When::Above(limit) => drift > limit || acc.weakest_pivot.min(stages) < NEAR,
        };
        if project {
            self.proj.position_from(p, ws, acc, to.t, &mut to.q, &to.z)?;
            self.proj.velocity(p, ws, acc, &mut to.v, &to.z)?;
        } else {
            p.realize_velocity(&to.v, &to.z, ws);
        }
        solver.end_pivot = acc.weakest_pivot;
        acc.weakest_pivot = stages.min(solver.end_pivot);
        let e = AtVel::realized(p, ws);
        acc.solve_at(&e, &mut end.a, &mut end.lambda, &mut end.zdot)
    }
}
