//! Model files, result files and plots.
//!
//! [`model_file`] turns TOML or JSON text into a [`delassus_model::spec::ModelSpec`] and reports every fault with its
//! place in the file. [`results`] writes columns of numbers to CSV and Parquet so that a reader never sees half a file.
//! [`plot`] draws lines as SVG or PNG.

pub mod model_file;
pub mod plot;
pub mod results;
