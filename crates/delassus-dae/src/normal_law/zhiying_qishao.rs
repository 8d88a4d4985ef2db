//! Zhiying and Qishao (2006): the factor of Lankarani and Nikravesh with a correction for small e.

use super::damped::Damped;

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a = ¾ (1 − e²) exp[2 (1 − e)]
/// ```
///
/// For 0 ≤ e ≤ 1. Actual restitution for e = 0.9, 0.5, 0.1: 0.896, 0.483, 0.217.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZhiyingQishao {
    /// Exponent n.
    pub exponent: f64,
    /// Requested coefficient of restitution e.
    pub restitution: f64,
}

impl Damped for ZhiyingQishao {
    const NAME: &'static str = "zhiying-qishao";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        let e = self.restitution;
        0.75 * (1.0 - e * e) * (2.0 * (1.0 - e)).exp()
    }
}
