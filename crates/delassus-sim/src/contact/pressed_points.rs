//! Event functions of pressed points, the points of compliant contact that are inside: bodies that come apart, forces
//! that would begin to pull, features that end. Each is positive while the mode lasts.

use super::closed_points::{ClosedPoints, feature_function};
use super::root::falling_root_from_zero;
use super::search::Span;
use super::trigger::Trigger;
use crate::driver::StepView;
use delassus_dae::{Problem, State, Unilateral};
use delassus_nonsmooth::Mode;

/// Parts of a step at which pressed points are evaluated.
const NODES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// What ends the pressure of a point, as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    Apart,
    Push,
    Feature,
}

const ENDINGS: [Ending; 3] = [Ending::Apart, Ending::Push, Ending::Feature];

fn trigger<P: Unilateral>(mode: &Mode<P>, k: usize, ending: Ending) -> Trigger {
    let point = &mode.pressed()[k];
    match ending {
        Ending::Apart => Trigger::Parts(point.id),
        Ending::Push if point.slack => Trigger::Tightens(point.id),
        Ending::Push => Trigger::Slackens(point.id),
        Ending::Feature => Trigger::Changes(point.id),
    }
}

impl<P: Unilateral> ClosedPoints<P> {
    /// Kinematics and forces of pressed points at a state.
    pub(super) fn place_pressed(&mut self, mode: &Mode<P>, s: &State) {
        mode.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        mode.realize_velocity(&s.v, &s.z, &mut self.ws);
    }

    fn ending(&self, mode: &Mode<P>, k: usize, ending: Ending) -> f64 {
        let (point, at) = (&mode.pressed()[k], &self.ws.pressing.points[k]);
        let base = &**mode.base();
        match ending {
            Ending::Apart => -at.gap,
            Ending::Push if point.slack => -point.push(base, at),
            Ending::Push => point.push(base, at),
            Ending::Feature => feature_function(base, &self.ws.base, point.id, at),
        }
    }

    /// The first event of pressed points before part `limit` of a step.
    pub(super) fn first_pressed(
        &mut self,
        mode: &Mode<P>,
        span: &mut Span<'_>,
        view: &StepView<'_>,
        limit: f64,
    ) -> Option<(f64, Trigger)> {
        if mode.pressed().is_empty() {
            return None;
        }
        let base = mode.base().clone();
        let mut first: Option<(f64, Trigger)> = None;
        let mut ended: Vec<(usize, Ending, f64)> = Vec::new();
        for node in NODES {
            let node = node * limit;
            self.place_pressed(mode, span.at(&*base, node));
            ended.clear();
            for k in 0..mode.pressed().len() {
                let each = ENDINGS.iter().map(|e| (k, *e, self.ending(mode, k, *e)));
                ended.extend(each.filter(|(.., value)| *value < 0.0));
            }
            for &(k, ending, value) in &ended {
                self.place_pressed(mode, view.from);
                let start = self.ending(mode, k, ending);
                let at = |s: f64| {
                    self.place_pressed(mode, span.at(&*base, s));
                    self.ending(mode, k, ending)
                };
                let root = falling_root_from_zero(at, (0.0, start), (node, value)).unwrap_or(0.0);
                if first.as_ref().is_none_or(|f| root < f.0) {
                    first = Some((root, trigger(mode, k, ending)));
                }
            }
            if first.is_some() {
                break;
            }
        }
        first
    }

    /// Value and, if known, slope in time of the function of a pressed point that caused an event, at a real state;
    /// `None` if it is not one of those.
    pub(super) fn pressed_value(
        &mut self,
        mode: &Mode<P>,
        s: &State,
        trigger: &Trigger,
    ) -> Option<(f64, Option<f64>)> {
        let ending = match trigger {
            Trigger::Parts(_) => Ending::Apart,
            Trigger::Slackens(_) | Trigger::Tightens(_) => Ending::Push,
            Trigger::Changes(_) => Ending::Feature,
            _ => return None,
        };
        let id = trigger.point()?;
        let k = mode.pressed().iter().position(|p| p.id == id)?;
        self.place_pressed(mode, s);
        let value = self.ending(mode, k, ending);
        let slope = (ending == Ending::Apart).then(|| -self.ws.pressing.points[k].rate[0]);
        // where the bodies no longer come apart the slope is useless
        Some((value, slope.filter(|slope| *slope < 0.0)))
    }
}
