//! What a function does on a whole interval of time: ranges of its value and of its Taylor
//! coefficients.
//!
//! Coefficient k is the derivative of order k over k!. Where all decisions of a function (`if`, `abs`, `floor`, the
//! ends of a `step`, …) have the same outcome on the whole interval, the ranges of its coefficients are known, and that
//! of coefficient k bounds how far the function is from a polynomial of degree k − 1: a bound that no number of samples
//! could give. Where some decision may have either outcome only the range of the value remains, and [`Jet::decided`]
//! says so.
//!
//! Ranges are as tight as the rules of arithmetic make them and become exact as intervals shrink; their ends carry the
//! rounding of ordinary evaluation.

use crate::math::Fn1;
use crate::range::Range;
use std::f64::consts::{FRAC_PI_2, LN_10, PI};

/// Ranges of the first `N` Taylor coefficients on an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<const N: usize> {
    /// Range of the value, then those of the coefficients.
    pub c: [Range; N],
    /// All decisions have the same outcome on the whole interval. Otherwise only the range of the value is meaningful.
    pub decided: bool,
}

impl<const N: usize> Jet<N> {
    /// A number that does not vary.
    pub fn constant(x: f64) -> Jet<N> {
        Jet::still(Range::point(x))
    }

    /// Time itself, from a to b.
    pub fn time(a: f64, b: f64) -> Jet<N> {
        let mut jet = Jet::still(Range { lo: a, hi: b });
        if let Some(rate) = jet.c.get_mut(1) {
            *rate = Range::point(1.0);
        }
        jet
    }

    /// The polynomial c₀ + c₁ x + …, from a to b.
    pub fn polynomial<const D: usize>(c: &[f64; D], a: f64, b: f64) -> Jet<N> {
        // about the middle, where odd and even parts separate
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let mut d = *c;
        for i in 0..D {
            for j in (i..D - 1).rev() {
                d[j] += middle * d[j + 1];
            }
        }
        let coefficient = |k: usize| {
            let (mut reach, mut weight, mut power) = (0.0, 1.0, 1.0);
            for (j, d) in d[k + 1..].iter().enumerate() {
                weight *= (k + j + 1) as f64 / (j + 1) as f64;
                power *= half;
                reach += weight * power * d.abs();
            }
            Range { lo: d[k] - reach, hi: d[k] + reach }
        };
        let mut jet = Jet::constant(0.0);
        for (k, range) in jet.c.iter_mut().enumerate().take(D) {
            *range = coefficient(k);
        }
        let at = |x: f64| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
        if D > 1 && !coefficient(1).contains(0.0) {
            // nowhere beyond its ends
            jet.c[0] = Range::point(at(a)).hull(Range::point(at(b)));
        }
        jet
    }

    /// Whether it has the same value on the whole interval, as far as is known.
    pub fn is_constant(&self) -> bool {
        self.decided
            && self.c[0].lo == self.c[0].hi
            && self.c[1..].iter().all(|c| *c == Range::ZERO)
    }

    fn still(value: Range) -> Jet<N> {
        let mut c = [Range::ZERO; N];
        c[0] = value;
        Jet { c, decided: true }
    }

    /// Between these values, by decisions that may have either outcome.
    pub(crate) fn open(value: Range) -> Jet<N> {
        Jet { decided: false, ..Jet::rough(value) }
    }

    /// A value in this range whose derivatives may be anything.
    fn rough(value: Range) -> Jet<N> {
        let mut c = [Range::ALL; N];
        c[0] = value;
        Jet { c, decided: true }
    }

    fn truth(known: Option<bool>) -> Jet<N> {
        match known {
            Some(x) => Jet::constant(f64::from(u8::from(x))),
            None => Jet::open(Range { lo: 0.0, hi: 1.0 }),
        }
    }

    fn is_zero(&self) -> bool {
        self.decided && self.c.iter().all(|c| *c == Range::ZERO)
    }

    fn with(mut self, decided: bool) -> Jet<N> {
        self.decided = decided;
        self
    }

    pub(crate) fn neg(self) -> Jet<N> {
        Jet { c: self.c.map(Range::neg), ..self }
    }

    pub(crate) fn add(mut self, b: Jet<N>) -> Jet<N> {
        for k in 0..N {
            self.c[k] = self.c[k].add(b.c[k]);
        }
        self.with(self.decided && b.decided)
    }

    pub(crate) fn sub(mut self, b: Jet<N>) -> Jet<N> {
        for k in 0..N {
            self.c[k] = self.c[k].sub(b.c[k]);
        }
        self.with(self.decided && b.decided)
    }

