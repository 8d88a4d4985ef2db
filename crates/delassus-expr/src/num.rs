//! Numbers that carry derivatives: plain, with the first, with the first and second.

/// Partial derivatives of a function of two arguments.
pub(crate) struct Partials {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) aa: f64,
    pub(crate) ab: f64,
    pub(crate) bb: f64,
}

/// A number an expression can be evaluated with. The derivative arguments are closures because
/// plain evaluation must not pay for them.
pub(crate) trait Num: Copy {
    /// A constant.
    fn lit(value: f64) -> Self;
    /// A variable that moves at the rate `d` in the direction of differentiation.
    fn var(value: f64, d: f64) -> Self;
    fn value(self) -> f64;
    fn neg(self) -> Self;
    fn add(self, rhs: Self) -> Self;
    fn sub(self, rhs: Self) -> Self;
    fn mul(self, rhs: Self) -> Self;
    fn div(self, rhs: Self) -> Self;
    /// A function of `self` with value `f` and the first and second derivative `d()`.
    fn chain(self, f: f64, d: impl FnOnce() -> (f64, f64)) -> Self;
    /// A function of `self` and `rhs` with value `f`.
    fn chain2(self, rhs: Self, f: f64, d: impl FnOnce() -> Partials) -> Self;
}

/// `coefficient * d`, where an argument that does not move contributes nothing even if the
/// coefficient is singular (such as the slope of a square root at zero).
#[inline]
fn part(coefficient: f64, d: f64) -> f64 {
    if d == 0.0 { 0.0 } else { coefficient * d }
}

impl Num for f64 {
    #[inline]
    fn lit(value: f64) -> f64 {
        value
    }
    #[inline]
    fn var(value: f64, _d: f64) -> f64 {
        value
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn neg(self) -> f64 {
        -self
    }
    #[inline]
    fn add(self, rhs: f64) -> f64 {
        self + rhs
    }
    #[inline]
    fn sub(self, rhs: f64) -> f64 {
        self - rhs
    }
    #[inline]
    fn mul(self, rhs: f64) -> f64 {
        self * rhs
    }
    #[inline]
    fn div(self, rhs: f64) -> f64 {
        self / rhs
    }
    #[inline]
    fn chain(self, f: f64, _d: impl FnOnce() -> (f64, f64)) -> f64 {
        f
    }
    #[inline]
    fn chain2(self, _rhs: f64, f: f64, _d: impl FnOnce() -> Partials) -> f64 {
        f
    }
}

/// A value and its first derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dual {
    pub(crate) v: f64,
    pub(crate) d: f64,
}

impl Num for Dual {
    #[inline]
    fn lit(v: f64) -> Dual {
        Dual { v, d: 0.0 }
    }
    #[inline]
    fn var(v: f64, d: f64) -> Dual {
        Dual { v, d }
    }
    #[inline]
    fn value(self) -> f64 {
        self.v
    }
    #[inline]
    fn neg(self) -> Dual {
        Dual { v: -self.v, d: -self.d }
    }
    #[inline]
    fn add(self, rhs: Dual) -> Dual {
        Dual { v: self.v + rhs.v, d: self.d + rhs.d }
    }
    #[inline]
    fn sub(self, rhs: Dual) -> Dual {
        Dual { v: self.v - rhs.v, d: self.d - rhs.d }
    }
    #[inline]
    fn mul(self, rhs: Dual) -> Dual {
        Dual { v: self.v * rhs.v, d: self.d * rhs.v + self.v * rhs.d }
    }
    #[inline]
    fn div(self, rhs: Dual) -> Dual {
        let v = self.v / rhs.v;
        let d = (self.d - v * rhs.d) / rhs.v;
        Dual { v, d }
    }
    #[inline]
    fn chain(self, f: f64, d: impl FnOnce() -> (f64, f64)) -> Dual {
        Dual { v: f, d: part(d().0, self.d) }
    }
    #[inline]
    fn chain2(self, rhs: Dual, f: f64, d: impl FnOnce() -> Partials) -> Dual {
        let p = d();
        Dual { v: f, d: part(p.a, self.d) + part(p.b, rhs.d) }
    }
}

