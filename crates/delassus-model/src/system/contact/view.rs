//! Shapes as drawings need them.

use crate::system::System;
use crate::{BodyId, Form};
use delassus_math::{Mat3, Vec3};

/// A shape, where it is fixed and how it looks.
#[derive(Debug, Clone)]
pub struct ShapeView<'a> {
    /// Name.
    pub name: &'a str,
    /// Body it is on; `None` for the ground.
    pub body: Option<BodyId>,
    /// Origin in the body frame, m.
    pub p: Vec3,
    /// Orientation in the body frame.
    pub r: Mat3,
    /// Form and size.
    pub form: &'a Form,
    /// Line to draw a planar shape with, in its own frame, m; closed ones end where they begin.
    pub outline: Vec<[f64; 2]>,
}

impl System {
    /// All shapes of the model, in file order, for drawings.
    pub fn shapes(&self) -> Vec<ShapeView<'_>> {
        let shapes = self.model.shapes.iter().enumerate();
        shapes
            .map(|(k, s)| {
                let made = self.contacts.shapes.get(k);
                let outline = made.map(|m| m.shape.outline()).unwrap_or_default();
                let (p, r) = (s.frame.p, s.frame.r);
                ShapeView { name: &s.name, body: s.frame.body, p, r, form: &s.form, outline }
            })
            .collect()
    }
}
