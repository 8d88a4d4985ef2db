//! LuGre (Canudas de Wit, Olsson, Åström and Lischinsky 1995): bristles that bend before they slip.

use super::falling::Falling;
use super::{FrictionLaw, SlipForce};

/// ```text
/// ż = u − σ₀ s z/μ(s),   r_T = −F (σ₀ z + σ₁ ż + σ₂ u),   s = |u|
/// μ(s) = μ_c + (μ_s − μ_c) exp[−(s/v_s)ʲ]
/// ```
///
/// Written for a varying normal force, as for tyres (Canudas de Wit and Tsiotras 1999): σ₀ in 1/m, σ₁ and σ₂ in s/m are
/// those of the first paper divided by F. At constant speed the force is (μ(s) + σ₂ s) F; at rest it is a spring with a
/// damper, so that a body that should stick stays within z = μ_s/σ₀ of its place and does not creep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LuGre {
    /// Friction at constant speed μ(s).
    pub falling: Falling,
    /// Stiffness of the bristles σ₀, 1/m.
    pub stiffness: f64,
    /// Their damping σ₁, s/m, ≥ 0.
    pub damping: f64,
    /// Viscous friction σ₂, s/m, ≥ 0.
    pub viscous: f64,
}

impl FrictionLaw for LuGre {
    fn name(&self) -> &'static str {
        "lugre"
    }

    fn bristle(&self) -> Option<f64> {
        Some(self.falling.at_rest / self.stiffness)
    }

    fn slip_force(&self, normal: f64, u: [f64; 2], z: [f64; 2]) -> SlipForce {
        let &LuGre { stiffness, damping, viscous, .. } = self;
        let s = u[0].hypot(u[1]);
        let (mu, falls) = self.falling.at(s);
        let relaxation = stiffness * s / mu;
        // d(s/μ)/ds along d = u/s, which has no direction at rest
        let slope = stiffness * (1.0 - s * falls / mu) / mu;
        let d = if s > 0.0 { u.map(|u| u / s) } else { [0.0; 2] };
        let rate = [0, 1].map(|i| u[i] - relaxation * z[i]);
        let one = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        let rate_by_slip = [0, 1].map(|i| [0, 1].map(|j| one(i, j) - slope * z[i] * d[j]));
        let by_normal = [0, 1].map(|i| -(stiffness * z[i] + damping * rate[i] + viscous * u[i]));
        let by_slip = [0, 1].map(|i| {
            [0, 1].map(|j| -normal * (damping * rate_by_slip[i][j] + viscous * one(i, j)))
        });
        SlipForce {
            force: by_normal.map(|c| normal * c),
            by_normal,
            by_slip,
            by_bristle: -normal * (stiffness - damping * relaxation),
            bristle_rate: rate,
            rate_by_slip,
            relaxation,
        }
    }
}
