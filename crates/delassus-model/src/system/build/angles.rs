//! The turn on which an angle starts.
//!
//! Orientations determine an angle up to whole turns, and how the angles of bodies and markers add up to it is an
//! accident of how the model was written. So every angle of a joint starts at its principal value, in (−π, π], in the
//! plane as in space, unless something in the model is meaningful only on another turn: a prescribed motion (the turn
//! nearest to it at the start) or stops (the turn that lies between them).

use super::Builder;
use crate::joint::Context;
use crate::system::probe::Probe;
use crate::system::scalar::{Angle, ScalarKind, continued, principal};
use crate::{AxisPair, ContactKind, Coordinate, CoordinateKind, Frame, JointKind};

/// Determines the turn on which the angle of a pair starts.
pub(super) struct Pinned {
    pair: AxisPair,
    to: Pin,
}

enum Pin {
    /// The turn nearest to a value.
    Value(f64),
    /// The turn between two values, if there is one.
    Range(f64, f64),
}

/// Angles that a motion or a stop determines, motions first: they leave no choice.
pub(super) fn pinned(model: &crate::Model) -> Vec<Pinned> {
    let angle = |c: &Coordinate| c.kind == CoordinateKind::Angle;
    let motions = model.joints.iter().filter_map(|j| match &j.kind {
        JointKind::Motion(c, value) if angle(c) => {
            let to = Pin::Value(value.eval(&[model.analysis.start, 0.0, 0.0]));
            Some(Pinned { pair: c.pair.clone(), to })
        }
        _ => None,
    });
    let stops = model.contacts.iter().filter_map(|c| match &c.kind {
        ContactKind::Limit { coordinate, lower, upper, .. } if angle(coordinate) => {
            let to = Pin::Range(lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
            Some(Pinned { pair: coordinate.pair.clone(), to })
        }
        _ => None,
    });
    motions.chain(stops).collect()
}

impl Builder {
    /// Bodies that turn in the plane and whose angle relative to one in space is measured.
    pub(super) fn find_turning(&mut self) {
        let sys = &mut self.sys;
        let sensors = sys.probes.iter().filter_map(|p| match p {
            Probe::Scalar(s) => Some(s),
            _ => None,
        });
        let mut found = Vec::new();
        for s in sys.counters.iter().chain(sensors) {
            if matches!(&s.kind, ScalarKind::Angle(a) if a.planar.is_none()) {
                let bodies = [s.a, s.b].into_iter().filter_map(|f| sys.frames[f].body());
                found.extend(bodies.filter_map(|b| sys.bodies[b].angle_rate()));
            }
        }
        found.sort_unstable();
        found.dedup();
        sys.turning = found;
    }

    /// Angle between the directions of a pair as the bodies are given, on its initial turn.
    pub(super) fn start_value(&self, pair: &AxisPair, angle: &Angle) -> f64 {
        let x = self.start_rotation(&pair.b) * angle.x_b;
        let r_a = self.start_rotation(&pair.a);
        let wrapped = principal((r_a * angle.y_a).dot(&x).atan2((r_a * angle.x_a).dot(&x)));
        match self.pinned.iter().find(|p| same_pair(&p.pair, pair)).map(|p| &p.to) {
            Some(Pin::Value(x)) if x.is_finite() => continued(wrapped, *x),
            Some(Pin::Range(lower, upper)) => between(wrapped, *lower, *upper),
            _ => wrapped,
        }
    }
}

/// x on the turn that lies between two stops: its own if it does, the nearest that does, or its own.
fn between(x: f64, lower: f64, upper: f64) -> f64 {
    if lower <= x && x <= upper {
        return x;
    }
    let turn = std::f64::consts::TAU;
    let moved = if x < lower {
        x + turn * ((lower - x) / turn).ceil()
    } else {
        x - turn * ((x - upper) / turn).ceil()
    };
    // an angle just outside a stop by rounding stays there
    let outside = |y: f64| (lower - y).max(y - upper);
    if outside(moved) <= 0.0 && outside(x) > 1e-6 { moved } else { x }
}

fn same_pair(p: &AxisPair, q: &AxisPair) -> bool {
    let same =
        |f: &Frame, g: &Frame| f.body == g.body && f.node == g.node && f.p == g.p && f.r == g.r;
    same(&p.a, &q.a) && same(&p.b, &q.b) && p.axis_a == q.axis_a && p.axis_b == q.axis_b
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    #[test]
    fn stops_choose_the_turn_between_them() {
        assert_eq!(between(0.3, -1.0, 1.0), 0.3);
        assert!((between(-2.5, 3.0, 4.0) - (TAU - 2.5)).abs() < 1e-15);
        assert!((between(2.5, -4.0, -3.5) - (2.5 - TAU)).abs() < 1e-15);
        // no turn fits, or none is needed but for rounding
        assert_eq!(between(0.0, 1.0, 2.0), 0.0);
        assert_eq!(between(-1e-9, 0.0, 20.0), -1e-9);
        assert!((between(-1.0, 20.0, f64::INFINITY) - (4.0 * TAU - 1.0)).abs() < 1e-14);
    }

    #[test]
    fn half_a_turn_is_positive_whatever_rounding_says() {
        for x in [PI, -PI, PI + 1e-12, -PI - 1e-12, 3.0 * PI, -3.0 * PI] {
            assert!((principal(x) - PI).abs() < 1e-11, "{x}");
        }
        assert_eq!(principal(-3.0), -3.0);
        assert!((principal(4.0) - (4.0 - TAU)).abs() < 1e-15);
    }
}
