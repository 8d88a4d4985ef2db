//! No input panics, and what is accepted evaluates.

use delassus_expr::{Binding, Dim, Expr, interpolate, parse_constant};

/// A small generator, so that every run tests the same strings.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

const SEEDS: [&str; 8] = [
    "2*crank.angle + 5 mm/s^2 - step(t, 1 s, 0, 2 s, r^2)",
    "if(t > 1 && !(r == 2), min(t, 3), clamp(-t, 1e-3, .5))",
    "9.81 m/s^2 * sin(2*pi*t)^2 / (1 + t^-2)",
    "-2^2^0.5 + 1,5 || 3 N / m",
    "link{i-1}_{{x}}{2*i}",
    "1e999 + 1/0 + nan + 3 N*m^99*m^99",
    "atan2(sqrt(t), hypot(1, r)) + mod(t, 360 deg)",
    "((((((((((1))))))))))",
];

const PIECES: [&str; 36] = [
    "+",
    "-",
    "*",
    "/",
    "^",
    "(",
    ")",
    ",",
    "<",
    "<=",
    "==",
    "!=",
    "&&",
    "||",
    "!",
    " ",
    ".",
    "1",
    "0",
    "e",
    "1e",
    "mm",
    "N/m",
    "kg*",
    "t",
    "r",
    "sin(",
    "if(",
    "step(",
    "{",
    "}",
    "\u{b5}",
    "\u{1f600}",
    "\0",
    "=",
    "_",
];

#[test]
fn mutated_strings() {
    let scope = [
        ("t", Binding::Var(0)),
        ("crank.angle", Binding::Var(1)),
        ("r", Binding::Const(0.5, Dim::LENGTH)),
        ("i", Binding::Const(3.0, Dim::Any)),
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for _ in 0..40_000 {
        let mut text: Vec<char> = SEEDS[random.below(SEEDS.len())].chars().collect();
        for _ in 0..=random.below(5) {
            let at = random.below(text.len() + 1);
            let to = (at + random.below(4)).min(text.len());
            match random.below(3) {
                0 => drop(text.drain(at..to)),
                1 => {
                    let piece = PIECES[random.below(PIECES.len())];
                    text.splice(at..to, piece.chars());
                }
                _ => {
                    let copy: Vec<char> = text[at..to].to_vec();
                    text.splice(at..at, copy);
                }
            }
        }
        let src: String = text.into_iter().collect();
        match Expr::parse(&src, &scope) {
            Ok(expr) => {
                accepted += 1;
                let vars = [0.3, 1.2];
                let value = expr.eval(&vars);
                let (v1, d1) = expr.eval_d1(&vars, 0);
                let (v2, d2, _) = expr.eval_d2(&vars, 0);
                assert!(value.to_bits() == v1.to_bits() || value.is_nan(), "{src}");
                assert!((v1, d1) == (v2, d2) || d1.is_nan() || v1.is_nan(), "{src}");
                assert!(expr.as_constant().is_none_or(f64::is_finite), "{src}");
            }
            Err(error) => {
                assert!(src.get(error.span.clone()).is_some(), "{src}: {error:?}");
                assert!(!error.to_string().is_empty());
                error.help();
            }
        }
        if let Ok((value, _)) = parse_constant(&src, &scope) {
            assert!(value.is_finite(), "{src}");
        }
        if let Err(error) = interpolate(&src, &scope) {
            assert!(src.get(error.span).is_some(), "{src}");
        }
    }
    assert!(accepted > 1_000, "{accepted}");
}

#[test]
fn random_bytes() {
    let mut random = Random(42);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256) as u8).collect();
        let src = String::from_utf8_lossy(&bytes);
        if let Err(error) = Expr::parse(&src, &()) {
            assert!(src.get(error.span).is_some(), "{src}");
        }
        let _ = interpolate(&src, &());
    }
}

#[test]
fn long_strings() {
    for piece in PIECES {
        for length in [9_999, 10_000, 10_001, 100_000] {
            let src = piece.repeat(length / piece.len());
            let _ = Expr::parse(&src, &());
            let _ = interpolate(&src, &());
        }
    }
}

/// Run with `cargo test --release -- --ignored --nocapture speed`.
#[test]
#[ignore = "a measurement, not a check"]
fn speed() {
    let scope = [("t", Binding::Var(0)), ("x", Binding::Var(1))];
    for src in ["3*x^2 + 2*x*t - t/4 + (x - t)*(x + t)", "0.1*sin(2*pi*t) + 0.3*x*cos(t)"] {
        let expr = Expr::parse(src, &scope).unwrap();
        let time = |f: &dyn Fn(&[f64]) -> f64| {
            let start = std::time::Instant::now();
            let mut sum = 0.0;
            for i in 0..2_000_000 {
                sum += f(&[f64::from(i) * 1e-6, 0.7]);
            }
            assert!(sum.is_finite());
            start.elapsed().as_secs_f64() / 2e6 * 1e9
        };
        println!("{src}: {:.1} ns", time(&|v| expr.eval(v)));
        println!("  first derivative {:.1} ns", time(&|v| expr.eval_d1(v, 0).1));
        println!("  second derivative {:.1} ns", time(&|v| expr.eval_d2(v, 0).2));
    }
}
