//! Hunt and Crossley (1975): losses that grow with the depth, to first order in 1 − e.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = 3 (1 − e)/2
/// ```
///
/// For 0 ≤ e ≤ 1, meant for e close to 1. Actual restitution for e = 0.9, 0.5, 0.1: 0.909, 0.663, 0.516.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuntCrossley {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for HuntCrossley {
    const NAME: &'static str = "hunt-crossley";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        1.5 * (1.0 - e)
    }
}
