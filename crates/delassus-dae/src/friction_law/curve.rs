//! What the laws without memory have in common.
//!
//! ```text
//! r_T = −μ(s) F u_T/s,   s = |u_T|
//! ∂r_T/∂u_T = −F [μ(s)/s (1 − d dᵀ) + μ'(s) d dᵀ],   d = u_T/s
//! ```
//!
//! μ(0) = 0 with a finite slope, so that the force is smooth where sliding reverses, and a body that should stick
//! creeps.

use super::{FrictionLaw, SlipForce};
use std::fmt::Debug;

/// A coefficient of friction at a speed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Slope {
    /// μ(s).
    pub mu: f64,
    /// μ'(s), s/m.
    pub slope: f64,
    /// μ(s)/s, s/m; its limit at s = 0.
    pub over_speed: f64,
}

/// A law of this type: its curve.
pub trait Curve {
    /// Name in a model file.
    const NAME: &'static str;
    /// Coefficient at a speed s ≥ 0, m/s.
    fn at(&self, speed: f64) -> Slope;
}

impl<L: Curve + Debug + Send + Sync> FrictionLaw for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn slip_force(&self, normal: f64, u: [f64; 2], _z: [f64; 2]) -> SlipForce {
        let s = u[0].hypot(u[1]);
        let Slope { slope, over_speed, .. } = self.at(s);
        let d = if s > 0.0 { u.map(|u| u / s) } else { [0.0; 2] };
        let by_normal = u.map(|u| -over_speed * u);
        let by_slip = [0, 1].map(|i| {
            [0, 1].map(|j| {
                let one = if i == j { over_speed } else { 0.0 };
                -normal * (one + (slope - over_speed) * d[i] * d[j])
            })
        });
        SlipForce {
            force: by_normal.map(|c| normal * c),
            by_normal,
            by_slip,
            ..SlipForce::default()
        }
    }
}
