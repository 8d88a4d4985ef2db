//! Runs: the stepping loop, the recorder and the summary.
//!
//! [`Driver`] steps any `delassus_dae::Problem`; a [`Simulation`] is a run of an assembled model, which records its
//! sensors, energies and constraint drift and can be saved and restored; [`run`] takes one to its end; [`compare`] does
//! so with many methods and measures them against a reference; [`certify`] lets independent families of methods confirm
//! each other. Nothing here accesses files, prints or logs.

pub mod analysis;
mod blame;
pub mod certify;
mod clock;
mod column_scale;
pub mod compare;
pub mod contact;
mod contact_track;
mod driver;
mod energy_audit;
mod engine;
mod error;
mod guarded;
mod load_track;
mod lobatto;
mod motion_track;
mod notes;
mod options;
mod pace;
pub mod planted;
pub mod pool;
pub mod realtime;
mod recorder;
mod results;
mod run;
mod sample_times;
mod simulation;
mod sink;
mod smooth;
mod state_columns;
mod state_ring;
mod step_log;
mod stiffness;
mod summary;
mod touch;
mod verdict;

pub use clock::CpuClock;
pub use contact_track::{ContactTrack, TouchPoint};
pub use driver::{Driver, DriverOptions, StepView, TimeMark, next_time_mark};
pub use energy_audit::EnergyBalance;
pub use error::{InputError, NO_ROOM, SetupError, SimError, SimErrorKind, count_text, size_text};
pub use load_track::LoadTrack;
pub use motion_track::MotionTrack;
pub use notes::{Note, brief};
pub use options::{RunLimits, RunOptions, able_methods};
pub use recorder::Recorder;
pub use results::{Channel, DIAGNOSTICS, ResultSize, Results};
pub use run::{Observer, Silent, run, watch};
pub use sample_times::decimal;
pub use simulation::{EarlySample, RestoreError, RunOutcome, Simulation};
pub use sink::{Refused, Sink};
pub use state_columns::state_columns;
pub use state_ring::StateRing;
pub use step_log::{StepLog, StepRow};
pub use summary::{Status, SteppedOver, Summary, TargetJumped};
pub use verdict::{Item, Tone, Verdict, judge};
