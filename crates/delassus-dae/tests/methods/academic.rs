//! Academic systems against published and independently computed end values.

use crate::problems;

use delassus_dae::integrator::make;
use delassus_dae::{
    Derived, ErrorScale, Options, Problem, Settings, State, StepControl, Tolerances, at,
};
use problems::*;

/// End of a run with n equal steps.
fn run<S: System>(system: S, method: &str, end: f64, n: usize) -> (State, Derived) {
    run_scaled(system, method, end, n, 1.0)
}

/// The same with coordinates declared to be of size `scale`, which drives Newton's method.
fn run_scaled<S: System>(
    system: S,
    method: &str,
    end: f64,
    n: usize,
    scale: f64,
) -> (State, Derived) {
    let mut s = system.start();
    let mut p = Dense::new(system);
    p.scale = scale;
    let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
    let h = end / n as f64;
    march(&p, &mut *m, &mut s, std::iter::repeat_n(h, n), |_, _, _| {}).unwrap();
    (s, m.start().clone())
}

/// Largest error, relative above 1 and absolute below.
fn mixed(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let e = |(g, w): (&f64, &f64)| (g - w).abs() / w.abs().max(1.0);
    delassus_math::largest(got.iter().zip(want).map(e))
}

/// Rows of the reference for the four-bar at 5 s: angles and rates.
const FOUR_BAR_END: [[f64; 3]; 2] = [
    [26.125940844342, 0.49742375479164, 1.2943070559633],
    [4.0461374436546, -0.48938458557295, 1.0466373736635],
];

#[test]
fn four_bar_reaches_the_reference() {
    let (half, _) = run(four_bar(), "mdop5", 2.5, 2500);
    let e = mixed(&half.q, &[13.56298017075, 0.49701325600314, 1.2951916785419]);
    let ev = mixed(&half.v, &[4.0229288163898, -0.48200952069458, 1.046653439366]);
    let (s, _) = run(four_bar(), "mdop5", 5.0, 5000);
    let [q, v] = FOUR_BAR_END;
    println!("four-bar: {e:.1e} {ev:.1e} {:.1e} {:.1e}", mixed(&s.q, &q), mixed(&s.v, &v));
    assert!(e < 1e-8 && ev < 1e-8);
    assert!(mixed(&s.q, &q) < 1e-8 && mixed(&s.v, &v) < 1e-8);
}

#[test]
fn slider_crank_reaches_the_reference() {
    let slider = |q: &[f64]| q[0].cos() + 2.0 * q[1].cos();
    for (t, want, x) in [
        (2.5, [-4.0025634892811, -0.38897243199936], 1.1988970616657),
        (5.0, [0.95980547375133, -0.42194977413488], 2.3982636583306),
    ] {
        let (s, _) = run(slider_crank(), "mdop5", t, (1000.0 * t) as usize);
        println!("slider-crank: {:.1e}", mixed(&s.q, &want));
        assert!(mixed(&s.q, &want) < 1e-8);
        assert!((slider(&s.q) - x).abs() < 1e-8);
    }
}

#[test]
fn car_axis_reaches_the_published_values() {
    let (s, d) = run(CarAxis, "mdop5", 3.0, 12000);
    let e = [
        mixed(&s.q, &CarAxis::END_Q),
        mixed(&s.v, &CarAxis::END_V),
        mixed(&d.lambda, &CarAxis::END_LAMBDA),
    ];
    println!("car axis: {:.1e} {:.1e} {:.1e}", e[0], e[1], e[2]);
    assert!(e.iter().all(|e| *e < 1e-8));
}

#[test]
fn andrews_reaches_the_published_values() {
    let (s, _) = run(andrews(), "mdop5", 0.03, 6000);
    println!("andrews: {:.1e}", mixed(&s.q, &ANDREWS_END));
    assert!(mixed(&s.q, &ANDREWS_END) < 1e-8);
}

/// Steps of the explicit methods that are enough for 8 digits, on the car axis and on Andrews'
/// mechanism; the rest of the difference is that of the published digits.
const ENOUGH: [(&str, usize, usize); 4] =
    [("dopri5", 6000, 6000), ("rkf45", 6000, 6000), ("rk4", 24000, 12000), ("dop853", 1000, 1000)];

