//! Results of a run: samples by column.

use crate::error::SetupError;
use crate::options::RunLimits;
use delassus_math::remember;
use delassus_model::Sensor;

/// A column of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Name.
    pub name: String,
    /// Unit, SI.
    pub unit: String,
    /// Frame its components refer to; empty if none.
    pub frame: String,
    /// A sensor of the model; the others are diagnostics every run records.
    pub sensor: bool,
}

impl Channel {
    /// Whether its values may be unknown, NaN: gaps of shapes that do not face each other, or were not examined; bands
    /// of values that nothing confirms.
    pub fn may_lack(&self) -> bool {
        !self.sensor && (self.name.ends_with(".gap") || self.name.ends_with(BAND))
    }

    /// Whether a value may occur in a valid run.
    pub fn allows(&self, x: f64) -> bool {
        x.is_finite() || (x.is_nan() && self.may_lack())
    }
}

impl From<&Sensor> for Channel {
    fn from(s: &Sensor) -> Channel {
        // an input is given, so nothing is to be learnt from its error
        Channel {
            name: s.name.clone(),
            unit: s.unit.clone(),
            frame: s.frame.clone(),
            sensor: !s.given,
        }
    }
}

/// Samples by column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// Columns other than time.
    pub channels: Vec<Channel>,
    /// Times, s.
    pub t: Vec<f64>,
    /// One vector per channel.
    pub data: Vec<Vec<f64>>,
}
remember!(Results { t, data } apart from { channels });

impl Results {
    /// A column by name.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.channels.iter().position(|c| c.name == name).map(|i| self.data[i].as_slice())
    }

    /// Removes all samples, but keeps the memory for them.
    pub(crate) fn clear(&mut self) {
        self.data.iter_mut().chain([&mut self.t]).for_each(Vec::clear);
    }
}

/// Names and units of the columns that every run records.
pub const DIAGNOSTICS: [(&str, &str); 8] = [
    ("energy.kinetic", "J"),
    ("energy.potential", "J"),
    ("energy.dissipated", "J"),
    ("energy.work", "J"),
    ("energy.balance", "J"),
    ("drift.position", "1"),
    ("drift.velocity", "1/s"),
    ("drift.acceleration", "1/s^2"),
];

/// Suffix of the columns that hold the half-width of the error band of another one.
pub const BAND: &str = ".band";

/// The size of results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResultSize {
    /// Number of samples from the start to the end.
    pub samples: f64,
    /// Number of columns other than time.
    pub columns: usize,
}

impl ResultSize {
    /// Of a run over `span` seconds with a sample every `dt`.
    pub fn new(span: f64, dt: f64, columns: usize) -> ResultSize {
        ResultSize { samples: (span / dt * (1.0 + 1e-12)).floor() + 2.0, columns }
    }

    fn bytes(&self) -> f64 {
        self.samples * 8.0 * (self.columns as f64 + 1.0)
    }

    pub(crate) fn too_large(&self, limit: u64) -> SetupError {
        let (samples, columns, bytes) = (self.samples, self.columns, self.bytes());
        SetupError::TooLarge { samples, columns, bytes, limit: limit as f64 }
    }

    /// Rejects what is larger than allowed.
    pub fn check(&self, limits: &RunLimits) -> Result<(), SetupError> {
        if self.columns > limits.columns {
            let (columns, limit) = (self.columns, limits.columns);
            return Err(SetupError::TooManyColumns { columns, limit });
        }
        let limit = limits.result_bytes;
        if self.bytes() <= limit as f64 { Ok(()) } else { Err(self.too_large(limit)) }
    }
}
