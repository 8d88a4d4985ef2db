//! Runs of systems with one-sided constraints and friction.
//!
//! [`EventDriven`] finds every event and steps exactly to it; start reading there.

mod changes;
mod channels;
mod closed_points;
mod compliant;
mod courses;
mod crowd;
mod engine;
pub mod event;
pub mod event_driven;
mod event_memory;
mod failures;
mod following;
mod in_turn;
mod jump;
mod locate;
mod mode_log;
mod pressed_points;
mod resolve;
mod root;
mod search;
mod slide;
mod sliders;
mod squeeze;
mod start;
pub mod storm;
mod stretch;
mod taking_over;
mod tally;
pub mod thresholds;
mod trigger;
mod watch;
mod yielding;

pub(crate) use channels::channels;
pub(crate) use engine::{ContactEngine, Runs};
pub use event::{Event, EventKind, found_after};
pub use event_driven::{EventDriven, Halt, MakeError, MakeMethod};
pub use storm::{Storm, Unrest};
pub(crate) use tally::FEW_STEPS;
pub use tally::{CompliantTally, ContactTally, Occurrences, Worst};
pub use thresholds::Thresholds;
