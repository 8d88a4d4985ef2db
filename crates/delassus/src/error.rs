//! One error for the one-call functions.

use crate::io::model_file::{FileFault, LoadError};
use crate::model::Diagnostic;
use crate::sim::analysis::AnalysisError;
use crate::sim::{RunOutcome, SetupError, SimError};
use std::fmt::Display;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read, or its text is faulty.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The model in the file is faulty: each problem with its place.
    #[error("{}", lines(.0))]
    Invalid(Vec<FileFault>),
    /// The model built in Rust is faulty.
    #[error("{}", lines(.0))]
    Model(Vec<Diagnostic>),
    /// The settings of the run are faulty.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Statics or modes have no answer.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The run stopped before its end.
    #[error("{error}")]
    Stopped {
        /// When, where and why.
        error: SimError,
        /// Results and summary up to there.
        partial: Box<RunOutcome>,
    },
}

fn lines(items: &[impl Display]) -> String {
    let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
    texts.join("\n")
}
