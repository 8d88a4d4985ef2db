//! Vectors and numbers that carry their rate: derivatives of contact geometry without formulas of their own. They are
//! written like the geometry itself; each operation applies the product rule.

use delassus_math::Vec3;
use std::ops::{Add, Mul, Neg, Sub};

/// A vector and its rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    pub x: Vec3,
    pub d: Vec3,
}

/// A number and its rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub x: f64,
    pub d: f64,
}

impl Moving {
    pub fn fixed(x: Vec3) -> Moving {
        Moving { x, d: Vec3::zeros() }
    }

    pub fn dot(&self, o: &Moving) -> Rate {
        Rate { x: self.x.dot(&o.x), d: self.d.dot(&o.x) + self.x.dot(&o.d) }
    }

    pub fn cross(&self, o: &Moving) -> Moving {
        Moving { x: self.x.cross(&o.x), d: self.d.cross(&o.x) + self.x.cross(&o.d) }
    }

    /// The unit vector, or `otherwise` (at rest) if there is none.
    pub fn unit(&self, otherwise: impl FnOnce() -> Vec3) -> Moving {
        let len = self.x.norm();
        if !(len > 0.0) {
            return Moving::fixed(otherwise());
        }
        let u = self.x / len;
        Moving { x: u, d: (self.d - u * u.dot(&self.d)) / len }
    }

    /// Without its part along the unit vector n.
    pub fn without(&self, n: &Moving) -> Moving {
        *self - *n * self.dot(n)
    }
}

impl Add for Moving {
    type Output = Moving;
    fn add(self, o: Moving) -> Moving {
        Moving { x: self.x + o.x, d: self.d + o.d }
    }
}

impl Sub for Moving {
    type Output = Moving;
    fn sub(self, o: Moving) -> Moving {
        Moving { x: self.x - o.x, d: self.d - o.d }
    }
}

impl Neg for Moving {
    type Output = Moving;
    fn neg(self) -> Moving {
        Moving { x: -self.x, d: -self.d }
    }
}

impl Mul<f64> for Moving {
    type Output = Moving;
    fn mul(self, c: f64) -> Moving {
        Moving { x: self.x * c, d: self.d * c }
    }
}

impl Mul<Rate> for Moving {
    type Output = Moving;
    fn mul(self, c: Rate) -> Moving {
        Moving { x: self.x * c.x, d: self.d * c.x + self.x * c.d }
    }
}

impl Rate {
    pub fn over(self, o: Rate) -> Rate {
        Rate { x: self.x / o.x, d: (self.d * o.x - self.x * o.d) / (o.x * o.x) }
    }
}
