//! The contract of methods, on `radau5`.

use crate::contract;
use crate::problems;

use contract::{Boxed, by_name, integrator_contract};
use delassus_dae::Options;
use problems::{Dense, System};

fn make_radau5<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("radau5", &Options::default(), p)
}

integrator_contract!(radau5, make_radau5, order [5.0, 5.0, 5.0], constraints Both, trace Matrix);
