//! A lower bound of the gap from balls around the shapes.

use crate::shape::{Form, Shape, ShapeKind};
use crate::{Aabb, Pose};
use delassus_math::Vec3;

/// A region that certainly contains the body of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Ball {
        center: Vec3,
        radius: f64,
    },
    Below {
        point: Vec3,
        normal: Vec3,
    },
    /// Everything outside a ball.
    Outside {
        center: Vec3,
        radius: f64,
    },
    Everywhere,
}

impl Bound {
    pub fn of(shape: &Shape) -> Bound {
        match &shape.form {
            Form::Curve(c) => match shape.kind {
                ShapeKind::Ring => Bound::Outside { center: c.center, radius: ring_radius(c) },
                ShapeKind::HalfPlane => match c.elements[0].feature() {
                    crate::Feature::Plane { point, normal } => Bound::Below { point, normal },
                    _ => Bound::Everywhere,
                },
                ShapeKind::Profile if c.turns_right() => Bound::Everywhere,
                _ => Bound::Ball { center: c.center, radius: c.radius },
            },
            Form::Sphere { radius } => Bound::Ball { center: Vec3::zeros(), radius: *radius },
            Form::HalfSpace { point, normal } => Bound::Below { point: *point, normal: *normal },
            Form::Capsule { ends, .. } => {
                Bound::Ball { center: (ends[0] + ends[1]) / 2.0, radius: shape.size() }
            }
            Form::Cylinder { .. } => Bound::Ball { center: Vec3::zeros(), radius: shape.size() },
            Form::Poly(p) => Bound::Ball { center: p.center, radius: p.radius },
        }
    }

    /// Lower bound of the gap between the contents of two regions.
    pub fn gap(&self, pose: &Pose, other: &Bound, pose_o: &Pose) -> f64 {
        match (self, other) {
            (Bound::Ball { center: c, radius: r }, Bound::Ball { center: d, radius: s }) => {
                (pose.point(c) - pose_o.point(d)).norm() - r - s
            }
            (Bound::Below { point, normal }, Bound::Ball { center, radius }) => {
                let n = pose.vector(normal);
                n.dot(&(pose_o.point(center) - pose.point(point))) - radius
            }
            (Bound::Outside { center: c, radius: r }, Bound::Ball { center: d, radius: s }) => {
                r - (pose.point(c) - pose_o.point(d)).norm() - s
            }
            (Bound::Ball { .. }, Bound::Below { .. } | Bound::Outside { .. }) => {
                other.gap(pose_o, self, pose)
            }
            _ => f64::NEG_INFINITY,
        }
    }

    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Bound::Ball { center, radius } => {
                let c = pose.point(center);
                Aabb { lo: c.add_scalar(-radius), hi: c.add_scalar(*radius) }
            }
            _ => Aabb { lo: Vec3::repeat(f64::NEG_INFINITY), hi: Vec3::repeat(f64::INFINITY) },
        }
    }
}

fn ring_radius(c: &crate::planar::curve::Curve) -> f64 {
    c.elements[0].length() / std::f64::consts::TAU
}
