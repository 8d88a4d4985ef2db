//! Friction of compliant contact: one law per file, each after its own paper.
//!
//! ```text
//! r_T(F, u_T, z),   ż(u_T, z)        F: normal force, N,  u_T: sliding velocity, m/s,  z: deflection of bristles, m
//! ```
//!
//! Most laws have no memory: their force opposes the sliding velocity and rises from zero within a small speed, r_T =
//! −μ(s) F u_T/s, s = |u_T|, so that a body that should stick creeps (`curve.rs`). [`LuGre`] has bristles that bend
//! before they slip. Forces are proportional to F, and isotropic: in space u_T and z have two components in the tangent
//! plane, in the plane one. Nothing here knows about shapes, bodies or time.

mod ambrosio;
mod bengisu_akay;
mod curve;
mod falling;
mod lugre;
mod stribeck;
#[cfg(test)]
mod tests;
mod threlfall;

pub use ambrosio::Ambrosio;
pub use bengisu_akay::BengisuAkay;
pub use curve::{Curve, Slope};
pub use falling::Falling;
pub use lugre::LuGre;
pub use stribeck::Stribeck;
pub use threlfall::Threlfall;

use std::fmt::Debug;

/// A matrix in the tangent plane.
pub type Plane = [[f64; 2]; 2];

/// A friction force with the derivatives that implicit methods need.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SlipForce {
    /// Force r_T along +H_T, N.
    pub force: [f64; 2],
    /// ∂r_T/∂F.
    pub by_normal: [f64; 2],
    /// ∂r_T/∂u_T, N s/m.
    pub by_slip: Plane,
    /// ∂r_T/∂z, N/m: the same number in all directions.
    pub by_bristle: f64,
    /// ż as seen in axes that turn with the surfaces, m/s.
    pub bristle_rate: [f64; 2],
    /// ∂ż/∂u_T.
    pub rate_by_slip: Plane,
    /// −∂ż/∂z, 1/s: the same number in all directions.
    pub relaxation: f64,
}

/// A law of friction.
pub trait FrictionLaw: Debug + Send + Sync {
    /// Name in a model file.
    fn name(&self) -> &'static str;
    /// Largest deflection of the bristles, m; `None` for a law without memory.
    fn bristle(&self) -> Option<f64> {
        None
    }
    /// Force at a normal force F ≥ 0, N, a sliding velocity, m/s, and a deflection, m.
    fn slip_force(&self, normal: f64, u: [f64; 2], z: [f64; 2]) -> SlipForce;
}
