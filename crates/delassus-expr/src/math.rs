//! The functions of the language with their derivatives, generic over the kind of number.

use crate::num::{Num, Partials};
use std::f64::consts::LN_10;

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fn1 {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Cbrt,
    Abs,
    Sign,
    Floor,
    Ceil,
    Round,
}

#[inline]
pub(crate) fn apply1<T: Num>(function: Fn1, a: T) -> T {
    let x = a.value();
    match function {
        Fn1::Sin => {
            let s = x.sin();
            a.chain(s, || (x.cos(), -s))
        }
        Fn1::Cos => {
            let c = x.cos();
            a.chain(c, || (-x.sin(), -c))
        }
        Fn1::Tan => {
            let t = x.tan();
            let slope = 1.0 + t * t;
            a.chain(t, || (slope, 2.0 * t * slope))
        }
        Fn1::Asin => a.chain(x.asin(), || arc_slopes(x)),
        Fn1::Acos => a.chain(x.acos(), || {
            let (first, second) = arc_slopes(x);
            (-first, -second)
        }),
        Fn1::Atan => a.chain(x.atan(), || {
            let slope = 1.0 / (1.0 + x * x);
            (slope, -2.0 * x * slope * slope)
        }),
        Fn1::Sinh => {
            let s = x.sinh();
            a.chain(s, || (x.cosh(), s))
        }
        Fn1::Cosh => {
            let c = x.cosh();
            a.chain(c, || (x.sinh(), c))
        }
        Fn1::Tanh => {
            let t = x.tanh();
            let slope = 1.0 - t * t;
            a.chain(t, || (slope, -2.0 * t * slope))
        }
        Fn1::Exp => {
            let e = x.exp();
            a.chain(e, || (e, e))
        }
        Fn1::Ln => a.chain(x.ln(), || (1.0 / x, -1.0 / (x * x))),
        Fn1::Log10 => a.chain(x.log10(), || (1.0 / (x * LN_10), -1.0 / (x * x * LN_10))),
        Fn1::Sqrt => {
            let s = x.sqrt();
            a.chain(s, || (0.5 / s, -0.25 / (s * x)))
        }
        Fn1::Cbrt => {
            let c = x.cbrt();
            a.chain(c, || (1.0 / (3.0 * c * c), -2.0 / (9.0 * c * c * x)))
        }
        Fn1::Abs => a.chain(x.abs(), || (if x < 0.0 { -1.0 } else { 1.0 }, 0.0)),
        Fn1::Sign => T::lit(sign(x)),
        Fn1::Floor => T::lit(x.floor()),
        Fn1::Ceil => T::lit(x.ceil()),
        Fn1::Round => T::lit(x.round()),
    }
}

fn arc_slopes(x: f64) -> (f64, f64) {
    // (1-x)(1+x) keeps the digits that 1-x^2 loses near the ends
    let w = (1.0 - x) * (1.0 + x);
    let slope = 1.0 / w.sqrt();
    (slope, x * slope / w)
}

/// Unlike `f64::signum`, zero at zero.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// `x^n` by repeated squaring: the same bits on every platform, which `f64::powi` does not give.
fn powi(x: f64, n: i32) -> f64 {
    let mut result = 1.0;
    let mut square = x;
    let mut left = n.unsigned_abs();
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        left >>= 1;
        if left > 0 {
            square *= square;
        }
    }
    if n < 0 { 1.0 / result } else { result }
}

/// `coefficient * power()`, without 0 times infinity where the coefficient drops the term.
fn term(coefficient: f64, power: impl FnOnce() -> f64) -> f64 {
    if coefficient == 0.0 { 0.0 } else { coefficient * power() }
}

/// Largest integer exponent that is worth repeated multiplication.
pub(crate) const MAX_POWI: i32 = 32;

#[inline]
pub(crate) fn pow_int<T: Num>(a: T, n: i32) -> T {
    let x = a.value();
    a.chain(powi(x, n), || {
        let k = f64::from(n);
        (term(k, || powi(x, n - 1)), term(k * (k - 1.0), || powi(x, n - 2)))
    })
}

pub(crate) fn pow<T: Num>(a: T, b: T) -> T {
    let (x, y) = (a.value(), b.value());
    let f = x.powf(y);
    a.chain2(b, f, || {
        // x^y ln x tends to 0 with x although ln x does not
        let (log, f) = if x == 0.0 && y > 0.0 { (0.0, 0.0) } else { (x.ln(), f) };
        let below = x.powf(y - 1.0);
        Partials {
            a: term(y, || below),
            b: f * log,
            aa: term(y * (y - 1.0), || x.powf(y - 2.0)),
            ab: below * (1.0 + y * log),
            bb: f * log * log,
        }
    })
}

/// The smaller of two; NaN if either is, so that failures stay visible.
#[inline]
pub(crate) fn min<T: Num>(a: T, b: T) -> T {
    let (x, y) = (a.value(), b.value());
    if x <= y || x.is_nan() { a } else { b }
}

#[inline]
pub(crate) fn max<T: Num>(a: T, b: T) -> T {
    let (x, y) = (a.value(), b.value());
    if x >= y || x.is_nan() { a } else { b }
}

pub(crate) fn atan2<T: Num>(a: T, b: T) -> T {
    let (y, x) = (a.value(), b.value());
    a.chain2(b, y.atan2(x), || {
        let r2 = x * x + y * y;
        let (c, s) = (x / r2, y / r2);
        Partials { a: c, b: -s, aa: -2.0 * c * s, ab: s * s - c * c, bb: 2.0 * c * s }
    })
}

