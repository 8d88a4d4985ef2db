//! Multibody dynamics: one crate to depend on
