//! The Stribeck curve, made smooth where sliding reverses.

use super::curve::{Curve, Slope};
use super::falling::Falling;

/// ```text
/// μ(s) = [μ_c + (μ_s − μ_c) exp(−(s/v_s)ʲ)] tanh(3s/v₀) + σ₂ s
/// ```
///
/// All derivatives exist except for odd j at s = 0. The limit v₀ → 0 is the set-valued curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stribeck {
    /// The curve in the bracket.
    pub falling: Falling,
    /// Speed v₀, m/s: from there on tanh is above 0.995.
    pub creep_speed: f64,
    /// Viscous friction σ₂, s/m, ≥ 0.
    pub viscous: f64,
}

impl Curve for Stribeck {
    const NAME: &'static str = "stribeck";

    fn at(&self, s: f64) -> Slope {
        let (falling, falls) = self.falling.at(s);
        let rate = 3.0 / self.creep_speed;
        let rise = (rate * s).tanh();
        let mu = falling * rise + self.viscous * s;
        let slope = falls * rise + falling * rate * (1.0 - rise * rise) + self.viscous;
        Slope { mu, slope, over_speed: if s > 0.0 { mu / s } else { slope } }
    }
}
