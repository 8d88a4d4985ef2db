//! What a joint with play does: free flight, impact, following.
//!
//! A compliant contact follows where it does not have the energy to part against its load. Along the direction in which
//! its forces F push, with the accelerations A⁻¹HᵀF that they alone cause,
//!
//! ```text
//! P = F·δ̇,  Q = F·(H A⁻¹Hᵀ F),  S = F·δ̈,  D = F·δ:     ½ P²/Q + U(δ) < D (1 + S/Q)
//! ```
//!
//! For one point with the mass m this is ½ m δ̇² + U(δ) < L δ with the load L = F + m δ̈: kinetic and stored energy
//! against the work that parting takes. A free impact has no load, L = 0, and never follows; under a constant load a
//! contact that follows does not part, because losses only reduce the left side.

use super::closed_points::ClosedPoints;
use super::event_driven::EventDriven;
use delassus_dae::{PointId, Problem, Unilateral};
use delassus_nonsmooth::Mode;

/// Values of the channel.
pub(super) const FREE_FLIGHT: f64 = 0.0;
pub(super) const IMPACT: f64 = 1.0;
pub(super) const FOLLOWING: f64 = 2.0;

/// Vectors of [`ClosedPoints::follows`].
#[derive(Default)]
pub(super) struct Answer {
    /// HᵀF, nv.
    force: Vec<f64>,
    /// A⁻¹HᵀF, nv.
    a: Vec<f64>,
    lambda: Vec<f64>,
}

impl Answer {
    /// Sized for a mode, if it has pressed points.
    pub fn new<P: Unilateral>(mode: &Mode<P>) -> Answer {
        if mode.pressed().is_empty() {
            return Answer::default();
        }
        let d = mode.dims();
        Answer { force: vec![0.0; d.nv], a: vec![0.0; d.nv], lambda: vec![0.0; d.n_vel] }
    }
}

impl<P: Unilateral> ClosedPoints<P> {
    /// Whether these pressed points together follow, at the state that was evaluated last.
    fn follows(&mut self, mode: &Mode<P>, points: &[(usize, usize)]) -> bool {
        let ClosedPoints { acc, ws, a, answer, .. } = self;
        let Answer { force, a: own, lambda } = answer;
        let pressing = &ws.pressing;
        force.fill(0.0);
        for (_, k) in points {
            pressing.points[*k].add_row(0, pressing.presses[*k].force, force);
        }
        if acc.respond(force, own, lambda).is_err() {
            return false;
        }
        let (mut p, mut q, mut s, mut d, mut stored) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (_, k) in points {
            let (at, f) = (&pressing.points[*k], pressing.presses[*k].force);
            p -= f * at.rate[0];
            q += f * at.row_dot(0, own);
            s -= f * (at.row_dot(0, a) + at.bias[0]);
            d -= f * at.gap;
            stored += mode.pressed()[*k].energy(&**mode.base(), at);
        }
        // without a force, or where nothing can move, there is nothing to decide
        q > 0.0 && 0.5 * p * p / q + stored < d * (1.0 + s / q)
    }
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Distinguishes impacts of compliant play from following, at the state that was evaluated last. `joint_of` gives
    /// the joint of a point, `modes` are those of joints, where impacts may turn into following; `points` is scratch.
    pub(crate) fn tell_following(
        &mut self,
        mut joint_of: impl FnMut(PointId) -> Option<usize>,
        modes: &mut [f64],
        points: &mut Vec<(usize, usize)>,
    ) {
        points.clear();
        let pressed = self.mode.pressed().iter().enumerate();
        points.extend(pressed.filter_map(|(k, p)| Some((joint_of(p.id)?, k))));
        points.sort_unstable();
        for of_joint in points.chunk_by(|a, b| a.0 == b.0) {
            if self.closed_points.follows(&self.mode, of_joint) {
                modes[of_joint[0].0] = FOLLOWING;
            }
        }
    }
}