#[test]
fn explicit_methods_reach_the_published_values() {
    for (method, axis, squeezer) in ENOUGH {
        let (s, d) = run(CarAxis, method, 3.0, axis);
        let e = [
            mixed(&s.q, &CarAxis::END_Q),
            mixed(&s.v, &CarAxis::END_V),
            mixed(&d.lambda, &CarAxis::END_LAMBDA),
        ];
        let (s, _) = run(andrews(), method, 0.03, squeezer);
        let a = mixed(&s.q, &ANDREWS_END);
        println!("{method}: car axis {:.1e} {:.1e} {:.1e}, andrews {a:.1e}", e[0], e[1], e[2]);
        assert!(e.iter().all(|e| *e < 1e-8) && a < 1e-8, "{method}: {e:?} {a}");
    }
}

/// Neither drift nor its feedback spoils the published digits at these steps.
#[test]
fn published_values_without_projection() {
    for word in ["none", "baumgarte"] {
        let options = Options::default().with_word("stabilization", word);
        let settings = Settings { options, ..Settings::default() };
        let p = Dense::new(CarAxis);
        let mut s = CarAxis.start();
        let mut m = make("dopri5", &p, &settings).unwrap().unwrap();
        march(&p, &mut *m, &mut s, std::iter::repeat_n(3.0 / 6000.0, 6000), |_, _, _| {}).unwrap();
        let e = [mixed(&s.q, &CarAxis::END_Q), mixed(&s.v, &CarAxis::END_V)];
        let l = mixed(&m.start().lambda, &CarAxis::END_LAMBDA);
        println!("dopri5, {word}: car axis {:.1e} {:.1e} {l:.1e}", e[0], e[1]);
        assert!(e[0] < 1e-8 && e[1] < 1e-8 && l < 1e-8);
    }
}

/// Step-size control as a driver uses it: reject above 1, PI control, last step cut to fit.
#[test]
fn andrews_with_step_size_control() {
    let system = andrews();
    let mut s = system.start();
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let tol = Tolerances { rtol: 1e-10, atol: 0.0 };
    let mut m = make("mdop5", &p, &Settings { tol, ..Settings::default() }).unwrap().unwrap();
    m.restart(&p, &mut ws, &s).unwrap();
    let info = m.info();
    let mut scale = ErrorScale::new(tol, &p.scales(), p.manifold());
    let mut control = StepControl::new(info.error_order);
    scale.observe(&s, m.start());
    let end = 0.03;
    let mut h = scale.first_step(info.error_order).min(end);
    let mut to = s.clone();
    let (mut taken, mut refused) = (0, 0);
    while s.t < end * (1.0 - 1e-14) {
        let step = h.min(end - s.t);
        match m.attempt(&p, &mut ws, &s, step, &mut to) {
            Err(_) => h = step * control.failed(),
            Ok(()) => {
                let err = scale.norm(&m.error());
                if err <= 1.0 {
                    m.commit();
                    std::mem::swap(&mut s, &mut to);
                    scale.observe(&s, m.start());
                    h = step * control.accepted(err);
                    taken += 1;
                    continue;
                }
                h = step * control.rejected(err);
            }
        }
        refused += 1;
    }
    let e = mixed(&s.q, &ANDREWS_END);
    println!("andrews, controlled: {e:.1e} with {taken} steps, {refused} refused");
    assert!(e < 1e-7 && taken < 3000 && refused < taken / 5);
}

/// Errors of generalized-α at h and h/2 differ by four.
fn second_order(coarse: &[f64], fine: &[f64]) {
    for (c, f) in coarse.iter().zip(fine) {
        println!("gen-alpha: {c:.2e} {f:.2e}, ratio {:.2}", c / f);
    }
    assert!(coarse.iter().zip(fine).all(|(c, f)| (c / f - 4.0).abs() < 0.6));
}

fn gen_alpha_four_bar(n: usize, scale: f64) -> [f64; 2] {
    let [q, v] = FOUR_BAR_END;
    let (s, _) = run_scaled(four_bar(), "gen-alpha", 5.0, n, scale);
    [mixed(&s.q, &q), mixed(&s.v, &v)]
}

#[test]
fn gen_alpha_approaches_the_car_axis() {
    let errors = |n| {
        let (s, d) = run(CarAxis, "gen-alpha", 3.0, n);
        let l = mixed(&d.lambda, &CarAxis::END_LAMBDA);
        [mixed(&s.q, &CarAxis::END_Q), mixed(&s.v, &CarAxis::END_V), l]
    };
    second_order(&errors(6000), &errors(12000));
}

#[test]
fn gen_alpha_approaches_the_four_bar() {
    second_order(&gen_alpha_four_bar(5000, 1.0), &gen_alpha_four_bar(10000, 1.0));
}

