//! No step turns anything so far that its turns cannot be told.
//!
//! Orientations at the two ends of a step say how far a body turned only below half a turn; what is
//! between them is interpolated, and angles of joints are continued, by the shortest way. So a step
//! that turns a body by more than a quarter of a turn or so is refused, by its speed at either end
//! (two bodies that turn against each other then stay below half a turn), and so is one whose ends
//! lie elsewhere than these speeds say: it went round in between.

use super::Driver;
use delassus_dae::{Problem, StepFailure};

/// Rotation that a step is chosen for, rad, and the one that is accepted: bodies speed up. Twice
/// the latter is below half a turn.
pub(super) const MAX_TURN: f64 = 1.4;
const ACCEPTED: f64 = 1.55;
/// Largest distance, rad, between the rotation of a step and the mean of its speeds. A step that
/// turns by less than [`ACCEPTED`] at both ends and steadily between is far below.
const ASTRAY: f64 = 1.0;

impl<P: Problem> Driver<P> {
    /// Longest step by how fast the present state turns.
    pub(super) fn turn_limit(&self, p: &P) -> f64 {
        let (spin, _) = p.spin(&self.state.v);
        if spin > 0.0 { MAX_TURN / spin } else { f64::INFINITY }
    }

    /// Whether the attempt in `prev` turned little enough, and its angles on the turn they reached.
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
        // methods that remember several steps round their sums
        let held = p.held();
        self.prev.z[held..].copy_from_slice(&self.state.z[held..]);
        Ok(())
    }

    /// Part of the step to try next after a failure.
    pub(super) fn shorter(&mut self, e: &StepFailure) -> f64 {
        let usual = self.control.failed();
        match e {
            StepFailure::Turned { by, .. } if by.is_finite() => (MAX_TURN / by).clamp(0.1, 0.9),
            _ => usual,
        }
    }
}
