use crate::{
    Binding, Curve, Dim, Expr, ExprErrorKind, Join, Outside, Scope, TableFunction, parse_constant,
};
use std::sync::Arc;

fn value(src: &str) -> f64 {
    let scope = [
        ("x", Binding::Const(3.0, Dim::Any)),
        ("crank.angle", Binding::Const(0.5, Dim::NONE)),
        ("n", Binding::Const(0.0, Dim::Any)),
    ];
    match parse_constant(src, &scope) {
        Ok((value, _)) => value,
        Err(error) => panic!("{src}: {error}"),
    }
}

#[test]
fn precedence() {
    let cases = [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24/4/3", 2.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("-2*-3", 6.0),
        ("2*3^2", 18.0),
        ("+5 - -5", 10.0),
        ("!0 + 1", 2.0),
        ("1 + 1 == 2", 1.0),
        ("1 < 2 && 2 < 1 || 1", 1.0),
        ("1 || 0 && 0", 1.0),
        ("!(1 > 2)", 1.0),
        ("3 != 3", 0.0),
        ("3 >= 3", 1.0),
        ("3 <= 2", 0.0),
        ("  7\t\n", 7.0),
        ("2*x + crank.angle", 6.5),
        ("if(n > 0, 1/n, 42)", 42.0),
        ("n != 0 && 1/n > 2", 0.0),
        ("n == 0 || 1/n > 2", 1.0),
        ("min(1,2) + max(1,2)", 3.0),
    ];
    for (src, expected) in cases {
        assert_eq!(value(src), expected, "{src}");
    }
}

#[test]
fn constants_yield_to_the_scope() {
    assert_eq!(value("pi"), std::f64::consts::PI);
    assert_eq!(value("tau"), std::f64::consts::TAU);
    assert_eq!(value("e"), std::f64::consts::E);
    let scope = [("e", Binding::Const(7.0, Dim::Any))];
    assert_eq!(parse_constant("e", &scope), Ok((7.0, Dim::Any)));
}

#[test]
fn nesting_limit() {
    let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(value(&nested(64)), 1.0);
    let error = Expr::parse(&nested(65), &()).unwrap_err();
    assert_eq!((error.kind, error.span), (ExprErrorKind::TooDeep, 64..65));
    for src in [
        format!("{}1", "-".repeat(9_999)),
        format!("{}1", "!".repeat(9_999)),
        format!("{}2", "2^".repeat(4_999)),
        "(".repeat(10_000),
        "sin(".repeat(2_500),
        format!("{}1", "1<(1+(-".repeat(1_400)),
    ] {
        let error = Expr::parse(&src, &()).unwrap_err();
        assert_eq!(error.kind, ExprErrorKind::TooDeep, "{}", &src[..9]);
    }
}

#[test]
fn stack_limit() {
    let scope = [("x", Binding::Var(0))];
    // six pending values per level of nesting
    let level = "x || x && x == x + x*(";
    let src = |n| format!("{}x{}", level.repeat(n), ")".repeat(n));
    assert!(Expr::parse(&src(12), &scope).is_ok());
    let error = Expr::parse(&src(13), &scope).unwrap_err();
    assert_eq!(error.kind, ExprErrorKind::TooDeep);
    assert_eq!(error.span, 0..src(13).len());
}

#[test]
fn length_limit() {
    let src = format!("1{}", "+1".repeat(4_999));
    assert_eq!(value(&src), 5_000.0);
    let scope = [("x", Binding::Var(0))];
    let flat = format!("x{}", "+x".repeat(4_999));
    assert_eq!(Expr::parse(&flat, &scope).unwrap().eval(&[2.0]), 10_000.0);
    let long = format!("{src}{}", " ".repeat(2));
    let error = Expr::parse(&long, &()).unwrap_err();
    assert_eq!(error.kind, ExprErrorKind::TooLong { length: 10_001 });
    assert_eq!(error.span, 0..10_001);
}

