//! Hu and Guo (2015): compression and restitution with a loss of energy each.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = 3 (1 − e)/(2 e)
/// ```
///
/// For 0 < e ≤ 1: it divides by e. Actual restitution for e = 0.9, 0.5, 0.1: 0.900, 0.488, 0.074.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuGuo {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for HuGuo {
    const NAME: &'static str = "hu-guo";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        1.5 * (1.0 - e) / e
    }
}
