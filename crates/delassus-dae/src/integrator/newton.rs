//! Newton's iteration with a matrix that is kept while it contracts well, for all implicit methods.
//!
//! Increments δ_k that shrink by θ = |δ_k|/|δ_k₋₁| leave θ/(1 − θ) |δ_k| behind. This decides when the iteration ends,
//! predicts whether an old matrix will do, and decides when the matrix is renewed. Two things differ from the textbook:
//! near round-off θ says nothing about the matrix; and near a singular position or far from the origin round-off
//! exceeds that of the increments themselves, so that increments well above it may be the best that can be reached.
//!
//! A method supplies its own equations and its own norm ([`Equations`]), and the size of round-off in that norm
//! ([`Limits`]); everything else is here. Reference: Hairer & Wanner, Solving Ordinary Differential Equations II
//! (1996), IV.8.

use super::rounding::Rounding;
use crate::failure::StepFailure;
use crate::problem::Problem;
use crate::state::State;

/// Iterations before an attempt is given up.
const MAX_ITERATIONS: usize = 14;
/// Round-off in increments of positions, relative to the scales.
pub(super) const NOISE: f64 = 4e-15;
/// The same near a singular position.
pub(super) const STALLED: f64 = 1e-9;
/// Increments of positions below this, relative to the scales, are indistinguishable from round-off.
const ROUND_OFF: f64 = 3e-16;
/// Contraction beyond which an old matrix is renewed, if renewing costs little more than an iteration.
pub(super) const SLOW: f64 = 0.1;
/// Further iterations that an old matrix is given before it is renewed.
const PATIENCE: f64 = 6.0;

/// A step to be solved: its problem, its start, its length and where its end goes.
pub(super) struct Step<'a, P: Problem> {
    pub p: &'a P,
    pub ws: &'a mut P::Ws,
    pub from: &'a State,
    pub h: f64,
    pub to: &'a mut State,
}

/// The equations of a step, which own the iterate.
pub(super) trait Equations<P: Problem> {
    /// Residuals at the iterate; with `renew` also the matrix there, factored.
    fn evaluate(&mut self, s: &mut Step<'_, P>, renew: bool) -> Result<(), StepFailure>;
    /// Solves for the increment.
    fn solve(&mut self) -> Result<(), StepFailure>;
    /// Applies the increment.
    fn update(&mut self, s: &mut Step<'_, P>) -> Result<Increment, StepFailure>;
}

/// Size of an increment, relative to the scales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Increment {
    /// Its largest component.
    pub norm: f64,
    /// Which one that is.
    pub worst: usize,
    /// Allowed remainder.
    pub tol: f64,
    /// Its largest component, each relative to its allowed remainder.
    pub excess: f64,
}

impl Increment {
    /// Of size zero.
    pub fn new(tol: f64) -> Increment {
        Increment { norm: 0.0, worst: 0, tol, excess: 0.0 }
    }

    /// Includes component i, of size w.
    fn take(&mut self, i: usize, w: f64) {
        self.take_rounded(i, w, 0.0);
    }

    /// Includes component i, of size w, of which at least `part` may remain.
    fn take_rounded(&mut self, i: usize, w: f64, part: f64) {
        // NaN counts
        if !(w <= self.norm) {
            (self.norm, self.worst) = (w, i);
        }
        let least = self.tol.max(part);
        if !(w <= self.excess * least) {
            self.excess = w / least;
        }
    }

    /// Includes the size of something that is not a velocity.
    pub fn also(&mut self, w: f64) {
        self.norm = self.norm.max(w);
        self.excess = self.excess.max(w / self.tol);
    }

    /// Includes c x.
    pub fn add(&mut self, c: f64, x: &[f64], scale: &[f64]) {
        for (i, (x, s)) in x.iter().zip(scale).enumerate() {
            self.take(i, c * x.abs() / s);
        }
    }

