//! Steps a model on the clock: one step per period, with inputs and outputs that are exchanged in each of them.
//!
//! Owns deadlines, the clock, what is requested of the operating system, messages and how they are carried, and the
//! figures of what the clock really did. Must not know mechanics, files or terminals: what is stepped is a [`Plant`],
//! usually a [`Stepper`](delassus_sim::realtime::Stepper).
//!
//! Start reading at [`run`], then [`Gate`] for inputs and [`Tally`] for figures. Everything that the loop needs exists
//! before it begins; rows that are to be kept go through a [`ring`] to another thread.

mod clock;
mod gate;
mod grid;
mod histogram;
pub mod host;
mod layout;
mod lines;
mod link;
pub mod packet;
mod plant;
mod ring;
mod runner;
pub mod status;
mod tally;
mod text;
mod udp;

pub use clock::{Clock, Monotonic};
pub use gate::{Counts, Gate, OnTimeout, PATIENCE};
pub use grid::{Grid, RATES};
pub use histogram::Histogram;
pub use layout::{Layout, Output};
pub use lines::Lines;
pub use link::{Alone, Link};
pub use plant::{Plant, Stepped};
pub use ring::{Receiver, Sender, ring};
pub use runner::{Ending, GRACE, OnOverrun, Outcome, Parts, Plan, ROW_HEAD, run};
pub use tally::{Bar, Figures, Overrun, SpanFigures, Tally};
pub use udp::{Sent, Udp, largest};
