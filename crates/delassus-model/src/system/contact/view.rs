//! Shapes as drawings need them.

use super::{Owner, owner};
use crate::system::System;
use crate::{BodyId, Form};
use delassus_dae::PointId;
use delassus_math::{Mat3, Vec3};

/// A shape, where it is attached and how it looks.
#[derive(Debug, Clone)]
pub struct ShapeView<'a> {
    /// Name.
    pub name: &'a str,
    /// What carries it among [`crate::Model::carriers`]; `None` for the ground.
    pub carrier: Option<usize>,
    /// Origin in the body frame, m.
    pub p: Vec3,
    /// Orientation in the body frame.
    pub r: Mat3,
    /// Form and size.
    pub form: &'a Form,
    /// Line to draw a planar shape with, in its own frame, m; closed ones end where they begin.
    pub outline: Vec<[f64; 2]>,
    /// Surface of a hull or a mesh, in its own frame, m: corners and counter-clockwise triangles.
    pub surface: Option<(Vec<Vec3>, Vec<[u32; 3]>)>,
}

impl System {
    /// All shapes of the model, in file order, for drawings.
    pub fn shapes(&self) -> Vec<ShapeView<'_>> {
        let shapes = self.model.shapes.iter().enumerate();
        shapes
            .map(|(k, s)| {
                let made = self.contacts.shapes.get(k);
                let outline = made.map(|m| m.shape.outline()).unwrap_or_default();
                let surface = match &s.form {
                    Form::Hull { .. } => made.and_then(|m| m.shape.surface()),
                    Form::Mesh { mesh } => {
                        Some((mesh.points().to_vec(), mesh.triangles().to_vec()))
                    }
                    _ => None,
                };
                let (p, r) = (s.frame.p, s.frame.r);
                let (name, carrier) = (s.name.as_str(), self.model.carrier_of(&s.frame));
                ShapeView { name, carrier, p, r, form: &s.form, outline, surface }
            })
            .collect()
    }

    /// Bodies of the two shapes of a point, `None` for the ground; nothing for interactions without shapes.
    pub fn bodies_of(&self, point: PointId) -> Option<[Option<BodyId>; 2]> {
        let Owner::Shapes(a, b) = owner(point) else { return None };
        Some([a, b].map(|k| self.model.shapes.get(k).and_then(|s| s.frame.body)))
    }
}
