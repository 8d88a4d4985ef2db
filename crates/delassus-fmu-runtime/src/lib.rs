//! The dynamic library inside FMUs: the functions of FMI 2.0 and 3.0 that `delassus-fmu` defines, and nothing else.

pub use delassus_fmu::abi::{fmi2, fmi3};
