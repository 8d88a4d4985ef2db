//! Laws of compliant contact.

use delassus_dae::{Compliance, FrictionLaw};
use std::sync::Arc;

/// A compliant contact.
#[derive(Debug, Clone)]
pub struct ContactLaw {
    /// Normal force, and how contacts begin.
    pub compliance: Compliance,
    /// Stiffness.
    pub stiffness: Stiffness,
    /// Friction.
    pub friction: Option<Arc<dyn FrictionLaw>>,
}

/// Where the stiffness comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stiffness {
    /// K, N/mⁿ.
    Given(f64),
    /// K = 4/3 E* √R with the radii of the two shapes; E* = 1/(σ₁ + σ₂), σ = (1 − ν²)/E, Pa.
    Material {
        /// E*.
        modulus: f64,
    },
}

impl Stiffness {
    /// K for shapes of these curvatures, 1/m: positive for balls, zero for planes, negative for bearings.
    pub fn of(self, curvatures: [f64; 2]) -> f64 {
        match self {
            Stiffness::Given(k) => k,
            Stiffness::Material { modulus } => {
                4.0 / 3.0 * modulus / (curvatures[0] + curvatures[1]).sqrt()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_planes_and_bearings() {
        let (young, poisson) = (207e9, 0.3);
        let sigma = (1.0 - poisson * poisson) / young;
        let steel = Stiffness::Material { modulus: 1.0 / (2.0 * sigma) };
        let (ri, rj): (f64, f64) = (9.5e-3, 10e-3);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
        let of = |r: f64| 4.0 / (3.0 * 2.0 * sigma) * r.sqrt();
        assert!(near(steel.of([1.0 / ri, 1.0 / rj]), of(ri * rj / (ri + rj))));
        assert!(near(steel.of([1.0 / ri, 0.0]), of(ri)));
        // a journal of 9.5 mm in a bearing of 10 mm
        assert!((steel.of([1.0 / ri, -1.0 / rj]) - 6.6101984e10).abs() < 1e3);
        assert_eq!(Stiffness::Given(5.0).of([1.0, 2.0]), 5.0);
    }
}
