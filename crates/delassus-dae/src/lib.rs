//! Constrained mechanical systems as [`Problem`]s, and the methods that integrate them.
//!
//! The equations, one sign convention everywhere (λ acts along +G):
//!
//! ```text
//! q̇ = v on the manifold:   q(t+h) = q ∘ exp(ξ)                    nq ≠ nv allowed
//! M(q,t) a = f(q,v,z,t) + G(q,t)ᵀ λ ,    ż = φ(q,v,z,t)
//! g(q,t) = 0 (n_pos rows)   G v + g_t = 0 (n_vel ≥ n_pos rows)   G a + γ(q,v,t) = 0
//! ```
//!
//! Rows that exist at position level come first; rank-deficient G is allowed. Nothing here
//! knows bodies, joints or files: a pendulum in two lines of algebra and a vehicle are the
//! same to a method. Start reading at [`Problem`], then [`integrator::Integrator`].

pub mod accel;
pub mod analysis;
pub mod compliance;
pub mod control;
pub mod crossing;
pub mod dense;
pub mod failure;
pub mod foresight;
pub mod friction_law;
pub mod integrator;
pub mod manifold;
pub mod normal_law;
mod pivots;
pub mod problem;
pub mod projection;
mod rows;
pub mod state;
pub mod unilateral;

pub use accel::{Accel, Factored, SOLVED_BY_RANK};
pub use compliance::{Compliance, StartRule};
pub use control::{ErrorScale, ErrorView, SecondError, StepControl, Tolerances};
pub use crossing::{Across, Crossing};
pub use dense::Hermite;
pub use failure::{StepFailure, Work};
pub use foresight::Foresight;
pub use friction_law::{FrictionLaw, SlipForce};
pub use integrator::{Integrator, MethodInfo, Options, Settings};
pub use manifold::{Block, Manifold};
pub use normal_law::{NormalLaw, Onset, Press};
pub use problem::{
    AtPos, AtVel, Dims, Energies, Power, Problem, Quality, RowRank, Scales, StateSlopes, Stretch,
    Structure, TimeLaws, TimeLook, Unseen, at,
};
pub use state::{Derived, State};
pub use unilateral::{
    BEHIND, ContactPoint, Crowd, Crowded, PointId, PointLaw, PressedFriction, Restitution,
    RestitutionLaw, Unilateral,
};

pub use delassus_linalg::{KktError, Room, has_room};
