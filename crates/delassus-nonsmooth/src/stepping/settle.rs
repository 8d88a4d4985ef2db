//! What compliant contacts did in a step, and which of them continue.

use super::Stepper;
use super::points::PairDepth;
use super::yielding::{Kept, frame};
use crate::pressed::{Pressed, follow, lost_by_change};
use delassus_dae::{Compliance, ContactPoint, PointId, State, Unilateral};
use std::ops::Range;

/// What a compliant point did in a step, or in a part of a halved one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PressedStep {
    /// The point, with its latched values; slack refers to the end of the step.
    pub point: Pressed,
    /// It was not pressed before.
    pub is_new: bool,
    /// Impulse along its rows: normal, then tangential; N s.
    pub impulse: [f64; 3],
    /// Energy lost, J.
    pub lost: f64,
    /// Deepest penetration, m.
    pub deepest: f64,
    /// When and how its force began to act, if that was in this step.
    pub began: Option<Moment>,
    /// When and how its force ended, if that was in this step.
    pub ended: Option<Moment>,
    /// Where it acts, m.
    pub place: [f64; 3],
    /// Penetration at the start of the step, m.
    pub depth: f64,
    /// What it stored there, J, where it acted and what it was pressed into ended in this step.
    pub gone: Option<f64>,
    /// It takes over from another point of its pair.
    pub takes_over: bool,
}

/// The beginning or the end of a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moment {
    /// When, s.
    pub t: f64,
    /// Rate of the gap, m/s.
    pub rate: f64,
    /// Penetration, m.
    pub depth: f64,
}

