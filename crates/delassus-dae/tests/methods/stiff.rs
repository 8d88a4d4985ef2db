//! Stiff systems, and published values to eight digits, by the adaptive implicit methods.

use crate::problems;

use delassus_dae::integrator::make;
use delassus_dae::{
    Block, Derived, ErrorScale, Options, Problem, Settings, State, StepControl, Tolerances,
};
use problems::*;

/// A mass on a stiff damped spring (ω = 10⁴ rad/s, a tenth of critical damping) that carries a
/// rigid pendulum: free length, rod and masses are 1.
#[derive(Debug, Clone, Copy, Default)]
struct StiffPendulum;

const STIFF: f64 = 1e8;
const DAMP: f64 = 2e3;

impl StiffPendulum {
    /// Direction of the spring, its length and rate, and the pull.
    fn spring(q: &[f64], v: &[f64]) -> ([f64; 2], f64, f64, f64) {
        let len = q[0].hypot(q[1]);
        let u = [q[0] / len, q[1] / len];
        let rate = u[0] * v[0] + u[1] * v[1];
        (u, len, rate, STIFF * (len - 1.0) + DAMP * rate)
    }
}

impl System for StiffPendulum {
    fn blocks(&self) -> Vec<Block> {
        vec![Block::Vector(4)]
    }
    fn rows(&self) -> usize {
        1
    }
    fn terms(&self, _t: f64, q: &[f64], v: &[f64], x: &mut Terms) {
        let (u, _, _, pull) = StiffPendulum::spring(q, v);
        for i in 0..4 {
            x.mass[5 * i] = 1.0;
        }
        x.force.copy_from_slice(&[-pull * u[0], -pull * u[1] - 9.81, 0.0, -9.81]);
        let (d, w) = ([q[2] - q[0], q[3] - q[1]], [v[2] - v[0], v[3] - v[1]]);
        x.g[0] = 0.5 * (d[0] * d[0] + d[1] * d[1] - 1.0);
        x.jac.copy_from_slice(&[-d[0], -d[1], d[0], d[1]]);
        x.rate[0] = d[0] * w[0] + d[1] * w[1];
        x.gamma[0] = w[0] * w[0] + w[1] * w[1];
    }
    fn tangent(&self, at: &Point, _a: &[f64], l: &[f64], ck: f64, cc: f64, k: &mut [f64]) {
        let (u, len, rate, pull) = StiffPendulum::spring(&at.q, &at.v);
        for i in 0..2 {
            for j in 0..2 {
                let turn = f64::from(u8::from(i == j)) - u[i] * u[j];
                let slope = STIFF * u[j] + DAMP * (at.v[j] - rate * u[j]) / len;
                k[4 * i + j] += ck * (slope * u[i] + pull * turn / len) + cc * DAMP * u[i] * u[j];
            }
        }
        for i in 0..4 {
            k[5 * i] -= ck * l[0];
            k[4 * i + (i + 2) % 4] += ck * l[0];
        }
    }
    /// At rest, horizontal; the spring carries nothing.
    fn start(&self) -> State {
        State { t: 0.0, q: vec![1.0, 0.0, 2.0, 0.0], v: vec![0.0; 4], z: vec![] }
    }
}

struct Run {
    state: State,
    derived: Derived,
    steps: u64,
    refused: u64,
    matrices: u64,
    highest: u32,
}

/// Steps to `end` as the driver does.
fn adaptive<S: System>(system: S, method: &str, options: Options, rtol: f64, end: f64) -> Run {
    let mut s = system.start();
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let tol = Tolerances { rtol, atol: 0.0 };
    let settings = Settings { tol, options, ..Settings::default() };
    let mut m = make(method, &p, &settings).unwrap().unwrap();
    m.restart(&p, &mut ws, &s).unwrap();
    let info = m.info();
    let unit = u32::from(info.per_unit_step);
    let mut scale = ErrorScale::new(tol, &p.scales(), p.manifold());
    let mut control = StepControl::new(info.error_order - unit);
    scale.observe(&s, m.start());
    let mut h = scale.first_step(info.error_order - unit).min(end);
    let mut to = s.clone();
    let (mut steps, mut refused, mut highest) = (0, 0, 0);
    while s.t < end * (1.0 - 1e-14) {
        let step = h.min(end - s.t);
        assert!(step > 1e-14 * end && steps < 1_000_000, "{method} stuck at {}", s.t);
        match m.attempt(&p, &mut ws, &s, step, &mut to) {
            Err(_) => h = step * control.failed(),
            Ok(()) => {
                let mut err = scale.norm(&m.error());
                if info.per_unit_step {
                    err /= (step * scale.rate().max(1.0 / end)).max(1e-5);
                }
                control.set_order(m.error_order() - unit);
                if err <= 1.0 {
                    let factor = control.accepted(err);
                    let factor = m.choose_order(&scale).unwrap_or(factor);
                    let held = info.holds_step && (0.8..1.25).contains(&factor);
                    h = step * if held { 1.0 } else { factor };
                    highest = highest.max(m.error_order());
                    m.commit();
                    std::mem::swap(&mut s, &mut to);
                    scale.observe(&s, m.start());
                    steps += 1;
                    continue;
                }
                h = step * control.rejected(err);
            }
        }
        refused += 1;
    }
    let (derived, matrices) = (m.start().clone(), m.work().factorizations);
    Run { state: s, derived, steps, refused, matrices, highest }
}

