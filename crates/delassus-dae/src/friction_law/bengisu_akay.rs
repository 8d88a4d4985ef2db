//! Bengisu and Akay (1994): friction that rises on a parabola to the static value, and falls to the sliding value.

use super::curve::{Curve, Slope};

/// ```text
/// μ(s) = μ_s − μ_s (s − v₀)²/v₀²               for s < v₀,
///        μ_c + (μ_s − μ_c) exp(−ξ (s − v₀))    beyond
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BengisuAkay {
    /// Coefficient of fast sliding μ_c.
    pub sliding: f64,
    /// Coefficient at the peak μ_s ≥ μ_c.
    pub at_rest: f64,
    /// Speed v₀ of the peak, m/s.
    pub creep_speed: f64,
    /// How fast it falls beyond the peak: ξ, s/m, ≥ 0.
    pub fall_rate: f64,
}

impl Curve for BengisuAkay {
    const NAME: &'static str = "bengisu-akay";

    fn at(&self, s: f64) -> Slope {
        let v0 = self.creep_speed;
        if s < v0 {
            // (1 − (1 − x)²)/x = 2 − x, x = s/v₀: no digits are lost at low speed
            let over_speed = self.at_rest * (2.0 - s / v0) / v0;
            let slope = 2.0 * self.at_rest * (1.0 - s / v0) / v0;
            return Slope { mu: over_speed * s, slope, over_speed };
        }
        let more = (self.at_rest - self.sliding) * (-self.fall_rate * (s - v0)).exp();
        let mu = self.sliding + more;
        Slope { mu, slope: -self.fall_rate * more, over_speed: mu / s }
    }
}
