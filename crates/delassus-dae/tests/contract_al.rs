//! The contract of methods, on the augmented Lagrangian family and the null-space method.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod contract;
mod problems;

use contract::{Boxed, by_name, integrator_contract};
use delassus_dae::Options;
use problems::{Dense, System};

fn make_al<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("al", &Options::default(), p)
}
fn make_ali3p<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("ali3p", &Options::default(), p)
}
fn make_ali3pvs<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("ali3pvs", &Options::default(), p)
}
fn make_mal<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("mal", &Options::default(), p)
}
fn make_mns<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("mns", &Options::default(), p)
}
fn make_mal_rk4<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("mal", &Options::default().with_word("driver", "rk4"), p)
}
fn make_mns_rk4<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("mns", &Options::default().with_word("driver", "rk4"), p)
}

integrator_contract!(al, make_al, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(ali3p, make_ali3p, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(ali3pvs, make_ali3pvs, order [2.0, 2.0, 2.0], constraints Both, trace None);
integrator_contract!(mal, make_mal, order [5.0, 5.0, 5.0], constraints Drift, trace None);
integrator_contract!(mns, make_mns, order [5.0, 5.0, 5.0], constraints Both, trace None);

/// With `rk4` the instance describes itself otherwise than the list does, so the contract is
/// taken in parts.
macro_rules! fourth_order {
    ($name:ident, $make:ident, constraints $constraints:ident) => {
        mod $name {
            use super::*;
            use crate::contract::*;
            const ORDER: [f64; 3] = [4.0; 3];
            const LABEL: &str = stringify!($name);

            #[test]
            fn order_on_a_group() {
                order_is_kept(&top(), $make, ORDER, EQUAL, LABEL);
                order_is_kept(&top(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn order_on_a_loop() {
                order_is_kept(&bars(), $make, ORDER, EQUAL, LABEL);
                order_is_kept(&bars(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn order_on_a_pendulum() {
                order_is_kept(&swing(), $make, ORDER, EQUAL, LABEL);
                order_is_kept(&swing(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn constraints() {
                constraints_hold(&top(), $make, ORDER, Constraints::$constraints, LABEL);
                constraints_hold(&bars(), $make, ORDER, Constraints::$constraints, LABEL);
            }
            #[test]
            fn purity_and_restart() {
                dropped_attempts_leave_no_trace(&top(), $make, ORDER, Trace::None, LABEL);
                dropped_attempts_leave_no_trace(&bars(), $make, ORDER, Trace::None, LABEL);
                restart_goes_on(&top(), $make, ORDER, LABEL);
                restart_goes_on(&bars(), $make, ORDER, LABEL);
            }
            #[test]
            fn description() {
                let i = $make(&top_problem()).info();
                assert_eq!((i.order, i.adaptive), ([4, 4, 4], false));
            }
        }
    };
}

fn top_problem() -> Dense<problems::HeavyTop> {
    Dense::new(problems::HeavyTop)
}

fourth_order!(mal_rk4, make_mal_rk4, constraints Drift);
fourth_order!(mns_rk4, make_mns_rk4, constraints Both);
