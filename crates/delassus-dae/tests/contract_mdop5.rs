//! The contract of methods, on `mdop5`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod contract;
mod problems;

use contract::{Boxed, by_name, integrator_contract};
use delassus_dae::Options;
use problems::{Dense, System};

fn make_mdop5<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("mdop5", &Options::default(), p)
}

integrator_contract!(mdop5, make_mdop5, order [5.0, 5.0, 5.0], constraints Both, trace None);
