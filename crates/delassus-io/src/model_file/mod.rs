//! Reading and writing model files.
//!
//! The path of a file: bounded read → UTF-8 → `toml_text` or `json_text` → one tree of values with their places
//! (`node`) → comparison with the schema of the model (`check`) → includes merged (`merge`) → [`ModelSpec`]. All faults
//! are collected along the way; the first 50 in file order are reported.

mod attached;
mod check;
mod curves;
mod decode;
mod escape;
mod file_fault;
mod include;
mod json_text;
mod limits;
mod loader;
mod locate;
mod matrices;
mod merge;
mod meshes;
mod node;
mod options;
mod prune;
mod read;
mod report;
mod roots;
mod shape;
mod source;
mod toml_duplicate;
mod toml_guard;
mod toml_text;
mod write;

pub use escape::{escape, shorten_words};
pub use file_fault::FileFault;
pub use limits::Limits;
pub use loader::{LoadError, LoadedModel, Rest, load, load_in_part, load_with, parse_str};
pub use locate::{SourceMap, locate_all};
pub use options::LoadOptions;
pub use source::{Location, SourceFile};
pub use write::{WriteModelError, schema_json, to_toml};

#[cfg(doc)]
use delassus_model::spec::ModelSpec;