pub(crate) fn hypot<T: Num>(a: T, b: T) -> T {
    let (x, y) = (a.value(), b.value());
    let r = x.hypot(y);
    a.chain2(b, r, || {
        if r == 0.0 {
            // the tip of the cone has no tangent plane; the horizontal one is a fair choice
            return Partials { a: 0.0, b: 0.0, aa: 0.0, ab: 0.0, bb: 0.0 };
        }
        let (c, s) = (x / r, y / r);
        Partials { a: c, b: s, aa: s * s / r, ab: -c * s / r, bb: c * c / r }
    })
}

/// Remainder with the sign of the divisor, so that angles wrap into `0..tau`.
pub(crate) fn modulo<T: Num>(a: T, b: T) -> T {
    let (x, y) = (a.value(), b.value());
    let mut r = x % y;
    if r != 0.0 && (r < 0.0) != (y < 0.0) {
        r += y;
    }
    a.chain2(b, r, || Partials { a: 1.0, b: -((x - r) / y).round(), aa: 0.0, ab: 0.0, bb: 0.0 })
}

#[inline]
pub(crate) fn select<T: Num>(condition: f64, a: T, b: T) -> T {
    if condition.is_nan() {
        T::lit(f64::NAN)
    } else if condition != 0.0 {
        a
    } else {
        b
    }
}

#[inline]
pub(crate) fn clamp<T: Num>(x: T, lo: T, hi: T) -> T {
    if x.value() < lo.value() {
        lo
    } else if x.value() > hi.value() {
        hi
    } else {
        x
    }
}

/// The cubic ramp from `y0` at `t0` to `y1` at `t1`, constant outside; with `t1 < t0` it runs backwards.
pub(crate) fn step<T: Num>(t: T, t0: T, y0: T, t1: T, y1: T) -> T {
    if t0.value() == t1.value() && !t.value().is_nan() {
        return if t.value() < t0.value() { y0 } else { y1 };
    }
    let s = t.sub(t0).div(t1.sub(t0));
    if s.value() <= 0.0 {
        y0
    } else if s.value() >= 1.0 {
        y1
    } else {
        let blend = s.mul(s).mul(T::lit(3.0).sub(s.add(s)));
        y0.add(y1.sub(y0).mul(blend))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::{Dual, Dual2};

    #[test]
    fn integer_powers() {
        assert_eq!(powi(3.0, 5), 243.0);
        assert_eq!(powi(2.0, -2), 0.25);
        assert_eq!(powi(0.0, 0), 1.0);
        let at_zero = |n| pow_int(Dual2::var(0.0, 1.0), n);
        assert_eq!((at_zero(1).d, at_zero(1).dd), (1.0, 0.0));
        assert_eq!((at_zero(2).d, at_zero(2).dd), (0.0, 2.0));
        assert_eq!((at_zero(3).d, at_zero(3).dd), (0.0, 0.0));
        assert_eq!((at_zero(0).d, at_zero(0).dd), (0.0, 0.0));
    }

    #[test]
    fn general_power_at_zero() {
        let zero = Dual2::var(0.0, 1.0);
        let p = pow(zero, Dual2::lit(2.0));
        assert_eq!((p.v, p.d, p.dd), (0.0, 0.0, 2.0));
        let p = pow(zero, Dual2::lit(1.0));
        assert_eq!((p.v, p.d, p.dd), (0.0, 1.0, 0.0));
        let p = pow(Dual2::lit(0.0), Dual2::var(2.0, 1.0));
        assert_eq!((p.v, p.d, p.dd), (0.0, 0.0, 0.0));
        let p = pow(Dual2::var(-2.0, 1.0), Dual2::lit(3.0));
        assert_eq!((p.v, p.d, p.dd), (-8.0, 12.0, -12.0));
    }

    #[test]
    fn branches_at_kinks() {
        let zero = Dual::var(0.0, 1.0);
        assert_eq!(apply1(Fn1::Abs, zero).d, 1.0);
        assert_eq!(apply1(Fn1::Sign, zero), Dual::lit(0.0));
        assert_eq!(min(zero, Dual::lit(0.0)).d, 1.0);
        assert_eq!(hypot(zero, Dual::lit(0.0)), Dual::lit(0.0));
    }

    #[test]
    fn not_a_number_spreads() {
        let nan = f64::NAN;
        assert!(min(nan, 1.0).is_nan() && min(1.0, nan).is_nan());
        assert!(max(nan, 1.0).is_nan() && max(1.0, nan).is_nan());
        assert!(select(nan, 1.0, 2.0).is_nan());
        assert!(step(nan, 0.0, 1.0, 0.0, 2.0).is_nan());
        assert!(clamp(nan, 0.0, 1.0).is_nan());
        assert!(apply1(Fn1::Sign, nan).is_nan());
    }

    #[test]
    fn remainder_follows_divisor() {
        assert_eq!(modulo(7.0, 3.0), 1.0);
        assert_eq!(modulo(-7.0, 3.0), 2.0);
        assert_eq!(modulo(7.0, -3.0), -2.0);
        assert_eq!(modulo(6.0, 3.0), 0.0);
        assert!(modulo(1.0, 0.0).is_nan());
    }

    #[test]
    fn step_shapes() {
        let at = |t| step(t, 1.0, 10.0, 3.0, 20.0);
        assert_eq!([at(0.0), at(1.0), at(2.0), at(3.0), at(9.0)], [10.0, 10.0, 15.0, 20.0, 20.0]);
        assert_eq!(step(2.0, 3.0, 10.0, 1.0, 20.0), 15.0);
        assert_eq!(step(1.0, 1.0, 10.0, 1.0, 20.0), 20.0);
        assert_eq!(step(0.9, 1.0, 10.0, 1.0, 20.0), 10.0);
    }
}
