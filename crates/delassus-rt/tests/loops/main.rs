//! The loop with a clock and a plant that obey the test: nothing here depends on how fast the machine is.
#![allow(unsafe_code, clippy::unwrap_used, clippy::panic)]

mod deadlines;
mod heap;
mod lines;
mod toy;
mod udp;
