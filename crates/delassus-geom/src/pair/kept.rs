//! A feature by its id, for following a contact a little beyond the borders of its features.

use super::cylinder;
use super::round::Rod;
use crate::Feature;
use crate::shape::{Form, Shape};
use delassus_math::Vec3;

impl Shape {
    /// The feature with this id in contacts, in the frame of the shape; for a rim the nearest point is not known, see
    /// [`Shape::rim`]. The direction of an edge is its own: contacts of two edges may have it reversed. `None` if ids
    /// are not sufficient.
    pub fn feature(&self, id: u32) -> Option<Feature> {
        match &self.form {
            Form::Curve(curve) => Some(curve.feature(id)),
            Form::Sphere { radius } => {
                Some(Feature::Ball { center: Vec3::zeros(), radius: *radius })
            }
            Form::HalfSpace { point, normal } => {
                Some(Feature::Plane { point: *point, normal: *normal })
            }
            Form::Capsule { ends, radius } => Some(Rod::new(*ends, *radius).feature(id)),
            Form::Poly(poly) => Some(poly.feature(id)),
            Form::Cylinder { half_height, radius } => cylinder::feature(id, *half_height, *radius),
        }
    }

    /// Centre and radius of the rim with this id in contacts; its axis is z.
    pub fn rim(&self, id: u32) -> Option<(Vec3, f64)> {
        match &self.form {
            Form::Cylinder { half_height, radius } => {
                cylinder::rim(id, *half_height).map(|center| (center, *radius))
            }
            _ => None,
        }
    }
}
