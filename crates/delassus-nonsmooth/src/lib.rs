//! Contact, impact and friction on systems that implement [`delassus_dae::Unilateral`].
//!
//! Between two events the set of closed points and their stick or slip is fixed: a [`Mode`]. A
//! mode is a `Problem` of its own (its closed points are rows of G), so every integrator runs it.
//! At events, [`impact`] finds the jump of the velocity and [`release`] the next mode.
//!
//! Everything rests on [`Response`], the Delassus matrix of the points at hand, and on the
//! solvers of `delassus-cone`. Nothing here knows bodies, shapes or files.

mod basic;
mod burden;
mod cholesky;
mod even;
pub mod fixed;
mod friction;
pub mod groups;
mod held;
pub mod impact;
mod lawful;
pub mod mode;
mod neighbours;
mod pressed;
mod pressed_friction;
pub mod release;
pub mod response;
mod shares;
mod sparse_rows;
pub mod stepping;

pub use burden::Burden;
pub use groups::Groups;
pub use lawful::Standing;
pub use mode::{Active, Mode, ModeWorkspace, SlipState};
pub use pressed::{Pressed, Pressing, TAKES_OVER};
pub use response::{Member, Response};
pub use stepping::{Scheme, StepReport, Stepper, StepperError, StepperSettings};
