//! Settings of a run in real time, and why one is refused.

use crate::error::size_text;
use delassus_dae::KktError;
use delassus_dae::Options;
use delassus_dae::integrator::{OptionError, SmoothId};
use delassus_model::System;
use thiserror::Error;

/// Points of contact that act at a time where nothing else was asked for.
pub const CONTACTS: usize = 16;
/// Sweeps over them.
pub const SWEEPS: u32 = 20;
/// Residual of the contact problem above which a step says so: a part of the largest impulse.
pub const RESIDUAL: f64 = 1e-3;
/// Steps over which a bad input may be replaced by the last good one.
pub const HOLD: u32 = 5;

/// Settings of a run in real time.
#[derive(Debug, Clone, PartialEq)]
pub struct RealTimeOptions {
    /// Length of a step, s.
    pub step: f64,
    /// Largest number of points of contact that act at a time. What touches beyond that is left out, the least deep first.
    pub contacts: usize,
    /// Sweeps over these points in each step.
    pub sweeps: u32,
    /// Residual of the contact problem, as a part of the largest impulse, above which a step says so.
    pub residual: f64,
    /// Number of steps in a row over which a bad input is replaced by the last good one, before the run stops.
    pub hold: u32,
    /// Options of the method `lin-euler`.
    pub options: Options,
}

impl RealTimeOptions {
    /// The usual ones for a model at this step, with those options of `lin-euler` that its file gives.
    pub fn of(sys: &System, step: f64) -> RealTimeOptions {
        let method = &sys.model().method;
        let mut options = method.options.clone();
        let info = SmoothId::LinEuler.info();
        options.retain(|name| info.is_called(&method.name) && info.option(name).is_some());
        RealTimeOptions {
            step,
            contacts: CONTACTS,
            sweeps: SWEEPS,
            residual: RESIDUAL,
            hold: HOLD,
            options,
        }
    }
}

/// Why a model cannot run in real time as asked.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RealTimeError {
    /// A setting makes no sense.
    #[error("{message}")]
    Setting {
        /// Which.
        what: &'static str,
        /// Value found and rule.
        message: String,
    },
    /// An option of the method.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Something in the model has no fixed cost.
    #[error("{element} cannot run at fixed cost: {reason}")]
    Element {
        /// Its kind and name.
        element: String,
        /// Why not.
        reason: &'static str,
    },
    /// So many points of contact at a time need more memory than there is.
    #[error("{points} points of contact at a time need about {}, for which there is no memory: allow fewer", size_text(*bytes))]
    NoRoom {
        /// Points.
        points: usize,
        /// Memory needed, bytes.
        bytes: f64,
    },
    /// The step does not suit the model.
    #[error("{0}")]
    Unstable(String),
    /// The equations cannot be set up.
    #[error("the equations could not be set up: {0}")]
    Kkt(#[from] KktError),
    /// The first accelerations cannot be found.
    #[error("the start has no accelerations: {0}")]
    Start(String),
}

impl RealTimeError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            RealTimeError::Setting { .. } => "E_TIME_SPEC",
            RealTimeError::Option(_) => "E_METHOD_OPTION",
            RealTimeError::Element { .. } => "E_REAL_TIME",
            RealTimeError::Unstable(_) => "E_STEP_UNSTABLE",
            RealTimeError::NoRoom { .. } | RealTimeError::Kkt(KktError::NoRoom { .. }) => "E_LIMIT",
            RealTimeError::Kkt(_) | RealTimeError::Start(_) => "E_START",
        }
    }
}
