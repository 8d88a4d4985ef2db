//! What the forms of generalized-α hold and how close they come, on academic systems.

use crate::problems;

use delassus_dae::integrator::{info, make};
use delassus_dae::{
    Accel, Derived, ErrorScale, Options, Problem, Settings, State, StepControl, Tolerances, at,
};
use delassus_math::{largest, max_abs, max_difference};
use problems::*;

/// Largest |g| and |G v + g_t| over a run with equal steps, the latter relative to the largest
/// velocity; rows are of order one.
fn violations<S: System>(system: S, method: &str, h: f64, steps: usize) -> [f64; 2] {
    let mut s = system.start();
    let p = Dense::new(system);
    let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
    let mut ws = p.workspace();
    let mut row = vec![0.0; p.dims().n_vel];
    let mut worst = [0.0_f64; 2];
    let mut fastest = 0.0_f64;
    march(&p, &mut *m, &mut s, std::iter::repeat_n(h, steps), |_, s, _| {
        let e = at(&p, &mut ws, s.t, &s.q, &s.z).velocity(&s.v, &s.z);
        e.residual_pos(&mut row);
        worst[0] = row.iter().fold(worst[0], |w, r| w.max(r.abs()));
        e.residual_vel(&mut row);
        worst[1] = row.iter().fold(worst[1], |w, r| w.max(r.abs()));
        fastest = s.v.iter().fold(fastest, |w, r| w.max(r.abs()));
    })
    .unwrap();
    [worst[0], worst[1] / fastest]
}

/// Index 3 holds positions and is poor in velocities, index 2 the reverse, GGL holds both
/// (Haddouni et al. 2017), on the four-bar and the slider-crank.
#[test]
fn each_form_holds_its_constraints() {
    // tolerance of the iteration; what a form that does not solve for a row leaves in it
    const ZERO: f64 = 1e-12;
    const POOR: f64 = 1e-7;
    for (name, run) in [
        ("four-bar", (|m| violations(four_bar(), m, 1e-3, 5000)) as fn(&str) -> [f64; 2]),
        ("slider-crank", |m| violations(slider_crank(), m, 1e-3, 5000)),
    ] {
        let [g3, v3] = run("gen-alpha");
        let [g2, v2] = run("gen-alpha-index2");
        let [gs, vs] = run("gen-alpha-ggl");
        println!("{name}: {g3:.1e} {v3:.1e} | {g2:.1e} {v2:.1e} | {gs:.1e} {vs:.1e}");
        assert!(g3 < ZERO && v3 > POOR, "{name}, index 3: {g3:e} {v3:e}");
        assert!(g2 > POOR && v2 < ZERO, "{name}, index 2: {g2:e} {v2:e}");
        assert!(gs < ZERO && vs < ZERO, "{name}, GGL: {gs:e} {vs:e}");
    }
}

/// Largest error, relative above 1 and absolute below.
fn mixed(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let e = |(g, w): (&f64, &f64)| (g - w).abs() / w.abs().max(1.0);
    delassus_math::largest(got.iter().zip(want).map(e))
}

fn end_of<S: System>(
    system: S,
    method: &str,
    options: &Options,
    end: f64,
    n: usize,
) -> (State, Derived) {
    let mut s = system.start();
    let p = Dense::new(system);
    let settings = Settings { options: options.clone(), ..Settings::default() };
    let mut m = make(method, &p, &settings).unwrap().unwrap();
    march(&p, &mut *m, &mut s, std::iter::repeat_n(end / n as f64, n), |_, _, _| {}).unwrap();
    (s, m.start().clone())
}

