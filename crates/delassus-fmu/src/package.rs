//! The model as it lies in the folder `resources` of an FMU, and the making of runnable models from it.
//!
//! `delassus.toml` says what was exported: which file is the model, what was set on the command line, what the FMU
//! offers. The files of the model are below `model/`, in the folders they had.

use crate::error::FmuError;
use crate::units;
use delassus::io::model_file::{self, Limits, LoadOptions, LoadedModel};
use delassus::model::spec::{AnalysisSpec, MethodSpec, ModelSpec, Scalar};
use delassus::model::{Assembled, Diagnostic, Severity, System, assemble, compile_with};
use delassus::sim::RunOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Name of the file that says what was exported.
pub const MANIFEST: &str = "delassus.toml";
/// Folder of the files of the model, beside it.
pub const MODEL: &str = "model";
/// Version of the layout.
pub const FORMAT: u32 = 1;
/// Longest manifest, bytes.
const LONGEST: u64 = 1 << 20;

/// What was exported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the layout.
    pub format: u32,
    /// Version of the program that wrote it.
    pub version: String,
    /// Identifies model and settings: what the standard calls token or GUID.
    pub token: String,
    /// Path of the model file, relative to the folder of models, with `/`.
    pub model: String,
    /// Unknown keys of the model file are ignored.
    pub lenient: bool,
    /// It can be run by itself.
    pub co_simulation: bool,
    /// A solver of the host can run it.
    pub model_exchange: bool,
    /// Parameters set at the export, as expressions.
    pub set: Vec<(String, String)>,
    /// Inputs set at the export, as expressions.
    pub input: Vec<(String, String)>,
    /// Method of the run.
    pub method: MethodSpec,
    /// Time span and sampling.
    pub analysis: AnalysisSpec,
}

/// Values that are chosen before a start, in SI units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// Parameters by number.
    pub parameters: BTreeMap<usize, f64>,
    /// Inputs by number.
    pub inputs: BTreeMap<usize, f64>,
    /// Start time, s.
    pub start: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
}

/// A model that can be started with different parameters.
#[derive(Debug, Clone)]
pub struct Package {
    /// What was exported.
    pub manifest: Manifest,
    spec: ModelSpec,
    /// Names and dimensions of the parameters.
    dims: Vec<(String, delassus::expr::Dim)>,
}

impl Package {
    /// Reads the model from the folder `resources` of an FMU.
    pub fn read(resources: &Path) -> Result<Package, FmuError> {
        let path = resources.join(MANIFEST);
        let size = fs::metadata(&path).map_err(|e| FmuError::file(&path, &e))?.len();
        if size > LONGEST {
            let message = format!("{MANIFEST} has {size} bytes");
            return Err(FmuError::new("E_FMU", message, "export the model again"));
        }
        let text = fs::read_to_string(&path).map_err(|e| FmuError::file(&path, &e))?;
        let manifest = Manifest::parse(&text)?;
        let options = LoadOptions {
            limits: Limits::default(),
            lenient: manifest.lenient,
            allowed_dirs: Vec::new(),
        };
        let file = resources.join(MODEL).join(&manifest.model);
        let loaded = model_file::load_with(&file, &options)
            .map_err(|e| FmuError::new("E_FMU_MODEL", e.to_string(), "export the model again"))?;
        Package::new(manifest, loaded)
    }

    /// The same from a model that was read.
    pub fn new(manifest: Manifest, loaded: LoadedModel) -> Result<Package, FmuError> {
        let mut spec = loaded.spec;
        spec.method = manifest.method.clone();
        spec.analysis = manifest.analysis.clone();
        for (name, value) in &manifest.input {
            if let Some((_, input)) = spec.input.0.iter_mut().find(|(n, _)| n == name) {
                input.default = Some(Scalar::Text(value.clone()));
            }
        }
        let mut package = Package { manifest, spec, dims: Vec::new() };
        let model = compile_with(&package.spec, &package.manifest.set).map_err(refused)?;
        let names = model.parameters.iter().map(|(name, _)| name.clone());
        package.dims = names.zip(model.parameter_dims.iter().copied()).collect();
        Ok(package)
    }

