//! The contract of methods, on the half-explicit ones, and academic systems.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod contract;
mod problems;

use contract::{Boxed, by_name, integrator_contract};
use delassus_dae::integrator::make;
use delassus_dae::{Options, Settings};
use problems::*;

fn make_hem5<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("hem5", &Options::default(), p)
}

fn make_hem5_projected<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("hem5", &Options::default().with("drift", 0.0), p)
}

fn make_phem56<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("phem56", &Options::default(), p)
}

fn make_phem56_projected<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("phem56", &Options::default().with("drift", 0.0), p)
}

integrator_contract!(hem5, make_hem5, order [5.0, 5.0, 5.0], constraints Velocity, trace None);
integrator_contract!(hem5_projected, make_hem5_projected, order [5.0, 5.0, 5.0], constraints Both, trace None);
integrator_contract!(phem56, make_phem56, order [5.0, 5.0, 5.0], constraints Velocity, trace None);
integrator_contract!(phem56_projected, make_phem56_projected, order [5.0, 5.0, 5.0], constraints Both, trace None);

/// Largest error, relative above 1 and absolute below.
fn mixed(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let e = |(g, w): (&f64, &f64)| (g - w).abs() / w.abs().max(1.0);
    got.iter().zip(want).map(e).fold(0.0, f64::max)
}

#[test]
fn published_end_values_are_reached() {
    for method in ["hem5", "phem56"] {
        let p = Dense::new(CarAxis);
        let mut s = p.system.start();
        let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
        let steps = std::iter::repeat_n(3.0 / 12000.0, 12000);
        march(&p, &mut *m, &mut s, steps, |_, _, _| {}).unwrap();
        let e = [
            mixed(&s.q, &CarAxis::END_Q),
            mixed(&s.v, &CarAxis::END_V),
            mixed(&m.start().lambda, &CarAxis::END_LAMBDA),
        ];
        println!("{method} car axis: {:.1e} {:.1e} {:.1e}", e[0], e[1], e[2]);
        assert!(e.iter().all(|e| *e < 1e-8));

        let p = Dense::new(andrews());
        let mut s = p.system.start();
        let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
        let steps = std::iter::repeat_n(0.03 / 6000.0, 6000);
        march(&p, &mut *m, &mut s, steps, |_, _, _| {}).unwrap();
        println!("{method} andrews: {:.1e}", mixed(&s.q, &ANDREWS_END));
        assert!(mixed(&s.q, &ANDREWS_END) < 1e-8);
    }
}
