//! Fixed steps.

use super::Driver;
use crate::error::{SimError, SimErrorKind};
use delassus_dae::{Problem, StepFailure};

/// Number of fixed steps in a row beyond the border of stability that ends a run.
const UNSTABLE_STEPS: u32 = 5;
/// Error of a position, in sizes of the model, that an explicit method may estimate for one step. Beyond this the step
/// follows nothing; many in a row are not a passing peak.
const HOPELESS: f64 = 0.1;
/// Movement in one step, in sizes of the model or radians, that no motion makes.
pub(super) const RUNAWAY: f64 = 1e6;
/// Number of halvings of a fixed step before a failure is final.
const MAX_HALVINGS: u32 = 12;

impl<P: Problem> Driver<P> {
    pub(super) fn propose_fixed(&mut self, p: &P, h: f64) -> Result<(), SimError> {
        // times are t0 + n h, never a running sum; a failed step is halved inside its interval
        let grid = self.t0 + (self.n_fixed + 1) as f64 * h;
        // a step may have to end earlier
        let cut = self.stop < grid - 1e-9 * h && self.left() > 1e-9 * h;
        let target = if cut { self.stop } else { grid };
        let mut part = target - self.state.t;
        let mut halvings = 0;
        if (part - h).abs() < 1e-9 * h {
            part = h;
        }
        if self.stiffness.beyond(UNSTABLE_STEPS) || self.coarse >= UNSTABLE_STEPS {
            return Err(self.unstable(p, h));
        }
        if !self.stiffness.beyond(1) && self.coarse == 0 {
            self.trouble.copy_from(&self.state);
        }
        loop {
            let made = self.method.attempt(p, &mut self.ws, &self.state, part, &mut self.prev);
            match made
                .and_then(|()| self.check_runaway(part))
                .and_then(|()| self.check_turn(p, part))
            {
                Ok(()) => {
                    self.watch_error();
                    self.watch_branch(p, part);
                    let done = self.state.t + part >= target - 1e-9 * h;
                    self.mark_pending(done.then_some(target), done && !cut);
                    return Ok(());
                }
                Err(e) => {
                    let hopeless = matches!(e, StepFailure::Runaway { .. });
                    self.count(&e);
                    self.last_failure = Some(e);
                    halvings += 1;
                    if hopeless && !self.method.info().stiff {
                        return Err(self.unstable(p, h));
                    }
                    if hopeless || halvings > MAX_HALVINGS {
                        return Err(self.stop(p, SimErrorKind::StepTooSmall, part));
                    }
                    part *= 0.5;
                }
            }
        }
    }

    /// Rejects a step that no motion makes. Nothing else would end a run whose implicit steps jumped from one solution
    /// to another, farther away each time.
    fn check_runaway(&self, h: f64) -> Result<(), StepFailure> {
        let (sizes, index) = self.scale.fastest(&self.prev.v);
        if h * sizes <= RUNAWAY {
            return Ok(());
        }
        Err(StepFailure::Runaway { index, sizes: h * sizes })
    }

    /// Counts steps in a row whose own estimate shows that an explicit method is lost. (Implicit methods estimate the
    /// error of vibrations that they damp instead of following.)
    fn watch_error(&mut self) {
        if self.method.info().stiff {
            return;
        }
        let error = self.scale.largest_position(&self.method.error());
        // NaN counts
        self.coarse = if error <= HOPELESS { 0 } else { self.coarse + 1 };
    }
}
