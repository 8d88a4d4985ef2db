//! What is stepped.

use delassus_sim::realtime::Stepper;

/// What a step tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stepped {
    /// Flags of the model.
    pub flags: u32,
    /// No step was made, and no other will be.
    pub stopped: bool,
}

/// Something that makes one step per period. Its calls allocate nothing and do not wait.
pub trait Plant {
    /// Makes a step with these inputs, all finite and within their limits.
    fn step(&mut self, inputs: &[f64]) -> Stepped;

    /// Time at the end of the last step, s.
    fn time(&self) -> f64;

    /// Values at the end of the last step, for outputs and rows.
    fn values(&self) -> &[f64];

    /// Coordinates there, for pictures.
    fn coordinates(&self) -> &[f64];

    /// How far its constraints are from being met there.
    fn drift(&self) -> f64;
}

impl Plant for Stepper {
    fn step(&mut self, inputs: &[f64]) -> Stepped {
        let status = Stepper::step(self, inputs);
        Stepped { flags: status.bits(), stopped: status.stopped() }
    }

    fn time(&self) -> f64 {
        Stepper::time(self)
    }

    fn values(&self) -> &[f64] {
        Stepper::values(self)
    }

    fn coordinates(&self) -> &[f64] {
        &self.state().q
    }

    fn drift(&self) -> f64 {
        self.position_drift()
    }
}
