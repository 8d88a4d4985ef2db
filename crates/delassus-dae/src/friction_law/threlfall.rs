//! Threlfall (1978): friction that rises exponentially.

use super::curve::{Curve, Slope};

/// ```text
/// μ(s) = μ (1 − exp(−3s/v_r))   for s < v_r,
///        μ (1 − exp(−3))        beyond: 95 % of μ
/// ```
///
/// The paper has 0.95 in the second line, and so a jump of 0.0002 μ, which every method would notice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threlfall {
    /// Coefficient μ.
    pub friction: f64,
    /// Speed v_r, m/s, above which the force is constant.
    pub creep_speed: f64,
}

impl Curve for Threlfall {
    const NAME: &'static str = "threlfall";

    fn at(&self, s: f64) -> Slope {
        let rate = 3.0 / self.creep_speed;
        let x = rate * s.min(self.creep_speed);
        let mu = -self.friction * (-x).exp_m1();
        let steepest = self.friction * rate;
        let slope = if s < self.creep_speed { steepest * (-x).exp() } else { 0.0 };
        Slope { mu, slope, over_speed: if s > 0.0 { mu / s } else { steepest } }
    }
}