/// The problems themselves: G, γ, K and C against differences along curves on the manifold.
#[test]
fn derivatives_are_right() {
    check_derivatives(Pendulum);
    check_derivatives(CarAxis);
    check_derivatives(HeavyTop);
    check_derivatives(four_bar());
    check_derivatives(slider_crank());
    check_derivatives(andrews());
}

fn check_derivatives<S: System>(system: S) {
    let s = system.start();
    let rows = system.rows();
    let p = Dense::new(system);
    let nv = p.dims().nv;
    let mut ws = p.workspace();
    let t = 0.1;
    let wave = |k: usize, f: f64| (1.0 + f * k as f64).sin();
    let a: Vec<f64> = (0..nv).map(|k| wave(k, 1.3)).collect();
    let v: Vec<f64> = (0..nv).map(|k| s.v[k] + wave(k, 0.7)).collect();
    let lambda: Vec<f64> = (0..rows).map(|k| wave(k, 2.1)).collect();
    let mut q = s.q.clone();
    p.manifold().retract(&s.q, &a.iter().map(|a| 0.3 * a).collect::<Vec<_>>(), &mut q);
    // all terms at (q ∘ exp(x), v + y, t + dt): g, G v + g_t, r
    let mut all = |x: &[f64], y: &[f64], dt: f64| {
        let mut qx = q.clone();
        p.manifold().retract(&q, x, &mut qx);
        let vy: Vec<f64> = v.iter().zip(y).map(|(v, y)| v + y).collect();
        let e = at(&p, &mut ws, t + dt, &qx, &[]).velocity(&vy, &[]);
        let (mut g, mut rate, mut gamma) = (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
        let (mut f, mut m, mut jac) = (vec![0.0; nv], vec![0.0; nv * nv], vec![0.0; rows * nv]);
        let (mut k, mut c) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
        e.residual_pos(&mut g);
        e.residual_vel(&mut rate);
        e.bias(&mut gamma);
        e.force(&mut f);
        e.mass(&mut m);
        e.jacobian(&mut jac);
        e.tangent(&a, &lambda, 1.0, 0.0, &mut k);
        e.tangent(&a, &lambda, 0.0, 1.0, &mut c);
        let r: Vec<f64> = (0..nv)
            .map(|i| {
                (0..nv).map(|j| m[i * nv + j] * a[j]).sum::<f64>()
                    - f[i]
                    - (0..rows).map(|j| jac[j * nv + i] * lambda[j]).sum::<f64>()
            })
            .collect();
        (g, rate, gamma, r, jac, k, c)
    };
    let zero = vec![0.0; nv];
    let (_, rate, gamma, _, jac, k, c) = all(&zero, &zero, 0.0);
    let eps = 1e-6;
    let close = |what: &str, got: f64, up: f64, down: f64, size: f64| {
        let want = (up - down) / (2.0 * eps);
        assert!((got - want).abs() < 2e-7 * (1.0 + size + want.abs()), "{what}: {got} {want}");
    };
    let size = |x: &[f64]| delassus_math::max_abs(x);
    for j in 0..nv {
        let unit = |s: f64| -> Vec<f64> { (0..nv).map(|i| if i == j { s } else { 0.0 }).collect() };
        let (up, down) = (all(&unit(eps), &zero, 0.0), all(&unit(-eps), &zero, 0.0));
        let (vup, vdown) = (all(&zero, &unit(eps), 0.0), all(&zero, &unit(-eps), 0.0));
        for i in 0..rows {
            close("G", jac[i * nv + j], up.0[i], down.0[i], size(&jac));
        }
        for i in 0..nv {
            close("K", k[i * nv + j], up.3[i], down.3[i], size(&k) + size(&up.3));
            close("C", c[i * nv + j], vup.3[i], vdown.3[i], size(&c) + size(&up.3));
        }
    }
    // along the flow: dg/dt = G v + g_t, d(G v + g_t)/dt = G a + γ
    let along = |s: f64| -> (Vec<f64>, Vec<f64>) {
        let e = s * eps;
        let x = (0..nv).map(|i| e * v[i] + 0.5 * e * e * a[i]).collect();
        (x, a.iter().map(|a| e * a).collect())
    };
    let (xu, yu) = along(1.0);
    let (xd, yd) = along(-1.0);
    let (up, down) = (all(&xu, &yu, eps), all(&xd, &yd, -eps));
    for i in 0..rows {
        let ga: f64 = (0..nv).map(|j| jac[i * nv + j] * a[j]).sum();
        close("rate", rate[i], up.0[i], down.0[i], size(&rate));
        close("γ", ga + gamma[i], up.1[i], down.1[i], size(&gamma));
    }
}
