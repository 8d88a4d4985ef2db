//! The law that delivers the requested restitution: its factor is solved for, so that a free impact rebounds with e.

use super::damped::{Damped, excess};

/// ```text
/// F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾),  a: the root of a (1 + e) = ln[(1 + a)/(1 − a e)]
/// ```
///
/// For 0 < e ≤ 1: a grows like 1/e. The relation holds for every exponent, mass and stiffness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact {
    exponent: f64,
    factor: f64,
}

/// Bisections of the interval that contains the root: more than a number has digits.
const HALVINGS: usize = 200;

impl Exact {
    /// For an exponent n and a coefficient of restitution, 0 < e ≤ 1.
    pub fn new(exponent: f64, restitution: f64) -> Exact {
        let e = restitution;
        if e >= 1.0 {
            return Exact { exponent, factor: 0.0 };
        }
        // the excess is positive below the root and falls to −∞ at 1/e
        let (mut low, mut high) = (0.0, 1.0 / e);
        for _ in 0..HALVINGS {
            let a = 0.5 * (low + high);
            if excess(a, e) > 0.0 { low = a } else { high = a }
        }
        Exact { exponent, factor: 0.5 * (low + high) }
    }
}

impl Damped for Exact {
    const NAME: &'static str = "exact";

    fn exponent(&self) -> f64 {
        self.exponent
    }

    fn factor(&self) -> f64 {
        self.factor
    }
}
