//! Speeds in the play of joints at the start. Assembly gives an ideal joint the velocities that it requires; with
//! clearance bodies keep theirs, so a model that omits them starts differently, with an impact.

use super::AssemblyReport;
use crate::{ContactKind, Diagnostic, JointKind, PlayForm, System};
use delassus_dae::{Problem, State, Unilateral};
use delassus_math::largest;

/// Speed between journal and bearing that is attributed to rounding, as a fraction of the model's length times the
/// fastest rate.
const ROUNDING: f64 = 1e-9;

/// Notes each joint with clearance whose journal or ball moves in its bearing at the start.
pub(super) fn note_speeds(system: &System, s: &State, report: &mut AssemblyReport) {
    let model = system.model();
    let round = |name: &str| {
        model.joints.iter().any(|j| match &j.kind {
            JointKind::Loose(play) => {
                let straight =
                    matches!(play.form, PlayForm::Block { .. } | PlayForm::Channel { .. });
                j.name == name && !straight
            }
            _ => false,
        })
    };
    let mut ws = system.workspace();
    system.realize_position(s.t, &s.q, &s.z, &mut ws);
    system.realize_velocity(&s.v, &s.z, &mut ws);
    let rounding = ROUNDING * system.length() * largest(s.v.iter().map(|v| v.abs()));
    for contact in &model.contacts {
        let (Some(joint), ContactKind::Shapes { a, b: Some(b), .. }) =
            (contact.of_joint.as_deref().filter(|j| round(j)), &contact.kind)
        else {
            continue;
        };
        let Some(hole) = b.first().map(|b| system.shape_velocity(&ws, *b)) else { continue };
        let speed = largest(a.iter().map(|a| (system.shape_velocity(&ws, *a) - hole).norm()));
        if speed > rounding {
            let text = format!(
                "the joint starts with {speed:.3e} m/s in its clearance, where the ideal joint has none"
            );
            let note = Diagnostic::note("N_PLAY_SPEED", format!("joint.{joint}"), text);
            let help =
                "if this is not meant, give its bodies the velocities of the ideal mechanism";
            report.notes.push(note.help(help));
        }
    }
}
