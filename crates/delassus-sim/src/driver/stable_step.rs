//! The longest step with which an explicit method is stable at a state, found by trial.
//!
//! No formula gives it: the width of the stability region depends on the direction in the complex plane (`mdop5`
//! reaches 3.3 along damped modes and 1 to 2 along undamped ones), and which direction counts depends on the damping of
//! the fastest mode. An estimate from the failed step is no better, since its stages were far away from the motion. So
//! the method itself makes short runs with shorter and shorter steps, from where the trouble began.

use super::Driver;
use super::fixed::RUNAWAY;
use delassus_dae::{Problem, State};

/// Number of steps of one trial. Growth by less than [`GROWTH`] over them passes: about 3 % per step.
const STEPS: usize = 100;
/// Growth of the accelerations' changes, from the first third of a trial to the last, that distinguishes an instability
/// from a motion.
const GROWTH: f64 = 10.0;
/// Number of trials with shorter steps, each a quarter of the one before: 4⁻²⁰ is 1e-12.
const SHORTENED: u32 = 20;
/// Bisections, in the logarithm, of the gap between a step that holds and one that does not: to 10 %.
const REFINED: u32 = 4;

/// Number of steps made to see whether the motion itself runs away.
const MOST: usize = 100_000;

impl<P: Problem> Driver<P> {
    /// The longest step that holds from where the trouble began, s, given one that does not. `None` if none does. The
    /// state of the driver is kept, to be reported.
    pub(super) fn longest_stable_step(&mut self, p: &P, too_long: f64) -> Option<f64> {
        let (mut here, mut next) = (self.state.clone(), self.state.clone());
        let mut last = self.method.start().a.clone();
        let mut bad = too_long;
        let mut good = None;
        for _ in 0..SHORTENED {
            let h = 0.25 * bad;
            if self.holds(p, h, &mut here, &mut next, &mut last) {
                good = Some(h);
                break;
            }
            bad = h;
        }
        if let Some(good) = &mut good {
            for _ in 0..REFINED {
                let h = (*good * bad).sqrt();
                if self.holds(p, h, &mut here, &mut next, &mut last) {
                    *good = h;
                } else {
                    bad = h;
                }
            }
        }
        // what is reported afterwards belongs to the present state, at which it was computed before
        let _ = self.method.restart(p, &mut self.ws, &self.state);
        good
    }

    /// Whether the motion does not run away from where the trouble began to the end of the failed step, `too_long`,
    /// with steps as short as `h`.
    pub(super) fn stays(&mut self, p: &P, h: f64, too_long: f64) -> bool {
        let (mut here, mut next) = (self.trouble.clone(), self.trouble.clone());
        let until = self.state.t + too_long;
        let mut stays = self.method.restart(p, &mut self.ws, &here).is_ok();
        for _ in 0..MOST {
            if !stays || here.t >= until {
                break;
            }
            stays = self.method.attempt(p, &mut self.ws, &here, h, &mut next).is_ok();
            self.method.commit();
            std::mem::swap(&mut here, &mut next);
            // NaN counts as running away
            stays &= too_long * self.scale.fastest(&here.v).0 <= RUNAWAY;
        }
        // what is reported afterwards belongs to the present state, at which it was computed before
        let _ = self.method.restart(p, &mut self.ws, &self.state);
        stays
    }

    /// Whether some steps of this length neither fail nor grow. The changes of the accelerations from step to step show
    /// the fastest mode first: they are ω² times as large as those of positions.
    fn holds(
        &mut self,
        p: &P,
        h: f64,
        here: &mut State,
        next: &mut State,
        last: &mut [f64],
    ) -> bool {
        here.copy_from(&self.trouble);
        if self.method.restart(p, &mut self.ws, here).is_err() {
            return false;
        }
        let mut first_third = 0.0;
        for k in 0..STEPS {
            last.copy_from_slice(&self.method.start().a);
            if self.method.attempt(p, &mut self.ws, here, h, next).is_err() {
                return false;
            }
            self.method.commit();
            std::mem::swap(here, next);
            for (last, a) in last.iter_mut().zip(&self.method.start().a) {
                *last = a - *last;
            }
            let (change, _) = self.scale.fastest(last);
            if 3 * k < STEPS {
                first_third = f64::max(first_third, change);
            }
            // NaN does not hold either
            let bound = if 3 * k < STEPS { f64::MAX } else { GROWTH * first_third };
            if !(change <= bound) {
                return false;
            }
        }
        true
    }
}