    /// Includes c x, in which the rounding errors of positions appear `times` as large.
    pub fn add_rounded(&mut self, c: f64, x: &[f64], scale: &[f64], times: f64, lost: &Rounding) {
        for (i, (x, s)) in x.iter().zip(scale).enumerate() {
            self.take_rounded(i, c * x.abs() / s, times * lost.part(i));
        }
    }
}

/// Rate ω of a motion, 1/s: the remainder of an iteration is judged by what a step does, hω.
pub(super) fn rate_of_motion(v: &[f64], a: &[f64], scale: &[f64]) -> f64 {
    let mut omega: f64 = 0.0;
    for (i, s) in scale.iter().enumerate() {
        omega = omega.max(v[i].abs() / s).max((a[i].abs() / s).sqrt());
    }
    omega
}

/// What to do after an increment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Converged,
    GoOn,
    Failed,
}

/// Meaning of increments in the norm of a method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Increments below this may be round-off.
    pub noise: f64,
    /// Increments below this that no longer decrease are as good as it gets.
    pub stalled: f64,
    /// Increments below this that no longer decrease are rounding errors of positions far from the origin; no other
    /// matrix makes them smaller.
    pub far: f64,
    /// Contraction beyond which an old matrix is renewed.
    pub slow: f64,
}

/// Monitors the increments of one iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newton {
    limits: Limits,
    iterations: usize,
    last: f64,
    /// The matrix was made in this attempt.
    fresh: bool,
    /// The first guess is where the step starts.
    from_start: bool,
    /// The matrix must be renewed before its next use, in this iteration or after it.
    pub renew: bool,
}

impl Newton {
    /// With `renew` the present matrix is not used.
    pub fn new(limits: Limits, renew: bool) -> Newton {
        let last = f64::INFINITY;
        Newton { limits, iterations: 0, last, fresh: false, from_start: false, renew }
    }

    /// The first guess is where the step starts. The matrix there may be altogether different from elsewhere: sliding
    /// friction at rest is a damper without bounds, which lets no increment pass and so seems to have converged. So the
    /// first increment proves nothing, and the matrix is renewed after it.
    pub fn beginning(self, from_start: bool) -> Newton {
        Newton { from_start, ..self }
    }

    /// Solves the equations of a step from the present iterate.
    pub fn solve<P: Problem>(
        &mut self,
        equations: &mut impl Equations<P>,
        s: &mut Step<'_, P>,
    ) -> Result<(), StepFailure> {
        loop {
            equations.evaluate(s, self.renew)?;
            self.fresh |= self.renew;
            equations.solve()?;
            let increment = equations.update(s)?;
            let Increment { norm, worst, .. } = increment;
            match self.judge(&increment) {
                Verdict::GoOn => {}
                Verdict::Converged => return Ok(()),
                Verdict::Failed => {
                    let iterations = self.iterations;
                    return Err(StepFailure::NewtonDiverged { iterations, increment: norm, worst });
                }
            }
        }
    }

