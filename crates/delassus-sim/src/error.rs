//! Why a run was refused or stopped, with names.

use thiserror::Error;

/// The run cannot start.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SetupError {
    /// No such method.
    #[error("unknown method \"{name}\"")]
    UnknownMethod {
        /// As given.
        name: String,
        /// Nearest known name.
        suggestion: Option<String>,
        /// All names.
        known: Vec<&'static str>,
    },
    /// A setting makes no sense.
    #[error("{message}")]
    Setting {
        /// Stable code.
        code: &'static str,
        /// Which setting.
        what: &'static str,
        /// Value found and rule.
        message: String,
    },
    /// The results would not fit in memory.
    #[error("{samples} samples of {columns} columns would take {bytes} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Samples asked for.
        samples: u64,
        /// Columns.
        columns: usize,
        /// Memory needed.
        bytes: u64,
        /// Memory allowed.
        limit: u64,
    },
    /// The linear algebra could not be set up.
    #[error("the equations could not be set up: {0}")]
    Kkt(#[from] delassus_dae::KktError),
}


/// What stopped a run.
#[derive(Debug, Clone, PartialEq)]
pub enum SimErrorKind {
    /// The step became too small to go on.
    StepTooSmall,
    /// More steps than allowed.
    WorkLimit,
    /// Something became NaN or infinite.
    Diverged,
    /// The constraints became singular.
    Singular,
}

impl SimErrorKind {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SimErrorKind::StepTooSmall => "E_STEP_MIN",
            SimErrorKind::WorkLimit => "E_WORK_LIMIT",
            SimErrorKind::Diverged => "E_DIVERGED",
            SimErrorKind::Singular => "E_SINGULAR",
        }
    }
}

/// A run that stopped before its end. What was computed until then is kept.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{} at t = {t} s (step {h:.3e} s): {detail}", .kind.code())]
pub struct SimError {
    /// What happened.
    pub kind: SimErrorKind,
    /// Time of the last accepted state, s.
    pub t: f64,
    /// Step that was tried last, s.
    pub h: f64,
    /// Numbers and names.
    pub detail: String,
    /// Bodies, joints or forces that are involved.
    pub blame: Vec<String>,
    /// What to try.
    pub help: String,
}
