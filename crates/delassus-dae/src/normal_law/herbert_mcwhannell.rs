//! Herbert and McWhannell (1977): a fit of the work lost, beyond first order.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = 6 (1 − e)/[(2e − 1)² + 3]
/// ```
///
/// For 0 ≤ e ≤ 1, good for e above 0.8. Actual restitution for e = 0.9, 0.5, 0.1: 0.901, 0.594, 0.491.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HerbertMcWhannell {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for HerbertMcWhannell {
    const NAME: &'static str = "herbert-mcwhannell";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        6.0 * (1.0 - e) / ((2.0 * e - 1.0).powi(2) + 3.0)
    }
}