#[test]
fn dimensions() {
    let scope = [("L", Binding::Const(2.0, Dim::LENGTH)), ("t", Binding::Var(0))];
    let dim = |src: &str| Expr::parse(src, &scope).unwrap().dim();
    let cases = [
        ("3", Dim::Any),
        ("2*L", Dim::Any),
        ("2 + L", Dim::LENGTH),
        ("L*L", Dim::AREA),
        ("L*pi", Dim::LENGTH),
        ("L/L", Dim::NONE),
        ("1 N/L", Dim::STIFFNESS),
        ("L^2", Dim::AREA),
        ("L^-1", Dim::known(-1, 0, 0)),
        ("L^0", Dim::NONE),
        ("(L*L)^0.5", Dim::LENGTH),
        ("pow(L, 3)", Dim::VOLUME),
        ("sqrt(L*L)", Dim::LENGTH),
        ("cbrt(L^3)", Dim::LENGTH),
        ("sin(t)", Dim::Any),
        ("sin(30 deg)", Dim::NONE),
        ("exp(2)", Dim::Any),
        ("t*L", Dim::Any),
        ("t + L", Dim::LENGTH),
        ("min(t, L)", Dim::LENGTH),
        ("atan2(L, 1 m)", Dim::NONE),
        ("hypot(L, 1 m)", Dim::LENGTH),
        ("abs(-L)", Dim::LENGTH),
        ("sign(L)", Dim::NONE),
        ("mod(L, 1 mm)", Dim::LENGTH),
        ("clamp(t, 0, L)", Dim::LENGTH),
        ("if(t > 1 s, L, 3)", Dim::LENGTH),
        ("step(t, 1 s, 0 N, 2 s, 5 N)", Dim::FORCE),
        ("L > 1 m", Dim::NONE),
        ("t > 1 s", Dim::Any),
    ];
    for (src, expected) in cases {
        assert_eq!(dim(src), expected, "{src}");
    }
}

struct WithTable(TableFunction);

impl Scope for WithTable {
    fn lookup(&self, name: &str) -> Option<Binding> {
        (name == "t").then_some(Binding::Var(0))
    }

    fn table(&self, name: &str) -> Option<TableFunction> {
        (name == "road").then(|| self.0.clone())
    }

    fn tables(&self) -> Vec<String> {
        vec!["road".to_owned()]
    }

    fn names(&self) -> Vec<String> {
        vec!["t".to_owned()]
    }
}

#[test]
fn tables_are_functions() {
    let curve = Curve::new(vec![0.0, 1.0, 3.0], &[0.0, 2.0, 0.0], Join::Straight, Outside::Clamp);
    let (argument, value) = (Dim::LENGTH, Dim::FORCE);
    let scope = WithTable(TableFunction { curve: Arc::new(curve.unwrap()), argument, value });
    let expr = Expr::parse("2*road(3*t) + road(50 cm)*road(t)", &scope).unwrap();
    assert_eq!(expr.eval(&[0.25]), 3.5);
    assert_eq!(expr.eval_d2(&[0.25], 0), (3.5, 14.0, 0.0));
    assert_eq!(expr.degree(|_| Some(0)), Some(0));
    assert_eq!(expr.degree(|_| Some(1)), None);
    assert_eq!(crate::parse_constant("road(2 m)", &scope), Ok((1.0, Dim::FORCE)));
    let fails = |text: &str| Expr::parse(text, &scope).unwrap_err().to_string();
    assert_eq!(fails("road(3 kg)"), "the argument of `road` is in kg, but m was expected");
    assert_eq!(
        fails("road(t) + 1 m"),
        "the right side of `+` is in m, but kg*m/s^2 (N) was expected"
    );
    assert!(fails("road(t, 1)").contains("road"));
    let kind = Expr::parse("raod(t)", &scope).unwrap_err().kind;
    assert!(
        matches!(kind, ExprErrorKind::UnknownFunction { suggestion: Some(s), .. } if s == "road")
    );
}
