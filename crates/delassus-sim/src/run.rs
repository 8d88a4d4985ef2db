//! One run of an assembled model from its start to its end, with an observer.

use crate::contact::Event;
use crate::error::SetupError;
use crate::options::RunOptions;
use crate::recorder::Recorder;
use crate::simulation::{RunOutcome, Simulation};
use delassus_model::Assembled;

/// Is notified of progress and may stop the run.
pub trait Observer {
    /// Called after every accepted step.
    fn stepped(&mut self, t: f64, steps: u64);
    /// Called after every accepted step with everything recorded so far.
    fn recorded(&mut self, _: &Recorder) {}
    /// Called after every accepted step with the log of events so far.
    fn happened(&mut self, _: &[Event]) {}
    /// True when the run should stop after this step.
    fn stop(&self) -> bool;
    /// Called after an accepted step at which the run can be saved.
    fn pause(&mut self, _: &mut Simulation) {}
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn stepped(&mut self, _: f64, _: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

/// Runs an assembled model.
pub fn run(
    model: &Assembled,
    opts: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, SetupError> {
    Ok(watch(Simulation::new(model, opts)?, observer))
}

/// Takes a simulation to the end of its options.
pub fn watch(mut sim: Simulation, observer: &mut dyn Observer) -> RunOutcome {
    let end = sim.options().t_end;
    // the error that stopped it is kept for the outcome
    while !sim.reached(end) && sim.step().is_ok() {
        observer.stepped(sim.state().t.min(end), sim.steps());
        observer.recorded(sim.recorder());
        observer.happened(sim.events());
        if sim.can_pause() {
            observer.pause(&mut sim);
        }
        if observer.stop() {
            sim.interrupt();
            break;
        }
    }
    sim.finish()
}