    pub(crate) fn mul(self, b: Jet<N>) -> Jet<N> {
        if self.is_zero() || b.is_zero() {
            return Jet::constant(0.0);
        }
        // most factors are constant or linear
        let (m, n) = (self.degree(), b.degree());
        let mut out = Jet::constant(0.0);
        for k in 0..N.min(m + n + 1) {
            let mut sum = Range::ZERO;
            for i in k.saturating_sub(n)..=k.min(m) {
                if self.c[i] != Range::ZERO && b.c[k - i] != Range::ZERO {
                    sum = sum.add(self.c[i].mul(b.c[k - i]));
                }
            }
            out.c[k] = sum;
        }
        out.with(self.decided && b.decided)
    }

    /// Number of the last coefficient that is not zero.
    fn degree(&self) -> usize {
        self.c.iter().rposition(|c| *c != Range::ZERO).unwrap_or(0)
    }

    fn square(self) -> Jet<N> {
        let mut out = self.mul(self);
        out.c[0] = self.c[0].square();
        out
    }

    pub(crate) fn div(self, b: Jet<N>) -> Jet<N> {
        let decided = self.decided && b.decided;
        let mut out = self;
        for k in 0..N {
            let mut sum = self.c[k];
            for i in 1..=k {
                sum = sum.sub(b.c[i].mul(out.c[k - i]));
            }
            out.c[k] = sum.div(b.c[0]);
        }
        out.with(decided)
    }

