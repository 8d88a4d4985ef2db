//! What a recorder takes from an accepted step: the energy exchanged in it, what was hidden inside it, its row of the
//! step log, and the samples that lie in it.

use super::{Dynamics, Recorder};
use crate::driver::StepView;
use crate::lobatto;
use crate::sample_times::rounding;
use crate::step_log::StepRow;
use crate::summary::{SteppedOver, TargetJumped};
use delassus_dae::{Power, Problem, StepFailure};
use delassus_math::remember;
use delassus_model::{System, Workspace};

/// Energy dissipated and work done up to parts of a step, J.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Exchange {
    /// Both before the step.
    start: (f64, f64),
    /// Length of the step, s.
    h: f64,
    /// Power at 0, [`lobatto::INSIDE`], 1 and [`lobatto::MORE`]; `None` if nothing is exchanged.
    power: Option<[Power; 7]>,
}
remember!(Exchange { start, h, power });

impl Exchange {
    /// Up to part s. The whole step is integrated by its first four points, so that samples do not change it.
    fn up_to(&self, s: f64) -> (f64, f64) {
        let Some(power) = self.power else { return self.start };
        let integral = |of: fn(Power) -> f64| {
            let p = power.map(of);
            self.h
                * if s < 1.0 {
                    lobatto::part(s, p)
                } else {
                    lobatto::whole([p[0], p[1], p[2], p[3]])
                }
        };
        (self.start.0 + integral(|p| p.dissipated), self.start.1 + integral(|p| p.work))
    }
}

impl Recorder {
    /// Records an accepted step during which contacts acted.
    pub(crate) fn record_with(
        &mut self,
        sys: &System,
        step: &StepView<'_>,
        mut contacts: Option<&mut dyn Dynamics>,
    ) -> Result<(), StepFailure> {
        let (t0, t1) = (step.from.t, step.to.t);
        let h = t1 - t0;
        self.open_end = contacts.as_mut().is_some_and(|c| !c.ends_smoothly(step.to, h));
        self.fitted = false;
        let exchange = self.exchange(sys, step, &mut contacts)?;
        let end = exchange.up_to(1.0);
        let drift = self.drift_here(sys);
        self.acceleration_drift = drift[2];
        for k in 0..3 {
            self.drift[k] = delassus_math::largest([self.drift[k], drift[k]]);
        }
        if let Some(reversals) = &mut self.reversals {
            reversals.observe(sys, &self.ws, t0, &step.from.v, &step.to.v);
        }
        self.watch_laws(sys, step);
        self.watch_targets(sys, step);
        let e = self.energies(sys);
        let balance = e.kinetic + e.potential + end.0 - end.1 - self.energy_at_start;
        let at = (&self.sample, &self.derived);
        self.audit.observe(sys, &self.ws, at, e, [end.0, end.1], balance);
        // the last step may pass the end, where the run nominally stops
        let t = t1.min(self.t_end);
        self.steps.push(StepRow { t, h, rejected: 0.0, energy_error: balance, drift });
        self.sample_inside(sys, step, &mut contacts, &exchange)?;
        self.exchanged = exchange;
        (self.dissipated, self.work) = end;
        if self.track_turns {
            // visit the end of every step so that no turn is missed between samples
            self.go_to_end(sys, step, t1);
            self.measure(sys);
        }
        Ok(())
    }

    /// Takes the requested sample from a step that was recorded before.
    pub(crate) fn sample_again(
        &mut self,
        sys: &System,
        step: &StepView<'_>,
        mut contacts: Option<&mut dyn Dynamics>,
    ) -> Result<(), StepFailure> {
        self.fitted = false;
        let exchange = self.exchanged;
        let end = (self.dissipated, self.work);
        self.sample_inside(sys, step, &mut contacts, &exchange)?;
        (self.dissipated, self.work) = end;
        Ok(())
    }

    /// Power at points of a step; leaves its end realised.
    fn exchange(
        &mut self,
        sys: &System,
        step: &StepView<'_>,
        contacts: &mut Option<&mut dyn Dynamics>,
    ) -> Result<Exchange, StepFailure> {
        let (t0, t1) = (step.from.t, step.to.t);
        let h = t1 - t0;
        let exchanges = self.exchanges || contacts.is_some();
        let mut power = [Power::default(); 7];
        power[0] = self.power;
        // forces may have changed since the end of the step before: contacts, a function of time that switched, an
        // input that was set
        if contacts.is_some() || (exchanges && t0 != self.power_t) {
            self.sample.copy_from(step.from);
            power[0] = self.power_here(sys, contacts)?;
        }
        if exchanges {
            for (k, s) in lobatto::INSIDE.iter().enumerate() {
                self.go_inside(sys, step, t0 + s * h);
                power[1 + k] = self.power_here(sys, contacts)?;
                self.violation_here(sys);
            }
        }
        let inside =
            self.on_request || self.next_time().is_some_and(|t| t < t1 && !is_end(step, t));
        if exchanges && inside {
            for (k, s) in lobatto::MORE.iter().enumerate() {
                self.go_inside(sys, step, t0 + s * h);
                power[4 + k] = self.power_here(sys, contacts)?;
            }
        }
        self.go_to_end(sys, step, t1);
        power[3] = match contacts {
            Some(_) => self.power_here(sys, contacts)?,
            None => sys.power(&self.ws, &step.d1.lambda).unwrap_or_default(),
        };
        if exchanges {
            (self.power, self.power_t) = (power[3], t1);
        }
        let start = (self.dissipated, self.work);
        Ok(Exchange { start, h, power: exchanges.then_some(power) })
    }

