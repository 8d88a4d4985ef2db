//! What ends a run with contacts, in words.

use super::event_driven::Halt;
use crate::error::{SetupError, SimError, SimErrorKind};
use delassus_cone as cone;
use delassus_dae::{PointId, StepFailure, Unilateral};
use delassus_model::System;
use delassus_nonsmooth::StepperError;

pub(super) fn start_failed(e: &dyn std::fmt::Display) -> SetupError {
    SetupError::Setting {
        code: "E_START",
        what: "start",
        message: format!("contacts at the start: {e}"),
    }
}

/// A failed step of time-stepping, with the names of the contacts whose impulses were not found.
pub(super) fn step_failed(sys: &System, e: &StepperError, t: f64, h: f64) -> SimError {
    let (kind, blame) = match e {
        StepperError::Step(StepFailure::Crowded(e)) => {
            let some: Vec<PointId> = e.example.into_iter().collect();
            return SimError::crowded(e, names(sys, &some), t);
        }
        StepperError::Step(e @ StepFailure::NoRoom { example, .. }) => {
            let help = "make fewer points touch at once, take shorter steps, in which forces are no longer stiff and need no full \
                        matrix, or allow more memory (ulimit -v)";
            let error = SimError::from_failure(sys, e, t, h);
            let error = error.at_contact(example.map(|id| sys.point_name(id)));
            return SimError { help: help.to_owned(), ..error };
        }
        StepperError::Step(e) => return SimError::from_failure(sys, e, t, h),
        StepperError::BadStep { .. } => (SimErrorKind::StepTooSmall, Vec::new()),
        StepperError::Contact { points, status: cone::Status::NoSolution, .. } => {
            (SimErrorKind::NoContactForces, names(sys, points))
        }
        StepperError::Contact { points, .. } => (SimErrorKind::ContactUnsolved, names(sys, points)),
    };
    let help = "take a smaller step, or look at the contacts that are closed at this time";
    SimError { kind, t, h, detail: e.to_string(), blame, help: help.to_owned() }
}

/// The contacts of points, each named once.
pub(super) fn names(sys: &System, points: &[PointId]) -> Vec<String> {
    let name = |p: &PointId| format!("contact \"{}\"", sys.point_name(*p));
    let mut names: Vec<String> = points.iter().map(name).collect();
    names.dedup();
    names
}

pub(super) fn too_many_steps(steps: u64, t: f64, h: f64) -> SimError {
    SimError {
        kind: SimErrorKind::WorkLimit,
        t,
        h,
        detail: format!("{steps} steps of time-stepping were made, as many as allowed"),
        blame: Vec::new(),
        help: "raise --max-steps, or take a longer --step".to_owned(),
    }
}

/// A halt as the error that ends a run.
pub(super) fn halt_error(sys: &System, halt: Halt, t: f64) -> SimError {
    let (kind, detail, blame, help) = match halt {
        Halt::Error(e) | Halt::TooMany(e) => return e,
        Halt::Accumulation { rest, point } => {
            let name = sys.point_name(point);
            (
                SimErrorKind::Accumulation,
                format!(
                    "impacts of contact \"{name}\" accumulate: infinitely many follow within {rest:.1e} s"
                ),
                vec![format!("contact \"{name}\"")],
                "use --scheme hybrid, which passes such points, or time-stepping",
            )
        }
        Halt::Storm { storm, .. } => {
            let (detail, blame, help) = storm.words(|p| sys.point_name(p));
            (SimErrorKind::EventStorm, detail, blame, help)
        }
        Halt::Painleve { detail, points } => {
            let blame = names(sys, &points);
            let help = match points.iter().any(|p| sys.law(*p).is_rough()) {
                true => {
                    "friction jams the motion (Painlevé): use --scheme hybrid or time-stepping, or a smaller friction coefficient"
                }
                false => {
                    "motions or joints leave these bodies no room: stop what drives them into each other, or let something yield (a spring in the drive)"
                }
            };
            (SimErrorKind::NoContactForces, detail, blame, help)
        }
        Halt::Unsolved { detail, points } => (
            SimErrorKind::ContactUnsolved,
            detail,
            names(sys, &points),
            "use --scheme hybrid or time-stepping; where friction is strong there may be no solution (Painlevé)",
        ),
    };
    SimError { kind, t, h: 0.0, detail, blame, help: help.to_owned() }
}
