//! What every method must satisfy: its order on vector spaces and on rotations, separately in q, v and λ; constraints;
//! attempts that leave no trace; the same bits from the same run.
//!
//! A test file takes this module and [`crate::problems`], and each method gets one line,
//! `integrator_contract!(name, make, order [q, v, λ], constraints C, trace T);`, where `make` is
//! a function from a problem to the boxed method.
#![allow(dead_code, clippy::needless_range_loop)]

use crate::problems::*;
use delassus_dae::integrator::{METHODS, info, make};
use delassus_dae::{
    Accel, Derived, Hermite, Integrator, Manifold, Options, Problem, Settings, State,
};
use delassus_math::{max_abs, max_difference};

/// A method on a problem.
pub type Boxed<P> = Box<dyn Integrator<P>>;

/// A system with the span and the number of coarsest steps its order is measured with.
pub struct Case<S> {
    name: &'static str,
    p: Dense<S>,
    start: State,
    end: f64,
    /// Coarsest number of steps for methods of order 2 and of order 5.
    coarse: [usize; 2],
}

impl<S: System> Case<S> {
    fn new(name: &'static str, system: S, end: f64, coarse: [usize; 2]) -> Case<S> {
        let start = system.start();
        Case { name, p: Dense::new(system), start, end, coarse }
    }

    fn steps(&self, order: f64) -> usize {
        self.coarse[usize::from(order > 3.0)]
    }
}

pub fn top() -> Case<HeavyTop> {
    Case::new("heavy top", HeavyTop, 0.08, [160, 64])
}

pub fn bars() -> Case<Linkage<3>> {
    Case::new("four-bar", four_bar(), 0.8, [160, 40])
}

pub fn swing() -> Case<Pendulum> {
    Case::new("pendulum", Pendulum, 1.6, [160, 40])
}

/// What a method promises of the constraints at its steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constraints {
    /// Positions and velocities to round-off.
    Both,
    /// Positions to the tolerance of the iteration, velocities to order 2.
    Position,
    /// Velocities to round-off, positions drift with the order of the method.
    Velocity,
    /// Both drift with the order of the method.
    Drift,
}

/// What dropped attempts may leave behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trace {
    /// Nothing: the next attempt has the same bits.
    None,
    /// A matrix: the next attempt is the same to the tolerance of the iteration.
    Matrix,
}

/// Where solutions are compared: this many equidistant times after the start.
pub const CHECKS: usize = 8;

/// States and multipliers at the times of comparison.
pub type Path = Vec<(State, Derived)>;

/// A trace with `n` units of steps, each unit split by `pattern` (fractions that sum to 1).
pub fn trace<S: System>(
    case: &Case<S>,
    m: &mut dyn Integrator<Dense<S>>,
    n: usize,
    pattern: &[f64],
) -> Path {
    assert!(n.is_multiple_of(CHECKS));
    let h = case.end / n as f64;
    let every = n / CHECKS * pattern.len();
    let steps = (0..n).flat_map(|_| pattern.iter().map(move |f| f * h));
    let mut out = Vec::new();
    let mut s = case.start.clone();
    march(&case.p, m, &mut s, steps, |k, s, d| {
        if k > 0 && k.is_multiple_of(every) {
            out.push((s.clone(), d.clone()));
        }
    })
    .unwrap();
    out
}

/// Fine solution by the explicit method of order 5.
pub fn reference<S: System>(case: &Case<S>) -> Path {
    let mut m = make("mdop5", &case.p, &Settings::default()).unwrap().unwrap();
    trace(case, &mut *m, 40 * case.coarse[1], &[1.0])
}

/// Largest difference in q (in tangent coordinates), v and λ, the last two relative to their
/// size.
pub fn distance(m: &Manifold, a: &Path, b: &Path) -> [f64; 3] {
    let mut e = [0.0_f64; 3];
    let mut size = [1.0, 0.0_f64, 0.0_f64];
    let mut xi = vec![0.0; m.nv()];
    assert_eq!(a.len(), b.len());
    for ((s, d), (t, f)) in a.iter().zip(b) {
        m.local(&t.q, &s.q, &mut xi);
        for x in &xi {
            e[0] = e[0].max(x.abs());
        }
        for (k, x, y) in [(1, &s.v, &t.v), (2, &d.lambda, &f.lambda)] {
            for (x, y) in x.iter().zip(y) {
                e[k] = e[k].max((x - y).abs());
                size[k] = size[k].max(y.abs());
            }
        }
    }
    std::array::from_fn(|k| e[k] / size[k])
}