/// All members approach the published end values of car axis and squeezing mechanism with order
/// 2. The car axis swings at 45 rad/s for 3 s, so its phase is good to four digits only.
#[test]
fn members_approach_published_values() {
    let ggl = Options::default().with_word("form", "ggl");
    for (method, options) in [
        ("gen-alpha", Options::default()),
        ("gen-alpha-index2", Options::default()),
        ("gen-alpha-ggl", Options::default()),
        ("hht", Options::default()),
        ("hht", ggl),
        ("newmark", Options::default()),
    ] {
        let car = |n| {
            let (s, d) = end_of(CarAxis, method, &options, 3.0, n);
            let q = mixed(&s.q, &CarAxis::END_Q).max(mixed(&s.v, &CarAxis::END_V));
            q.max(mixed(&d.lambda, &CarAxis::END_LAMBDA))
        };
        let squeeze = |n| mixed(&end_of(andrews(), method, &options, 0.03, n).0.q, &ANDREWS_END);
        let (c, a) = ([car(30_000), car(60_000)], [squeeze(30_000), squeeze(60_000)]);
        println!("PUBLISHED | {method} | {:.1e} {:.1e} | {:.1e} {:.1e}", c[0], c[1], a[0], a[1]);
        for e in [c, a] {
            assert!((e[0] / e[1]).log2() > 1.8, "{method}: {e:?}");
        }
        assert!(c[1] < 1e-4 && a[1] < 1e-7, "{method}: {c:?} {a:?}");
    }
}

/// Steps to a tolerance as a driver makes them; the end and the numbers of accepted and rejected
/// attempts.
fn controlled<S: System>(
    system: S,
    method: &str,
    options: &Options,
    rtol: f64,
    end: f64,
) -> (State, [u32; 2]) {
    let mut s = system.start();
    let p = Dense::new(system);
    let mut ws = p.workspace();
    let tol = Tolerances { rtol, atol: 0.0 };
    let settings = Settings { tol, options: options.clone(), ..Settings::default() };
    let mut m = make(method, &p, &settings).unwrap().unwrap();
    m.restart(&p, &mut ws, &s).unwrap();
    let mut scale = ErrorScale::new(tol, &p.scales(), p.manifold());
    let mut control = StepControl::new(m.error_order() - 1);
    scale.observe(&s, m.start());
    let mut h = scale.first_step(m.error_order() - 1).min(end);
    let mut to = s.clone();
    let mut count = [0, 0];
    while s.t < end * (1.0 - 1e-14) {
        let step = h.min(end - s.t);
        m.attempt(&p, &mut ws, &s, step, &mut to).unwrap();
        let err = scale.norm(&m.error()) / (step * scale.rate());
        if err <= 1.0 {
            m.commit();
            std::mem::swap(&mut s, &mut to);
            scale.observe(&s, m.start());
            h = step * control.accepted(err);
            count[0] += 1;
        } else {
            h = step * control.rejected(err);
            count[1] += 1;
        }
    }
    (s, count)
}

/// The error estimate drives the step: a hundred times the tolerance in about a tenth of the
/// steps, and the error follows.
#[test]
fn errors_follow_the_tolerance() {
    for method in ["gen-alpha", "gen-alpha-index2", "gen-alpha-ggl", "hht", "newmark"] {
        let of = |rtol| {
            let (s, n) = controlled(four_bar(), method, &Options::default(), rtol, 5.0);
            (mixed(&s.q, &[26.125940844342, 0.49742375479164, 1.2943070559633]), n)
        };
        let (coarse, fine) = (of(1e-5), of(1e-7));
        println!("TOLERANCE | {method} | {coarse:?} {fine:?}");
        let steps = f64::from(fine.1[0]) / f64::from(coarse.1[0]);
        let errors = coarse.0 / fine.0;
        assert!((7.0..14.0).contains(&steps), "{method}: {coarse:?} {fine:?}");
        assert!((30.0..300.0).contains(&errors), "{method}: {coarse:?} {fine:?}");
        assert!(coarse.0 < 1e-2 && fine.0 < 1e-4, "{method}: {coarse:?} {fine:?}");
        for n in [coarse.1, fine.1] {
            assert!(n[1] < n[0] / 5, "{method}: {coarse:?} {fine:?}");
        }
    }
}