/// A value and its first and second derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dual2 {
    pub(crate) v: f64,
    pub(crate) d: f64,
    pub(crate) dd: f64,
}

impl Num for Dual2 {
    #[inline]
    fn lit(v: f64) -> Dual2 {
        Dual2 { v, d: 0.0, dd: 0.0 }
    }
    #[inline]
    fn var(v: f64, d: f64) -> Dual2 {
        Dual2 { v, d, dd: 0.0 }
    }
    #[inline]
    fn value(self) -> f64 {
        self.v
    }
    #[inline]
    fn neg(self) -> Dual2 {
        Dual2 { v: -self.v, d: -self.d, dd: -self.dd }
    }
    #[inline]
    fn add(self, rhs: Dual2) -> Dual2 {
        Dual2 { v: self.v + rhs.v, d: self.d + rhs.d, dd: self.dd + rhs.dd }
    }
    #[inline]
    fn sub(self, rhs: Dual2) -> Dual2 {
        Dual2 { v: self.v - rhs.v, d: self.d - rhs.d, dd: self.dd - rhs.dd }
    }
    #[inline]
    fn mul(self, rhs: Dual2) -> Dual2 {
        Dual2 {
            v: self.v * rhs.v,
            d: self.d * rhs.v + self.v * rhs.d,
            dd: self.dd * rhs.v + 2.0 * self.d * rhs.d + self.v * rhs.dd,
        }
    }
    #[inline]
    fn div(self, rhs: Dual2) -> Dual2 {
        let v = self.v / rhs.v;
        let d = (self.d - v * rhs.d) / rhs.v;
        let dd = (self.dd - 2.0 * d * rhs.d - v * rhs.dd) / rhs.v;
        Dual2 { v, d, dd }
    }
    #[inline]
    fn chain(self, f: f64, d: impl FnOnce() -> (f64, f64)) -> Dual2 {
        let (first, second) = d();
        Dual2 {
            v: f,
            d: part(first, self.d),
            dd: part(first, self.dd) + part(second, self.d * self.d),
        }
    }
    #[inline]
    fn chain2(self, rhs: Dual2, f: f64, d: impl FnOnce() -> Partials) -> Dual2 {
        let p = d();
        let second = part(p.aa, self.d * self.d)
            + part(p.ab, 2.0 * self.d * rhs.d)
            + part(p.bb, rhs.d * rhs.d);
        Dual2 {
            v: f,
            d: part(p.a, self.d) + part(p.b, rhs.d),
            dd: part(p.a, self.dd) + part(p.b, rhs.dd) + second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_and_quotient_rules() {
        let x = Dual2::var(3.0, 1.0);
        let cube = x.mul(x).mul(x);
        let (v, d, dd) = (27.0, 27.0, 18.0);
        assert_eq!(cube, Dual2 { v, d, dd });
        assert_eq!(cube.div(x).div(x), x);
        let y = Dual::var(3.0, 1.0);
        let square = y.mul(y);
        assert_eq!(square, Dual { v: 9.0, d: 6.0 });
        assert_eq!(square.div(y), y);
        assert_eq!(square.neg().add(square), Dual::lit(0.0));
        assert_eq!(square.sub(square), Dual::lit(0.0));
    }

    #[test]
    fn fixed_arguments_ignore_singular_slopes() {
        let still = Dual2::var(0.0, 0.0);
        let root = still.chain(0.0, || (f64::INFINITY, f64::NAN));
        assert_eq!(root, Dual2::lit(0.0));
        let moving = Dual::var(1.0, 1.0).chain(5.0, || (7.0, 0.0));
        assert_eq!(moving, Dual { v: 5.0, d: 7.0 });
    }
}