/// Stands for an order that is not promised.
pub const UNKNOWN: f64 = 0.0;

/// Steps of equal size, and steps that alternate between h and 1.7 h.
pub const EQUAL: &[f64] = &[1.0];
/// See [`EQUAL`].
pub const ALTERNATING: &[f64] = &[1.0 / 2.7, 1.7 / 2.7];

pub fn order_is_kept<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    pattern: &[f64],
    label: &str,
) {
    let exact = reference(case);
    let n0 = case.steps(order[0]);
    let errors: Vec<[f64; 3]> = (0..4)
        .map(|k| {
            let got = trace(case, &mut *make(&case.p), n0 << k, pattern);
            distance(case.p.manifold(), &got, &exact)
        })
        .collect();
    // mean slope over the levels that are not round-off
    let slopes: [f64; 3] = std::array::from_fn(|i| {
        let k = (1..4).rev().find(|k| errors[*k][i] > 3e-12).unwrap_or(1);
        (errors[0][i] / errors[k][i]).log2() / k as f64
    });
    println!(
        "ORDER | {label} | {} | {} | {:.2} | {:.2} | {:.2} | {:.1e} {:.1e} {:.1e}",
        case.name,
        if pattern.len() == 1 { "equal" } else { "varying" },
        slopes[0],
        slopes[1],
        slopes[2],
        errors[3][0],
        errors[3][1],
        errors[3][2],
    );
    for i in 0..3 {
        if order[i] == UNKNOWN {
            continue;
        }
        let what = ["q", "v", "λ"][i];
        let (low, high) = if order[i] > 3.0 { (0.3, 1.5) } else { (0.25, 0.25) };
        assert!(
            slopes[i] > order[i] - low && slopes[i] < order[i] + high,
            "{label} on {}: order of {what} is {:.2}, errors {errors:?}",
            case.name,
            slopes[i],
        );
    }
}

/// Residuals after every step, scaled (rows here have size 1): worst g, worst G v + g_t
/// relative to the largest velocity.
pub fn residuals<S: System>(
    case: &Case<S>,
    m: &mut dyn Integrator<Dense<S>>,
    n: usize,
) -> [f64; 2] {
    let p = &case.p;
    let mut ws = p.workspace();
    let mut row = vec![0.0; p.dims().n_vel];
    let mut worst = [0.0_f64; 2];
    let mut fastest = 0.0_f64;
    let h = case.end / n as f64;
    let mut s = case.start.clone();
    march(p, m, &mut s, std::iter::repeat_n(h, n), |_, s, _| {
        let e = delassus_dae::at(p, &mut ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
        e.residual_pos(&mut row);
        worst[0] = row.iter().fold(worst[0], |w, r| w.max(r.abs()));
        e.residual_vel(&mut row);
        worst[1] = row.iter().fold(worst[1], |w, r| w.max(r.abs()));
        fastest = s.v.iter().fold(fastest, |w, r| w.max(r.abs()));
    })
    .unwrap();
    [worst[0], worst[1] / fastest]
}

pub fn constraints_hold<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    promise: Constraints,
    label: &str,
) {
    let n = case.steps(order[0]);
    let [g, gv] = residuals(case, &mut *make(&case.p), n);
    let [g2, gv2] = residuals(case, &mut *make(&case.p), 2 * n);
    println!("CONSTRAINTS | {label} | {} | {g:.1e} {gv:.1e} | {g2:.1e} {gv2:.1e}", case.name);
    let at_most = |limit: f64, a: f64, b: f64, what: &str| {
        assert!(a.max(b) <= limit, "{label} on {}, {what}: {a:.2e} {b:.2e}", case.name);
    };
    // far above the order is fine, unless it is exact and there is nothing to measure
    let drifts = |low: f64, a: f64, b: f64, what: &str| {
        let slope = (a / b).log2();
        assert!(slope > low - 0.3, "{label} on {}, {what}: {a:.2e} {b:.2e}", case.name);
    };
    match promise {
        Constraints::Both => {
            at_most(1e-13, g, g2, "g");
            at_most(1e-12, gv, gv2, "G v");
        }
        Constraints::Position => {
            at_most(1e-9, g, g2, "g");
            drifts(2.0, gv, gv2, "G v");
            assert!((gv / gv2).log2() < 2.3, "{label} on {}: {gv:.2e} {gv2:.2e}", case.name);
        }
        Constraints::Velocity => {
            at_most(1e-12, gv, gv2, "G v");
            drifts(order[0], g, g2, "g");
        }
        Constraints::Drift => {
            drifts(order[0], g, g2, "g");
            drifts(order[1], gv, gv2, "G v");
        }
    }
}

