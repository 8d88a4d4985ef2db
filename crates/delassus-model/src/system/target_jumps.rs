//! Targets that jump under a controller with a derivative part.
//!
//! The rate of a jump is an impulse, kd times the jump, if the jump is the limit of a steep ramp. Controllers give
//! none: ė is the rate on either side. Where this happens it is reported, so that nobody mistakes one for the other.

use super::force::ForceLaw;
use super::time::{Source, TimeLaw};
use super::{System, Workspace};
use crate::Control;
use delassus_expr::Range;

/// A target that jumped.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetJump {
    /// The actuator.
    pub force: String,
    /// When, s.
    pub t: f64,
    /// By how much, rad or m.
    by: f64,
}

/// Largest number of evaluations on parts of one step; an isolated switch takes about 100.
const LOOKS: usize = 400;
/// Largest number of bisections of a step.
const DEEP: usize = 120;
/// Width of the narrowest parts of a step that rounding allows, relative to their position and to the step.
const NARROW: f64 = 8.0 * f64::EPSILON;
/// Fraction of the size of the coordinate by which a target may jump without being reported: formulas that meet only up
/// to rounding.
const MEETS: f64 = 1e-7;

impl System {
    /// Whether the rate of a law's value acts, and the size of what it follows, rad or m.
    pub(super) fn follows_rate(&self, law: &TimeLaw) -> Option<f64> {
        let Source::Scalar(i) = law.source else { return None };
        let f = &self.scalar_forces[i];
        match f.law {
            ForceLaw::Actuator { control: Control::Position, kd, .. } if kd != 0.0 => {
                Some(if f.scalar.kind.is_length() { self.length_between(&f.scalar) } else { 1.0 })
            }
            _ => None,
        }
    }

    /// Whether some target, of time or of the state, could jump while its rate acts.
    pub fn targets_could_jump(&self) -> bool {
        self.time.laws().iter().chain(self.way.laws()).any(|law| self.follows_rate(law).is_some())
    }

    /// The first target with a derivative part that jumps from a to b of time at the realised state.
    pub fn target_jump_in_time(&self, ws: &mut Workspace, a: f64, b: f64) -> Option<TargetJump> {
        let laws = self.time.laws().iter();
        laws.filter_map(|law| {
            let size = self.follows_rate(law)?;
            let mut on = |a: f64, b: f64| self.law_in_time(ws, law, a, b);
            let (t, by) = first_jump(&mut on, a, b, MEETS * size)?;
            Some(self.target_jump(law, t, by))
        })
        .min_by(|a, b| a.t.total_cmp(&b.t))
    }

    /// The same on the straight line between the two recorded ends, of a step from t over h.
    pub fn target_jump_on_way(&self, ws: &mut Workspace, t: f64, h: f64) -> Option<TargetJump> {
        self.span_straight(ws, t, h);
        let laws = self.way.laws().enumerate();
        laws.filter_map(|(k, law)| {
            let size = self.follows_rate(law)?;
            let mut on = |a: f64, b: f64| self.law_on_way(ws, k, a, b);
            let (s, by) = first_jump(&mut on, 0.0, 1.0, MEETS * size)?;
            Some(self.target_jump(law, t + s * h, by))
        })
        .min_by(|a, b| a.t.total_cmp(&b.t))
    }

    fn target_jump(&self, law: &TimeLaw, t: f64, by: f64) -> TargetJump {
        let force = match law.source {
            Source::Scalar(i) => self.scalar_forces[i].name.clone(),
            _ => String::new(),
        };
        TargetJump { force, t, by }
    }
}

impl TargetJump {
    /// By how much, rad or m.
    pub fn size(&self) -> f64 {
        self.by.abs()
    }
}

/// Where a function first jumps by more than this, and by how much. Its ranges on intervals are given, and whether
/// nothing switches there.
fn first_jump(
    on: &mut impl FnMut(f64, f64) -> (Range, bool),
    a: f64,
    b: f64,
    least: f64,
) -> Option<(f64, f64)> {
    // the one that comes first is the last
    let mut parts = [(a, b); DEEP];
    let mut n = 1;
    for _ in 0..LOOKS {
        if n == 0 {
            break;
        }
        n -= 1;
        let (from, to) = parts[n];
        if on(from, to).1 {
            continue;
        }
        let narrow = NARROW * (from.abs().max(to.abs()) + f64::EPSILON * (b - a));
        let middle = 0.5 * (from + to);
        if to - from > narrow && from < middle && middle < to && n + 2 <= DEEP {
            (parts[n], parts[n + 1]) = ((middle, to), (from, middle));
            n += 2;
            continue;
        }
        let by = on(to + narrow, to + narrow).0.lo - on(from - narrow, from - narrow).0.lo;
        if by.abs() > least {
            return Some((to, by));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y before a switch at s, and what follows it.
    fn found(s: f64, after: impl Fn(f64) -> f64, span: (f64, f64)) -> Option<(f64, f64)> {
        let mut on = |a: f64, b: f64| {
            let value = |t: f64| if t < s { 1.0 } else { after(t) };
            (Range { lo: value(a), hi: value(b) }, b < s || a >= s)
        };
        first_jump(&mut on, span.0, span.1, 1e-7)
    }

    #[test]
    fn jumps_are_told_from_kinks() {
        let (t, by) = found(0.3, |_| 3.0, (0.0, 1.0)).unwrap();
        assert!((t - 0.3).abs() < 1e-14 && by == 2.0);
        assert_eq!(found(0.3, |t| 1.0 + (t - 0.3), (0.0, 1.0)), None);
        assert_eq!(found(1.3, |_| 3.0, (0.0, 1.0)), None);
        // a switch where a step begins, or at zero
        assert!(found(1e5 + 0.7, |_| 3.0, (1e5, 1e5 + 1.0)).is_some());
        assert!(found(0.0, |_| 3.0, (-1.0, 1.0)).is_some());
    }
}
