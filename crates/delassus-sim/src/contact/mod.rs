//! Runs of systems with one-sided constraints and friction.
//!
//! [`EventDriven`] finds every event and steps exactly to it; start reading there.

pub mod event;
pub mod event_driven;
mod loads;
mod root;
pub mod thresholds;
mod watch;

pub use event::{Event, EventKind};
pub use event_driven::{EventDriven, Halt, MakeMethod};
pub use thresholds::Thresholds;
