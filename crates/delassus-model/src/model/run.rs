//! How a model is run.

use crate::spec::{ImpactType, SchemeType};
use delassus_dae::Options;

/// Time span and sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Analysis {
    /// Start, s.
    pub start: f64,
    /// End, s.
    pub end: f64,
    /// Sample interval, s.
    pub sample: f64,
    /// Largest assembly correction as a fraction of the model's size.
    pub max_assembly_correction: f64,
    /// Impacts that happen at once.
    pub impacts: ImpactType,
}

/// Method and tolerances; `None` = the method's own default.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Name of the method that runs: of a time-stepping method with that scheme.
    pub name: String,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Fixed step, s.
    pub step: Option<f64>,
    /// Largest step, s.
    pub max_step: Option<f64>,
    /// Largest number of steps.
    pub max_steps: Option<u64>,
    /// How a motion with contact is integrated.
    pub scheme: SchemeType,
    /// Options of methods, including those of methods other than this one.
    pub options: Options,
}
