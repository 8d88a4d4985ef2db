//! What variations of the coordinates do to the bodies, and what force elements do at a state: for analyses without a motion.

use super::body::Loose;
use super::{System, Workspace};
use crate::{BodyId, Frame};
use delassus_math::{Mat3, Vec3};

/// What a force element does at a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ElementLoad {
    /// Pull of an element along a length, N, or torque of one about an angle, N m.
    Scalar {
        /// Positive where it draws its ends together or turns the angle back.
        value: f64,
        /// Along a length.
        is_length: bool,
    },
    /// Applied force, N, ground components.
    Force(Vec3),
    /// Applied torque, N m, ground components.
    Torque(Vec3),
    /// Force and torque of a bushing on its second frame, or of a tyre on its wheel, ground components.
    Wrench(Vec3, Vec3),
}

/// The frame of a body itself, or of one of its nodes.
fn frame_of(body: usize, node: Option<usize>) -> Frame {
    let (p, r) = (Vec3::zeros(), Mat3::identity());
    Frame { body: Some(BodyId(body)), node, p, r, name: String::new() }
}

impl System {
    /// Displacement and rotation of all [`crate::Model::carriers`] for a variation of the coordinates at the realised
    /// position, ground components.
    pub fn body_variations(&self, ws: &Workspace, xi: &[f64]) -> Vec<[Vec3; 2]> {
        self.model
            .carriers()
            .map(|c| {
                let at = Loose::new(&ws.kin, &self.bodies, &frame_of(c.number, c.node));
                let mut out = [Vec3::zeros(); 2];
                if let Some(j) = at.jac() {
                    for (k, i) in j.span().enumerate() {
                        let [lin, ang] = j.column(k);
                        out[0] += lin * xi[i];
                        out[1] += ang * xi[i];
                    }
                }
                out
            })
            .collect()
    }

    /// Generalised force of a force (ground components) at the origin of a body frame, at the realised position.
    pub fn generalised_force(&self, ws: &Workspace, body: usize, force: &Vec3) -> Vec<f64> {
        let mut out = vec![0.0; self.dims.nv];
        let at = Loose::new(&ws.kin, &self.bodies, &frame_of(body, None));
        if let Some(j) = at.jac() {
            for (k, i) in j.span().enumerate() {
                out[i] += j.column(k)[0].dot(force);
            }
        }
        out
    }

    /// What every force element does at the realised state, by name.
    pub fn element_loads(&self, ws: &Workspace) -> Vec<(&str, ElementLoad)> {
        let scalar = self.scalar_forces.iter().zip(&ws.forces).map(|(f, x)| {
            let is_length = f.scalar.kind.is_length();
            (f.name.as_str(), ElementLoad::Scalar { value: x.pull, is_length })
        });
        let applied = self.applied.iter().map(|a| {
            let w = self.applied_vector(ws, a);
            (a.name.as_str(), if a.torque { ElementLoad::Torque(w) } else { ElementLoad::Force(w) })
        });
        let bushings = self.bushings.iter().map(|b| {
            let s = self.bushing(ws, b);
            (b.name.as_str(), ElementLoad::Wrench(s.force, s.torque))
        });
        let tyres = self.tyres.iter().zip(&ws.touches).map(|(tyre, touch)| {
            (tyre.name.as_str(), ElementLoad::Wrench(touch.force, touch.torque))
        });
        scalar.chain(applied).chain(bushings).chain(tyres).collect()
    }
}
