//! How a model is read.

use super::Limits;
use std::path::PathBuf;

/// How a model is read; the default is strict and stays inside the folder of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Bounds on the resources that the files may request.
    pub limits: Limits,
    /// Unknown keys are ignored with a note for each instead of an error.
    pub lenient: bool,
    /// Folders other than that of the model from which files may be included.
    pub allowed_dirs: Vec<PathBuf>,
}

impl From<&Limits> for LoadOptions {
    fn from(limits: &Limits) -> Self {
        LoadOptions { limits: limits.clone(), ..LoadOptions::default() }
    }
}