    fn judge(&mut self, increment: &Increment) -> Verdict {
        let &Increment { norm, tol, excess, .. } = increment;
        let k = self.iterations;
        let theta = norm / self.last;
        self.iterations += 1;
        self.last = norm;
        let Limits { noise, stalled, far, slow } = self.limits;
        let left = MAX_ITERATIONS - self.iterations;
        let best = if self.fresh { stalled } else { noise.max(far) };
        let contracts =
            excess <= 1.0 || (k > 0 && theta < 0.5 && excess * theta / (1.0 - theta) <= 1.0);
        let to_blame = norm > noise && (contracts || norm > far);
        if k == 0 && self.from_start && norm.is_finite() {
            self.renew = true;
            return Verdict::GoOn;
        }
        if contracts
            || (k > 0 && theta > 0.1 && norm <= ROUND_OFF)
            || (k > 1 && theta > 0.3 && norm <= noise)
            || (k > 1 && theta > 0.7 && norm <= far)
            || (k > 4 && theta > 0.7 && norm <= best)
            || (left == 0 && norm <= best)
        {
            // slow this time: renew before the next step, not in the middle of one
            self.renew = k > 1 && theta > slow && to_blame;
            return Verdict::Converged;
        }
        let diverges = k > 1 && theta > 2.0 && self.fresh && norm > stalled;
        if diverges || left == 0 || !norm.is_finite() {
            self.renew = true;
            return Verdict::Failed;
        }
        // iterations to go at this rate
        let to_go = (norm / tol.max(noise)).ln() / -theta.min(1.0).ln();
        self.renew = to_blame
            && if self.fresh {
                (k > 3 && theta > 0.5) || (k > 1 && to_go > left as f64)
            } else {
                k > 0 && (theta > slow || to_go > PATIENCE)
            };
        Verdict::GoOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Increments that shrink by θ, with a fresh matrix or an old one.
    fn run(theta: f64, floor: f64, fresh: bool) -> (Verdict, usize, bool) {
        run_far(theta, floor, fresh, 0.0)
    }

    /// The same far from the origin.
    fn run_far(theta: f64, floor: f64, fresh: bool, far: f64) -> (Verdict, usize, bool) {
        let limits = Limits { noise: NOISE, stalled: STALLED, far, slow: 0.2 };
        let mut n = Newton::new(limits, false);
        n.fresh = fresh;
        let mut norm: f64 = 1.0;
        loop {
            let mut increment = Increment::new(1e-12);
            increment.take(0, norm);
            match n.judge(&increment) {
                Verdict::GoOn if n.renew && !fresh => return (Verdict::GoOn, n.iterations, true),
                Verdict::GoOn => norm = (norm * theta).max(floor),
                v => return (v, n.iterations, n.renew),
            }
        }
    }

    #[test]
    fn convergence_is_told_from_divergence() {
        assert_eq!(run(1e-3, 0.0, true), (Verdict::Converged, 5, false));
        assert_eq!(run(3.0, 0.0, true), (Verdict::Failed, 3, true));
        assert_eq!(run(0.9, 0.0, true).0, Verdict::Failed);
        assert_eq!(run(f64::NAN, f64::NAN, true), (Verdict::Failed, 2, true));
    }

    #[test]
    fn an_old_matrix_is_renewed_where_it_is_slow_and_a_stall_is_taken_from_a_fresh_one_only() {
        assert_eq!(run(1e-3, 0.0, false), (Verdict::Converged, 5, false));
        assert_eq!(run(0.3, 0.0, false), (Verdict::GoOn, 2, true));
        assert_eq!(run(1e-3, 1e-10, true).0, Verdict::Converged);
        assert_eq!(run(1e-3, 1e-10, false).0, Verdict::GoOn);
        assert_eq!(run(1e-3, 1e-8, true).0, Verdict::Failed);
    }

    #[test]
    fn no_iteration_is_spent_on_what_rounding_puts_there() {
        // of the first component may be left 100 times as much
        let mut increment = Increment::new(1e-14);
        increment.take(1, 1e-14);
        assert_eq!((increment.norm, increment.worst, increment.excess), (1e-14, 1, 1.0));
        increment.take_rounded(0, 1e-12, 1e-12);
        assert_eq!((increment.norm, increment.worst, increment.excess), (1e-12, 0, 1.0));
        increment.take_rounded(0, f64::NAN, 1e-12);
        assert!(increment.norm.is_nan() && increment.excess.is_nan());
    }

    #[test]
    fn no_matrix_is_blamed_for_what_positions_far_away_lose() {
        assert_eq!(run_far(1e-3, 3e-10, false, 6e-10), (Verdict::Converged, 6, false));
        assert_eq!(run_far(1e-3, 3e-10, false, 0.0), (Verdict::GoOn, 5, true));
        // slow is slow, also there
        assert_eq!(run_far(0.3, 3e-10, false, 6e-10), (Verdict::GoOn, 2, true));
    }
}
