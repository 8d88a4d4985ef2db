//! Keeps steps from turning anything so far that its number of turns becomes ambiguous.
//!
//! Orientations at the two ends of a step determine how far a body turned only below half a turn; in between,
//! orientations are interpolated, and angles of joints are continued, the shortest way. So a step that turns a body by
//! more than about a quarter of a turn is rejected, judged by its speed at either end (two bodies that turn against
//! each other then stay below half a turn), and so is one whose ends do not agree with these speeds: it went round in
//! between.

use super::Driver;
use delassus_dae::{Problem, StepFailure};

/// Rotation for which a step is chosen, rad, and the one that is accepted: bodies speed up. Twice the latter is below
/// half a turn.
pub(crate) const MAX_TURN: f64 = 1.4;
const ACCEPTED: f64 = 1.55;
/// Largest distance, rad, between the rotation of a step and the mean of its speeds. A step that turns by less than
/// [`ACCEPTED`] at both ends and steadily in between is far below.
const ASTRAY: f64 = 1.0;

impl<P: Problem> Driver<P> {
    /// Longest step according to how fast the present state turns.
    pub(super) fn turn_limit(&self, p: &P) -> f64 {
        let (spin, _) = p.spin(&self.state.v);
        if spin > 0.0 { MAX_TURN / spin } else { f64::INFINITY }
    }

    /// Checks that the attempt in `prev` turned little enough, and continues its angles to the turn they reached.
    pub(super) fn check_turn(&mut self, p: &P, h: f64) -> Result<(), StepFailure> {
        for v in [&self.state.v, &self.prev.v] {
            let (spin, index) = p.spin(v);
            if !(h * spin <= ACCEPTED) {
                return Err(StepFailure::Turned { index, by: h * spin });
            }
        }
        let (s, e) = (&self.state, &self.prev);
        let (astray, index) = p.manifold().astray(&s.q, &e.q, &s.v, &e.v, h);
        if !(astray <= ASTRAY) {
            return Err(StepFailure::Turned { index, by: std::f64::consts::PI });
        }
        p.restore_known_states(&mut self.prev);
        // multistep methods round their sums
        let held = p.held();
        self.prev.z[held..].copy_from_slice(&self.state.z[held..]);
        Ok(())
    }

    /// Fraction of the step to try next after a failure.
    pub(super) fn shorter(&mut self, e: &StepFailure) -> f64 {
        let usual = self.control.failed();
        match e {
            StepFailure::Turned { by, .. } if by.is_finite() => (MAX_TURN / by).clamp(0.1, 0.9),
            _ => usual,
        }
    }
}
