//! Half-explicit Runge–Kutta methods: explicit in q and v, with the constraint at velocity
//! level (index 2) imposed at every stage.
//!
//! A stage takes the forces at one point and the constraint at a later one:
//!
//! ```text
//! M(Q) V' − G(Q)ᵀ L = f(Q, V, t)               Q, V: the stage
//! G(Q⁺) (Ṽ + w V') + g_t(Q⁺) = 0               Q⁺: the constraint point, w = h a,
//!                                              Ṽ: v₀ and the earlier stages
//! ```
//!
//! One linear system, no iteration, no bias γ, no Newton matrix; velocities satisfy their constraint to round-off at
//! every stage, and positions drift only with the order of the method. On rotations ξ takes the place of q
//! (Munthe-Kaas): ξ̇ = T(ξ)⁻¹ v, Q = q₀ ∘ exp(ξ). The parts shared by the two methods are in [`stage`] (this system,
//! and its treatment where it has no unique solution) and [`finish`] (end of a step: projection if needed,
//! accelerations).
//!
//! Use them for non-stiff systems, where constraints are costly to differentiate twice or
//! singular positions are passed: an error c of the stage positions at distance δ from such a
//! point enters the velocities as c/δ, while it enters index-1 accelerations as c/δ².
//!
//! References: Brasey & Hairer, SIAM J. Numer. Anal. 30 (1993); Brasey, thesis, Geneva (1994);
//! Murua, BIT 37 (1997); Arnold & Murua, Appl. Numer. Math. 28 (1998); Munthe-Kaas, BIT 38
//! (1998).

mod finish;
mod hem5;
mod phem56;
mod stage;

pub use hem5::Hem5;
pub(super) use hem5::INFO as HEM5;
pub(super) use phem56::INFO as PHEM56;
pub use phem56::Phem56;

use super::{OptionInfo, OptionKind};

/// Options of both methods.
const OPTIONS: &[OptionInfo] = &[OptionInfo {
    name: "project",
    summary: "when positions are projected; auto: when they drift or constraints are weak",
    kind: OptionKind::Choice { default: "auto", choices: &["auto", "always", "never"] },
}];
