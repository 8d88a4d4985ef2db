//! Inputs and outputs by name.

use crate::results::Channel;
use delassus_model::System;

/// An input of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct InputPort {
    /// Name.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Value at the start.
    pub default: f64,
    /// Smallest and largest value; infinite if there is no bound.
    pub bounds: [f64; 2],
}

/// An output of the model: a sensor.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputPort {
    /// Name.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Frame of its components.
    pub frame: String,
}

pub(super) fn inputs(sys: &System) -> Vec<InputPort> {
    let of = |i: &delassus_model::Input| InputPort {
        name: i.name.clone(),
        unit: i.unit.clone(),
        default: i.default,
        bounds: i.bounds,
    };
    sys.model().inputs.iter().map(of).collect()
}

pub(super) fn outputs(sys: &System) -> Vec<OutputPort> {
    let channels = sys.model().sensors.iter().map(Channel::from);
    channels.map(|c| OutputPort { name: c.name, unit: c.unit, frame: c.frame }).collect()
}
