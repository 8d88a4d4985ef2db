//! Flores and others (2011): a law for soft bodies, from the energy lost along a sine-like path.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = 8 (1 − e)/(5 e)
/// ```
///
/// For 0 < e ≤ 1: it divides by e. Actual restitution for e = 0.9, 0.5, 0.1: 0.894, 0.470, 0.069.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flores {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for Flores {
    const NAME: &'static str = "flores";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        1.6 * (1.0 - e) / e
    }
}
