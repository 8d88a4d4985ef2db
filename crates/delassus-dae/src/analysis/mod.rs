//! What can be asked of a [`Problem`](crate::Problem) without a motion: where it rests, and how it moves next to a rest or a
//! steady motion.
//!
//! ```text
//! statics    f(q, 0, z, t) + Gᵀλ = 0,  g(q, t) = 0                    [`equilibrium`]
//! motion     M B v − f(q, v, z, t) − Gᵀλ = 0 in axes that turn         [`steady_motion`]
//! tangents   M ẇ + C w + K δ − Gᵀ δλ = 0  on  G δ = 0                  [`linearise`]
//! modes      (δ, w) ~ exp(s t)                                        [`modes`], [`fastest`]
//! response   f ~ exp(iωt)                                             [`response`]
//! ```
//!
//! Everything is done with M, f, G, K, C, γ and the points of one-sided constraints: nothing here knows bodies. Models of up to
//! [`DENSE_MAX`] velocities are reduced to their degrees of freedom with full matrices; larger ones are solved with the
//! sparse saddle matrix and Krylov spaces. Start reading at `linearise.rs`.

mod arnoldi;
mod balance;
mod dense;
mod equilibrium;
mod fastest;
#[cfg(test)]
mod fine_beams;
mod harmonic;
mod jacobi;
mod lanczos;
mod linearise;
mod matrices;
mod modes;
mod reduce;
mod saddle;
mod shift;
mod static_rows;
mod statics;
mod steady;
mod steady_motion;
mod vibrations;
mod zeros;

pub use equilibrium::{Equilibrium, StaticOptions, StaticsError};
pub use fastest::fastest;
pub use harmonic::response;
pub use linearise::{LinearError, Linearised, linearise};
pub use matrices::Sparse;
pub use modes::{DENSE_MAX, Mode, ModeOptions, Modes, modes};
pub use static_rows::{ClosedPoint, PressedPoint};
pub use statics::equilibrium;
pub use steady::{MovingAxes, Steadiness, steadiness};
pub use steady_motion::steady_motion;
