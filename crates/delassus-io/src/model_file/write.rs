//! Models to text.

use delassus_model::spec::ModelSpec;

/// A model that cannot be written as TOML.
#[derive(Debug, thiserror::Error)]
#[error("the model cannot be written as TOML: {0}")]
pub struct WriteModelError(#[from] toml::ser::Error);

/// Writes a model as TOML text that [`super::parse_str`] reads back to an equal model.
pub fn to_toml(spec: &ModelSpec) -> Result<String, WriteModelError> {
    Ok(toml::to_string(spec)?)
}

/// JSON schema of the model file, for editors and other programs.
pub fn schema_json() -> String {
    let schema = delassus_model::fields::schema();
    // The alternate form is the indented one.
    format!("{schema:#}\n")
}
