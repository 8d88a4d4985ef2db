//! Lee and Wang (1983): half the losses of Hunt and Crossley.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = 3 (1 − e)/4
/// ```
///
/// For 0 ≤ e ≤ 1; the actual restitution is always larger than requested. For e = 0.9, 0.5, 0.1: 0.952, 0.799, 0.687.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeeWang {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for LeeWang {
    const NAME: &'static str = "lee-wang";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        0.75 * (1.0 - e)
    }
}
