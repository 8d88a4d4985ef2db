//! Features: the parts with which two shapes touch, and the gap between two of them.
//!
//! Every contact is reduced to two features that are fixed in the frames of their shapes. The gap is then a plain
//! function of two poses, and its gradient or second derivatives can be written down without knowing where the features
//! came from.
//!
//! ```text
//! ball–ball     s |c_b − c_a| − r_a − r_b        s = −1 if one radius is negative (inside a hole), else 1
//! ball–plane    n·(c − x) − r
//! ball–line     s |(1 − d dᵀ)(c − x)| − r_c − r_l
//! line–line     n·(x_b − x_a) − r_a − r_b        n = d_a × d_b / |d_a × d_b|
//! ```
//!
//! The directions of two lines are oriented such that d_a × d_b points from a to b: the gap of two
//! crossing edges then keeps its sign through zero.

use crate::Pose;
use delassus_math::{Vec3, perpendicular};

/// Below this sine of the angle between them two lines count as parallel: the direction of the cross
/// product would have lost half of its digits.
pub(crate) const PARALLEL: f64 = 1e-8;

/// A piece of a surface, in the frame of its shape (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A vertex (radius 0), a convex arc, circle or sphere (radius > 0), or a concave arc with the
    /// body outside the circle (radius < 0).
    Ball {
        /// Centre.
        center: Vec3,
        /// Radius; negative where the body is outside.
        radius: f64,
    },
    /// An edge (radius 0), or the side of a cylinder or capsule; infinite.
    Line {
        /// A point of the axis.
        point: Vec3,
        /// Direction of the axis, unit.
        direction: Vec3,
        /// Radius around the axis.
        radius: f64,
    },
    /// A face; for planar shapes an edge, with its normal in xy.
    Plane {
        /// A point of the plane.
        point: Vec3,
        /// Outward normal, unit.
        normal: Vec3,
    },
}

impl Feature {
    /// The feature in world components.
    pub fn placed(&self, pose: &Pose) -> Feature {
        match *self {
            Feature::Ball { center, radius } => {
                Feature::Ball { center: pose.point(&center), radius }
            }
            Feature::Line { point, direction, radius } => Feature::Line {
                point: pose.point(&point),
                direction: pose.vector(&direction),
                radius,
            },
            Feature::Plane { point, normal } => {
                Feature::Plane { point: pose.point(&point), normal: pose.vector(&normal) }
            }
        }
    }

    /// A vertex.
    pub fn vertex(x: Vec3) -> Feature {
        Feature::Ball { center: x, radius: 0.0 }
    }
}

/// Gap of two features at these poses, the normal from a to b (the gap opens when b moves along it;
/// world components, unit) and the points of contact on each surface (world).
///
/// Where the normal is not defined, at coinciding centres, a fixed direction of frame a is used. Pairs that are not in
/// the table of the module (plane–plane, plane–line) have no gap of their own: the gap is infinite and the normal zero.
pub fn feature_gap(
    fa: &Feature,
    pose_a: &Pose,
    fb: &Feature,
    pose_b: &Pose,
) -> (f64, Vec3, [Vec3; 2]) {
    between(&fa.placed(pose_a), &fb.placed(pose_b), || pose_a.vector(&Vec3::x()))
}

/// The same for features in world components; `otherwise` is the normal of two balls with one centre.
#[inline]
pub fn placed_gap(
    fa: &Feature,
    fb: &Feature,
    otherwise: impl Fn() -> Vec3,
) -> (f64, Vec3, [Vec3; 2]) {
    between(fa, fb, otherwise)
}

#[inline(always)]
fn between(fa: &Feature, fb: &Feature, otherwise: impl Fn() -> Vec3) -> (f64, Vec3, [Vec3; 2]) {
    use Feature::{Ball, Line, Plane};
    match (*fa, *fb) {
        (Ball { center: ca, radius: ra }, Ball { center: cb, radius: rb }) => {
            round(ca, ra, cb, rb, otherwise)
        }
        (Ball { center, radius }, Plane { point, normal }) => {
            let (gap, foot) = above(&center, radius, &point, &normal);
            (gap, -normal, [center - normal * radius, foot])
        }
        (Plane { point, normal }, Ball { center, radius }) => {
            let (gap, foot) = above(&center, radius, &point, &normal);
            (gap, normal, [foot, center - normal * radius])
        }
        (Ball { center, radius: ra }, Line { point, direction, radius: rb }) => {
            let x = on_line(&center, &point, &direction);
            round(center, ra, x, rb, || perpendicular(&direction))
        }
        (Line { point, direction, radius: ra }, Ball { center, radius: rb }) => {
            let x = on_line(&center, &point, &direction);
            round(x, ra, center, rb, || perpendicular(&direction))
        }
        (
            Line { point: xa, direction: da, radius: ra },
            Line { point: xb, direction: db, radius: rb },
        ) => {
            let cross = da.cross(&db);
            let sine = cross.norm();
            if sine < PARALLEL {
                let x = on_line(&xa, &xb, &db);
                return round(xa, ra, x, rb, || perpendicular(&da));
            }
            let n = cross / sine;
            let (s, t) = crossing(&xa, &da, &xb, &db);
            let gap = n.dot(&(xb - xa)) - ra - rb;
            (gap, n, [xa + da * s + n * ra, xb + db * t - n * rb])
        }
        (a, b) => (f64::INFINITY, Vec3::zeros(), [anchor(&a), anchor(&b)]),
    }
}

/// Parameters of the nearest points of two lines that are not parallel.
pub(crate) fn crossing(xa: &Vec3, da: &Vec3, xb: &Vec3, db: &Vec3) -> (f64, f64) {
    let w = xb - xa;
    let c = da.dot(db);
    // 1 − c² from the cross product: exact for small angles.
    let s2 = da.cross(db).norm_squared();
    let (wa, wb) = (w.dot(da), w.dot(db));
    ((wa - c * wb) / s2, (c * wa - wb) / s2)
}

/// Two balls; the sign rule covers a ball inside a hole.
fn round(
    ca: Vec3,
    ra: f64,
    cb: Vec3,
    rb: f64,
    fallback: impl Fn() -> Vec3,
) -> (f64, Vec3, [Vec3; 2]) {
    let sign = if ra < 0.0 || rb < 0.0 { -1.0 } else { 1.0 };
    let d = cb - ca;
    let dist = d.norm();
    let n = if dist > 0.0 { d * (sign / dist) } else { fallback() };
    (sign * dist - ra - rb, n, [ca + n * ra, cb - n * rb])
}

fn above(center: &Vec3, radius: f64, point: &Vec3, normal: &Vec3) -> (f64, Vec3) {
    let height = normal.dot(&(center - point));
    (height - radius, center - normal * height)
}

fn on_line(x: &Vec3, point: &Vec3, direction: &Vec3) -> Vec3 {
    point + direction * direction.dot(&(x - point))
}

fn anchor(f: &Feature) -> Vec3 {
    match f {
        Feature::Ball { center, .. } => *center,
        Feature::Line { point, .. } | Feature::Plane { point, .. } => *point,
    }
}
