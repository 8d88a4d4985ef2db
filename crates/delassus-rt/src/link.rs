//! Where inputs come from and outputs go to.

use crate::gate::Gate;
use crate::packet::Cycle;

/// A connection to the rest of the world. Its calls are made in every cycle: they do not wait, and allocate nothing.
pub trait Link {
    /// Offers all messages that have come to the gate. `false` if no more will come.
    fn receive(&mut self, gate: &mut Gate) -> bool;

    /// Passes on the outputs of a cycle.
    fn send(&mut self, cycle: &Cycle<'_>);

    /// Whether inputs may come.
    fn is_open(&self) -> bool {
        true
    }
}

/// Nothing comes, and nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Link for Alone {
    fn receive(&mut self, _: &mut Gate) -> bool {
        true
    }

    fn send(&mut self, _: &Cycle<'_>) {}

    fn is_open(&self) -> bool {
        false
    }
}
