//! Multibody dynamics: one crate to depend on.
//!
//! Delassus simulates mechanisms: bodies, joints, springs, motors. A model is a TOML file or
//! is built in Rust; either way it is checked as a whole, assembled to a consistent start, and
//! integrated with its constraints enforced. Failures come with names: which joint, which
//! body, what to try.
//!
//! A pendulum, swinging from the horizontal:
//!
//! ```
//! use delassus::prelude::*;
//!
//! let pendulum = ModelBuilder::new("pendulum")
//!     .parameter("L", "1 m")
//!     .gravity([0.0, -9.81])
//!     .body("bob", BodySpec {
//!         kind: BodyType::PlanarPoint,
//!         mass: Some(1.0.into()),
//!         position: vec!["L".into(), 0.0.into()],
//!         ..Default::default()
//!     })
//!     .joint("rod", JointSpec {
//!         kind: JointType::Distance,
//!         between: vec!["ground".into(), "bob".into()],
//!         ..Default::default()
//!     })
//!     .sensor("bob", SensorSpec { of: Some("bob".into()), ..Default::default() })
//!     .analysis(AnalysisSpec { end: Some(2.0.into()), ..Default::default() })
//!     .build();
//!
//! let model = delassus::assemble(&pendulum)?;
//! assert_eq!(model.report.mobility, 1);
//! let outcome = delassus::simulate(&model)?;
//! let lowest = outcome.results.get("bob.y").unwrap().iter().copied().fold(0.0, f64::min);
//! assert!((lowest + 1.0).abs() < 1e-2);
//! # Ok::<(), delassus::Error>(())
//! ```
//!
//! The same from a file is `delassus::simulate(&delassus::load("pendulum.toml")?)`. For settings other than those of
//! the model, use [`simulate_with`]; for progress and stopping, [`sim::run`] with an [`sim::Observer`] of your own.
//!
//! The layers below are re-exported: [`model`] (what a mechanism is), [`sim`] (runs), [`io`]
//! (files), [`dae`] (integration methods on any constrained system), [`linalg`], [`math`] and
//! [`expr`].

mod error;
pub mod prelude;

pub use delassus_dae as dae;
pub use delassus_expr as expr;
pub use delassus_io as io;
pub use delassus_linalg as linalg;
pub use delassus_math as math;
pub use delassus_model as model;
pub use delassus_sim as sim;

pub use error::Error;

use io::model_file::{self, Limits};
use model::spec::ModelSpec;
use model::{Assembled, Diagnostic, System};
use sim::analysis::{ModalOptions, ModalReport, StaticsReport};
use sim::{RunOptions, RunOutcome, Silent};
use std::path::Path;

/// Reads a model file (TOML or JSON), checks and assembles it.
pub fn load(path: impl AsRef<Path>) -> Result<Assembled, Error> {
    let loaded = model_file::load(path.as_ref(), &Limits::default())?;
    let placed = |faults| Error::Invalid(model_file::locate_all(faults, &loaded.sources));
    assembled(&loaded.spec).map_err(placed)
}

/// Checks and assembles a model built in Rust.
pub fn assemble(spec: &ModelSpec) -> Result<Assembled, Error> {
    assembled(spec).map_err(Error::Model)
}

fn assembled(spec: &ModelSpec) -> Result<Assembled, Vec<Diagnostic>> {
    model::assemble(System::new(model::compile(spec)?)?)
}

/// The equilibrium that a model comes to rest at from its starting positions, with reactions, forces and stability.
///
/// ```
/// let mass_on_spring = r#"
/// schema = 1
/// gravity = [0, -9.81]
/// body.block = { type = "planar-point", mass = 2, position = [0, -1] }
/// force.spring = { type = "spring", between = ["ground", "block"], stiffness = 100, length = 1 }
/// joint.guide = { type = "point-on-line", between = ["ground", "block"], axis = [0, 1] }
/// analysis = { end = 1 }
/// "#;
/// let loaded = delassus::io::model_file::parse_str(mass_on_spring, "block.toml", &Default::default())?;
/// let model = delassus::assemble(&loaded.spec)?;
///
/// let rest = delassus::statics(&model)?;
/// assert!((rest.positions[0].position[1] + 1.1962).abs() < 1e-9);
/// assert_eq!(rest.stability.name(), "stable");
///
/// let found = delassus::modes(&model, Default::default())?;
/// assert!((found.modes[0].imag - 50_f64.sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn statics(model: &Assembled) -> Result<StaticsReport, Error> {
    Ok(sim::analysis::statics(model)?)
}

/// Frequencies, damping and shapes of small motions next to an equilibrium, or next to the motion at a time; see [`statics`]
/// for an example.
pub fn modes(model: &Assembled, options: ModalOptions) -> Result<ModalReport, Error> {
    Ok(sim::analysis::modes(model, options)?)
}

/// Runs an assembled model with the settings it came with.
pub fn simulate(model: &Assembled) -> Result<RunOutcome, Error> {
    simulate_with(model, &RunOptions::from_model(model.system.model()))
}

/// Runs an assembled model with other settings. A run that stops early is an error that contains what was computed
/// until then.
pub fn simulate_with(model: &Assembled, options: &RunOptions) -> Result<RunOutcome, Error> {
    let outcome = sim::run(model, options, &mut Silent)?;
    match outcome.error.clone() {
        None => Ok(outcome),
        Some(error) => Err(Error::Stopped { error, partial: Box::new(outcome) }),
    }
}