/// Largest error, relative above 1 and absolute below.
fn mixed(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let e = |(g, w): (&f64, &f64)| (g - w).abs() / w.abs().max(1.0);
    delassus_math::largest(got.iter().zip(want).map(e))
}

fn report(what: &str, method: &str, run: &Run, errors: &[f64]) {
    println!(
        "{what} | {method} | {} steps, {} refused, {} factorisations, order {} | {}",
        run.steps,
        run.refused,
        run.matrices,
        run.highest - 1,
        errors.iter().map(|e| format!("{e:.1e}")).collect::<Vec<_>>().join(" ")
    );
}

/// Ten times fewer steps than the explicit method, at the same accuracy.
#[test]
fn long_steps_on_a_stiff_system() {
    let (rtol, end) = (1e-6, 2.0);
    let explicit = adaptive(StiffPendulum, "mdop5", Options::default(), rtol, end);
    let fine = adaptive(StiffPendulum, "mdop5", Options::default(), 1e-10, end);
    report("stiff", "mdop5", &explicit, &[mixed(&explicit.state.q, &fine.state.q)]);
    for method in ["bdf", "radau5"] {
        let run = adaptive(StiffPendulum, method, Options::default(), rtol, end);
        let e = [
            mixed(&run.state.q, &fine.state.q),
            mixed(&run.state.v, &fine.state.v),
            mixed(&run.derived.lambda, &fine.derived.lambda),
        ];
        report("stiff", method, &run, &e);
        assert!(10 * run.steps <= explicit.steps, "{method}: {} steps", run.steps);
        assert!(e[0] < 1e-4 && e[1] < 1e-3 && e[2] < 1e-3, "{method}: {e:?}");
    }
}

#[test]
fn car_axis_to_eight_digits() {
    for (method, rtol) in [("bdf", 1e-13), ("radau5", 1e-10)] {
        let run = adaptive(CarAxis, method, Options::default(), rtol, 3.0);
        let e = [
            mixed(&run.state.q, &CarAxis::END_Q),
            mixed(&run.state.v, &CarAxis::END_V),
            mixed(&run.derived.lambda, &CarAxis::END_LAMBDA),
        ];
        report("car axis", method, &run, &e);
        assert!(e.iter().all(|e| *e < 1e-8), "{method}: {e:?}");
    }
}

#[test]
fn andrews_to_eight_digits() {
    for (method, rtol) in [("bdf", 1e-10), ("radau5", 1e-10)] {
        let run = adaptive(andrews(), method, Options::default(), rtol, 0.03);
        let e = mixed(&run.state.q, &ANDREWS_END);
        report("andrews", method, &run, &[e]);
        assert!(e < 1e-8, "{method}: {e:.1e}");
    }
}

/// A tolerance ten times smaller gives an error about ten times smaller.
#[test]
fn error_follows_the_tolerance() {
    for method in ["bdf", "radau5"] {
        let error = |rtol: f64| {
            let run = adaptive(CarAxis, method, Options::default(), rtol, 3.0);
            let e = mixed(&run.state.q, &CarAxis::END_Q);
            report(&format!("car axis {rtol:.0e}"), method, &run, &[e]);
            e
        };
        let (coarse, fine) = (error(1e-5), error(1e-8));
        assert!(fine < 0.02 * coarse && coarse < 1e-2, "{method}: {coarse:.1e} {fine:.1e}");
    }
}

/// The option is obeyed.
#[test]
fn order_stays_below_the_largest() {
    for k in 1..=4 {
        let options = Options::default().with("max_order", f64::from(k));
        let s = Pendulum.start();
        let p = Dense::new(Pendulum);
        let settings = Settings { options, ..Settings::default() };
        let mut m = make("bdf", &p, &settings).unwrap().unwrap();
        let mut at = s.clone();
        let mut highest = Vec::new();
        let mut ws = p.workspace();
        m.restart(&p, &mut ws, &s).unwrap();
        let mut to = s;
        for _ in 0..12 {
            m.attempt(&p, &mut ws, &at, 1e-3, &mut to).unwrap();
            highest.push(m.error_order());
            m.commit();
            std::mem::swap(&mut at, &mut to);
        }
        assert!(highest[k as usize..].iter().all(|o| *o == k + 1), "{k}: {highest:?}");
    }
}
