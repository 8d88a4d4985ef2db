//! Exact derivatives against central differences.

use delassus_expr::{Binding, Expr};

fn parse(src: &str) -> Expr {
    let scope = [("x", Binding::Var(0)), ("y", Binding::Var(1))];
    Expr::parse(src, &scope).unwrap_or_else(|e| panic!("{src}: {e}"))
}

fn check(src: &str, points: &[f64]) {
    let expr = parse(src);
    for &x in points {
        let f = |dx: f64| expr.eval(&[x + dx, 1.7]);
        let (v, d, dd) = expr.eval_d2(&[x, 1.7], 0);
        let (v1, d1) = expr.eval_d1(&[x, 1.7], 0);
        assert_eq!(v.to_bits(), f(0.0).to_bits(), "{src} at {x}");
        assert_eq!((v1, d1), (v, d), "{src} at {x}");
        // fourth-order differences, steps balanced against rounding
        let h = 1e-3 * x.abs().max(0.1);
        let first = (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
        let near = 16.0 * (f(h) + f(-h)) - (f(2.0 * h) + f(-2.0 * h));
        let second = (near - 30.0 * v) / (12.0 * h * h);
        let size = 1.0 + v.abs() + d.abs() + dd.abs();
        assert!((d - first).abs() < 1e-8 * size, "{src}' at {x}: {d} {first}");
        assert!((dd - second).abs() < 1e-5 * size, "{src}'' at {x}: {dd} {second}");
    }
}

#[test]
fn functions_of_one_argument() {
    let all = [-2.3, -0.4, 0.3, 1.1, 4.7];
    let positive = [0.2, 1.0, 3.9];
    let unit = [-0.8, -0.1, 0.35, 0.7];
    for name in [
        "sin", "cos", "atan", "sinh", "cosh", "tanh", "exp", "cbrt", "abs", "sign", "floor",
        "ceil", "round",
    ] {
        check(&format!("{name}(x)"), &all);
        check(&format!("{name}(0.7*x + 0.1*x^2 + 0.03)"), &all);
    }
    check("tan(x)", &[-1.0, 0.0, 0.4, 1.2]);
    for name in ["asin", "acos"] {
        check(&format!("{name}(x)"), &unit);
        check(&format!("{name}(x^2)"), &unit);
    }
    for name in ["ln", "log10", "sqrt"] {
        check(&format!("{name}(x)"), &positive);
        check(&format!("{name}(1 + x^2)"), &all);
    }
}

#[test]
fn functions_of_more_arguments() {
    let all = [-2.3, -0.4, 0.3, 1.1, 4.7];
    for src in [
        "min(x, x^2)",
        "max(x, y*x^2)",
        "atan2(x, y)",
        "atan2(y, x)",
        "atan2(sin(x) + 2, x^2 + 1)",
        "hypot(x, y)",
        "hypot(y, x)",
        "hypot(x^2, 1 + x)",
        "pow(2, x)",
        "pow(x, 4)",
        "pow(x, 40)/1e20",
        "pow(1 + x^2, x)",
        "mod(x^2, 1.1*y)",
        "mod(7, 3 + x^2)",
        "if(x > 0, sin(x), x^3)",
        "clamp(x^2, 0.5, 2 + x)",
        "step(x, -1, 2, 2, 5)",
        "step(x, 2, 2, -1, 5)",
        "step(x^2, y, x, 9 + x, sin(x))",
    ] {
        check(src, &all);
    }
}

#[test]
fn operators() {
    let all = [-2.3, -0.4, 0.3, 1.1, 4.7];
    for src in [
        "-x",
        "x + y",
        "x*x*y - y/x",
        "1/(1 + x^2)",
        "sin(x)/x",
        "x^2*exp(-x)*cos(3*x)",
        "(x^2)^1.5",
        "x^-3",
        "(x > 0) * x^2 + (x <= 0 || x > 9) * x + !(x == 3)",
    ] {
        check(src, &all);
    }
    check("x^0.5", &[0.3, 2.0]);
}

#[test]
fn integer_powers_at_zero() {
    for n in 2..=40 {
        let (v, d, dd) = parse(&format!("x^{n}")).eval_d2(&[0.0], 0);
        assert_eq!((v, d), (0.0, 0.0));
        assert_eq!(dd, if n == 2 { 2.0 } else { 0.0 });
    }
    assert_eq!(parse("x^1").eval_d2(&[0.0], 0), (0.0, 1.0, 0.0));
    assert_eq!(parse("x^0").eval_d2(&[0.0], 0), (1.0, 0.0, 0.0));
    assert_eq!(parse("x^3").eval_d2(&[-2.0], 0), (-8.0, 12.0, -12.0));
    check("x^3", &[-0.1, 0.0]);
    check("x^5", &[-0.1, 0.0]);
}

#[test]
fn other_variables_do_not_disturb() {
    assert_eq!(parse("y + sqrt(x)").eval_d2(&[0.0, 3.0], 1), (3.0, 1.0, 0.0));
    assert_eq!(parse("y*x^0.5").eval_d2(&[0.0, 3.0], 1), (0.0, 0.0, 0.0));
    assert_eq!(parse("x*y").eval_d2(&[2.0, 3.0], 7), (6.0, 0.0, 0.0));
}

#[test]
fn step_is_smooth() {
    let step = parse("step(x, 1, 10, 3, 20)");
    for x in [1.0, 3.0] {
        let (_, before, _) = step.eval_d2(&[x - 1e-9], 0);
        let (_, after, _) = step.eval_d2(&[x + 1e-9], 0);
        assert!(before.abs() < 1e-6 && after.abs() < 1e-6);
    }
    assert_eq!(step.eval_d1(&[2.0], 0), (15.0, 7.5));
}
