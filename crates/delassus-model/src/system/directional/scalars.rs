//! Rates of scalars and of slips, and what they pull at, with their changes along a variation.

use super::super::real::{Real, V};
use super::super::rolling::RollRow;
use super::super::scalar::{Angle, ScalarKind};
use super::moved::{D, Moved, between, fixed, length, product};
use delassus_math::Vec3;

/// ν/√(1 − ν²) and its derivative by ν: slopes of −√(1 − ν²).
fn disc_slopes(nu: D) -> (D, D) {
    let square = -(nu * nu) + 1.0;
    let root = square.sqrt();
    (nu * root.recip(), (square * root).recip())
}

fn nothing() -> V<D> {
    V::of(&Vec3::zeros())
}

impl ScalarKind {
    /// ṡ and s̈.
    pub(super) fn rates_along(&self, a: &Moved, b: &Moved) -> [D; 2] {
        match self {
            ScalarKind::World(k) => {
                let [_, rate, second] = between(a, b);
                [rate.0[*k], second.0[*k]]
            }
            ScalarKind::Along(n) => {
                let [_, rate, second] = product(&fixed(a, n), &between(a, b));
                [rate, second]
            }
            ScalarKind::Dot(n, m) => {
                let [_, rate, second] = product(&fixed(a, n), &fixed(b, m));
                [rate, second]
            }
            ScalarKind::Length => {
                let [d, rate, second] = between(a, b);
                let u = d.unit();
                let along = u.dot(&rate);
                let across = rate.dot(&rate) - along * along;
                [along, across * length(&d).recip() + u.dot(&second)]
            }
            ScalarKind::Angle(angle) => angle.rates_along(a, b),
            ScalarKind::Disc(n, m, radius) => {
                let normal = fixed(a, n);
                let [_, rate, second] = product(&normal, &between(a, b));
                let [nu, nu_rate, nu_second] = product(&normal, &fixed(b, m));
                let (slope, bend) = disc_slopes(nu);
                let turning = slope * nu_second + bend * nu_rate * nu_rate;
                [rate + slope * nu_rate * *radius, second + turning * *radius]
            }
        }
    }

    /// The gradient by the second frame: along its origin and about it.
    pub(super) fn pull_along(&self, a: &Moved, b: &Moved) -> [V<D>; 2] {
        match self {
            ScalarKind::World(k) => [V::of(&Vec3::ith(*k, 1.0)), nothing()],
            ScalarKind::Along(n) => [a.direction(n), nothing()],
            ScalarKind::Dot(n, m) => [nothing(), b.direction(m).cross(&a.direction(n))],
            ScalarKind::Length => [b.p.minus(&a.p).unit(), nothing()],
            ScalarKind::Angle(angle) => [nothing(), angle.parts_along(a, b).0],
            ScalarKind::Disc(n, m, radius) => {
                let (n, m) = (a.direction(n), b.direction(m));
                let (slope, _) = disc_slopes(n.dot(&m));
                [n, m.cross(&n).times(slope * *radius)]
            }
        }
    }
}

impl Angle {
    /// h, the axis, the second direction, n, and 1/(1 − n²).
    fn parts_along(&self, a: &Moved, b: &Moved) -> (V<D>, V<D>, V<D>, D, D) {
        let (axis, x) = (a.direction(&self.axis), b.direction(&self.x_b));
        let n = if self.planar.is_some() { D::of(0.0) } else { axis.dot(&x) };
        let inverse = (-(n * n) + 1.0).recip();
        (axis.minus(&x.times(n)).times(inverse), axis, x, n, inverse)
    }

    fn rates_along(&self, a: &Moved, b: &Moved) -> [D; 2] {
        let (h, axis, x, n, inverse) = self.parts_along(a, b);
        let relative = b.w.minus(&a.w);
        let n_rate = relative.dot(&x.cross(&axis));
        let h_rate = a.w.cross(&axis).minus(&x.times(n_rate)).minus(&b.w.cross(&x).times(n));
        let h_rate = h_rate.times(inverse).plus(&h.times(n * n_rate * inverse * 2.0));
        let second = h.dot(&b.spin_up.minus(&a.spin_up)) + h_rate.dot(&relative);
        [h.dot(&relative), second]
    }
}

impl RollRow {
    /// Unit vector from the centre to the contact point, and its rate.
    fn contact_along(&self, a: &Moved, b: &Moved) -> [V<D>; 2] {
        let [n, n_rate, _] = fixed(a, &self.normal);
        let zero = nothing();
        let Some(axis) = self.axis else {
            return [zero.minus(&n), zero.minus(&n_rate)];
        };
        let [x, x_rate, _] = fixed(b, &axis);
        let part = n.dot(&x);
        let part_rate = n_rate.dot(&x) + n.dot(&x_rate);
        let s = x.times(part).minus(&n);
        let s_rate = x.times(part_rate).plus(&x_rate.times(part)).minus(&n_rate);
        let m = s.unit();
        let across = s_rate.minus(&m.times(m.dot(&s_rate)));
        [m, across.times(length(&s).recip())]
    }

    /// The slip and its rate.
    pub(super) fn slips_along(&self, a: &Moved, b: &Moved) -> [D; 2] {
        let [m, m_rate] = self.contact_along(a, b);
        let radius = D::of(self.radius);
        let (c, c_rate) = (m.times(radius), m_rate.times(radius));
        let [t, t_rate, _] = fixed(a, &self.tangent);
        let [d, d_rate, d_second] = between(a, b);
        let (far, far_rate) = (d.plus(&c), d_rate.plus(&c_rate));
        let slip = d_rate.plus(&b.w.cross(&c)).minus(&a.w.cross(&far));
        let change = d_second
            .plus(&b.spin_up.cross(&c))
            .plus(&b.w.cross(&c_rate))
            .minus(&a.spin_up.cross(&far))
            .minus(&a.w.cross(&far_rate));
        [t.dot(&slip), t_rate.dot(&slip) + t.dot(&change)]
    }

    /// The gradient by the second frame.
    pub(super) fn pull_along(&self, a: &Moved, b: &Moved) -> [V<D>; 2] {
        let t = a.direction(&self.tangent);
        let c = self.contact_along(a, b)[0].times(D::of(self.radius));
        let about = c.cross(&t);
        [t, about]
    }
}