/// Everything a run leaves behind, as bits.
pub fn bits(s: &State, d: &Derived) -> Vec<u64> {
    let all = s.q.iter().chain(&s.v).chain(&s.z).chain(&d.a).chain(&d.lambda).chain(&d.zdot);
    all.map(|x| x.to_bits()).collect()
}

/// 12 steps; with `disturb`, attempts of other sizes are made and dropped before each.
pub fn twelve<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    disturb: &[f64],
) -> Vec<(State, Derived)> {
    let p = &case.p;
    let mut m = make(p);
    let mut ws = p.workspace();
    let h = case.end / case.steps(order[0]) as f64;
    let (mut s, mut to, mut waste) = (case.start.clone(), case.start.clone(), case.start.clone());
    m.restart(p, &mut ws, &s).unwrap();
    let mut out = Vec::new();
    for k in 0..12 {
        for f in disturb {
            m.attempt(p, &mut ws, &s, f * h, &mut waste).unwrap();
        }
        let size = if k == 7 { 0.6 * h } else { h };
        m.attempt(p, &mut ws, &s, size, &mut to).unwrap();
        assert_eq!(to.t, s.t + size);
        let end = m.end().clone();
        m.commit();
        assert_eq!(bits(&to, &end), bits(&to, m.start()), "commit changes what was computed");
        std::mem::swap(&mut s, &mut to);
        out.push((s.clone(), end));
    }
    out
}

pub fn dropped_attempts_leave_no_trace<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    left: Trace,
    label: &str,
) {
    let clean = twelve(case, make, order, &[]);
    let again = twelve(case, make, order, &[]);
    let other = twelve(case, make, order, &[1.9, 0.3]);
    let e = distance(case.p.manifold(), &clean, &other);
    println!("TRACE | {label} | {} | {:.1e} {:.1e} {:.1e}", case.name, e[0], e[1], e[2]);
    for k in 0..clean.len() {
        let b = bits(&clean[k].0, &clean[k].1);
        assert_eq!(b, bits(&again[k].0, &again[k].1), "{label}: second run, step {k}");
        if left == Trace::None {
            assert_eq!(
                b,
                bits(&other[k].0, &other[k].1),
                "{label}: dropped attempts, step {k}, {e:?}"
            );
        }
    }
    assert!(e[0] < 1e-9 && e[1] < 1e-7 && e[2] < 1e-4, "{label} on {}: {e:?}", case.name);
}

pub fn restart_goes_on<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    label: &str,
) {
    let p = &case.p;
    let n = 2 * case.steps(order[0]);
    let h = case.end / n as f64;
    let run = |restart: bool| {
        let mut m = make(p);
        let mut s = case.start.clone();
        let half = std::iter::repeat_n(h, n / 2);
        if restart {
            march(p, &mut *m, &mut s, half.clone(), |_, _, _| {}).unwrap();
            march(p, &mut *m, &mut s, half, |_, _, _| {}).unwrap();
        } else {
            march(p, &mut *m, &mut s, half.clone().chain(half), |_, _, _| {}).unwrap();
        }
        vec![(s, m.start().clone())]
    };
    let (through, restarted) = (run(false), run(true));
    let exact = reference(case).pop().map(|x| vec![x]).unwrap();
    let gap = distance(p.manifold(), &restarted, &through);
    let error = distance(p.manifold(), &through, &exact);
    println!("RESTART | {label} | {} | {:.1e} of {:.1e}", case.name, gap[2], error[2]);
    for i in 0..3 {
        if order[i] == UNKNOWN {
            continue;
        }
        let allowed = if order[0] > 3.0 { 1e-12 } else { 2.0 * error[i].max(1e-12) };
        assert!(gap[i] <= allowed, "{label} on {}: {gap:?} {error:?}", case.name);
    }
}

