//! What moves a model from step to step: a driver alone, or one embedded in contact handling.

use crate::contact::{ContactTally, Event};
use crate::driver::Rejections;
use crate::error::SimError;
use crate::recorder::Recorder;
use crate::stiffness::Fastest;
use delassus_dae::{Hermite, State, StepFailure, Work};
use delassus_math::memory::Remember;

/// What was done so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub steps: u64,
    pub rejections: Rejections,
    pub hops: u64,
    /// When the first of them occurred, s.
    pub first_hop: Option<f64>,
    /// Changes of branch that steps could not resolve, when the first occurred, s, and by how much the constraints miss
    /// the singular position there, relative to their scales.
    pub branches: (u64, Option<(f64, f64)>),
    pub stiff_since: Option<f64>,
    /// The fastest vibration, if it limits the steps of an explicit method at present, and the longest stable step, s.
    pub limited_by: Option<(Fastest, f64)>,
    /// Sum of local errors, in tolerances, if the method estimates them.
    pub local_errors: Option<f64>,
    /// The fixed step, given or chosen; `None` if steps adapt.
    pub fixed_step: Option<f64>,
    pub work: Work,
}

/// Moves a model.
pub(crate) trait Engine: Remember + Send {
    /// Makes one accepted step.
    fn advance(&mut self) -> Result<(), SimError>;
    /// Whether something happens at the present time that the next call will find.
    fn is_pending(&self) -> bool {
        false
    }
    /// Steps end at this time at the latest, s.
    fn set_stop(&mut self, t: f64);
    /// Sets the inputs from the present time on.
    fn set_inputs(&mut self, values: &[f64]) -> Result<(), StepFailure>;
    /// Present state.
    fn state(&self) -> &State;
    /// State before the last step.
    fn before(&self) -> &State;
    /// Passes the last step to a recorder.
    fn record(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure>;
    /// Lets a recorder take the sample that was requested from the last step, which it has recorded.
    fn sample(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure>;
    /// State at a time inside the last step.
    fn interpolate(&self, dense: &mut Hermite, t: f64, out: &mut State);
    /// Whether its memory is all that the next step depends on.
    fn can_pause(&self) -> bool {
        true
    }
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
