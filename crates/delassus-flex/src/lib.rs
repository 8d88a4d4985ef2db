//! Flexible bodies as numbers: what a body that deforms by few modes needs for its equations of motion.
//!
//! Owns: [`Modal`], the integrals over a body in its floating frame, and how they come from finite elements. Must not
//! know: models, joints, forces, time, files.

mod error;
mod modal;
mod validate;

pub use error::FlexError;
pub use modal::{Modal, Node};
