//! Runs: the stepping loop, the recorder and the summary.
//!
//! [`Driver`] steps any `delassus_dae::Problem`; [`run`] drives an assembled model and records
//! its sensors, energies and constraint drift. Nothing here touches files, prints or logs.

mod driver;
mod error;
mod recorder;
mod run;
mod stiffness;
mod summary;

pub use driver::{Driver, DriverOptions, StepView, Stepped};
pub use error::{SetupError, SimError, SimErrorKind};
pub use recorder::{Channel, Recorder, Results};
pub use run::{Observer, RunOptions, RunOutcome, Silent, run};
pub use summary::{Status, Summary};
