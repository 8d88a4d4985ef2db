//! How a model is read.

use super::Limits;
use std::path::PathBuf;

/// How a model is read; the default is strict and keeps to the folder of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Bounds on what the files may ask of the machine.
    pub limits: Limits,
    /// Unknown keys are left out with a note for each instead of an error.
    pub lenient: bool,
    /// Folders that includes may come from, beside that of the model.
    pub allowed_dirs: Vec<PathBuf>,
}

impl From<&Limits> for LoadOptions {
    fn from(limits: &Limits) -> Self {
        LoadOptions { limits: limits.clone(), ..LoadOptions::default() }
    }
}
