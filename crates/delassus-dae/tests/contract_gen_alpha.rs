//! The contract of methods, on the generalized-α family.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod contract;
mod problems;

use contract::{Boxed, UNKNOWN, by_name, integrator_contract};
use delassus_dae::Options;
use problems::{Dense, System};

fn with_rho<S: System>(rho: f64, p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("gen-alpha", &Options::default().with("rho_inf", rho), p)
}
fn make_00<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with_rho(0.0, p)
}
fn make_60<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with_rho(0.6, p)
}
fn make_90<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with_rho(0.9, p)
}
fn make_100<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with_rho(1.0, p)
}

integrator_contract!(rho_00, make_00, order [2.0, 2.0, 2.0], constraints Position, trace Matrix);
integrator_contract!(rho_60, make_60, order [2.0, 2.0, 2.0], constraints Position, trace Matrix);
integrator_contract!(rho_90, make_90, order [2.0, 2.0, 2.0], constraints Position, trace Matrix);
// without dissipation at infinity nothing damps the start-up oscillation of λ
integrator_contract!(rho_100, make_100, order [2.0, 2.0, UNKNOWN], constraints Position, trace Matrix);
