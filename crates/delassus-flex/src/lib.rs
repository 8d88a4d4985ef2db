//! Flexible bodies as numbers: what a body that deforms by few modes needs for its equations of motion.
//!
//! Owns: [`Modal`], the integrals over a body in its floating frame, and how they come from finite elements. Must not
//! know: models, joints, forces, time, files. Start at [`Modal`], then [`reduce`].

mod beam;
mod error;
mod layout;
pub mod matrices;
mod modal;
mod moments;
mod reduce;
mod symmetric;
mod validate;

pub use beam::{Beam, BeamElement, BeamNode, Material, Profile, Section};
pub use error::FlexError;
pub use modal::{Followed, MassPoint, Modal, Node};
pub use reduce::{Boundary, Choice, Damping, Keep, Motion, reduce};
