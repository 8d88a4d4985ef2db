//! Whether prescribed motions require positions that a mechanism does not have.

use super::position::reaches;
use crate::System;
use delassus_dae::{Problem, State};

/// How far ahead motions are followed, in sizes of what they prescribe: far beyond the rounding error at a dead point,
/// but no farther than a step.
const AHEAD: f64 = 1e-3;

impl System {
    /// Joints whose motions lead, from a state on the constraints, to where no position satisfies all joints: a linkage
    /// that is stretched, or a crank at its dead point. Empty if there is such a position.
    pub fn motions_beyond_reach(&self, s: &State) -> Vec<String> {
        let mut ws = self.workspace();
        self.realize_position(s.t, &s.q, &s.z, &mut ws);
        let scale = self.scales().row;
        let mut moving = Vec::new();
        let mut soon = f64::INFINITY;
        for (i, rate) in self.motion_rates(&ws) {
            let rate = rate.abs() / scale[i];
            if rate > 0.0 && rate.is_finite() {
                moving.push(self.model().joints[self.row_origins()[i].joint.0].name.clone());
                soon = soon.min(AHEAD / rate);
            }
        }
        let known = moving.is_empty() || reaches(self, s.t, &s.q) != Some(true);
        if known || reaches(self, s.t + soon, &s.q) != Some(false) {
            return Vec::new();
        }
        moving
    }
}
