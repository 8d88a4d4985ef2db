//! The Stribeck curve (1902): a coefficient that falls from the static to the sliding value.

/// ```text
/// μ(s) = μ_c + (μ_s − μ_c) exp[−(s/v_s)ʲ]
/// ```
///
/// Rigid contacts use it unchanged, with static friction μ_s at s = 0; [`super::Stribeck`] and [`super::LuGre`] are
/// built from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Falling {
    /// Coefficient of fast sliding μ_c.
    pub sliding: f64,
    /// Coefficient at rest μ_s ≥ μ_c.
    pub at_rest: f64,
    /// Speed v_s of the fall, m/s.
    pub speed: f64,
    /// Exponent j ≥ 1.
    pub exponent: f64,
}

impl Falling {
    /// Coefficient and its slope, s/m, at a speed s ≥ 0, m/s.
    pub fn at(&self, speed: f64) -> (f64, f64) {
        let j = self.exponent;
        let x = speed / self.speed;
        // 0⁰ = 1: for j = 1 the curve falls from the very beginning
        let power = x.powf(j - 1.0);
        let more = (self.at_rest - self.sliding) * (-power * x).exp();
        (self.sliding + more, -more * j * power / self.speed)
    }
}
