//! Gonthier and others (2004): the explicit form of the exact relation.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = (1 − e²)/e
/// ```
///
/// For 0 < e ≤ 1: it divides by e. Actual restitution for e = 0.9, 0.5, 0.1: 0.876, 0.488, 0.101.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gonthier {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for Gonthier {
    const NAME: &'static str = "gonthier";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        (1.0 - e * e) / e
    }
}
