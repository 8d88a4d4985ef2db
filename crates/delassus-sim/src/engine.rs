//! What moves a model from step to step: a driver alone, or one with contacts around it.

use crate::contact::{ContactTally, Event};
use crate::driver::{Driver, Rejections, StepView, Stepped};
use crate::error::SimError;
use crate::recorder::Recorder;
use delassus_dae::{State, StepFailure, Work};
use delassus_model::System;

/// What was done so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub steps: u64,
    pub rejections: Rejections,
    pub hops: u64,
    /// When the first of them was, s.
    pub first_hop: Option<f64>,
    pub stiff_since: Option<f64>,
    /// The fixed step, given or chosen; `None` while steps adapt.
    pub fixed_step: Option<f64>,
    pub work: Work,
}

/// Moves a model.
pub(crate) trait Engine {
    /// Makes one accepted step.
    fn advance(&mut self) -> Result<Stepped, SimError>;
    /// Present state.
    fn state(&self) -> &State;
    /// State before the last step.
    fn before(&self) -> &State;
    /// Hands the last step to a recorder.
    fn record(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure>;
    /// What was done so far.
    fn counts(&self) -> Counts;
    /// What was given up at contacts; `None` without them.
    fn contact(&self) -> Option<ContactTally> {
        None
    }
    /// Events at contacts so far.
    fn events(&self) -> &[Event] {
        &[]
    }
}

/// A model without contacts.
pub(crate) struct Smooth<'a> {
    pub sys: &'a System,
    pub driver: Driver<System>,
}

impl Smooth<'_> {
    fn view(&self) -> StepView<'_> {
        self.driver.view()
    }
}

impl Engine for Smooth<'_> {
    fn advance(&mut self) -> Result<Stepped, SimError> {
        self.driver.advance(self.sys)
    }

    fn state(&self) -> &State {
        self.driver.state()
    }

    fn before(&self) -> &State {
        self.view().from
    }

    fn record(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure> {
        recorder.record(self.sys, &self.driver.view())
    }

    fn counts(&self) -> Counts {
        let d = &self.driver;
        Counts {
            steps: d.steps,
            rejections: d.rejections,
            hops: d.hops,
            first_hop: d.first_hop,
            stiff_since: d.stiff_since(),
            fixed_step: d.fixed_step(),
            work: d.work(),
        }
    }
}
