//! The contract of methods, on the augmented Lagrangian family and the null-space method.

use crate::contract;
use crate::problems;

use contract::{Boxed, by_name, integrator_contract};
use delassus_dae::{Options, Problem};
use problems::{Dense, HeavyTop, Linkage, System, four_bar};

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
fn make_mal_drift<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("mal", &Options::default().with_word("projection", "none"), p)
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
integrator_contract!(mal, make_mal, order [5.0, 5.0, 5.0], constraints Both, trace None);

/// Order on the four-bar by a line fitted to the logarithms of the errors over many step sizes.
/// Where the two leading terms of an error have opposite signs, it vanishes by chance at some
/// step size, and a slope between few levels says little: here the velocity of `mns` and of
/// unprojected `mal` does so between 60 and 160 steps. The method of order 4 is measured at
/// finer steps, where its second term has died out.
fn order_by_fit(
    make: fn(&Dense<Linkage<3>>) -> Boxed<Dense<Linkage<3>>>,
    order: f64,
    pattern: &[f64],
    label: &str,
) {
    let case = contract::bars();
    let p = Dense::new(four_bar());
    let exact = contract::reference(&case);
    let levels: &[usize] = if order > 4.0 {
        &[16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256]
    } else {
        &[64, 80, 96, 128, 160, 192, 256, 384, 512]
    };
    let (mut sx, mut sxx, mut sy, mut sxy, mut n) = (0.0, 0.0, [0.0; 3], [0.0; 3], 0.0);
    for &steps in levels {
        let got = contract::trace(&case, &mut *make(&p), steps, pattern);
        let e = contract::distance(p.manifold(), &got, &exact);
        if e.iter().any(|e| *e < 3e-12) {
            break; // round-off
        }
        let x = (steps as f64).log2();
        sx += x;
        sxx += x * x;
        n += 1.0;
        for i in 0..3 {
            sy[i] += e[i].log2();
            sxy[i] += x * e[i].log2();
        }
    }
    assert!(n >= 7.0, "{label}: only {n} levels above round-off");
    for (i, what) in ["q", "v", "λ"].into_iter().enumerate() {
        let slope = -(n * sxy[i] - sx * sy[i]) / (n * sxx - sx * sx);
        println!("FIT | {label} | four-bar | {} | {what} {slope:.2}", pattern.len());
        assert!(
            slope > order - 0.3 && slope < order + 1.5,
            "{label}: order of {what} is {slope:.2} with {} steps per unit",
            pattern.len()
        );
    }
}

/// The contract in parts: orders on the loop by a fit, and no comparison with the list of
/// methods where an option makes another method of it.
macro_rules! in_parts {
    ($name:ident, $make:ident, order $order:literal, constraints $constraints:ident) => {
        mod $name {
            use super::*;
            use crate::contract::*;
            const ORDER: [f64; 3] = [$order; 3];
            const LABEL: &str = stringify!($name);

            #[test]
            fn order_on_a_group() {
                order_is_kept(&top(), $make, ORDER, EQUAL, LABEL);
                order_is_kept(&top(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn order_on_a_loop() {
                order_by_fit($make, $order, EQUAL, LABEL);
                order_by_fit($make, $order, ALTERNATING, LABEL);
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
                let i = $make(&Dense::new(HeavyTop)).info();
                assert_eq!((i.order[0] as f64, i.adaptive), ($order, $order > 4.0));
            }
        }
    };
}

in_parts!(mns, make_mns, order 5.0, constraints Both);
in_parts!(mal_drift, make_mal_drift, order 5.0, constraints Drift);
in_parts!(mal_rk4, make_mal_rk4, order 4.0, constraints Both);
in_parts!(mns_rk4, make_mns_rk4, order 4.0, constraints Both);

#[test]
fn continuous_output_and_description_of_mns() {
    contract::dense_output(&contract::top(), make_mns, [5.0; 3], "mns");
    contract::dense_output(&contract::bars(), make_mns, [5.0; 3], "mns");
    contract::describes_itself(&contract::top(), make_mns, [5.0; 3]);
}
