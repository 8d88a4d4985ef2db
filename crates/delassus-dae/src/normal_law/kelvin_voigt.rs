//! Kelvin and Voigt: a linear spring and a damper in parallel (Anagnostopoulos 1988 for its coefficient).

use super::{NormalLaw, Onset, Press};
use std::f64::consts::PI;

/// Where a contact ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EndRule {
    /// Where the force would begin to pull: the surface recovers more slowly than the body leaves.
    #[default]
    Force,
    /// Where the bodies are apart again: the force pulls at the end.
    Gap,
}

/// How the damper is specified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Damping {
    /// D, N s/m, ≥ 0.
    Given(f64),
    /// D = 2 ζ √(k m) for 0 < e ≤ 1, with the effective mass of the contact at its start.
    Restitution(f64),
}

/// ```text
/// F = k δ + D δ̇,  D = 2 ζ √(k m),  ζ = −ln e/√(π² + ln² e)
/// ```
///
/// For 0 < e ≤ 1. The force jumps to D δ̇⁽⁻⁾ at the start. With [`EndRule::Gap`] a free impact rebounds with e; with
/// [`EndRule::Force`] with exp(−2 ζ acos ζ/√(1 − ζ²)), which is more: for e = 0.9, 0.5, 0.1: 0.902, 0.550, 0.253.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KelvinVoigt {
    /// The damper.
    pub damping: Damping,
    /// Where a contact ends.
    pub end: EndRule,
}

impl KelvinVoigt {
    /// D, N s/m.
    pub fn damper(&self, at: &Onset) -> f64 {
        match self.damping {
            Damping::Given(d) => d,
            Damping::Restitution(e) => {
                let zeta = -e.ln() / PI.hypot(e.ln());
                2.0 * zeta * (at.stiffness * at.mass).sqrt()
            }
        }
    }
}

impl NormalLaw for KelvinVoigt {
    fn name(&self) -> &'static str {
        "kelvin-voigt"
    }

    fn exponent(&self) -> f64 {
        1.0
    }

    fn press(&self, at: &Onset, depth: f64, rate: f64) -> Press {
        let d = self.damper(at);
        let elastic = at.stiffness * depth;
        Press { force: elastic + d * rate, by_depth: at.stiffness, by_rate: d, elastic }
    }

    fn push(&self, at: &Onset, depth: f64, rate: f64) -> f64 {
        match self.end {
            EndRule::Gap => 1.0,
            EndRule::Force => at.stiffness * depth + self.damper(at) * rate,
        }
    }
}
