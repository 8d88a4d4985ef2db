//! Methods on whole models: references, orders, tolerances, what they reject.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod augmented_lagrangian;
mod explicit;
mod fixed_step_energy;
mod gen_alpha_forms;
mod half_explicit;
mod hopeless_tolerance;
mod implicit;
mod lin_euler;
mod step_min;
mod stiff;
mod verification;
