//! Augmented Lagrangian methods: constraints by a penalty, made exact by iterating multipliers.
//!
//! ```text
//! S x + GᵀD G x = r + GᵀD b ,   λ ← λ + D (b − G x) ,   repeat with r ← r + Gᵀλ
//! ```
//!
//! S + GᵀDG is regular wherever S alone is regular on the null space of G: redundant rows, massless coordinates and
//! positions where G loses rank need no special care, and near such positions a fading constraint direction is released
//! smoothly. The weight of row i is D_i = penalty · E/ρ_i², E the largest M_jj s_j² and s, ρ the scales of coordinates
//! and rows, so `penalty` is a pure number and the same for every model and every step size.
//!
//! | name | equations | integration formula | constraints at the steps |
//! |---|---|---|---|
//! | `al` | index 1, stabilised | trapezoidal rule, fixed-point iteration | q and v projected |
//! | `ali3p` | index 3 | trapezoidal rule, Newton's method | q by the step, v and a projected |
//! | `ali3pvs` | the same, step by error estimate | | |
//! | `mal` | index 1, stabilised | explicit Runge–Kutta | q and v projected, or small drift |

mod eval;
mod index1;
mod index3;
mod mal;
mod penalty;

pub use index1::Al;
pub(super) use index1::INFO as AL;
pub use index3::Ali3p;
pub(super) use index3::{FIXED as ALI3P, VARIABLE as ALI3PVS};
pub(super) use mal::INFO as MAL;
pub(super) use mal::mal;

use super::newton::rate_of_motion;
use super::{OptionInfo, OptionKind};
use crate::control::ErrorView;

/// Weight of the constraints in the matrix.
const PENALTY: OptionInfo = OptionInfo {
    name: "penalty",
    summary: "weight of the constraints relative to the inertia; the larger, the closer singular positions are passed",
    kind: OptionKind::Number { default: 1e10, min: 1e3, max: 1e12 },
};

/// Baumgarte's parameters inside the index-1 forms.
const OMEGA: OptionInfo = OptionInfo {
    name: "omega",
    summary: "frequency of the stabilisation at points that are not projected (mal: with projection = none), rad/s",
    kind: OptionKind::Rate { default: 10.0, min: 0.0, max: 1e4 },
};
const XI: OptionInfo = OptionInfo {
    name: "xi",
    summary: "damping ratio of that stabilisation, 1 = no overshoot",
    kind: OptionKind::Number { default: 1.0, min: 0.0, max: 10.0 },
};

/// Stabilisation: G a + γ + 2ξω (G v + g_t) + ω² g = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stabilisation {
    omega: f64,
    xi: f64,
}

impl Stabilisation {
    const NONE: Stabilisation = Stabilisation { omega: 0.0, xi: 0.0 };
}

/// Increment, relative to the scale of its coordinate, at which the iteration of the trapezoidal rule may stop. The
/// remainder enters the velocity divided by h at every step, so it must be small against h times the local error of the
/// velocity, (hω)³ ω, where ω is the rate of the present motion.
fn iteration_tolerance(h: f64, v: &[f64], a: &[f64], scale: &[f64]) -> f64 {
    (1e-4 * (h * rate_of_motion(v, a, scale)).powi(4)).clamp(1e-17, 1e-14)
}

/// Local error of the trapezoidal rule in positions, h²/12 (a₁ − a₀ − h v₀×a₀); `err` holds the
/// bracket v₀×a₀ on entry.
fn trapezoidal_error(h: f64, a0: &[f64], a1: &[f64], err: &mut [f64]) {
    for ((e, a0), a1) in err.iter_mut().zip(a0).zip(a1) {
        *e = h * h / 12.0 * (a1 - a0 - h * *e);
    }
}

/// An error estimate of positions alone.
fn of_positions(err: &[f64]) -> ErrorView<'_> {
    ErrorView { xi: err, v: &[], z: &[], second: None }
}
