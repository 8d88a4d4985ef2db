//! Every kind of error with its place, message and help.

use delassus_expr::{Binding, Dim, Expr, ExprError, ExprErrorKind as K};
use std::ops::Range;

fn fail(src: &str) -> ExprError {
    let scope = [
        ("length", Binding::Const(2.0, Dim::LENGTH)),
        ("m", Binding::Const(3.0, Dim::MASS)),
        ("n", Binding::Const(0.0, Dim::Any)),
        ("broken", Binding::Const(f64::NAN, Dim::Any)),
        ("inf", Binding::Const(1.0, Dim::Any)),
        ("t", Binding::Var(0)),
    ];
    match Expr::parse(src, &scope) {
        Ok(_) => panic!("{src} was accepted"),
        Err(error) => error,
    }
}

fn expect(src: &str, span: Range<usize>, message: &str, help: &str) {
    let error = fail(src);
    assert_eq!(error.span, span, "{src}: {error}");
    assert_eq!(error.to_string(), message, "{src}");
    assert!(src.get(error.span.clone()).is_some());
    let found = error.help().unwrap_or_default();
    assert!(found.contains(help), "{src}: {found}");
}

#[test]
fn names() {
    expect("2*lenght", 2..8, "unknown name `lenght`", "did you mean `length`?");
    expect("2*wheel", 2..7, "unknown name `wheel`", "define a parameter");
    expect("2*mm", 2..4, "unknown name `mm`", "`1 mm`");
    expect("2*sin", 2..5, "unknown name `sin`", "`sin(...)`");
    expect("sine(1)", 0..4, "unknown function `sine`", "did you mean `sin`?");
    expect("m(2)", 0..1, "unknown function `m`", "write `*`");
}

#[test]
fn arguments() {
    expect("1 + sin()", 4..9, "`sin` takes 1 argument, found 0", "sin(angle)");
    expect("min(1,2,3)", 0..10, "`min` takes 2 arguments, found 3", "nested");
    expect("step(t, 1)", 0..10, "`step` takes 5 arguments, found 2", "t1, y1");
}

#[test]
fn tokens() {
    let value = "where a value was expected";
    let operator = "where an operator or the end was expected";
    expect("1 + * 2", 4..5, &format!("found `*` {value}"), "^");
    expect("2 ** 3", 3..4, &format!("found `*` {value}"), "write `^`");
    expect("(1))", 3..4, &format!("found `)` {operator}"), "");
    expect("t t", 2..3, &format!("found `t` {operator}"), "");
    expect("3 N m", 4..5, &format!("found `m` {operator}"), "");
    expect("(1 2)", 3..4, "found `2` where `)` was expected", "");
    expect("max(1 2)", 6..7, "found `2` where `,` or `)` was expected", "");
    expect("", 0..0, "the text ends where a value was expected", "add a value");
    expect("1 +", 3..3, "the text ends where a value was expected", "add");
    expect("(1", 2..2, "the text ends where `)` was expected", "add `)`");
    let any = "where a number, a name or an operator was expected";
    expect("t = 1", 2..3, &format!("found `=` {any}"), "`==`");
    expect("3 \u{b5}m", 2..4, &format!("found `\u{b5}` {any}"), "`um`");
    let chain = "where `&&`, `||` or the end was expected";
    expect("0 < t < 1", 6..7, &format!("found `<` {chain}"), "&&");
}

#[test]
fn leftmost_error_wins() {
    assert!(matches!(fail("q + $").kind, K::UnknownName { .. }));
    assert!(matches!(fail("1 + $ + q").kind, K::UnexpectedToken { .. }));
}

#[test]
fn numbers() {
    expect("1 + 1.2.3", 4..9, "`1.2.3` is not a number", "1.5e-3");
    expect("1_000", 0..5, "`1_000` is not a number", "separators");
    expect("2*1,5", 2..5, "found a comma in a number", "decimal point");
    expect("12,5 mm", 0..4, "found a comma in a number", "decimal point");
    expect("min((1,5), 2)", 5..8, "found a comma in a number", "decimal point");
    assert!(matches!(fail("1, 5").kind, K::UnexpectedToken { .. }));
}

#[test]
fn finite() {
    let infinite = "the value is inf, but it must be finite";
    let none = "the value is NaN, but it must be finite";
    expect("1e999", 0..5, infinite, "overflow");
    expect("2 + 1/0", 4..7, infinite, "division by zero");
    expect("t + 1/n", 4..7, infinite, "division by zero");
    expect("if(t > 0, 1/n, 2)", 10..13, infinite, "");
    expect("exp(-1/0)", 4..8, "the value is -inf, but it must be finite", "");
    expect("sqrt(-1)", 0..8, none, "negative");
    expect("1e300 km*km^9", 0..13, infinite, "");
    expect("2*broken", 2..8, none, "");
    for word in ["NaN", "nan", "NAN"] {
        expect(word, 0..3, none, "");
    }
    for word in ["inf", "Inf", "infinity"] {
        expect(word, 0..word.len(), infinite, "");
    }
}

#[test]
fn units() {
    let message = |name: &str| format!("found `{name}` after a number, which is not a unit");
    expect("12 kgg", 3..6, &message("kgg"), "did you mean `kg`?");
    expect("12 NM", 3..5, &message("NM"), "did you mean `Nm`?");
    expect("5 parsec", 2..8, &message("parsec"), "use a unit");
    expect("5 length", 2..8, &message("length"), "write `*`");
    expect("2sin(t)", 1..4, &message("sin"), "write `*`");
    let both = "`t` is both a unit and a parameter or variable";
    expect("10 rad/s*t", 9..10, both, "write `10 [rad/s*t]` for the unit, `10 rad/s * t` for");
    let range = "the power of a unit is out of range";
    expect("1 m^200", 2..7, range, "");
    expect("1 N*m^100*m^100", 2..15, range, "");
}

#[test]
fn dimensions() {
    let plain = "but a plain number or angle was expected";
    expect(
        "length + 3 kg",
        9..13,
        "the right side of `+` is in kg, but m was expected",
        "give it in m",
    );
    expect("t < 3 && length", 9..15, &format!("the right side of `&&` is in m, {plain}"), "");
    expect("sin(length)", 4..10, &format!("the argument of `sin` is in m, {plain}"), "divide");
    expect("2^length", 2..8, &format!("the exponent is in m, {plain}"), "");
    expect("length^t", 0..6, &format!("the base of a variable power is in m, {plain}"), "");
    expect("!m", 1..2, &format!("the operand of `!` is in kg, {plain}"), "");
    expect("floor(length)", 6..12, &format!("the argument of `floor` is in m, {plain}"), "");
    expect("if(length, 1, 2)", 3..9, &format!("argument 1 of `if` is in m, {plain}"), "");
    expect("max(length, m)", 12..13, "argument 2 of `max` is in kg, but m was expected", "");
    expect("sqrt(length)", 5..11, "a quantity in m has no power 0.5", "whole powers");
    let error = fail("step(t, 1 s, 0, 2 kg, 3)");
    let (expected, found) = (Dim::TIME, Dim::MASS);
    let context = "argument 4 of `step`".into();
    let kind = K::DimensionMismatch { expected, found, context };
    assert_eq!((error.kind, error.span), (kind, 16..20));
}
