//! The contract of methods, on the linear-implicit Euler method and its choices.

use crate::contract;
use crate::problems;

use contract::{Boxed, by_name, integrator_contract};
use delassus_dae::Options;
use problems::{Dense, System};

fn with<S: System>(words: &[(&str, &str)], p: &Dense<S>) -> Boxed<Dense<S>> {
    let options = words.iter().fold(Options::default(), |o, (name, word)| o.with_word(name, word));
    by_name("lin-euler", &options, p)
}
fn make_standard<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[], p)
}
fn make_j2<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("jacobian", "j2")], p)
}
fn make_j1<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("jacobian", "j1")], p)
}
fn make_j3<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("jacobian", "j3")], p)
}
fn make_fresh<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("projection_matrix", "fresh")], p)
}
fn make_index1<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("form", "index1")], p)
}
fn make_bare_index1<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("form", "index1"), ("stabilization", "none")], p)
}
fn make_bare_index2<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("stabilization", "none")], p)
}
fn make_baumgarte1<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("form", "index1"), ("stabilization", "baumgarte")], p)
}
fn make_baumgarte2<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("stabilization", "baumgarte")], p)
}
fn make_ggl<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    with(&[("stabilization", "ggl")], p)
}

integrator_contract!(standard, make_standard, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(j2, make_j2, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(j1, make_j1, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(j3, make_j3, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(fresh, make_fresh, order [1.0, 1.0, 1.0], constraints Velocity, trace None);
integrator_contract!(index1, make_index1, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(bare_index1, make_bare_index1, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(bare_index2, make_bare_index2, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(baumgarte1, make_baumgarte1, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(baumgarte2, make_baumgarte2, order [1.0, 1.0, 1.0], constraints Drift, trace None);
integrator_contract!(ggl, make_ggl, order [1.0, 1.0, 1.0], constraints Drift, trace None);