/// Newmark with γ ≠ ½ is of order 1, and its estimate knows.
#[test]
fn newmark_with_damping_is_of_first_order() {
    let options = Options::default().with("gamma", 0.6).with("beta", 0.3025);
    options.check(&info("newmark").unwrap()).unwrap();
    let (exact, _) = end_of(Pendulum, "mdop5", &Options::default(), 1.0, 2000);
    let error = |n| mixed(&end_of(Pendulum, "newmark", &options, 1.0, n).0.q, &exact.q);
    let slope = (error(1000) / error(2000)).log2();
    assert!((slope - 1.0).abs() < 0.1, "{slope}");
    let p = Dense::new(Pendulum);
    let settings = Settings { options: options.clone(), ..Settings::default() };
    assert_eq!(make("newmark", &p, &settings).unwrap().unwrap().error_order(), 2);
    let (s, n) = controlled(Pendulum, "newmark", &options, 1e-4, 1.0);
    let e = mixed(&s.q, &exact.q);
    println!("NEWMARK | {e:.1e} with {n:?}");
    assert!(e < 2e-3, "{e:e} with {n:?}");
}

/// The undamped trapezoidal rule on index 3 loses λ, which is why it is not what `newmark` means.
#[test]
fn the_trapezoidal_rule_on_index_3_is_not_for_use() {
    let lambda = |form: &str| {
        let options = Options::default().with_word("form", form);
        let exact = end_of(HeavyTop, "mdop5", &Options::default(), 0.08, 2560).1.lambda;
        let got = end_of(HeavyTop, "newmark", &options, 0.08, 1280).1.lambda;
        max_difference(&exact, &got) / max_abs(&exact)
    };
    let (third, second, both) = (lambda("index3"), lambda("index2"), lambda("ggl"));
    println!("TRAPEZOIDAL | {third:.1e} {second:.1e} {both:.1e}");
    assert!(second < 1e-4 && both < 1e-4 && third > 10.0 * both, "{third:e} {second:e} {both:e}");
}

/// Distance of v̇ and λ from those of the index-1 form, relative to their sizes, at the end of a
/// run whose last step is cut to `last` of the others.
fn after_a_cut<S: System>(system: S, method: &str, last: f64) -> f64 {
    const H: f64 = 1e-3;
    let mut s = system.start();
    let p = Dense::new(system);
    let mut m = make(method, &p, &Settings::default()).unwrap().unwrap();
    let mut end = Derived::zeros(p.dims().nv, p.dims().n_vel, p.dims().nz);
    let steps = std::iter::repeat_n(H, 500).chain([last * H]);
    march(&p, &mut *m, &mut s, steps, |_, _, d| end.copy_from(d)).unwrap();
    let mut x = end.clone();
    let (a, l, z) = (&mut x.a, &mut x.lambda, &mut x.zdot);
    Accel::new(&p).unwrap().eval(&p, &mut p.workspace(), s.t, &s.q, &s.v, &s.z, a, l, z).unwrap();
    let distance = |x: &[f64], y: &[f64]| max_difference(x, y) / max_abs(y);
    largest([distance(&end.a, &x.a), distance(&end.lambda, &x.lambda)])
}

/// Round-off of g divided by the square of a last step that is a sliver does not show.
#[test]
fn accelerations_are_good_after_a_step_that_was_cut_short() {
    for method in ["gen-alpha", "gen-alpha-index2", "gen-alpha-ggl", "hht", "newmark"] {
        for last in [0.1, 0.03, 3e-3, 3e-4, 1e-5, 1e-7, 1e-9] {
            let [a, b] =
                [after_a_cut(Pendulum, method, last), after_a_cut(four_bar(), method, last)];
            assert!(a < 3e-7 && b < 3e-7, "{method} {last:e}: {a:.1e} {b:.1e}");
        }
    }
}
