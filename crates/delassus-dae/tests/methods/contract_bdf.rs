//! The contract of methods, on `bdf` with each largest order.
//!
//! The order is that of `max_order`, which the description of the method cannot know, and a restart replaces the
//! history, so the parts of the contract are checked one by one.

use crate::contract;
use crate::problems;

use contract::*;
use delassus_dae::{Options, Problem};
use problems::{Dense, System};

/// Slope between n and 2n steps. Order 5 on the four-bar has few levels between steps that are
/// too long for it and round-off.
fn order_where_it_shows<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    pattern: &[f64],
    n: usize,
) {
    let exact = reference(case);
    let p = case.problem();
    let error = |n| distance(p.manifold(), &trace(case, &mut *make(p), n, pattern), &exact);
    let (coarse, fine) = (error(n), error(2 * n));
    for i in 0..3 {
        let slope = (coarse[i] / fine[i]).log2();
        println!("ORDER | four-bar | {n} {} | {i} {slope:.2}", pattern.len());
        assert!((slope - order[i]).abs() < 0.3, "{i}: {slope} {coarse:?} {fine:?}");
    }
}

macro_rules! bdf_contract {
    ($name:ident, $k:literal) => {
        mod $name {
            use super::*;
            const ORDER: [f64; 3] = [$k as f64; 3];
            const LABEL: &str = stringify!($name);

            fn method<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
                by_name("bdf", &Options::default().with("max_order", $k as f64), p)
            }
            #[test]
            fn order_with_equal_steps() {
                order_is_kept(&top(), method, ORDER, EQUAL, LABEL);
                match $k {
                    5 => order_where_it_shows(&bars(), method, ORDER, EQUAL, 640),
                    _ => order_is_kept(&bars().finer(8), method, ORDER, EQUAL, LABEL),
                }
                order_is_kept(&swing(), method, ORDER, EQUAL, LABEL);
            }
            #[test]
            fn order_with_varying_steps() {
                order_is_kept(&top(), method, ORDER, ALTERNATING, LABEL);
                match $k {
                    5 => order_where_it_shows(&bars(), method, ORDER, ALTERNATING, 320),
                    _ => order_is_kept(&bars().finer(8), method, ORDER, ALTERNATING, LABEL),
                }
                order_is_kept(&swing(), method, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn constraints() {
                constraints_hold(&top(), method, ORDER, Constraints::Both, LABEL);
                constraints_hold(&bars(), method, ORDER, Constraints::Both, LABEL);
            }
            #[test]
            fn purity() {
                dropped_attempts_leave_no_trace(&top(), method, ORDER, Trace::Matrix, LABEL);
                dropped_attempts_leave_no_trace(&bars(), method, ORDER, Trace::Matrix, LABEL);
            }
            #[test]
            fn restart() {
                restart_keeps_the_accuracy(&top(), method, ORDER, LABEL);
                restart_keeps_the_accuracy(&bars(), method, ORDER, LABEL);
            }
            #[test]
            fn continuous_output() {
                if $k != 4 {
                    // what is asked of the order above 3 is that of 5
                    dense_output(&top(), method, ORDER, LABEL);
                    dense_output(&bars().finer(4), method, ORDER, LABEL);
                }
            }
        }
    };
}

bdf_contract!(bdf1, 1);
bdf_contract!(bdf2, 2);
bdf_contract!(bdf3, 3);
bdf_contract!(bdf4, 4);
bdf_contract!(bdf5, 5);

#[test]
fn description() {
    fn method<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
        by_name("bdf", &Options::default(), p)
    }
    describes_itself(&top(), method, [5.0; 3]);
}
