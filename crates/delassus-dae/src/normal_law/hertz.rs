//! Hertz (1881): two elastic bodies without losses.

use super::damped::Damped;

/// ```text
/// F = K δⁿ,  n = 3/2 between round bodies
/// ```
///
/// The rebound is complete: e = 1. Any exponent n ≥ 1 is meaningful; 1 is a linear spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hertz {
    /// Exponent n.
    pub exponent: f64,
}

impl Damped for Hertz {
    const NAME: &'static str = "hertz";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        0.0
    }
}
