//! Ambrósio (2003): friction that rises linearly, after a dead band if there is one.

use super::curve::{Curve, Slope};

/// ```text
/// μ(s) = 0                           for s ≤ v₀,
///        μ (s − v₀)/(v₁ − v₀)        between,
///        μ                           for s ≥ v₁
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ambrosio {
    /// Coefficient μ.
    pub friction: f64,
    /// Speed v₀ below which there is no friction, m/s, ≥ 0.
    pub dead_speed: f64,
    /// Speed v₁ above which the force is constant, m/s, > v₀.
    pub creep_speed: f64,
}

impl Curve for Ambrosio {
    const NAME: &'static str = "ambrosio";

    fn at(&self, s: f64) -> Slope {
        let steep = self.friction / (self.creep_speed - self.dead_speed);
        let (mu, slope) = if s >= self.creep_speed {
            (self.friction, 0.0)
        } else if s > self.dead_speed {
            (steep * (s - self.dead_speed), steep)
        } else {
            (0.0, if self.dead_speed == 0.0 { steep } else { 0.0 })
        };
        Slope { mu, slope, over_speed: if s > 0.0 { mu / s } else { slope } }
    }
}
