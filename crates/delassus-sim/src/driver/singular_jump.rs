//! Jumps over singular positions.

use super::Driver;
use delassus_dae::Problem;

/// Number of rejections in a row before a singular position is suspected, and the relative pivot of G M⁻¹ Gᵀ that
/// confirms it (the square of the distance to the point, in radians or so).
pub(super) const HOP_AFTER: u32 = 3;
pub(super) const NEAR_SINGULAR: f64 = 1e-5;
/// Smallest distance of a state from its constraints, in units of rounding.
pub(super) const ROUNDINGS: f64 = 30.0;
/// Lengths of the jumps that are tried, in steps, and the error per step they may make, in tolerances.
const HOPS: [f64; 6] = [25.0, 12.0, 6.0, 3.0, 50.0, 1.5];
pub(super) const HOP_ERROR: f64 = 100.0;
/// A step below this fraction of the last one away from a singular position has shrunk on the way to it, over several
/// accepted steps; the jumps that are tried then, in multiples of that step.
pub(super) const SHRUNK: f64 = 0.1;
const LONG_HOPS: [f64; 4] = [1.0, 0.5, 2.0, 0.25];

/// A pivot below this fraction of the largest one since the method started belongs to a singular position.
const FALLEN: f64 = 1e-2;

impl<P: Problem> Driver<P> {
    /// Jumps over a singular position of the constraints.
    ///
    /// The motion is smooth through such a point, but accelerations computed close to it are dominated by the small
    /// distance of the state from the constraints, so the error test fails however small the step is. A step long
    /// enough to leave that neighbourhood is more accurate than a short one that ends in it. Its error may exceed the
    /// tolerance by [`HOP_ERROR`]; hops are counted in the summary.
    pub(super) fn jump_singular(&mut self, p: &P, first: f64, shrunk: bool) -> bool {
        let (base, factors) =
            if shrunk { (self.cruise, &LONG_HOPS[..]) } else { (first, &HOPS[..]) };
        let longest = factors.iter().fold(0.0, |m: f64, f| m.max(f * base));
        let left = self.find_mark(p, longest).unwrap_or(f64::INFINITY);
        let left = left.min(self.left());
        // Methods that hold their step solve for the end of the jump. Among the jumps that are as good as any step, the
        // longest is taken: a short one has the smaller error but ends as close to the position as it began, where the
        // next steps only shrink. If there is none, the best is taken, because errors of neighbours differ by powers of
        // ten. Other methods take the first that is good enough, trying the long ones first: their stages, and their
        // next steps, must not lie close to the position.
        let mut best = (HOP_ERROR, None);
        let mut good: Option<f64> = None;
        for factor in factors {
            let h = (factor * base).min(left);
            let err = self.jump_error(p, h);
            if err <= best.0 {
                best = (err, Some(h));
                if !self.holds_step {
                    break;
                }
            }
            if err <= 1.0 && good.is_none_or(|g| h > g) {
                good = Some(h);
            }
        }
        let longest = if self.holds_step { good } else { None };
        let Some(h) = longest.or(best.1) else { return false };
        // an iteration may end elsewhere the second time
        if self.jump_error(p, h) > HOP_ERROR {
            return false;
        }
        self.h = base;
        self.hops += 1;
        self.first_hop.get_or_insert(self.state.t);
        self.mark_pending(None, false);
        true
    }

    /// Effect of round-off on accelerations near a singular position, in tolerances, at least one. A state is off its
    /// constraints by some units of rounding, and accelerations are off by that over the pivot, however short the step
    /// is. A stricter error test makes steps shorter, which then lie closer to the position, where it is worse.
    fn noise(&self) -> f64 {
        let pivot = self.method.weakest_pivot();
        // a pivot that is always weak does not indicate a position; implicit methods do not take accelerations from the
        // position itself
        let falls = pivot < NEAR_SINGULAR.min(FALLEN * self.usual_pivot);
        if !falls || self.method.info().stiff {
            return 1.0;
        }
        (ROUNDINGS * f64::EPSILON / (pivot * self.opts.tol.rtol.max(f64::EPSILON))).max(1.0)
    }

    /// An error in tolerances, relative to the effect of round-off here. An error as large as the motion itself is not
    /// round-off: stages of a step that blows up reach positions where pivots are weak too. `unit` is the smallest
    /// fraction of a characteristic time by which errors are divided.
    pub(super) fn above_noise(&self, err: f64, unit: f64) -> f64 {
        if err * unit * self.opts.tol.rtol < 1.0 { err / self.noise() } else { err }
    }

    /// Tries a step of this length; its error in tolerances.
    fn jump_error(&mut self, p: &P, h: f64) -> f64 {
        let made = self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev);
        match made.and_then(|()| self.check_turn(p, h)) {
            Ok(()) => {
                self.scale.judge(h, &self.prev);
                if !self.may_jump(p, h) {
                    return f64::INFINITY;
                }
                self.above_noise(self.scale.norm(&self.method.error()), 1.0)
            }
            Err(_) => f64::INFINITY,
        }
    }
}
