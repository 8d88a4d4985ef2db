//! Where a wheel touches its road: the lowest point of a thin disc, over the plane that touches the road there.
//!
//! The road is asked once, below the point of the disc that is lowest along z. The plane that touches it there gives the
//! normal n, the depth d of the point of the disc that is farthest behind it, and the contact point on it, from which
//! the force acts. On a plane road d is the depth of the disc itself, its gradient is −n at that point, and a force that
//! depends on d has a potential. Asking again at the point found would be closer on long waves, but steps over what is
//! shorter than the wheel.

use super::super::real::{Real, V};
use crate::{HeightAt, Road};

/// A wheel on its road. Components along the ground axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<T> {
    /// Normal of the road.
    pub n: V<T>,
    /// Along the road in the plane of the wheel, forward.
    pub along: V<T>,
    /// Along the road, to the left.
    pub left: V<T>,
    /// From the centre of the wheel to the contact point.
    pub arm: V<T>,
    /// Depth of the lowest point of the unloaded wheel, m.
    pub depth: T,
    /// Height of the road below the lowest point, m.
    pub height: T,
}

/// Height at a point with its derivatives along whatever the point depends on.
fn height<T: Real>(at: &HeightAt, x: T, y: T) -> [T; 3] {
    let [h, hx, hy, hxx, hxy, hyy] = *at;
    [x.chain2(y, h, hx, hy), x.chain2(y, hx, hxx, hxy), x.chain2(y, hy, hxy, hyy)]
}

/// Height and upward normal of the road below a point.
fn below<T: Real>(road: &Road, p: &V<T>) -> (T, V<T>) {
    let [x, y, _] = p.0;
    let [h, hx, hy] = height(&road.at(x.value(), y.value()), x, y);
    (h, V([-hx, -hy, T::of(1.0)]).unit())
}

/// From the axle to the lowest point, for a wheel of radius one.
fn down<T: Real>(n: &V<T>, axle: &V<T>) -> V<T> {
    n.times(T::of(-1.0)).plus(&axle.times(n.dot(axle))).unit()
}

impl<T: Real> Place<T> {
    /// Of a wheel with this centre, axle and radius.
    pub fn new(road: &Road, centre: &V<T>, axle: &V<T>, radius: f64) -> Place<T> {
        let upward = V([T::of(0.0), T::of(0.0), T::of(1.0)]);
        let first = centre.plus(&down(&upward, axle).times(T::of(radius)));
        let (h, n) = below(road, &first);
        let to_rim = down(&n, axle).times(T::of(radius));
        let rim = centre.plus(&to_rim);
        let on_road = V([first.0[0], first.0[1], h]);
        let depth = on_road.minus(&rim).dot(&n);
        let along = axle.cross(&n).unit();
        let left = n.cross(&along);
        Place { n, along, left, arm: to_rim.plus(&n.times(depth)), depth, height: h }
    }

    /// Of a wheel on a body in the plane, seen from above.
    pub fn flat(axle: &V<T>) -> Place<T> {
        let zero = T::of(0.0);
        let n = V([zero, zero, T::of(1.0)]);
        let along = axle.cross(&n).unit();
        let left = n.cross(&along);
        Place { n, along, left, arm: V([zero; 3]), depth: zero, height: zero }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_math::{Vec3, so3};

    /// On a slope, leaning: the lowest of many points of the rim, and its distance behind the plane.
    #[test]
    fn the_lowest_point_of_the_rim_is_found() {
        let text = |x: &str, names: &[(&str, usize)]| {
            struct S<'a>(&'a [(&'a str, usize)]);
            impl delassus_expr::Scope for S<'_> {
                fn lookup(&self, name: &str) -> Option<delassus_expr::Binding> {
                    let found = self.0.iter().find(|(n, _)| *n == name)?;
                    Some(delassus_expr::Binding::Var(found.1))
                }
                fn names(&self) -> Vec<String> {
                    Vec::new()
                }
            }
            delassus_expr::Expr::parse(x, &S(names)).expect("a formula")
        };
        let e = text("0.1*x - 0.2*y + 0.3", &[("x", 1), ("y", 2)]);
        let road = Road { height: crate::Height::Expression(e), friction: 1.0 };
        let n = Vec3::new(-0.1, 0.2, 1.0).normalize();
        let (centre, radius) = (Vec3::new(2.0, 1.0, 0.58), 0.3);
        let axle = so3::exp(&Vec3::new(0.3, 0.1, 0.4)) * Vec3::y();
        let place = Place::<f64>::new(&road, &V::of(&centre), &V::of(&axle), radius);
        let side = axle.cross(&n).normalize();
        let other = axle.cross(&side);
        let behind = |angle: f64| {
            let p = centre + (side * angle.cos() + other * angle.sin()) * radius;
            (0.1 * p.x - 0.2 * p.y + 0.3 - p.z) * n.z
        };
        let deepest = (0..100_000).map(|k| behind(f64::from(k) * 1e-4)).fold(f64::MIN, f64::max);
        assert!((place.depth - deepest).abs() < 1e-8, "{} {deepest}", place.depth);
        assert!((place.n.values() - n).norm() < 1e-14);
        // the contact point is on the road
        let c = centre + place.arm.values();
        assert!((0.1 * c.x - 0.2 * c.y + 0.3 - c.z).abs() < 1e-14);
        assert!(place.along.values().dot(&axle).abs() < 1e-14 && place.along.values().x > 0.0);
        assert!(place.left.values().dot(&axle) > 0.5);
    }
}
