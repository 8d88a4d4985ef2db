//! What is done about the drift off the constraints.
//!
//! An index-1 method satisfies G a + γ = 0 at its stages. Errors of a step remain in G v + g_t
//! and their integral in g: after a time t, ‖g‖ grows like t² at the size of the local errors.
//!
//! - **none**: the textbook method. The drift is of the order of the method and shows its errors.
//! - **Baumgarte**: g̈ = 0 is replaced by g̈ + 2α ġ + β² g = 0, i.e. G a = −γ − 2α (G v + g_t) − β² g, whose solutions
//!   decay within about 1/α; rolling rows have no g and get only the middle term. The drift stays bounded at the order
//!   of the method. The gains are rates in the equations: they must suit the time scale of the motion, and h α must
//!   stay below about 2. Accelerations and multipliers are those of the modified equations.
//! - **projection**: the end of each step is moved onto both constraints; nothing to tune.
//!
//! References: Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972); Hairer & Wanner, Solving
//! Ordinary Differential Equations II (1996), VII.2; Eich, SIAM J. Numer. Anal. 30 (1993).

use super::super::{MethodInfo, OptionInfo, OptionKind, Options};
use crate::accel::Baumgarte;

/// What is done about the drift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stabilization {
    /// Nothing.
    None,
    /// Feedback of drift into the equations.
    Baumgarte(Baumgarte),
    /// Steps end on the constraints.
    Projection,
}

/// Gains beyond this are stiff for any reasonable step, 1/s.
const LARGEST_GAIN: f64 = 1e6;

/// α: by default both rates are equal (critical damping). 20 per second removes drift within the time in which common
/// mechanisms move noticeably, far from the stability limit of their steps.
const ALPHA: OptionInfo = OptionInfo {
    name: "baumgarte_alpha",
    summary: "gain of the velocity drift, 1/s (with stabilization = baumgarte)",
    kind: OptionKind::Rate { default: 20.0, min: 0.0, max: LARGEST_GAIN },
};

const BETA: OptionInfo = OptionInfo {
    name: "baumgarte_beta",
    summary: "gain of the position drift, 1/s (with stabilization = baumgarte)",
    kind: OptionKind::Rate { default: 20.0, min: 0.0, max: LARGEST_GAIN },
};

const CHOICE: &str = "stabilization";

/// The options of a method that leaves the choice to the user.
pub const fn options(default: &'static str) -> [OptionInfo; 3] {
    let choice = OptionInfo {
        name: CHOICE,
        summary: "against drift off the constraints",
        kind: OptionKind::Choice { default, choices: &["none", "baumgarte", "projection"] },
    };
    [choice, ALPHA, BETA]
}

impl Stabilization {
    /// As selected by the options; a method without the option projects.
    pub fn new(m: &MethodInfo, options: &Options) -> Stabilization {
        if m.option(CHOICE).is_none() {
            return Stabilization::Projection;
        }
        match options.word(m, CHOICE) {
            "none" => Stabilization::None,
            "baumgarte" => Stabilization::Baumgarte(Baumgarte {
                alpha: options.number(m, ALPHA.name),
                beta: options.number(m, BETA.name),
            }),
            _ => Stabilization::Projection,
        }
    }
}
