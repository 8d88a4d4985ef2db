//! The common part of the Hertz-type laws with losses.
//!
//! ```text
//! F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾)
//! ```
//!
//! Losses are zero at δ = 0, so that the force neither jumps at the start nor pulls at the end of a free impact. If the
//! impact is not free (something pulls the bodies apart), the bracket may become negative.

use super::{NormalLaw, Onset, Press, spring};

/// A law of this type: its factor a.
pub trait Damped {
    /// Name in a model file.
    const NAME: &'static str;
    /// Exponent n.
    fn exponent(&self) -> f64;
    /// Factor a of the rate of the depth over the approach speed, a pure number, ≥ 0.
    fn factor(&self) -> f64;
}

impl<L: Damped + std::fmt::Debug + Send + Sync> NormalLaw for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn exponent(&self) -> f64 {
        Damped::exponent(self)
    }

    fn press(&self, at: &Onset, depth: f64, rate: f64) -> Press {
        let (elastic, slope) = spring(at.stiffness, Damped::exponent(self), depth);
        let a = self.factor() / at.speed;
        let bracket = 1.0 + a * rate;
        Press { force: elastic * bracket, by_depth: slope * bracket, by_rate: elastic * a, elastic }
    }

    fn push(&self, at: &Onset, _depth: f64, rate: f64) -> f64 {
        1.0 + self.factor() / at.speed * rate
    }
}

/// Bisections of the interval that contains a root: more than a number has digits.
const HALVINGS: usize = 200;

/// The restitution of a free impact with a factor a ≥ 0, whatever the mass, stiffness and exponent: the e in 0 to 1
/// with a (1 + e) = ln[(1 + a)/(1 − a e)].
pub fn rebound(a: f64) -> f64 {
    if a <= 0.0 {
        return 1.0;
    }
    // e = −x solves it too, at x = 1; below the root the left side is larger
    let (mut low, mut high) = (0.0, f64::min(1.0, 1.0 / a));
    for _ in 0..HALVINGS {
        let e = 0.5 * (low + high);
        if excess(a, e) > 0.0 { low = e } else { high = e }
    }
    0.5 * (low + high)
}

/// a (1 + e) − ln(1 + a) + ln(1 − a e): zero for a pair of factor and restitution, falling in both near it.
pub(super) fn excess(a: f64, e: f64) -> f64 {
    let x = a * e;
    if a < SMALL {
        // both logarithms as series, without their first terms, which cancel
        return tail(a) + tail(-x);
    }
    a - a.ln_1p() + x + (-x).ln_1p()
}

/// Factor below which the logarithms are taken as series: differences of them lose digits.
const SMALL: f64 = 0.05;

/// x − ln(1 + x) = x²/2 − x³/3 + …; its negative with −x for ln(1 − x) + x.
fn tail(x: f64) -> f64 {
    let (mut sum, mut power) = (0.0, x * x);
    for k in 2..20 {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * power / f64::from(k);
        power *= x;
    }
    if x < 0.0 { -sum } else { sum }
}
