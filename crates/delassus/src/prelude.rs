//! What most programs need: `use delassus::prelude::*;`.

pub use crate::Error;
pub use delassus_model::spec::{
    AnalysisSpec, BodySpec, BodyType, Components, ForceSpec, ForceType, InertiaSpec, InputSpec,
    JointSpec, JointType, MarkerSpec, MethodSpec, ModelBuilder, ModelSpec, Scalar, SensorSpec,
    SensorType,
};
pub use delassus_model::{Assembled, Diagnostic, Model, System, compile};
pub use delassus_sim::{Observer, Results, RunOptions, RunOutcome, Silent, Status, Summary};
