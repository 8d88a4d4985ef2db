//! Intervals of numbers, to the rounding of one operation.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// All numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Range {
    /// Only zero.
    pub const ZERO: Range = Range::point(0.0);
    /// Nothing is known.
    pub const ALL: Range = Range { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    /// One number.
    pub const fn point(x: f64) -> Range {
        Range { lo: x, hi: x }
    }

    /// Between two numbers; everything if one of them is NaN.
    pub(crate) fn new(lo: f64, hi: f64) -> Range {
        Range {
            lo: if lo.is_nan() { f64::NEG_INFINITY } else { lo },
            hi: if hi.is_nan() { f64::INFINITY } else { hi },
        }
    }

    /// Half of the width.
    pub fn radius(self) -> f64 {
        if self.lo == self.hi { 0.0 } else { 0.5 * self.hi - 0.5 * self.lo }
    }

    /// Largest magnitude.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Whether a number is in it.
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    pub(crate) fn hull(self, b: Range) -> Range {
        Range { lo: self.lo.min(b.lo), hi: self.hi.max(b.hi) }
    }

    pub(crate) fn neg(self) -> Range {
        Range { lo: -self.hi, hi: -self.lo }
    }

    pub(crate) fn add(self, b: Range) -> Range {
        Range::new(self.lo + b.lo, self.hi + b.hi)
    }

    pub(crate) fn sub(self, b: Range) -> Range {
        Range::new(self.lo - b.hi, self.hi - b.lo)
    }

    pub(crate) fn scale(self, x: f64) -> Range {
        let (a, b) = (self.lo * x, self.hi * x);
        if (a + b).is_finite() {
            return if x < 0.0 { Range { lo: b, hi: a } } else { Range { lo: a, hi: b } };
        }
        let (a, b) = (product(self.lo, x), product(self.hi, x));
        if x < 0.0 { Range::new(b, a) } else { Range::new(a, b) }
    }

    pub(crate) fn mul(self, b: Range) -> Range {
        if b.lo == b.hi {
            return self.scale(b.lo);
        }
        if self.lo == self.hi {
            return b.scale(self.lo);
        }
        let [p, q, r, s] = [self.lo * b.lo, self.lo * b.hi, self.hi * b.lo, self.hi * b.hi];
        if (p + q + r + s).is_finite() {
            return Range { lo: p.min(q).min(r.min(s)), hi: p.max(q).max(r.max(s)) };
        }
        let p = [
            product(self.lo, b.lo),
            product(self.lo, b.hi),
            product(self.hi, b.lo),
            product(self.hi, b.hi),
        ];
        if p.iter().any(|x| x.is_nan()) {
            return Range::ALL;
        }
        Range { lo: p[0].min(p[1]).min(p[2].min(p[3])), hi: p[0].max(p[1]).max(p[2].max(p[3])) }
    }

    pub(crate) fn div(self, b: Range) -> Range {
        if b.contains(0.0) || b.lo.is_nan() {
            return Range::ALL;
        }
        self.mul(Range::new(1.0 / b.hi, 1.0 / b.lo))
    }

    /// The square, which is never negative.
    pub(crate) fn square(self) -> Range {
        let (a, b) = (self.lo * self.lo, self.hi * self.hi);
        let least = if self.contains(0.0) { 0.0 } else { a.min(b) };
        Range::new(least, a.max(b))
    }

    pub(crate) fn cos(self) -> Range {
        if !((self.hi - self.lo) < TAU) {
            return Range { lo: -1.0, hi: 1.0 };
        }
        // a top at a multiple of 2π, a bottom half a turn later
        let has = |first: f64| first + ((self.lo - first) / TAU).ceil() * TAU <= self.hi;
        let (a, b) = (self.lo.cos(), self.hi.cos());
        Range {
            lo: if has(PI) { -1.0 } else { a.min(b) },
            hi: if has(0.0) { 1.0 } else { a.max(b) },
        }
    }

    pub(crate) fn sin(self) -> Range {
        if self.lo == self.hi {
            return Range::point(self.lo.sin());
        }
        let turned = Range { lo: self.lo - FRAC_PI_2, hi: self.hi - FRAC_PI_2 }.cos();
        // the turned cosine rounds differently: exact ends decide signs at the zeros
        let (a, b) = (self.lo.sin(), self.hi.sin());
        Range {
            lo: if turned.lo == -1.0 { -1.0 } else { a.min(b) },
            hi: if turned.hi == 1.0 { 1.0 } else { a.max(b) },
        }
    }

    /// A function that never falls.
    pub(crate) fn rising(self, f: impl Fn(f64) -> f64) -> Range {
        Range::new(f(self.lo), f(self.hi))
    }
}

/// Zero times anything is zero: an unbounded range contains only numbers.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(lo: f64, hi: f64) -> Range {
        Range { lo, hi }
    }

    #[test]
    fn arithmetic() {
        assert_eq!(r(1.0, 2.0).add(r(-3.0, 4.0)), r(-2.0, 6.0));
        assert_eq!(r(1.0, 2.0).sub(r(-3.0, 4.0)), r(-3.0, 5.0));
        assert_eq!(r(-1.0, 2.0).mul(r(-3.0, 4.0)), r(-6.0, 8.0));
        assert_eq!(r(1.0, 2.0).div(r(4.0, 8.0)), r(0.125, 0.5));
        assert_eq!(r(1.0, 2.0).div(r(-4.0, 8.0)), Range::ALL);
        assert_eq!(r(-3.0, 2.0).square(), r(0.0, 9.0));
        assert_eq!(Range::ZERO.mul(Range::ALL), Range::ZERO);
        assert_eq!(Range::ALL.sub(Range::ALL), Range::ALL);
    }

    #[test]
    fn tops_and_bottoms_of_waves() {
        for (a, b) in [(0.1, 0.4), (1.0, 2.0), (4.0, 5.5), (-9.0, -8.2), (0.0, 7.0), (3.0, 3.3)] {
            for (f, range) in [
                (f64::sin as fn(f64) -> f64, r(a, b).sin()),
                (f64::cos as fn(f64) -> f64, r(a, b).cos()),
            ] {
                let seen: Vec<f64> =
                    (0..=1000).map(|k| f(a + (b - a) * f64::from(k) / 1000.0)).collect();
                let lo = seen.iter().copied().fold(f64::INFINITY, f64::min);
                let hi = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                assert!(range.lo <= lo && lo - range.lo < 1e-5, "{a} {b}: {range:?} {lo}");
                assert!(range.hi >= hi && range.hi - hi < 1e-5, "{a} {b}: {range:?} {hi}");
            }
        }
    }
}
