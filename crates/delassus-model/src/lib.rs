//! Bodies, joints, forces and sensors, assembled into a constrained system.
//!
//! The stages of a model: [`spec::ModelSpec`] (what the user wrote) → [`compile()`] → [`Model`] (checked numbers) →
//! [`System`] (equations, implements `delassus_dae::Problem`).
//!
//! This crate accesses no files and knows no integrator.

pub mod assembly;
mod choice;
mod compile;
mod diagnostic;
pub mod fields;
mod graph;
mod joint;
mod model;
pub mod spec;
mod system;

pub use assembly::{Assembled, AssemblyReport, Redundancy, assemble};
pub use choice::{Choice, ChoiceError, DEFAULT_METHOD, DEFAULT_SMOOTH, nearest_method};
pub use compile::{MAX_ELEMENTS, compile, compile_bounded, compile_with};
pub use diagnostic::{Diagnostic, Severity};
pub use model::*;
pub use system::{
    Along, BodyKind, ContactLimits, ElementLoad, Given, InputSlopes, Jump, LoadView, MOST_LOADS,
    MOST_SECTIONS, Measured, Outputs, Pose, PoseForm, RowOrigin, SectionView, ShapeView, Switches,
    System, TargetJump, TimeRanges, Workspace, node_pose, pose_of,
};

/// Kinds of bodies for tests of the crates above this one.
#[cfg(feature = "toys")]
#[doc(hidden)]
pub mod toys {
    pub use crate::system::body::{roping, telescoping};
}
