//! Steps whose length follows from the error.

use super::Driver;
use super::hop::{HOP_AFTER, NEAR_SINGULAR, SHRUNK};
use crate::error::{SimError, SimErrorKind};
use delassus_dae::Problem;

/// A step this much shorter than the span cannot lead to the end.
const MIN_STEP: f64 = 1e-14;
/// Steps shorter than this part of the characteristic time are judged per step: round-off in
/// the error estimate divided by a vanishing step would otherwise drive the step to zero.
const PER_UNIT_FLOOR: f64 = 1e-5;

impl<P: Problem> Driver<P> {
    pub(super) fn propose_adaptive(&mut self, p: &P) -> Result<(), SimError> {
        let span = self.opts.t_end - self.t0;
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
            self.h = self.h.min(self.turn_limit(p)).min(self.limit);
            let left = self.opts.t_end - self.state.t;
            // stretch the last step a little rather than leave a sliver
            let (h, last) = if self.h * 1.01 >= left { (left, true) } else { (self.h, false) };
            if h < MIN_STEP * span.max(self.state.t.abs()) && !last {
                return Err(self.stop(p, SimErrorKind::StepTooSmall, h));
            }
            let made = self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev);
            match made.and_then(|()| self.settle(p, h)) {
                Ok(()) => {
                    self.scale.judge(h, &self.prev, self.method.end());
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
                        if !last || factor < 1.0 {
                            self.h = (h * factor).min(self.opts.max_step);
                        }
                        self.wait(last.then_some(self.opts.t_end), false);
                        return Ok(());
                    }
                    self.scale.worst(&view, &mut self.worst);
                    self.rejections.error += 1;
                    self.last_failure = None;
                    self.h = h * if err.is_finite() { self.control.rejected(err) } else { 0.1 };
                }
                Err(e) => {
                    self.count(&e);
                    self.h = h * self.shorter(&e);
                    self.last_failure = Some(e);
                    if self.h < MIN_STEP * span {
                        return Err(self.stop(p, SimErrorKind::StepTooSmall, self.h));
                    }
                }
            }
        }
    }
}
