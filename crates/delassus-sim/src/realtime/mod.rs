//! Steps of fixed cost for real time: everything is chosen, requested and touched before the start; a step iterates
//! nothing, allocates nothing, locks nothing, reads no clock and returns a status instead of an error.
//!
//! [`Stepper::prepare`] refuses by name what cannot run so. Each [`Stepper::step`] is one step of the linear-implicit
//! Euler method on the grid t₀ + n h, with the inputs that it was given, and with contacts by a capped number of points
//! and a fixed number of sweeps. Whoever calls it keeps the time: nothing here knows a clock.
//!
//! ```
//! use delassus_sim::realtime::{RealTimeOptions, Stepper};
//!
//! fn run(model: &delassus_model::Assembled) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut stepper = Stepper::prepare(model, &RealTimeOptions::of(&model.system, 1e-3))?;
//!     let mut inputs: Vec<f64> = stepper.inputs().iter().map(|i| i.default).collect();
//!     let mut out = vec![0.0; stepper.outputs().len()];
//!     for _ in 0..1000 {
//!         let status = stepper.step(&inputs);
//!         if status.stopped() {
//!             break;
//!         }
//!         stepper.read(&mut out);
//!     }
//!     Ok(())
//! }
//! ```

mod forecast;
mod options;
mod ports;
mod stability;
mod status;
mod stepper;

pub use forecast::{Dear, Forecast, Trial, forecast};
pub use options::{RealTimeError, RealTimeOptions};
pub use ports::{InputPort, OutputPort};
pub use stability::{FastMode, Stability};
pub use status::StepStatus;
pub use stepper::{Counters, Stepper};