impl<P: Unilateral> Stepper<P> {
    /// The step is made: determines what compliant contacts did, and which of them continue from its end state.
    /// Bristles of `s` are advanced.
    pub(super) fn settle_yielding(&mut self, p: &P, s: &mut State) -> f64 {
        let own = &mut self.yielding;
        let mut lost = 0.0;
        own.pressed.clear();
        own.pairs.clear();
        let kept = std::mem::take(&mut own.kept);
        for k in &kept {
            if own.has(k.point.id) {
                continue;
            }
            // the shapes no longer face each other: its stored energy goes with it
            let energy = |c: &Compliance| c.law.energy(&k.point.onset, (-k.gap).max(0.0));
            let left = p.compliance(k.point.id).map_or(0.0, energy);
            lost += left;
            if let Some(bent) = bristles(p, k.point.id) {
                s.z[bent].fill(0.0);
            }
            let moment = Moment { t: s.t, rate: k.rate, depth: 0.0 };
            own.steps.push(PressedStep {
                point: k.point,
                lost: left,
                ended: (!k.point.slack).then_some(moment),
                place: k.place,
                depth: (-k.gap).max(0.0),
                gone: (!k.point.slack).then_some(left),
                ..PressedStep::default()
            });
        }
        own.kept = kept;
        own.kept.clear();
        let Some(times) = own.times.take() else { return lost };
        p.realize_position(s.t, &s.q, &s.z, &mut self.ws);
        p.realize_velocity(&s.v, &s.z, &mut self.ws);
        let (h, t0) = (times.h, s.t - times.h);
        let mut at = std::mem::take(&mut own.at);
        let mut scratch = ContactPoint::default();
        for t in &own.trials[..own.n] {
            let faces = follow(p, &self.ws, t.point.id, t.point.features, &mut at);
            let Some(c) = p.compliance(t.point.id) else { continue };
            let (gap, rate) = if faces { (at.gap, at.rate[0]) } else { (f64::INFINITY, 0.0) };
            // the point may still be inside where forces are evaluated
            let goes_on = gap < 0.0 || (gap < times.lag * rate);
            let acted = t.press.force != 0.0 || t.press.elastic != 0.0;
            let slack = match gap < 0.0 {
                true => c.law.push(&t.point.onset, -gap, -rate) < 0.0,
                false => goes_on && t.point.slack,
            };
            if let Some(bent) = bristles(p, t.point.id) {
                let ends = if goes_on && !slack { t.z[1] } else { [0.0; 2] };
                s.z[bent].iter_mut().zip(ends).for_each(|(z, end)| *z = end);
            }
            if !(t.known || goes_on || acted) {
                continue;
            }
            let slips = [t.slip_force.force[0], t.slip_force.force[1]];
            let mut power = -(t.press.force - t.press.elastic) * t.at.rate[0];
            power -= slips[0] * t.at.rate[1]
                + if slips[1] != 0.0 { slips[1] * t.at.rate[2] } else { 0.0 };
            let mut own_loss = times.acts * power + t.left;
            if faces {
                own_loss += lost_by_change(p, &self.ws, &t.point, &at, &mut scratch);
            }
            let stored = c.law.energy(&t.point.onset, (-t.start[0]).max(0.0));
            let gone = !faces && t.known;
            if gone {
                // its stored energy goes with it
                own_loss += stored;
            }
            if t.takes_over {
                // what the other stored is not lost, as far as it is stored here
                own_loss -= stored;
            }
            lost += own_loss;
            let depth = (-gap).max(-t.start[0]);
            if depth > 0.0 {
                PairDepth::add(&mut own.pairs, t.point.id, depth, t.point.onset.speed);
            }
            let was_on = t.known && !t.point.slack;
            let is_on = goes_on && !slack;
            // where a force that would pull vanishes, or acts again, between the ends of the step
            let turns = || {
                let [a, b] = [t.start, [gap, rate]]
                    .map(|[gap, rate]| c.law.push(&t.point.onset, -gap, -rate));
                s.t - if a * b < 0.0 { h * b / (b - a) } else { 0.0 }
            };
            let began = (!was_on && (is_on || (acted && !t.known))).then(|| match t.known {
                true => Moment { t: turns(), rate, depth: -gap },
                false => {
                    Moment { t: t0 + t.touches.0, rate: t.touches.1, depth: (-t.start[0]).max(0.0) }
                }
            });
            let ended = ((was_on || began.is_some()) && !is_on).then(|| {
                let t = match gap {
                    _ if slack => turns(),
                    gap if gap > 0.0 && gap.is_finite() => {
                        let longest = h + times.lag;
                        s.t - gap / rate.abs().max(gap / longest)
                    }
                    _ => s.t,
                };
                Moment { t, rate, depth: (-gap).max(0.0) }
            });
            own.steps.push(PressedStep {
                point: Pressed { slack, ..t.point },
                is_new: !t.known,
                impulse: [t.press.force, slips[0], slips[1]].map(|f| times.acts * f),
                lost: own_loss,
                deepest: deepest([t.start, [gap, rate]], h),
                began,
                ended,
                place: t.at.at,
                depth: (-t.start[0]).max(0.0),
                gone: (gone && !t.point.slack).then_some(stored),
                takes_over: t.takes_over,
            });
            if goes_on {
                // the next step predicts its velocities with it
                for (k, force) in [t.press.force, slips[0], slips[1]].into_iter().enumerate() {
                    if force != 0.0 {
                        t.at.add_row(k, force, &mut self.carried);
                    }
                }
                let point = Pressed { slack, features: at.features, ..t.point };
                own.kept.push(Kept { point, gap, rate, place: at.at, frame: frame(&at) });
                own.pressed.push(point);
            }
        }
        own.at = at;
        lost
    }
}

/// Auxiliary states of the bristles of a point.
fn bristles<P: Unilateral>(p: &P, id: PointId) -> Option<Range<usize>> {
    let friction = p.pressed_friction(id)?;
    friction.bristle.map(|first| first..first + friction.directions)
}

/// Deepest penetration between two ends of a step with gap and rate each.
fn deepest([from, to]: [[f64; 2]; 2], h: f64) -> f64 {
    let ends = (-from[0]).max(-to[0]).max(0.0);
    if !(from[1] < 0.0 && to[1] > 0.0 && to[0].is_finite()) {
        return ends;
    }
    // on the cubic through both, where a linear rate is zero
    let s = from[1] / (from[1] - to[1]);
    let (r, s2) = (1.0 - s, s * s);
    let gap = (1.0 + 2.0 * s) * r * r * from[0]
        + s2 * (3.0 - 2.0 * s) * to[0]
        + h * s * r * (r * from[1] - s * to[1]);
    ends.max(-gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_is_inside_the_step() {
        // a parabola is what the cubic has exactly
        let at = |t: f64| [-0.3 - 0.2 * t + 0.5 * t * t, -0.2 + t];
        assert!((deepest([at(0.0), at(0.5)], 0.5) - 0.32).abs() < 1e-15);
        assert_eq!(deepest([at(0.3), at(0.5)], 0.2), 0.315);
    }
}
