//! Systems of equations at the start that have no solution in numbers, told by the names of the model.

use super::NO_ROOM;
use crate::Diagnostic;
use crate::system::System;
use delassus_dae::{Problem, StepFailure};
use delassus_linalg::KktError;

const HELP: &str = "numbers grow beyond what they can hold, or vanish: check masses, lengths and velocities of what is \
                    named, and that it is connected as intended; `delassus check` lists the joints";

/// The diagnostic for equations that could not be solved.
pub(super) fn unsolved(sys: &System, code: &'static str, e: &KktError) -> Vec<Diagnostic> {
    let named = match e {
        KktError::Singular { row, .. } | KktError::NonFinite { row } => at_row(sys, *row),
        KktError::MassNotPositive { dof, .. }
        | KktError::Undetermined { dof, .. }
        | KktError::NonFiniteDof { dof } => at_coordinate(sys, *dof),
        _ => None,
    };
    unsolved_at(named, code, e)
}

/// The same at a place of the model, if it is known; lack of memory has its own code.
pub(super) fn unsolved_at(
    named: Option<(String, String)>,
    code: &'static str,
    e: &KktError,
) -> Vec<Diagnostic> {
    vec![match (e, named) {
        (KktError::NoRoom { .. }, _) => {
            Diagnostic::error("E_LIMIT", "", e.to_string()).help(NO_ROOM)
        }
        (_, Some((path, name))) => Diagnostic::error(code, path, format!("{name}: {e}")).help(HELP),
        _ => Diagnostic::error(code, "", e.to_string()).help(HELP),
    }]
}

/// The same where accelerations could not be computed.
pub(super) fn unmoved(sys: &System, code: &'static str, e: &StepFailure) -> Vec<Diagnostic> {
    match e {
        StepFailure::Kkt(e) => unsolved(sys, code, e),
        StepFailure::NonFinite { what, index } => {
            let named = match *what {
                "constraint bias" | "constraint residual" => at_row(sys, *index),
                "controller rates" => None,
                _ => at_coordinate(sys, *index),
            };
            let (path, of) = named.map_or_else(Default::default, |(path, name)| {
                (path, format!(", first for {name}"))
            });
            let message = format!("numbers that are not finite appear in the {what}{of}");
            vec![Diagnostic::error(code, path, message).help(HELP)]
        }
        _ => vec![Diagnostic::error(code, "", e.to_string()).help(HELP)],
    }
}

/// The joint of a row, as a place in the model and by name.
fn at_row(sys: &System, row: usize) -> Option<(String, String)> {
    let joint = sys.row_origins().get(row)?.joint;
    Some((format!("joint.{}", sys.model().joints[joint.0].name), sys.row_name(row)))
}

/// The same for the body of a coordinate.
fn at_coordinate(sys: &System, dof: usize) -> Option<(String, String)> {
    let (body, _) = sys.dof_owner(dof)?;
    Some((format!("body.{}", sys.model().bodies[body].name), sys.dof_name(dof)))
}
