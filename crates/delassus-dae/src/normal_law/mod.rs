//! Normal forces of compliant contact: one law per file, each after its own paper.
//!
//! ```text
//! F(δ, δ̇),  δ = −g_N: depth, m,  δ̇ = −u_N: rate of the depth, m/s (positive: going in)
//! ```
//!
//! Most laws are of Hertz type with losses, F = K δⁿ (1 + a δ̇/δ̇⁽⁻⁾), and differ in the factor a that they derive from
//! the coefficient of restitution e (`damped.rs`). δ̇⁽⁻⁾, the approach speed, is latched at the start of each contact
//! ([`Onset`]), so that a law has no memory of its own. The actual restitution follows from a alone:
//!
//! ```text
//! a (1 + e) = ln[(1 + a)/(1 − a e)]
//! ```
//!
//! and differs from the requested e except in [`Exact`] ([`rebound`]). Nothing here knows about shapes, bodies or time.

mod damped;
mod exact;
mod flores;
mod gonthier;
mod herbert_mcwhannell;
mod hertz;
mod hu_guo;
mod hunt_crossley;
mod kelvin_voigt;
mod lankarani_nikravesh;
mod lee_wang;
#[cfg(test)]
mod tests;
mod zhiying_qishao;

pub use damped::{Damped, rebound};
pub use exact::Exact;
pub use flores::Flores;
pub use gonthier::Gonthier;
pub use herbert_mcwhannell::HerbertMcWhannell;
pub use hertz::Hertz;
pub use hu_guo::HuGuo;
pub use hunt_crossley::HuntCrossley;
pub use kelvin_voigt::{Damping, EndRule, KelvinVoigt};
pub use lankarani_nikravesh::LankaraniNikravesh;
pub use lee_wang::LeeWang;
pub use zhiying_qishao::ZhiyingQishao;

use delassus_math::remember;
use std::fmt::Debug;

/// Values latched where a contact begins, for as long as it lasts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Onset {
    /// Approach speed δ̇⁽⁻⁾, m/s, more than zero.
    pub speed: f64,
    /// Stiffness K, N/mⁿ.
    pub stiffness: f64,
    /// Effective mass of the contact along its normal, with the joints of its bodies, kg.
    pub mass: f64,
}
remember!(Onset { speed, stiffness, mass });

/// A normal force with what implicit methods and the energy balance need.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Press {
    /// Force F, N, positive where it pushes the bodies apart.
    pub force: f64,
    /// ∂F/∂δ, N/m.
    pub by_depth: f64,
    /// ∂F/∂δ̇, N s/m.
    pub by_rate: f64,
    /// The part of F that has a potential, N. The rest is dissipated with the power (F − elastic) δ̇.
    pub elastic: f64,
}

/// A law of the normal force.
///
/// Laws are smooth functions and continue a little beyond the ends of a contact: whoever uses one ends the contact
/// where δ falls through zero, and sets the force to zero while [`NormalLaw::push`] is negative.
pub trait NormalLaw: Debug + Send + Sync {
    /// Name in a model file.
    fn name(&self) -> &'static str;
    /// Exponent n of the depth.
    fn exponent(&self) -> f64;
    /// Force and its derivatives at a depth, m, and its rate, m/s.
    fn press(&self, at: &Onset, depth: f64, rate: f64) -> Press;
    /// A number that falls through zero where the force would begin to pull, but not where the depth vanishes: always
    /// positive for laws and ends of contact for which this does not matter.
    fn push(&self, at: &Onset, depth: f64, rate: f64) -> f64;
    /// Energy of the elastic part at a depth, J.
    fn energy(&self, at: &Onset, depth: f64) -> f64 {
        let n = self.exponent();
        at.stiffness * depth.abs().powf(n + 1.0) / (n + 1.0)
    }
    /// How long a free impact lasts without losses, s: the time scale of a contact that begins.
    fn duration(&self, at: &Onset) -> f64 {
        let n = self.exponent();
        let deepest =
            (0.5 * (n + 1.0) * at.mass * at.speed * at.speed / at.stiffness).powf(1.0 / (n + 1.0));
        // 2 ∫ dx/√(1 − xⁿ⁺¹) from 0 to 1 is π for n = 1, 2.94 for n = 3/2 and falls to 2: a scale, so 3 will do
        3.0 * deepest / at.speed
    }
}

/// K δⁿ and its derivative, continued as an odd function where the bodies are apart.
fn spring(stiffness: f64, n: f64, depth: f64) -> (f64, f64) {
    let slope = stiffness * depth.abs().powf(n - 1.0);
    (slope * depth, n * slope)
}
