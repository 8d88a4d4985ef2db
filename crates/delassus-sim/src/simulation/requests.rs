//! Samples of a run that are requested one by one; see [`RunOptions::on_request`].

use super::Simulation;
use crate::error::SimError;
#[cfg(doc)]
use crate::options::RunOptions;
use crate::sample_times::rounding;

/// Where [`Simulation::sample_to_event`] ended.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlySample {
    /// Time of the sample, s.
    pub t: f64,
    /// If an event ended it and steps end exactly at requested times: what was saved before the step that made the
    /// event, so that inputs that are set at the event act in it.
    pub before: Option<Vec<u8>>,
}

impl Simulation {
    /// Steps until the requested time is reached or passed, and takes the sample there, which is then the only one in
    /// [`Simulation::results`]. The time is not before that of the last sample. Requires [`RunOptions::on_request`].
    pub fn sample(&mut self, t: f64) -> Result<(), SimError> {
        self.recorder.request(t);
        self.advance_to(t)?;
        self.sample_here()
    }

    /// The same with a last step that ends at this time, as in [`Simulation::advance_exactly_to`].
    pub fn sample_exactly(&mut self, t: f64) -> Result<(), SimError> {
        self.recorder.request(t);
        self.advance_exactly_to(t)?;
        self.sample_here()
    }

    /// Like [`Simulation::sample`] or, if asked to end `exactly` there, [`Simulation::sample_exactly`], but the first
    /// event later than `after` ends it early: the sample is then the one right after that event.
    pub fn sample_to_event(
        &mut self,
        t: f64,
        after: f64,
        exactly: bool,
    ) -> Result<EarlySample, SimError> {
        self.recorder.request(t);
        if exactly {
            self.engine.set_stop(t);
        }
        let found = self.step_to_event(t, after, exactly);
        self.engine.set_stop(f64::INFINITY);
        let sample = found?;
        if sample.t < t {
            self.recorder.request(sample.t);
        }
        self.sample_here()?;
        Ok(sample)
    }

    fn step_to_event(
        &mut self,
        t: f64,
        after: f64,
        exactly: bool,
    ) -> Result<EarlySample, SimError> {
        loop {
            let done = if exactly { self.came_to(t) } else { self.reached(t) };
            if done {
                return Ok(EarlySample { t, before: None });
            }
            let known = self.engine.events().len();
            // inputs that are set at the event must be able to act from there
            let rewinds = exactly && self.can_pause();
            let before = rewinds.then(|| self.save());
            self.step()?;
            let (from, to) = (self.engine.before().t, self.engine.state().t);
            let new = self.engine.events().get(known..).unwrap_or(&[]);
            let event = new.iter().map(|e| e.t.clamp(from, to)).find(|te| *te > after && *te < t);
            if let Some(te) = event.filter(|te| t - te > rounding(from, to) && rewinds == exactly) {
                return Ok(EarlySample { t: te, before });
            }
        }
    }

    /// Takes the sample again at a time in the last step. In a run that was restored, contacts of time-stepping show no
    /// forces until the next step.
    pub fn sample_back_at(&mut self, t: f64) -> Result<(), SimError> {
        self.recorder.request(t);
        self.sample_here()
    }

    /// Takes the requested sample from the last step, if no step since the request had it.
    fn sample_here(&mut self) -> Result<(), SimError> {
        if !self.recorder.is_waiting() {
            return Ok(());
        }
        let Simulation { sys, engine, recorder, .. } = self;
        engine.sample(recorder).map_err(|e| {
            let (t0, t1) = (engine.before().t, engine.state().t);
            SimError::from_failure(&**sys, &e, t0, t1 - t0)
        })
    }
}
