//! Writing an FMU.

use crate::archive::{is_plain_path, pack};
use crate::description;
use crate::error::FmuError;
use crate::package::{Choice, FORMAT, MANIFEST, MODEL, Manifest, Package};
use crate::scrub::scrub;
use crate::variables::{Role, Variables};
use delassus::io::model_file::LoadedModel;
use delassus::model::spec::{AnalysisSpec, MethodSpec};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Version of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0
    Two,
    /// FMI 3.0
    Three,
}

/// What is exported, besides the model.
#[derive(Debug, Clone)]
pub struct Exported<'a> {
    /// Version of the standard.
    pub version: Version,
    /// Model exchange: `None` offers it where it is possible.
    pub model_exchange: Option<bool>,
    /// Unknown keys were ignored.
    pub lenient: bool,
    /// Parameters set on the command line.
    pub set: &'a [(String, String)],
    /// Inputs set on the command line.
    pub input: &'a [(String, String)],
    /// Method of the run.
    pub method: MethodSpec,
    /// Time span and sampling.
    pub analysis: AnalysisSpec,
    /// Content of the dynamic library of this crate.
    pub runtime: &'a [u8],
    /// Stem of the name of the FMU.
    pub name: &'a str,
}

/// An FMU, and what it offers.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its variables.
    pub variables: Variables,
    /// Whether it offers model exchange; if not, why.
    pub without_model_exchange: Option<String>,
    /// Why model exchange has no directional derivatives, if so.
    pub without_derivatives: Option<String>,
}

/// Paths and contents.
type Files = Vec<(String, Vec<u8>)>;

/// Packs a model with the runtime library.
pub fn export(loaded: LoadedModel, what: &Exported<'_>) -> Result<Bundle, FmuError> {
    let (model, files) = files(&loaded)?;
    let mut manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        token: String::new(),
        model,
        lenient: what.lenient,
        co_simulation: true,
        model_exchange: false,
        set: what.set.to_vec(),
        input: what.input.to_vec(),
        method: what.method.clone(),
        analysis: what.analysis.clone(),
    };
    let mut package = Package::new(manifest.clone(), loaded)?;
    let (assembled, options) = package.start(&Choice::default())?;
    let obstacle = crate::instance::obstacle(&assembled);
    manifest.model_exchange = match (what.model_exchange, &obstacle) {
        (Some(true), Some(why)) => {
            let message = format!("the model cannot be offered for model exchange: {why}");
            let help = "leave --kind out, or give --kind co-simulation";
            return Err(FmuError::new("E_FMU_KIND", message, help));
        }
        (wanted, obstacle) => wanted.unwrap_or(true) && obstacle.is_none(),
    };
    manifest.token = token(&manifest, &files)?;
    package.manifest = manifest.clone();
    let refused = |e: delassus::sim::SetupError| {
        FmuError::new(e.code(), e.to_string(), "`delassus run` says more")
    };
    let variables = Variables::of(&package, &assembled, &options).map_err(refused)?;
    if variables.pick(|r| matches!(r, Role::Output(_))).next().is_none() {
        let message = "the model has no sensors, so that the FMU would have no outputs";
        return Err(FmuError::new("E_FMU", message, "add a [sensor.NAME] for each output"));
    }
    let identifier = identifier(what.name);
    let without_derivatives = crate::instance::without_slopes(&assembled);
    let xml = description::text(
        what.version,
        &identifier,
        &manifest,
        assembled.system.model(),
        &variables,
        without_derivatives.is_none(),
    );
    let (platform, ending) = platform(what.version)?;
    let mut out = vec![("modelDescription.xml".to_owned(), xml.into_bytes())];
    let library = format!("binaries/{platform}/{identifier}.{ending}");
    out.push((library, scrub(what.runtime)));
    out.push((format!("resources/{MANIFEST}"), manifest.text()?.into_bytes()));
    out.extend(files.into_iter().map(|(path, bytes)| (format!("resources/{MODEL}/{path}"), bytes)));
    let without_model_exchange = obstacle.filter(|_| what.model_exchange != Some(false));
    Ok(Bundle { bytes: pack(&out)?, variables, without_model_exchange, without_derivatives })
}

/// The model file relative to its folder, and all files of the model, in alphabetical order.
fn files(loaded: &LoadedModel) -> Result<(String, Files), FmuError> {
    let paths = loaded.sources.paths();
    let root = paths.first().and_then(|p| p.parent()).unwrap_or(Path::new(""));
    let mut files = Vec::new();
    let mut model = None;
    for path in paths {
        let inside = path.strip_prefix(root).ok().and_then(|p| p.to_str());
        let inside = inside.map(|p| p.replace(std::path::MAIN_SEPARATOR, "/"));
        let Some(inside) = inside.filter(|p| is_plain_path(p)) else {
            let message = format!(
                "{} cannot be packed: it is not in the folder of the model, or its name is no plain text",
                path.display()
            );
            let help = "copy it into the folder of the model";
            return Err(FmuError::new("E_PATH_ESCAPE", message, help));
        };
        model.get_or_insert_with(|| inside.clone());
        if !files.iter().any(|(known, _)| *known == inside) {
            files.push((inside, fs::read(path).map_err(|e| FmuError::file(path, &e))?));
        }
    }
    files.sort();
    let none = || FmuError::new("E_FMU", "a model without a file cannot be packed", "save it");
    Ok((model.ok_or_else(none)?, files))
}

/// Identifies model and settings.
fn token(manifest: &Manifest, files: &[(String, Vec<u8>)]) -> Result<String, FmuError> {
    let mut sha = Sha256::new();
    sha.update(manifest.text()?);
    for (path, bytes) in files {
        sha.update(format!("\n{path} {}\n", bytes.len()));
        sha.update(bytes);
    }
    let digits = sha.finalize().iter().take(16).fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    });
    Ok(format!("{{{digits}}}"))
}

/// A name that is also one in C, as the standard demands.
fn identifier(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out: String = name.chars().map(|c| if fits(c) { c } else { '_' }).take(60).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "model_");
    }
    out
}

/// The folder of the library for this machine, and the ending of its name.
fn platform(version: Version) -> Result<(String, &'static str), FmuError> {
    use std::env::consts::{ARCH, OS};
    let unknown = || {
        let message = format!("the standard has no name for this machine ({ARCH}, {OS})");
        FmuError::new("E_FMU", message, "export on Linux, macOS or Windows")
    };
    let (system, ending) = match OS {
        "linux" => ("linux", "so"),
        "macos" => ("darwin", "dylib"),
        "windows" => ("windows", "dll"),
        _ => return Err(unknown()),
    };
    let folder = match (version, ARCH, system) {
        (Version::Three, "x86_64" | "aarch64", _) => format!("{ARCH}-{system}"),
        (Version::Two, "x86_64", "linux") => "linux64".to_owned(),
        (Version::Two, "x86_64", "windows") => "win64".to_owned(),
        (Version::Two, "x86_64", "darwin") => "darwin64".to_owned(),
        // FMI 2.0 has no names for other machines; tools use those of 3.0
        (Version::Two, "aarch64", _) => format!("{ARCH}-{system}"),
        _ => return Err(unknown()),
    };
    Ok((folder, ending))
}
