//! Statics and modes of an assembled model, in the words of the model: bodies, joints, elements.
//!
//! The numbers come from [`delassus_dae::analysis`], which knows none of these. Here are the choice of what is linearised
//! (`touching.rs`: with contacts that are closed), and the names of everything that is told.

mod modes;
mod rotor;
mod statics;
mod touching;

pub use modes::{About, At, BodyShape, ModalOptions, ModalReport, NamedMode, modes};
pub use rotor::{Critical, Orbit, Rotor, Whirl, WhirlMode, critical_speeds};
pub use statics::{
    BodyRest, ContactRest, JointReaction, Stability, StaticsReport, statics, statics_with,
};

use crate::error::{SetupError, SimError};
use crate::notes::brief;
use delassus_dae::analysis::{LinearError, StaticsError};
use delassus_dae::{Problem, State};
use delassus_model::{Carrier, System};
use thiserror::Error;

/// Why an analysis has no result.
#[derive(Debug, Clone, Error)]
#[error("{message}")]
pub struct AnalysisError {
    /// Stable code such as `E_NO_EQUILIBRIUM`.
    pub code: &'static str,
    /// What was found, with names.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The input is at fault, not the numbers.
    pub input: bool,
}

impl AnalysisError {
    fn numerical(code: &'static str, message: String, help: &str) -> AnalysisError {
        AnalysisError { code, message, help: help.to_owned(), input: false }
    }

    fn input(code: &'static str, message: String, help: &str) -> AnalysisError {
        AnalysisError { input: true, ..AnalysisError::numerical(code, message, help) }
    }
}

impl From<SetupError> for AnalysisError {
    fn from(e: SetupError) -> AnalysisError {
        AnalysisError::input("E_SETTING", e.to_string(), "see `delassus methods`")
    }
}

impl From<SimError> for AnalysisError {
    fn from(e: SimError) -> AnalysisError {
        let message = format!("the run up to that time failed: {e}");
        AnalysisError::numerical(
            "E_AT",
            message,
            "run the model alone to see more of it, or ask for an earlier time",
        )
    }
}

/// What a direction means for the bodies: the up to three that move most.
fn direction_words(sys: &System, s: &State, xi: &[f64]) -> String {
    let mut ws = sys.workspace();
    sys.realize_position(s.t, &s.q, &s.z, &mut ws);
    let length = sys.length_scale();
    let moved = sys.body_variations(&ws, xi);
    let size = |k: usize| (moved[k][0].norm() / length).max(moved[k][1].norm());
    let carriers: Vec<Carrier<'_>> = sys.model().carriers().collect();
    let mut order: Vec<usize> = (0..moved.len()).collect();
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
    let most = order.first().map_or(0.0, |k| size(*k));
    let words = order.iter().filter(|k| size(**k) > 0.2 * most && most > 0.0).take(3).map(|k| {
        let [lin, ang] = moved[*k];
        let name = carriers[*k].name();
        let moves = lin.norm() / length;
        let along = |what: &str, v: delassus_math::Vec3| {
            let v = v / v.norm();
            let c = [v.x, v.y, v.z].map(|x| brief((x * 1e3).round() / 1e3 + 0.0));
            format!("{what} ({}, {}, {})", c[0], c[1], c[2])
        };
        let mut parts = Vec::new();
        if moves > 0.1 * size(*k) {
            parts.push(along("along", lin));
        }
        if ang.norm() > 0.1 * size(*k) {
            parts.push(along("about", ang));
        }
        format!("body \"{name}\" {}", parts.join(" and "))
    });
    let words = words.collect::<Vec<_>>().join("; ");
    if words.is_empty() { "nothing, but forces are left".to_owned() } else { words }
}

fn has_tyres(sys: &System) -> bool {
    sys.model().forces.iter().any(|f| matches!(f.kind, delassus_model::ForceKind::Tyre(_)))
}

/// A failed search in words.
fn statics_error(sys: &System, e: StaticsError) -> AnalysisError {
    match e {
        StaticsError::Unbalanced { direction, state } => AnalysisError::numerical(
            "E_NO_EQUILIBRIUM",
            format!(
                "there is no equilibrium: nothing balances the forces that move {}",
                direction_words(sys, &state, &direction)
            ),
            match has_tyres(sys) {
                true => {
                    "tyres hold no place in statics: where they stick depends on how the vehicle came to rest. Let it come to rest \
                         in a run, or hold it with a joint or a spring"
                }
                false => {
                    "hold the bodies named with a joint, a spring or a contact, or leave out the force that drives them"
                }
            },
        ),
        StaticsError::NotFound { iterations, direction, state, .. } => AnalysisError::numerical(
            "E_STATICS",
            format!(
                "no equilibrium was found in {iterations} steps; the search still moves {}",
                direction_words(sys, &state, &direction)
            ),
            "give starting positions closer to the equilibrium, or check whether there is one",
        ),
        StaticsError::Restless { state, rate } => AnalysisError::input(
            "E_NO_EQUILIBRIUM",
            format!(
                "there is no equilibrium: a controller with an integral asks for a rate that is not zero (auxiliary state {state} goes on at {rate:e})"
            ),
            "set its target to zero at the start, or its `ki` to zero",
        ),
        StaticsError::NonFinite => AnalysisError::input(
            "E_NONFINITE",
            "the forces are not finite at the starting positions".to_owned(),
            "check divisions and roots in the expressions of forces",
        ),
        StaticsError::Kkt(e) => AnalysisError::numerical(
            "E_STATICS",
            format!("the equations of the equilibrium cannot be solved: {e}"),
            "look at the joints with `delassus check`",
        ),
    }
}

/// A failed linearisation in words.
fn linear_error<P: Problem>(p: &P, e: LinearError) -> AnalysisError {
    match e {
        LinearError::NoFreedom => AnalysisError::input(
            "E_NO_FREEDOM",
            "the joints leave no degree of freedom: there is nothing that can vibrate".to_owned(),
            "`delassus check` lists joints and mobility; prescribed motions and closed contacts hold their coordinates",
        ),
        LinearError::Undetermined(i) => AnalysisError::input(
            "E_MASSLESS_MODE",
            format!("{} can move, but has neither mass nor stiffness there", p.dof_name(i)),
            "give it mass or inertia, a joint or a spring",
        ),
        e => AnalysisError::numerical(
            "E_MODES",
            format!("the modes cannot be computed: {e}"),
            "look at the model with `delassus check`",
        ),
    }
}
