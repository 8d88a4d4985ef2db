//! Values that are set from outside while a model runs.

/// A number that may be set between two steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Name in formulas, and of its column.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Value at the start.
    pub default: f64,
    /// Smallest and largest value; infinite if there is no bound.
    pub bounds: [f64; 2],
}

impl Input {
    /// Whether a value may be set: finite and within the bounds.
    pub fn allows(&self, x: f64) -> bool {
        x.is_finite() && self.bounds[0] <= x && x <= self.bounds[1]
    }
}
