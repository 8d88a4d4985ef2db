//! Models as functional mock-up units (FMUs), by the standards FMI 2.0 and FMI 3.0.
//!
//! This crate is two things. For the command it writes FMUs ([`export`]) and reads them back ([`open`]). As the
//! dynamic library that `delassus-fmu-runtime` makes of it, it is the program inside every FMU: it reads the model from the
//! folder `resources` and offers the functions of both standards. So nothing is compiled for an export; the library and
//! the model are packed together.
//!
//! From the outside to the inside: [`abi`] turns the calls of the host into calls of an [`instance::Instance`], which
//! knows what may be called when, and runs the model by itself ([`instance`], co-simulation) or evaluates it for the
//! solver of the host (model exchange). [`package`] is the model as it lies in `resources`, [`variables`] what the host
//! sees of it, [`description`] the same as XML, [`archive`] the file around it.
//!
//! No global state, no threads, no files or sockets besides the model in the given folder. A panic ends one instance, not
//! the host.

pub mod abi;
pub mod archive;
mod bundle;
pub mod description;
mod error;
mod import;
pub mod instance;
pub mod package;
mod scrub;
mod units;
pub mod variables;

pub use bundle::{Bundle, Exported, Version, export};
pub use error::FmuError;
pub use import::{Opened, open};
