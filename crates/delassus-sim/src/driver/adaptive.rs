//! Steps whose length follows from the error.

use super::Driver;
use super::hop::{HOP_AFTER, NEAR_SINGULAR, SHRUNK};
use crate::error::{SimError, SimErrorKind};
use delassus_dae::Problem;

/// A step this much shorter than the time, or than the steps before it, is lost in round-off or leads
/// nowhere.
const MIN_STEP: f64 = 1e-14;
/// Failures of steps beyond the end after which the last one is cut there: what is not defined beyond the
/// end need not be.
const FAILED_BEYOND: u32 = 10;
/// Steps shorter than this part of the characteristic time are judged per step: round-off in
/// the error estimate divided by a vanishing step would otherwise drive the step to zero.
const PER_UNIT_FLOOR: f64 = 1e-5;
/// Largest rotation in one adaptive step, rad.
const MAX_TURN: f64 = 1.5;

impl<P: Problem> Driver<P> {
    pub(super) fn propose_adaptive(&mut self, p: &P) -> Result<(), SimError> {
        let first = self.h;
        let mut failures = 0;
        loop {
            let shrunk = failures == 1 && first < SHRUNK * self.cruise;
            if (failures == HOP_AFTER || shrunk)
                && self.method.weakest_pivot() < NEAR_SINGULAR
                && self.hop(p, first, shrunk)
            {
                return Ok(());
            }
            failures += 1;
            // rotation vectors of a step are unique below π; stay well inside
            let spin = p.manifold().spin(&self.state.v);
            if self.h * spin > MAX_TURN {
                self.h = MAX_TURN / spin;
            }
            self.h = self.h.min(self.limit);
            let left = self.opts.t_end - self.state.t;
            let cut = !self.opts.pass_end || self.failed_beyond >= FAILED_BEYOND;
            // stretch the last step a little rather than leave a sliver
            let last = cut && self.h * 1.01 >= left;
            let h = if last { left } else { self.h };
            let usual = self.cruise.min(1.0 / self.scale.pace());
            let shortest = MIN_STEP * self.state.t.abs().max(usual);
            if h < shortest && !last {
                return Err(self.stop(p, SimErrorKind::StepTooSmall, h));
            }
            match self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev) {
                Ok(()) => {
                    self.scale.judge(h, &self.prev);
                    let view = self.method.error();
                    let mut err = self.scale.norm(&view);
                    if self.per_unit_step {
                        err /= (h * self.scale.rate()).max(PER_UNIT_FLOOR);
                    }
                    let per_unit = u32::from(self.per_unit_step);
                    self.control.set_order(self.method.error_order() - per_unit);
                    if err <= 1.0 {
                        let factor = self.control.accepted(err);
                        let factor = self.method.choose_order(&self.scale).unwrap_or(factor);
                        // small changes are not worth a new matrix or a new history
                        let factor = if self.holds_step && (0.8..1.25).contains(&factor) {
                            1.0
                        } else {
                            factor
                        };
                        if self.method.weakest_pivot() >= NEAR_SINGULAR {
                            self.cruise = h;
                        }
                        self.tried = h;
                        if !last || factor < 1.0 {
                            self.h = (h * factor).min(self.opts.max_step);
                        }
                        self.wait(last.then_some(self.opts.t_end), false);
                        return Ok(());
                    }
                    self.scale.worst(&view, &mut self.worst);
                    self.rejections.error += 1;
                    self.last_failure = None;
                    self.failed_beyond += u32::from(h > left && !err.is_finite());
                    self.h = h * if err.is_finite() { self.control.rejected(err) } else { 0.1 };
                }
                Err(e) => {
                    self.count(&e);
                    self.last_failure = Some(e);
                    self.h = h * self.control.failed();
                    self.failed_beyond += u32::from(h > left);
                    if self.h < shortest {
                        return Err(self.stop(p, SimErrorKind::StepTooSmall, self.h));
                    }
                }
            }
        }
    }
}
