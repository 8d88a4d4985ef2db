//! Whether a mode whose rows depend on each other still holds: its forces satisfy the laws, and the rows that it does
//! not solve with hold nevertheless.
//!
//! A row that depends on others at the start of a mode is redundant there and may contradict them later: a jaw that
//! sticks to a part on a table is redundant while the jaw is held, but no longer when it is lifted. Nothing in the
//! equations of the mode shows this, so it is checked separately: along every row of a closed point the acceleration
//! must vanish.

use crate::burden::Burden;
use crate::mode::{Mode, ModeWorkspace, SlipState};
use delassus_dae::{PointLaw, Unilateral};
use delassus_math::{largest, max_abs};

/// Fraction of the largest force by which forces may exceed their limits: round-off.
const BEYOND: f64 = 1e-9;

/// The condition of a mode with dependent rows at a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Its forces, as they are shared among the points, satisfy all laws. If not, there may still be others that do.
    pub lawful: bool,
    /// Largest acceleration of a closed point along a row that the mode does not solve with, relative to the terms that
    /// add up to it ([`Burden`]). If there is any, the motion is not that of the mode.
    pub moves: f64,
}

impl<P: Unilateral> Mode<P> {
    /// The condition of a mode with dependent rows at the realised state.
    pub fn standing(&self, ws: &mut ModeWorkspace<P>, burden: &mut Burden) -> Standing {
        // where points slide the forces are already available
        let found = self.slides_with_friction()
            || (ws.sliding.acc.is_some() && self.solve_forces(ws).is_ok());
        if !found || self.accelerate(ws).is_err() {
            return Standing { lawful: false, moves: f64::INFINITY };
        }
        let Some(acc) = &ws.sliding.acc else {
            return Standing { lawful: false, moves: f64::INFINITY };
        };
        burden.begin(acc.terms().0);
        burden.add_applied(|f| self.base().force(&ws.base, f));
        if !ws.pressing.load.is_empty() {
            burden.add_applied(|f| f.copy_from_slice(&ws.pressing.load));
        }
        burden.add_accelerations(&ws.sliding.a);
        for (f, x) in self.forces.iter().zip(&ws.sliding.forces) {
            let point = &ws.points[f.point];
            burden.add_row(&point.cols, &point.rows[f.row], *x);
        }
        let dependent = self.forces.iter().filter(|f| f.dependent);
        let moves = largest(dependent.map(|f| {
            let point = &ws.points[f.point];
            let along = (point.row_dot(f.row, &ws.sliding.a) + point.bias[f.row]).abs();
            if along > 0.0 { along / burden.along(point, f.row) } else { along }
        }));
        Standing { lawful: self.are_lawful(&ws.sliding.forces), moves }
    }

    /// The fastest motion along a dependent row at the realised velocities, m/s, and its active
    /// point; then that along the rows that the mode solves with. All should be zero.
    pub fn straying(&self, ws: &ModeWorkspace<P>) -> (Option<(usize, f64)>, f64) {
        let (mut dependent, mut held): (Option<(usize, f64)>, f64) = (None, 0.0);
        for f in &self.forces {
            let speed = ws.points[f.point].rate[f.row].abs();
            if !f.dependent {
                held = largest([held, speed]);
            } else if dependent.is_none_or(|(_, s)| !(speed <= s)) {
                dependent = Some((f.point, speed));
            }
        }
        (dependent, held)
    }

    /// Whether these values of all forces satisfy the laws.
    pub(crate) fn are_lawful(&self, x: &[f64]) -> bool {
        let slack = BEYOND * max_abs(x);
        let mut k = 0;
        while let Some(first) = self.forces.get(k) {
            let rows = self.forces[k..].iter().take_while(|f| f.point == first.point).count();
            let r = &x[k..k + rows];
            let lawful = match (self.law(first.point), self.active()[first.point].motion) {
                (PointLaw::Contact { mu, mu_static, .. }, SlipState::Stick) => {
                    let t = r[1].hypot(r.get(2).copied().unwrap_or(0.0));
                    r[0] >= -slack && t <= mu.max(mu_static) * r[0] + slack
                }
                (PointLaw::Contact { .. } | PointLaw::Compliant | PointLaw::OneWay, _) => {
                    r[0] >= -slack
                }
                (PointLaw::DryFriction { bound, bound_static }, _) => {
                    r[0].abs() <= bound.max(bound_static) + slack
                }
            };
            if !lawful {
                return false;
            }
            k += rows;
        }
        true
    }
}