    /// Looks for functions of time and laws on the path whose effect is hidden between the ends of a step.
    fn watch_laws(&mut self, sys: &System, step: &StepView<'_>) {
        let (Some(seen), None) = (&mut self.ranges, &self.stepped_over) else { return };
        let (t0, t1) = (step.from.t, step.to.t);
        let mut hidden = sys.hidden_in_time(&mut self.ws, seen, t0, t1);
        if sys.state_laws() {
            take_down_ends(sys, &mut self.ws, step);
            hidden = sys.hidden_on_way(&mut self.ws, seen, t0, t1 - t0).or(hidden);
        }
        self.stepped_over = hidden.map(|name| SteppedOver { name, t: t1 });
    }

    /// Examines targets in a step whose end is realised. Steps that end before a switch of time leave a gap, which
    /// belongs to the next one.
    fn watch_targets(&mut self, sys: &System, step: &StepView<'_>) {
        if !self.targets_could_jump || self.target_jumped.is_some() {
            return;
        }
        let (t0, t1) = (step.from.t, step.to.t);
        let in_time = sys.target_jump_in_time(&mut self.ws, self.targets_until, t1);
        self.targets_until = t1;
        let mut on_way = None;
        if sys.state_laws() {
            take_down_ends(sys, &mut self.ws, step);
            on_way = sys.target_jump_on_way(&mut self.ws, t0, t1 - t0);
        }
        let first = in_time.into_iter().chain(on_way).min_by(|a, b| a.t.total_cmp(&b.t));
        self.target_jumped = first.map(|j| TargetJumped { by: j.size(), force: j.force, t: j.t });
    }

    /// Samples inside the step. A time at its end up to rounding belongs to it, whatever follows: where functions of
    /// time switch, that is the side before.
    fn sample_inside(
        &mut self,
        sys: &System,
        step: &StepView<'_>,
        contacts: &mut Option<&mut dyn Dynamics>,
        exchange: &Exchange,
    ) -> Result<(), StepFailure> {
        let (t0, t1) = (step.from.t, step.to.t);
        while let Some(t) = self.next_time() {
            let at_end = is_end(step, t);
            if (t > t1 && !at_end) || !self.outlet.wants(self.next) {
                break;
            }
            if at_end {
                self.go_to_end(sys, step, t);
            } else {
                self.go_inside(sys, step, t);
            }
            if let Some(c) = contacts {
                self.contact_here(sys, &mut **c)?;
            } else if self.dynamics && (!at_end || self.redundant) {
                // at the end as well, because methods leave the multipliers of dependent rows at zero
                self.evaluate(sys)?;
            } else if !at_end {
                sys.realize_motion(&self.sample, &mut self.ws);
            }
            let part = if at_end { 1.0 } else { ((t - t0) / (t1 - t0)).clamp(0.0, 1.0) };
            (self.dissipated, self.work) = exchange.up_to(part);
            self.push(sys);
        }
        Ok(())
    }

    /// Sets `sample` to the end of a step, realised, at a time that equals its own up to rounding.
    fn go_to_end(&mut self, sys: &System, step: &StepView<'_>, t: f64) {
        self.sample.copy_from(step.to);
        self.sample.t = t;
        self.derived.copy_from(step.d1);
        self.realize(sys);
    }

    /// Sets `sample` to a moment inside a step, not realised.
    fn go_inside(&mut self, sys: &System, step: &StepView<'_>, t: f64) {
        let m = sys.manifold();
        if !self.fitted {
            self.dense.fit(m, step.from, step.d0, step.to, step.d1);
            if self.open_end {
                self.dense.leave_end_open();
            }
            self.fitted = true;
        }
        self.dense.at(m, t, &mut self.sample);
    }
}

/// Whether a time is the end of a step up to rounding.
fn is_end(step: &StepView<'_>, t: f64) -> bool {
    (step.to.t - t).abs() <= rounding(step.from.t, step.to.t)
}

/// Records what laws read at both ends of a step, and leaves its end realised.
fn take_down_ends(sys: &System, ws: &mut Workspace, step: &StepView<'_>) {
    for (s, d, end) in [(step.from, step.d0, false), (step.to, step.d1, true)] {
        sys.realize_position(s.t, &s.q, &s.z, ws);
        sys.realize_velocity(&s.v, &s.z, ws);
        sys.take_down(ws, &s.v, &d.a, end);
    }
}