    /// Which parameters are written as numbers, and may be set; the others follow from these.
    pub fn settable(&self) -> Vec<bool> {
        let set = &self.manifest.set;
        let free = |(name, value): (&str, &Scalar)| {
            let text = match (set.iter().rev().find(|(n, _)| n == name), value) {
                (Some((_, text)), _) | (None, Scalar::Text(text)) => text,
                (None, Scalar::Number(_)) => return true,
            };
            delassus::expr::parse_constant(text, &()).is_ok()
        };
        self.spec.parameters.iter().map(free).collect()
    }

    /// The model with these values, at a consistent start, and the settings of its run.
    pub fn start(&self, choice: &Choice) -> Result<(Assembled, RunOptions), FmuError> {
        let mut spec = self.spec.clone();
        for (k, value) in &choice.inputs {
            if let Some((_, input)) = spec.input.0.get_mut(*k) {
                input.default = Some(Scalar::Number(*value));
            }
        }
        let mut set = self.manifest.set.clone();
        for (k, value) in &choice.parameters {
            if let Some((name, dim)) = self.dims.get(*k) {
                set.push((name.clone(), units::expression(*value, *dim)));
            }
        }
        if let Some(start) = choice.start {
            let model = compile_with(&spec, &set).map_err(refused)?;
            if start != model.analysis.start {
                let span = model.analysis.end - model.analysis.start;
                spec.analysis.start = Some(Scalar::Number(start));
                spec.analysis.end = Some(Scalar::Number(start + span));
                spec.analysis.sample = Some(Scalar::Number(model.analysis.sample));
            }
        }
        let model = compile_with(&spec, &set).map_err(refused)?;
        let mut options = RunOptions::from_model(&model);
        options.on_request = true;
        if let Some(rtol) = choice.tolerance {
            options.rtol = Some(rtol);
        }
        let assembled = System::new(model).and_then(assemble).map_err(refused)?;
        Ok((assembled, options))
    }
}

impl Manifest {
    /// Reads it from its text.
    pub fn parse(text: &str) -> Result<Manifest, FmuError> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let bad = |e: toml::de::Error| {
            let message = format!("{MANIFEST} cannot be read: {}", e.message());
            FmuError::new("E_FMU", message, "export the model again")
        };
        let head: Head = toml::from_str(text).map_err(bad)?;
        if head.format != FORMAT {
            let message =
                format!("the FMU has layout {}; this version reads layout {FORMAT}", head.format);
            return Err(FmuError::new("E_FMU_VERSION", message, "export the model again"));
        }
        let manifest: Manifest = toml::from_str(text).map_err(bad)?;
        if !crate::archive::is_plain_path(&manifest.model) {
            let message = format!("{MANIFEST} names a model outside its folder");
            return Err(FmuError::new("E_FMU", message, "export the model again"));
        }
        Ok(manifest)
    }

    /// Its text.
    pub fn text(&self) -> Result<String, FmuError> {
        toml::to_string(self).map_err(|e| {
            FmuError::new("E_FMU", format!("the settings cannot be written: {e}"), "report this")
        })
    }
}

/// The faults of a model in one text.
fn refused(faults: Vec<Diagnostic>) -> FmuError {
    let errors: Vec<&Diagnostic> =
        faults.iter().filter(|d| d.severity == Severity::Error).collect();
    let text = |d: &&Diagnostic| match &d.help {
        Some(help) => format!("{}: {}: {} ({help})", d.code, d.path, d.message),
        None => format!("{}: {}: {}", d.code, d.path, d.message),
    };
    let shown: Vec<String> = errors.iter().take(5).map(text).collect();
    FmuError::new(
        "E_FMU_MODEL",
        shown.join("; "),
        "choose other values, or correct the model and export it again",
    )
}