/// After an event the first step may be cut to almost nothing by the next one. Velocities stay, and the
/// accelerations and multipliers of its end are those of its state, not round-off over h².
pub fn first_step_may_be_tiny<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    promise: Constraints,
    label: &str,
) {
    if promise == Constraints::Drift {
        // gains of 1/h that pull drift back (Baumgarte) also pull at the round-off of the start
        return;
    }
    let p = &case.p;
    let mut m = make(p);
    for h in [1e-6, 1e-8, 1e-10, 1e-12, 1e-14] {
        let mut s = case.start.clone();
        let before = s.v.clone();
        let mut end = Derived::zeros(p.dims().nv, p.dims().n_vel, p.dims().nz);
        march(p, &mut *m, &mut s, [h], |_, _, d| end.copy_from(d)).unwrap();
        let mut x = end.clone();
        let (a, l, z) = (&mut x.a, &mut x.lambda, &mut x.zdot);
        Accel::new(p).unwrap().eval(p, &mut p.workspace(), s.t, &s.q, &s.v, &s.z, a, l, z).unwrap();
        let distance = |x: &[f64], y: &[f64]| max_difference(x, y) / max_abs(y);
        let off = [distance(&end.a, &x.a), distance(&end.lambda, &x.lambda)];
        let speed = before.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        let fastest = max_abs(&x.a);
        let moved = max_difference(&s.v, &before);
        println!("TINY | {label} | {} | {h:.0e} | {off:?} {moved:.1e}", case.name);
        assert!(off[0] < 1e-3 && off[1] < 1e-3, "{label} on {} by {h:e}: {off:?}", case.name);
        assert!(moved <= 2.0 * h * fastest + 1e-13 * speed, "{label} by {h:e}: {moved:.1e}");
    }
}

/// Order of the Hermite interpolant between steps, and its ends.
pub fn dense_output<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    label: &str,
) {
    let p = &case.p;
    let m = p.manifold();
    let n0 = case.steps(order[0]);
    // every level is compared at the quarters of its own steps
    let fine = 4 * 4 * n0 * 4;
    let mut exact = Vec::new();
    let mut s = case.start.clone();
    let mut r = delassus_dae::integrator::make("mdop5", p, &Settings::default()).unwrap().unwrap();
    let h = case.end / fine as f64;
    march(p, &mut *r, &mut s, std::iter::repeat_n(h, fine), |_, s, _| exact.push(s.clone()))
        .unwrap();
    let mut xi = vec![0.0; m.nv()];
    let mut out = case.start.clone();
    let mut hermite = Hermite::new(m.nq(), m.nv(), 0);
    let mut errors = Vec::new();
    for n in [n0, 2 * n0, 4 * n0] {
        let mut worst = [0.0_f64; 2];
        let mut last: Option<(State, Derived)> = None;
        let mut s = case.start.clone();
        let h = case.end / n as f64;
        let stride = fine / n;
        march(p, &mut *make(p), &mut s, std::iter::repeat_n(h, n), |k, s, d| {
            if let Some((s0, d0)) = &last {
                hermite.fit(m, s0, d0, s, d);
                for (end, t) in [(s0, s0.t), (s, s.t)] {
                    hermite.at(m, t, &mut out);
                    m.local(&end.q, &out.q, &mut xi);
                    assert!(xi.iter().all(|x| x.abs() < 1e-14), "{xi:?}");
                    for (a, b) in out.v.iter().zip(&end.v) {
                        assert!((a - b).abs() < 1e-12 * (1.0 + b.abs() + d.a[0].abs()), "{a} {b}");
                    }
                }
                for quarter in 1..4 {
                    let f = quarter as f64 / 4.0;
                    hermite.at(m, s0.t + f * (s.t - s0.t), &mut out);
                    let want = &exact[(k - 1) * stride + quarter * stride / 4];
                    m.local(&want.q, &out.q, &mut xi);
                    worst[0] = xi.iter().fold(worst[0], |w, x| w.max(x.abs()));
                    for (a, b) in out.v.iter().zip(&want.v) {
                        worst[1] = worst[1].max((a - b).abs());
                    }
                }
            }
            last = Some((s.clone(), d.clone()));
        })
        .unwrap();
        errors.push(worst);
    }
    let slope = |i: usize| (errors[1][i] / errors[2][i]).log2();
    println!(
        "DENSE | {label} | {} | {:.2} {:.2} | {:.1e} {:.1e}",
        case.name,
        slope(0),
        slope(1),
        errors[2][0],
        errors[2][1]
    );
    let need = if order[0] > 3.0 { 4.5 } else { order[0] - 0.25 };
    assert!(slope(0) > need, "{label} on {}: {errors:?}", case.name);
}

pub fn describes_itself<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
) {
    let m = make(&case.p);
    let i = m.info();
    for (has, promised) in i.order.iter().zip(order) {
        assert!(promised == UNKNOWN || promised == f64::from(*has));
    }
    assert!(METHODS.contains(&i));
    assert_eq!(info(i.name), Some(i));
    let made = delassus_dae::integrator::make(i.name, &case.p, &Settings::default());
    assert_eq!(made.unwrap().unwrap().info(), i);
}

