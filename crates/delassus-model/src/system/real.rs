//! Numbers with and without derivatives: what is written once for both has exact derivatives.

use delassus_math::Vec3;
use std::ops::{Add, Mul, Neg, Sub};

/// A number that forces can be computed with.
pub(in crate::system) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + Add<f64, Output = Self>
{
    /// A constant.
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
    /// A function of it with value f and slope d there.
    fn chain(self, f: f64, d: f64) -> Self;
    /// A function of two numbers with value f and slopes da and db there.
    fn chain2(self, other: Self, f: f64, da: f64, db: f64) -> Self {
        self.chain(f, da) + other.chain(0.0, db)
    }

    fn recip(self) -> Self {
        let x = self.value();
        self.chain(1.0 / x, -1.0 / (x * x))
    }
    fn sqrt(self) -> Self {
        let root = self.value().sqrt();
        self.chain(root, 0.5 / root)
    }
    fn atan(self) -> Self {
        let x = self.value();
        self.chain(x.atan(), 1.0 / (1.0 + x * x))
    }
    fn asin(self) -> Self {
        let x = self.value().clamp(-1.0, 1.0);
        // a wheel that lies flat has no direction
        self.chain(x.asin(), 1.0 / (1.0 - x * x).max(1e-30).sqrt())
    }
    fn sin(self) -> Self {
        let (s, c) = self.value().sin_cos();
        self.chain(s, c)
    }
    fn tanh(self) -> Self {
        let t = self.value().tanh();
        self.chain(t, 1.0 - t * t)
    }
}

impl Real for f64 {
    #[inline]
    fn of(x: f64) -> f64 {
        x
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn chain(self, f: f64, _: f64) -> f64 {
        f
    }
    #[inline]
    fn chain2(self, _: f64, f: f64, _: f64, _: f64) -> f64 {
        f
    }
}

/// A number with its derivatives in N directions.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct Dual<const N: usize> {
    pub x: f64,
    pub d: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// One that changes in direction k alone.
    pub fn along(x: f64, k: usize) -> Self {
        let mut d = [0.0; N];
        d[k] = 1.0;
        Dual { x, d }
    }

    fn zip(self, b: Self, x: f64, of: impl Fn(f64, f64) -> f64) -> Self {
        let mut d = self.d;
        for (d, b) in d.iter_mut().zip(b.d) {
            *d = of(*d, b);
        }
        Dual { x, d }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    #[inline]
    fn add(self, b: Self) -> Self {
        self.zip(b, self.x + b.x, |p, q| p + q)
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    #[inline]
    fn sub(self, b: Self) -> Self {
        self.zip(b, self.x - b.x, |p, q| p - q)
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[inline]
    #[allow(clippy::suspicious_arithmetic_impl)] // the product rule is a sum
    fn mul(self, b: Self) -> Self {
        self.zip(b, self.x * b.x, |p, q| p * b.x + self.x * q)
    }
}

impl<const N: usize> Mul<f64> for Dual<N> {
    type Output = Self;
    #[inline]
    fn mul(self, b: f64) -> Self {
        Dual { x: self.x * b, d: self.d.map(|d| d * b) }
    }
}

impl<const N: usize> Add<f64> for Dual<N> {
    type Output = Self;
    #[inline]
    fn add(self, b: f64) -> Self {
        Dual { x: self.x + b, d: self.d }
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl<const N: usize> Real for Dual<N> {
    #[inline]
    fn of(x: f64) -> Self {
        Dual { x, d: [0.0; N] }
    }
    #[inline]
    fn value(self) -> f64 {
        self.x
    }
    #[inline]
    fn chain(self, f: f64, slope: f64) -> Self {
        Dual { x: f, d: self.d.map(|d| d * slope) }
    }
}

/// A vector of such numbers, ground components.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct V<T>(pub [T; 3]);

impl<T: Real> V<T> {
    /// A vector that does not change.
    pub fn of(v: &Vec3) -> V<T> {
        V([v.x, v.y, v.z].map(T::of))
    }
    pub fn dot(&self, b: &V<T>) -> T {
        self.0[0] * b.0[0] + self.0[1] * b.0[1] + self.0[2] * b.0[2]
    }
    pub fn cross(&self, b: &V<T>) -> V<T> {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, b.0);
        V([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])
    }
    pub fn times(&self, c: T) -> V<T> {
        V(self.0.map(|x| x * c))
    }
    pub fn plus(&self, b: &V<T>) -> V<T> {
        V([self.0[0] + b.0[0], self.0[1] + b.0[1], self.0[2] + b.0[2]])
    }
    pub fn minus(&self, b: &V<T>) -> V<T> {
        V([self.0[0] - b.0[0], self.0[1] - b.0[1], self.0[2] - b.0[2]])
    }
    /// Of length one; a vector of length zero stays one.
    pub fn unit(&self) -> V<T> {
        // far below the smallest length that has a direction, so that it changes no digit of others
        const NO_LENGTH: f64 = 1e-60;
        self.times((self.dot(self) + NO_LENGTH).sqrt().recip())
    }
    pub fn values(&self) -> Vec3 {
        Vec3::new(self.0[0].value(), self.0[1].value(), self.0[2].value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One function with everything in it, with its slopes against differences.
    #[test]
    fn derivatives_are_those_of_the_values() {
        fn f<T: Real>(x: T, y: T) -> T {
            let p = V([x, y, x * y + 0.3]);
            let q = V([y, -x, T::of(1.2)]);
            let u = p.cross(&q).unit().plus(&p.times(y)).minus(&q);
            (u.dot(&p).tanh() + (x * 0.3).asin().sin()) * (y * y + 1.0).recip() - u.0[1].atan()
        }
        let (x, y, h) = (0.7, -1.1, 1e-6);
        let at = f(Dual::<2>::along(x, 0), Dual::along(y, 1));
        let slopes =
            [(f(x + h, y) - f(x - h, y)) / (2.0 * h), (f(x, y + h) - f(x, y - h)) / (2.0 * h)];
        assert_eq!(at.x, f(x, y));
        for (d, expected) in at.d.iter().zip(slopes) {
            assert!((d - expected).abs() < 1e-9, "{d} {expected}");
        }
    }
}