    pub(crate) fn power_int(self, n: i32) -> Jet<N> {
        let mut result = Jet::constant(1.0);
        let mut square = self;
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = result.mul(square);
            }
            left >>= 1;
            if left > 0 {
                square = square.square();
            }
        }
        result = result.with(self.decided || n == 0);
        if n < 0 { Jet::constant(1.0).div(result) } else { result }
    }

    /// A constant power of a positive quantity.
    fn power(self, r: f64) -> Jet<N> {
        let a = &self.c;
        if !(a[0].lo > 0.0) {
            let zero = if r > 0.0 { 0.0 } else { f64::INFINITY };
            let at = |x: f64| if x > 0.0 { x.powf(r) } else { zero };
            let ends = Range::new(at(a[0].lo), at(a[0].hi));
            let value = if r > 0.0 { ends } else { Range::new(ends.hi, ends.lo) };
            return Jet::rough(value).with(self.decided);
        }
        let (x, y) = (a[0].lo.powf(r), a[0].hi.powf(r));
        let mut out = Jet::still(Range::new(x.min(y), x.max(y)));
        for k in 1..N {
            let mut sum = Range::ZERO;
            for i in 1..=k {
                let w = r * i as f64 - (k - i) as f64;
                sum = sum.add(a[i].mul(out.c[k - i]).scale(w));
            }
            out.c[k] = sum.scale(1.0 / k as f64).div(a[0]);
        }
        out.with(self.decided)
    }

    pub(crate) fn pow(self, b: Jet<N>) -> Jet<N> {
        if b.is_constant() {
            return self.power(b.c[0].lo);
        }
        if !(self.c[0].lo > 0.0) {
            return Jet::rough(Range::ALL).with(self.decided && b.decided);
        }
        self.ln().mul(b).exp()
    }

    fn exp(self) -> Jet<N> {
        let mut out = Jet::still(self.c[0].rising(f64::exp));
        for k in 1..N {
            out.c[k] = self.weighted(&out, k);
        }
        out.with(self.decided)
    }

    /// (1/k) Σ i aᵢ b_{k−i}: coefficient k of the integral of a' b.
    fn weighted(&self, b: &Jet<N>, k: usize) -> Range {
        let mut sum = Range::ZERO;
        for i in 1..=k {
            if self.c[i] != Range::ZERO {
                sum = sum.add(self.c[i].mul(b.c[k - i]).scale(i as f64));
            }
        }
        sum.scale(1.0 / k as f64)
    }

    /// The function with this value whose derivative is a'/d.
    fn quotient(self, value: Range, d: &Jet<N>) -> Jet<N> {
        let mut out = Jet::still(value);
        for k in 1..N {
            let mut sum = Range::ZERO;
            for i in 1..k {
                sum = sum.add(out.c[i].mul(d.c[k - i]).scale(i as f64));
            }
            let top = self.c[k].sub(sum.scale(1.0 / k as f64));
            out.c[k] = if top == Range::ZERO { top } else { top.div(d.c[0]) };
        }
        out.with(self.decided)
    }

    fn ln(self) -> Jet<N> {
        let value = self.c[0].rising(|x| if x > 0.0 { x.ln() } else { f64::NEG_INFINITY });
        if !(self.c[0].lo > 0.0) {
            return Jet::rough(value).with(self.decided);
        }
        self.quotient(value, &self)
    }

    fn sin_cos(self) -> [Jet<N>; 2] {
        let mut s = Jet::still(self.c[0].sin());
        let mut c = Jet::still(self.c[0].cos());
        for k in 1..N {
            (s.c[k], c.c[k]) = (self.weighted(&c, k), self.weighted(&s, k).neg());
        }
        [s.with(self.decided), c.with(self.decided)]
    }

    fn sinh_cosh(self) -> [Jet<N>; 2] {
        let x = self.c[0];
        let (a, b) = (x.lo.cosh(), x.hi.cosh());
        let least = if x.contains(0.0) { 1.0 } else { a.min(b) };
        let mut s = Jet::still(x.rising(f64::sinh));
        let mut c = Jet::still(Range::new(least, a.max(b)));
        for k in 1..N {
            (s.c[k], c.c[k]) = (self.weighted(&c, k), self.weighted(&s, k));
        }
        [s.with(self.decided), c.with(self.decided)]
    }

    fn tanh(self) -> Jet<N> {
        // u' = (1 − u²) a'
        let mut u: Jet<N> = Jet::still(self.c[0].rising(f64::tanh));
        let mut w: Jet<N> = Jet::still(Range::point(1.0).sub(u.c[0].square()));
        for k in 1..N {
            u.c[k] = self.weighted(&w, k);
            let mut sum = Range::ZERO;
            for i in 0..=k {
                sum = sum.add(u.c[i].mul(u.c[k - i]));
            }
            w.c[k] = sum.neg();
        }
        u.with(self.decided)
    }

    fn atan(self) -> Jet<N> {
        let d = Jet::constant(1.0).add(self.square());
        self.quotient(self.c[0].rising(f64::atan), &d)
    }

    fn asin(self) -> Jet<N> {
        let d = Jet::constant(1.0).sub(self.square()).power(0.5);
        let value = self.c[0].rising(|x| x.clamp(-1.0, 1.0).asin());
        self.quotient(value, &d)
    }

    fn cbrt(self) -> Jet<N> {
        let third = 1.0 / 3.0;
        let mut out = if self.c[0].lo > 0.0 {
            self.power(third)
        } else if self.c[0].hi < 0.0 {
            self.neg().power(third).neg()
        } else {
            Jet::rough(Range::ALL).with(self.decided)
        };
        out.c[0] = self.c[0].rising(f64::cbrt);
        out
    }

    fn abs(self) -> Jet<N> {
        let x = self.c[0];
        if x.lo >= 0.0 {
            self
        } else if x.hi <= 0.0 {
            self.neg()
        } else {
            Jet::open(Range { lo: 0.0, hi: x.magnitude() })
        }
    }

    /// A function that is constant between its jumps and never falls.
    fn stairs(self, f: impl Fn(f64) -> f64) -> Jet<N> {
        let (a, b) = (f(self.c[0].lo), f(self.c[0].hi));
        if a == b { Jet::constant(a) } else { Jet::open(Range::new(a, b)) }
    }

    pub(crate) fn call(self, f: Fn1) -> Jet<N> {
        match f {
            Fn1::Sin => self.sin_cos()[0],
            Fn1::Cos => self.sin_cos()[1],
            Fn1::Tan => {
                let [s, c] = self.sin_cos();
                s.div(c)
            }
            Fn1::Asin => self.asin(),
            Fn1::Acos => Jet::constant(FRAC_PI_2).sub(self.asin()),
            Fn1::Atan => self.atan(),
            Fn1::Sinh => self.sinh_cosh()[0],
            Fn1::Cosh => self.sinh_cosh()[1],
            Fn1::Tanh => self.tanh(),
            Fn1::Exp => self.exp(),
            Fn1::Ln => self.ln(),
            Fn1::Log10 => self.ln().mul(Jet::constant(1.0 / LN_10)),
            Fn1::Sqrt => self.power(0.5),
            Fn1::Cbrt => self.cbrt(),
            Fn1::Abs => self.abs(),
            Fn1::Sign => self.stairs(|x| if x == 0.0 { 0.0 } else { x.signum() }),
            Fn1::Floor => self.stairs(f64::floor),
            Fn1::Ceil => self.stairs(f64::ceil),
            Fn1::Round => self.stairs(f64::round),
        }
    }

    pub(crate) fn less(self, b: Jet<N>) -> Jet<N> {
        let (a, b) = (self.c[0], b.c[0]);
        Jet::truth(if a.hi < b.lo { Some(true) } else { (a.lo >= b.hi).then_some(false) })
    }

    pub(crate) fn at_most(self, b: Jet<N>) -> Jet<N> {
        let (a, b) = (self.c[0], b.c[0]);
        Jet::truth(if a.hi <= b.lo { Some(true) } else { (a.lo > b.hi).then_some(false) })
    }

    pub(crate) fn equal(self, b: Jet<N>) -> Jet<N> {
        let (a, b) = (self.c[0], b.c[0]);
        let apart = a.hi < b.lo || a.lo > b.hi;
        let same = a.lo == a.hi && a == b;
        Jet::truth(if same { Some(true) } else { apart.then_some(false) })
    }

    /// Whether it counts as true, if that is the same on the whole interval.
    fn holds(&self) -> Option<bool> {
        let x = self.c[0];
        if x == Range::ZERO { Some(false) } else { (!x.contains(0.0)).then_some(true) }
    }

    pub(crate) fn not(self) -> Jet<N> {
        Jet::truth(self.holds().map(|x| !x))
    }

    pub(crate) fn and(self, b: Jet<N>) -> Jet<N> {
        Jet::truth(match (self.holds(), b.holds()) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        })
    }

    pub(crate) fn or(self, b: Jet<N>) -> Jet<N> {
        self.not().and(b.not()).not()
    }

    /// `if` this holds then a, else b.
    pub(crate) fn select(self, a: Jet<N>, b: Jet<N>) -> Jet<N> {
        match self.holds() {
            Some(true) => a,
            Some(false) => b,
            None if a.is_constant() && a == b => a,
            None => Jet::open(a.c[0].hull(b.c[0])),
        }
    }

    pub(crate) fn min(self, b: Jet<N>) -> Jet<N> {
        let (x, y) = (self.c[0], b.c[0]);
        if x.hi <= y.lo {
            self
        } else if y.hi <= x.lo {
            b
        } else {
            Jet::open(Range { lo: x.lo.min(y.lo), hi: x.hi.min(y.hi) })
        }
    }

    pub(crate) fn max(self, b: Jet<N>) -> Jet<N> {
        self.neg().min(b.neg()).neg()
    }

    pub(crate) fn clamp(self, lo: Jet<N>, hi: Jet<N>) -> Jet<N> {
        self.max(lo).min(hi)
    }

    pub(crate) fn hypot(self, b: Jet<N>) -> Jet<N> {
        let sum = self.square().add(b.square());
        // the tip of the cone is a kink
        let away_from_tip = sum.c[0].lo > 0.0 || (self.is_constant() && b.is_constant());
        let root = sum.power(0.5);
        root.with(root.decided && away_from_tip)
    }

    pub(crate) fn atan2(self, x: Jet<N>) -> Jet<N> {
        let y = self;
        let quarter = Jet::constant(FRAC_PI_2);
        if x.c[0].lo > 0.0 {
            y.div(x).atan()
        } else if y.c[0].lo > 0.0 {
            quarter.sub(x.div(y).atan())
        } else if y.c[0].hi < 0.0 {
            quarter.neg().sub(x.div(y).atan())
        } else if x.c[0].hi < 0.0 && y.c[0].lo >= 0.0 {
            Jet::constant(PI).add(y.div(x).atan())
        } else {
            Jet::open(Range { lo: -PI, hi: PI })
        }
    }

    pub(crate) fn modulo(self, b: Jet<N>) -> Jet<N> {
        let turns = self.div(b).c[0];
        let (n, last) = (turns.lo.floor(), turns.hi.floor());
        if n == last && n.is_finite() {
            return self.sub(b.mul(Jet::constant(n)));
        }
        Jet::open(b.c[0].hull(Range::ZERO))
    }

    pub(crate) fn step(self, t0: Jet<N>, y0: Jet<N>, t1: Jet<N>, y1: Jet<N>) -> Jet<N> {
        if t0.is_constant() && t0 == t1 {
            return self.less(t0).select(y0, y1);
        }
        // its position within the step, before its value there
        let x = self.c[0].sub(t0.c[0]).div(t1.c[0].sub(t0.c[0]));
        if x.hi <= 0.0 {
            y0
        } else if x.lo >= 1.0 {
            y1
        } else if x.lo >= 0.0 && x.hi <= 1.0 {
            let s = self.sub(t0).div(t1.sub(t0));
            let mut blend = s.square().mul(Jet::constant(3.0).sub(s.add(s)));
            let at = |s: f64| s * s * (3.0 - (s + s));
            blend.c[0] = x.rising(at);
            y0.add(y1.sub(y0).mul(blend))
        } else {
            Jet::open(y0.c[0].hull(y1.c[0]))
        }
    }
}
