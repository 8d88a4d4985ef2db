//! Steps whose length follows from the error.

use super::Driver;
use super::singular_jump::{HOP_AFTER, NEAR_SINGULAR, SHRUNK};
use super::time_marks::Allowed;
use super::way::Look;
use crate::error::{SimError, SimErrorKind};
use delassus_dae::Problem;

/// A step this much shorter than the time, or than the steps before it, is lost in round-off or makes no progress.
pub(super) const MIN_STEP: f64 = 1e-14;
/// Steps shorter than this fraction of the characteristic time are judged per step: round-off in the error estimate
/// divided by a vanishing step would otherwise drive the step to zero.
const PER_UNIT_FLOOR: f64 = 1e-5;
/// How often one step may begin anew behind a switch that rounds more than the time; where something varies as fast
/// as numbers can tell, each beginning would meet the next switch.
const ROUNDINGS: u32 = 10;
/// Factor by which a step is stretched to avoid leaving a very short one.
const SLIVER: f64 = 1.01;

impl<P: Problem> Driver<P> {
    pub(super) fn propose_adaptive(&mut self, p: &P) -> Result<(), SimError> {
        let first = self.h;
        let (mut failures, mut passed) = (0, 0);
        self.start_way(p);
        loop {
            let shrunk = failures == 1 && first < SHRUNK * self.cruise;
            if (failures == HOP_AFTER || shrunk)
                && self.method.info().can.singular
                && self.method.weakest_pivot() < NEAR_SINGULAR
                && self.jump_singular(p, first, shrunk)
            {
                return Ok(());
            }
            failures += 1;
            self.h = self.h.min(self.turn_limit(p)).min(self.limit);
            let usual = self.cruise.min(1.0 / self.scale.pace());
            let shortest = MIN_STEP * self.state.t.abs().max(usual);
            let free = self.watch_time(p, self.h);
            let Allowed { h, lands } = self.aim_at(self.stop_at(free, shortest), shortest);
            // a step that is cut at the request of others says nothing about the next one
            let planned = if h < free.h { free.h } else { 0.0 };
            if h < shortest {
                if failures == 1 && passed < ROUNDINGS && self.pass_rounding(p)? {
                    (failures, passed) = (0, passed + 1);
                    continue;
                }
                let restless = if failures == 1 { self.too_restless(p, h) } else { None };
                return Err(restless.unwrap_or_else(|| self.stop(p, SimErrorKind::StepTooSmall, h)));
            }
            let made = self.method.attempt(p, &mut self.ws, &self.state, h, &mut self.prev);
            match made.and_then(|()| self.check_turn(p, h)) {
                Ok(()) => {
                    self.scale.judge(h, &self.prev);
                    let error = self.method.error();
                    let (err, unit) = match self.per_unit_step {
                        true => (self.scale.norm_per_unit(&error, PER_UNIT_FLOOR), PER_UNIT_FLOOR),
                        false => (self.scale.norm(&error), 1.0),
                    };
                    let err = self.above_noise(err, unit);
                    let per_unit = u32::from(self.per_unit_step);
                    self.control.set_order(self.method.error_order() - per_unit);
                    let looked = self.watch_way(p, h, err <= 1.0);
                    if let Look::Shorter(h) = looked {
                        self.rejections.error += 1;
                        self.last_failure = None;
                        self.h = h;
                        continue;
                    }
                    if err <= 1.0
                        && let Some(shorter) = self.watch_branch(p, h)
                    {
                        self.rejections.error += 1;
                        self.last_failure = None;
                        self.h = shorter;
                        continue;
                    }
                    if err <= 1.0 {
                        if self.per_unit_step {
                            self.local_errors += self.scale.norm(&self.method.error());
                        }
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
                        self.tried = h.max(planned);
                        self.h = (h * factor).max(planned).min(self.opts.max_step);
                        if let Look::Before(next) = looked {
                            self.h = next;
                        }
                        self.mark_pending(lands, false);
                        return Ok(());
                    }
                    self.scale.worst(&self.method.error(), &mut self.worst);
                    if failures == 1
                        && self.cannot_follow(p, h)
                        && self.jump_singular(p, first, false)
                    {
                        return Ok(());
                    }
                    self.rejections.error += 1;
                    self.last_failure = None;
                    self.h = h * if err.is_finite() { self.control.rejected(err) } else { 0.1 };
                }
                Err(e) => {
                    self.count(&e);
                    self.h = h * self.shorter(&e);
                    self.last_failure = Some(e);
                    if self.h < shortest {
                        return Err(self.stop(p, SimErrorKind::StepTooSmall, self.h));
                    }
                }
            }
        }
    }

    /// The step, ending at the latest where something is predicted to happen.
    fn aim_at(&self, step: Allowed, shortest: f64) -> Allowed {
        match self.aim >= shortest && self.aim < step.h {
            true => Allowed { h: self.aim, lands: None },
            false => step,
        }
    }

    /// Time left until the run should stop, s.
    pub(super) fn left(&self) -> f64 {
        self.stop - self.state.t
    }

    /// The step, ending at the latest where the run should stop. A remainder shorter than any step is passed.
    fn stop_at(&self, step: Allowed, shortest: f64) -> Allowed {
        let left = self.left();
        let stretched = if step.lands.is_none() { SLIVER } else { 1.0 };
        if left >= shortest && stretched * step.h >= left {
            return Allowed { h: left, lands: Some(self.stop) };
        }
        step
    }
}
