//! Ranges of functions on intervals of time contain the values of the functions there.

use delassus_expr::{Binding, Expr, Jet, Range};

/// Coefficients that are compared.
const N: usize = 7;

fn expr(text: &str) -> Expr {
    Expr::parse(text, &[("t", Binding::Var(0)), ("x", Binding::Var(1))]).unwrap()
}

fn over(e: &Expr, a: f64, b: f64) -> Jet<N> {
    e.over(&[Jet::time(a, b), Jet::constant(0.7)])
}

/// Taylor coefficients at a point are the ranges on an interval of no width.
fn at(e: &Expr, t: f64) -> Jet<N> {
    over(e, t, t)
}

/// Functions that are smooth on (0.2, 0.9).
const SMOOTH: &[&str] = &[
    "3*t^3 - t + 2",
    "sin(3*t)*cos(t^2)",
    "tan(t)",
    "exp(-((t - 0.5)/0.3)^2)",
    "ln(t) + log10(1 + t)",
    "sqrt(t) + cbrt(t) + cbrt(-t)",
    "asin(t) - acos(t/2) + atan(3*t)",
    "sinh(t)*cosh(2*t) - tanh(5*t - 2)",
    "atan2(t, 1 - 2*t) + hypot(t, 1)",
    "t^2.5 + t^t + 2^t + t^-3",
    "1/(1 + 25*(t - 0.4)^2)",
    "x*sin(t) - x/t",
    "abs(t) + min(t, 5) + max(t, -1) + clamp(t, 0, 1)",
    "if(t > 0.1 && !(t > 1), t^4, floor(10*t))",
    "mod(t + 3, 2) + step(t, 0, 1, 1, 4) + step(t, 0.95, 0, 1, 7)",
    "sign(t)*round(t/10) + ceil(t)",
];

#[test]
fn coefficients_are_those_of_the_derivatives() {
    for text in SMOOTH {
        let e = expr(text);
        for k in 0..=20 {
            let t = 0.2 + 0.7 * f64::from(k) / 20.0;
            let jet = at(&e, t);
            assert!(jet.decided, "{text} at {t}");
            let (v, d, dd) = e.eval_d2(&[t, 0.7], 0);
            for (c, want) in jet.c.iter().zip([v, d, 0.5 * dd]) {
                let size = 1e-9 * (1.0 + want.abs());
                assert!(c.lo - size <= want && want <= c.hi + size, "{text} at {t}: {c:?} {want}");
                assert!(c.hi - c.lo <= size, "{text} at {t}: {c:?} {want}");
            }
            // higher ones by differences of those below
            let h = 1e-4;
            let (before, after) = (at(&e, t - h), at(&e, t + h));
            for n in 2..N - 1 {
                let slope = (after.c[n].lo - before.c[n].lo) / (2.0 * h) / (n + 1) as f64;
                let c = jet.c[n + 1];
                let size = 1e-3 * (1.0 + slope.abs() + c.magnitude());
                assert!((c.lo - slope).abs() < size, "{text} at {t}, {n}: {c:?} {slope}");
            }
        }
    }
}

#[test]
fn an_interval_holds_all_its_points() {
    for text in SMOOTH {
        let e = expr(text);
        for (a, b) in [(0.2, 0.9), (0.3, 0.35), (0.5, 0.5001)] {
            let jet = over(&e, a, b);
            for k in 0..=100 {
                let t = a + (b - a) * f64::from(k) / 100.0;
                let point = at(&e, t);
                let size = |x: f64| 1e-12 * (1.0 + x.abs());
                if !jet.decided {
                    let (all, here) = (jet.c[0], point.c[0]);
                    assert!(all.lo <= here.lo && here.hi <= all.hi, "{text} on {a}..{b}");
                    continue;
                }
                for (n, (all, here)) in jet.c.iter().zip(&point.c).enumerate() {
                    let s = size(here.magnitude());
                    assert!(
                        all.lo <= here.lo + s && here.hi <= all.hi + s,
                        "{text} on {a}..{b} at {t}, {n}: {all:?} {here:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn decisions() {
    let decided = |text: &str, a: f64, b: f64| over(&expr(text), a, b).decided;
    for (text, at) in [
        ("if(t > 1, 5, 2)", 1.0),
        ("step(t, 1, 0, 2, 3)", 1.0),
        ("step(t, 0.5, 0, 1, 3)", 1.0),
        ("step(t, 1, 0, 1, 3)", 1.0),
        ("abs(t - 1)", 1.0),
        ("min(t, 1)", 1.0),
        ("max(2*t, 2)", 1.0),
        ("clamp(t, 0, 1)", 1.0),
        ("floor(t)", 1.0),
        ("mod(t, 1)", 1.0),
        ("sign(sin(pi*t))", 1.0),
        ("hypot(t - 1, 0)", 1.0),
        ("atan2(1 - t, -1)", 1.0),
        ("t >= 1", 1.0),
        ("!(t < 1) && x > 0.5", 1.0),
        ("(t < 1) || x < 0.5", 1.0),
    ] {
        assert!(!decided(text, at - 0.1, at + 0.1), "{text}");
        assert!(decided(text, at - 0.1, at - 1e-9), "{text} before");
        assert!(decided(text, at + 1e-9, at + 0.1), "{text} after");
    }
    // what decides nothing
    assert!(decided("if(t > 0.5, 3, 3)", 0.0, 1.0));
    assert!(decided("if(x > 0.9, floor(9*t), t)", 0.0, 1.0));
    assert!(decided("(x > 0.9)*floor(9*t)", 0.0, 1.0));
    assert!(decided("floor(9*t) > -1", 0.0, 1.0));
    assert!(decided("t == 5 || t != t + 9", 0.0, 1.0));
}

#[test]
fn what_is_quiet_is_known_to_be() {
    let quiet = |text: &str, a: f64, b: f64| over(&expr(text), a, b).is_constant();
    assert!(quiet("step(t, 1.05, 0, 1.15, 10)", 0.0, 1.05));
    assert!(!quiet("step(t, 1.05, 0, 1.15, 10)", 0.0, 1.06));
    assert!(quiet("step(t, 1.05, 0, 1.15, 10)", 1.15, 100.0));
    assert!(quiet("100*(t > 1 && t < 1.01)*sin(t)", 1.01, 100.0));
    assert!(!quiet("t - t", 0.0, 1.0));
    // the distance from a polynomial of degree 5, where a pulse of a millisecond is far away
    let pulse = expr("exp(-((t - 1)/1e-3)^2)");
    assert!(over(&pulse, 0.0, 0.9).c[6].magnitude() < 1e-200);
    assert!(over(&pulse, 0.0, 2.0).c[6].magnitude() > 1e12);
}

#[test]
fn missing_and_singular_values_are_anything() {
    let e = expr("t + x");
    let jet: Jet<3> = e.over(&[Jet::time(0.0, 1.0)]);
    assert!(jet.c[0].magnitude().is_nan() || jet.c[0] == Range::ALL);
    let root = over(&expr("sqrt(t)"), 0.0, 4.0);
    assert_eq!(root.c[0], Range { lo: 0.0, hi: 2.0 });
    assert_eq!(root.c[1], Range::ALL);
    assert_eq!(over(&expr("1/t"), -1.0, 1.0).c[0], Range::ALL);
}
