//! The contract of methods, on the half-explicit ones, and academic systems.

use crate::contract;
use crate::problems;

use contract::{Boxed, bars, by_name, integrator_contract, refined, residuals};
use delassus_dae::integrator::make;
use delassus_dae::{Integrator, Options, Problem, Settings, State};
use problems::*;

fn make_hem5<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("hem5", &Options::default(), p)
}

fn make_hem5_always<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("hem5", &Options::default().with_word("project", "always"), p)
}

fn make_hem5_never<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("hem5", &Options::default().with_word("project", "never"), p)
}

fn make_phem56_always<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("phem56", &Options::default().with_word("project", "always"), p)
}

fn make_phem56_never<S: System>(p: &Dense<S>) -> Boxed<Dense<S>> {
    by_name("phem56", &Options::default().with_word("project", "never"), p)
}

integrator_contract!(phem56, make_phem56_never, order [5.0, 5.0, 5.0], constraints Velocity, trace None);
integrator_contract!(phem56_projected, make_phem56_always, order [5.0, 5.0, 5.0], constraints Both, trace None);

/// The same tests for `hem5`, whose velocities approach order 5 from below: 4.4, 4.7, 4.9 from
/// the coarsest steps of the common cases on. These start where the order is reached.
macro_rules! hem5_contract {
    ($name:ident, $make:ident, constraints $constraints:ident) => {
        mod $name {
            use super::*;
            use contract::*;
            const ORDER: [f64; 3] = [5.0; 3];
            const LABEL: &str = stringify!($name);

            #[test]
            fn order() {
                for pattern in [EQUAL, ALTERNATING] {
                    order_is_kept(&refined(top(), 4.0, 8), $make, ORDER, pattern, LABEL);
                    order_is_kept(&refined(bars(), 1.0, 2), $make, ORDER, pattern, LABEL);
                    order_is_kept(&swing(), $make, ORDER, pattern, LABEL);
                }
            }
            #[test]
            fn constraints() {
                constraints_hold(&top(), $make, ORDER, Constraints::$constraints, LABEL);
                constraints_hold(&bars(), $make, ORDER, Constraints::$constraints, LABEL);
            }
            #[test]
            fn purity() {
                dropped_attempts_leave_no_trace(&top(), $make, ORDER, Trace::None, LABEL);
                dropped_attempts_leave_no_trace(&bars(), $make, ORDER, Trace::None, LABEL);
            }
            #[test]
            fn restart() {
                restart_goes_on(&top(), $make, ORDER, LABEL);
                restart_goes_on(&bars(), $make, ORDER, LABEL);
            }
            #[test]
            fn continuous_output() {
                dense_output(&top(), $make, ORDER, LABEL);
                dense_output(&bars(), $make, ORDER, LABEL);
            }
            #[test]
            fn description() {
                describes_itself(&top(), $make, ORDER);
            }
        }
    };
}

hem5_contract!(hem5, make_hem5_never, constraints Velocity);
hem5_contract!(hem5_projected, make_hem5_always, constraints Both);

/// Left to itself the method projects only above the drift it allows, and keeps that.
#[test]
fn positions_are_projected_when_they_drift() {
    let limit = 1e-3 * Settings::default().tol.rtol;
    let case = refined(bars(), 10.0, 10);
    let [g, gv] = residuals(&case, &mut *make_hem5(case.problem()), 400);
    let [free, _] = residuals(&case, &mut *make_hem5_never(case.problem()), 400);
    println!("drift {g:.1e} of {limit:.1e}, without projection {free:.1e}; velocities {gv:.1e}");
    assert!(g <= limit && gv < 1e-12);
    assert!(free > 2.0 * limit, "nothing to project: {free:.1e}");
}

/// θ and θ̇ of the flat parallelogram by the classical method with fine steps.
fn flat_reference(end: f64) -> [f64; 2] {
    let n = 200_000;
    let h = end / f64::from(n);
    let f = |y: [f64; 2]| [y[1], -FLAT_KAPPA * y[0].cos()];
    let add = |y: [f64; 2], c: f64, k: [f64; 2]| [y[0] + c * k[0], y[1] + c * k[1]];
    let mut y = [0.0, 3.0];
    for _ in 0..n {
        let k1 = f(y);
        let k2 = f(add(y, h / 2.0, k1));
        let k3 = f(add(y, h / 2.0, k2));
        let k4 = f(add(y, h, k3));
        let k = [0, 1].map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        y = add(y, h, k);
    }
    y
}

/// Largest errors of angles and rates of the bars, of the coupler, and evaluations beyond
/// those of regular stages.
fn from_flat(method: &str, n: u32, stages: u32) -> (f64, f64, u64) {
    let end = 0.5;
    let [angle, rate] = flat_reference(end);
    let p = Dense::new(flat_parallelogram());
    let mut s = p.system.start();
    let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
    let mut weakest = Vec::new();
    run(&p, &mut *m, &mut s, end / f64::from(n), n, |m| weakest.push(m.weakest_pivot()));
    let e = [0, 2].map(|i| (s.q[i] - angle).abs().max((s.v[i] - rate).abs()));
    let off = s.q[1].abs().max(s.v[1].abs());
    let extra = m.work().evaluations - u64::from(n * stages + 1);
    println!(
        "{method} from flat, {n} steps: {:.1e} {:.1e}, coupler {off:.1e}, split {extra}",
        e[0], e[1]
    );
    if method != "mdop5" {
        assert!(weakest[0] < 1e-10, "the driver is not told: {:.1e}", weakest[0]);
        assert!(weakest[n as usize / 2] > 1e-4);
    }
    (e[0].max(e[1]), off, extra)
}

/// A start where the constraints lose rank exactly: the stage matrix is singular, the two orthogonal projections take
/// over for that stage, and the motion continues along its branch.
#[test]
fn hem5_starts_in_a_singular_position() {
    let (e, off, split) = from_flat("hem5", 100, 8);
    assert!(e < 1e-10 && off < 1e-10, "{e:.1e} {off:.1e}");
    assert_eq!(split, 1);
}

/// `phem56` continues with the acceleration at the start, which the constraints at that one point do not determine: its
/// first step is of order 2, like that of `mdop5`, and on the right branch.
#[test]
fn phem56_starts_in_a_singular_position() {
    let (e, off, _) = from_flat("phem56", 100, 6);
    let (finer, _, _) = from_flat("phem56", 200, 6);
    let (other, _, _) = from_flat("mdop5", 100, 6);
    assert!(e < 1e-3 && off < 1e-10, "{e:.1e} {off:.1e}");
    assert!(((e / finer).log2() - 2.0).abs() < 0.3, "{e:.1e} {finer:.1e}");
    assert!(e < 2.0 * other, "{e:.1e} {other:.1e}");
}

/// n steps, with a look at the method after each attempt.
fn run<P: Problem>(
    p: &P,
    m: &mut dyn Integrator<P>,
    s: &mut State,
    h: f64,
    n: u32,
    mut seen: impl FnMut(&dyn Integrator<P>),
) {
    let mut ws = p.workspace();
    let mut to = s.clone();
    m.restart(p, &mut ws, s).unwrap();
    for _ in 0..n {
        m.attempt(p, &mut ws, s, h, &mut to).unwrap();
        seen(m);
        m.commit();
        std::mem::swap(s, &mut to);
    }
}

/// Largest error, relative above 1 and absolute below.
fn mixed(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let e = |(g, w): (&f64, &f64)| (g - w).abs() / w.abs().max(1.0);
    delassus_math::largest(got.iter().zip(want).map(e))
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
