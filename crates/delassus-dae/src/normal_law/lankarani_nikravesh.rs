//! Lankarani and Nikravesh (1990): the loss of kinetic energy, (1 − e²) of it, put into a law of small losses.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = 3 (1 − e²)/4
/// ```
///
/// For 0 ≤ e ≤ 1, meant for e close to 1. Actual restitution for e = 0.9, 0.5, 0.1: 0.913, 0.725, 0.665.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LankaraniNikravesh {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for LankaraniNikravesh {
    const NAME: &'static str = "lankarani-nikravesh";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        0.75 * (1.0 - e * e)
    }
}