macro_rules! integrator_contract {
    ($name:ident, $make:ident, order $order:expr, constraints $constraints:ident, trace $trace:ident) => {
        mod $name {
            use super::*;
            use $crate::contract::*;
            const ORDER: [f64; 3] = $order;
            const LABEL: &str = stringify!($name);

            #[test]
            fn order_on_a_group() {
                order_is_kept(&top(), $make, ORDER, EQUAL, LABEL);
            }
            #[test]
            fn order_on_a_group_with_varying_steps() {
                order_is_kept(&top(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn order_on_a_loop() {
                order_is_kept(&bars(), $make, ORDER, EQUAL, LABEL);
            }
            #[test]
            fn order_on_a_loop_with_varying_steps() {
                order_is_kept(&bars(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn order_on_a_pendulum() {
                order_is_kept(&swing(), $make, ORDER, EQUAL, LABEL);
            }
            #[test]
            fn order_on_a_pendulum_with_varying_steps() {
                order_is_kept(&swing(), $make, ORDER, ALTERNATING, LABEL);
            }
            #[test]
            fn constraints() {
                constraints_hold(&top(), $make, ORDER, Constraints::$constraints, LABEL);
                constraints_hold(&bars(), $make, ORDER, Constraints::$constraints, LABEL);
            }
            #[test]
            fn purity() {
                dropped_attempts_leave_no_trace(&top(), $make, ORDER, Trace::$trace, LABEL);
                dropped_attempts_leave_no_trace(&bars(), $make, ORDER, Trace::$trace, LABEL);
            }
            #[test]
            fn restart() {
                restart_goes_on(&top(), $make, ORDER, LABEL);
                restart_goes_on(&bars(), $make, ORDER, LABEL);
            }
            #[test]
            fn tiny_first_step() {
                first_step_may_be_tiny(&top(), $make, Constraints::$constraints, LABEL);
                first_step_may_be_tiny(&bars(), $make, Constraints::$constraints, LABEL);
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

pub(crate) use integrator_contract;

/// A method by name with options, which are checked.
pub fn by_name<S: System>(name: &str, options: &Options, p: &Dense<S>) -> Boxed<Dense<S>> {
    let options = options.clone();
    options.check(&info(name).unwrap()).unwrap();
    make(name, p, &Settings { options, ..Settings::default() }).unwrap().unwrap()
}

/// The same case over another span and with finer coarsest steps: for methods that reach their
/// order, or errors above round-off, only there.
pub fn refined<S: System>(case: Case<S>, span: f64, steps: usize) -> Case<S> {
    let coarse = case.coarse.map(|n| n * steps);
    Case { end: case.end * span, coarse, ..case }
}

/// A method with a history: a restart in the middle may move the end by no more than a few
/// errors, whatever the order.
pub fn restart_keeps_the_accuracy<S: System>(
    case: &Case<S>,
    make: fn(&Dense<S>) -> Boxed<Dense<S>>,
    order: [f64; 3],
    label: &str,
) {
    let p = &case.p;
    let n = 2 * case.steps(order[0]);
    let half = || std::iter::repeat_n(case.end / n as f64, n / 2);
    let end = |restart: bool| {
        let (mut m, mut s) = (make(p), case.start.clone());
        let first = if restart { 0 } else { n / 2 };
        march(p, &mut *m, &mut s, half().chain(half().take(first)), |_, _, _| {}).unwrap();
        if restart {
            march(p, &mut *m, &mut s, half(), |_, _, _| {}).unwrap();
        }
        vec![(s, m.start().clone())]
    };
    let (through, restarted) = (end(false), end(true));
    let exact = reference(case).pop().map(|x| vec![x]).unwrap();
    let gap = distance(p.manifold(), &restarted, &through);
    let error = distance(p.manifold(), &through, &exact);
    println!("RESTART | {label} | {} | {:.1e} of {:.1e}", case.name, gap[2], error[2]);
    for i in 0..3 {
        assert!(gap[i] <= 2.0 * error[i].max(1e-12), "{label} on {}: {gap:?} {error:?}", case.name);
    }
}

impl<S: System> Case<S> {
    /// The same with steps shorter by this factor: for methods with large error constants.
    pub fn finer(mut self, factor: usize) -> Case<S> {
        self.coarse = self.coarse.map(|n| factor * n);
        self
    }

    /// The problem, for measurements of a family's own.
    pub fn problem(&self) -> &Dense<S> {
        &self.p
    }
}
