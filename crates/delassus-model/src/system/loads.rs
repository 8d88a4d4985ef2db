//! Forces and torques as drawings need them: reactions of joints and applied forces.

use super::{System, Workspace};
use crate::{ForceKind, Frame, JointId};
use delassus_math::Vec3;

/// Largest number of loads recorded: a picture with hundreds of arrows shows nothing. For larger models, sensors can
/// measure some.
pub const MOST_LOADS: usize = 400;

/// A force or torque that can be drawn as an arrow.
#[derive(Debug, Clone, Copy)]
pub struct LoadView<'a> {
    /// Name of the joint or force.
    pub name: &'a str,
    /// A torque, not a force.
    pub torque: bool,
    /// Of a joint; otherwise applied.
    pub reaction: bool,
    /// Where it acts, on the second body of a joint.
    pub at: &'a Frame,
}

impl System {
    /// The meaning of [`System::loads`]: force and torque of every joint that has a place, then the applied forces and
    /// torques, in file order, and the forces of tyres.
    pub fn load_views(&self) -> Vec<LoadView<'_>> {
        let (mut out, mut tyres) = (Vec::new(), Vec::new());
        for j in &self.model.joints {
            let Some(at) = j.kind.pair().map(|p| &p.b) else { continue };
            let load = |torque| LoadView { name: &j.name, torque, reaction: true, at };
            out.extend([load(false), load(true)]);
        }
        for f in &self.model.forces {
            let (at, torque) = match &f.kind {
                ForceKind::Force { at, .. } => (at, false),
                ForceKind::Torque { at, .. } => (at, true),
                ForceKind::Tyre(tyre) => {
                    tyres.push(LoadView {
                        name: &f.name,
                        torque: false,
                        reaction: false,
                        at: &tyre.at,
                    });
                    continue;
                }
                _ => continue,
            };
            out.push(LoadView { name: &f.name, torque, reaction: false, at });
        }
        out.extend(tyres);
        out
    }

    /// Vectors of all loads at the realised state, ground components, N and N·m.
    pub fn loads(&self, ws: &Workspace, lambda: &[f64], out: &mut Vec<f64>) {
        let mut push = |v: &Vec3| out.extend([v.x, v.y, v.z]);
        for (k, j) in self.model.joints.iter().enumerate() {
            if j.kind.pair().is_some() {
                let (force, torque) = self.reaction(ws, JointId(k), lambda);
                push(&force);
                push(&torque);
            }
        }
        for a in &self.applied {
            push(&self.applied_vector(ws, a));
        }
        ws.touches.iter().for_each(|touch| push(&touch.force));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::spec::{
        BodySpec, BodyType, Components, ForceSpec, ForceType, JointSpec, JointType, ModelSpec,
    };
    use crate::{System, compile};
    use delassus_dae::Problem;

    #[test]
    fn views_and_values_go_together() {
        let mut spec = ModelSpec { schema: 1, ..ModelSpec::default() };
        let bead = BodySpec {
            kind: BodyType::PlanarPoint,
            mass: Some(1.0.into()),
            position: vec![1.0.into(), 0.0.into()],
            ..BodySpec::default()
        };
        spec.body.set("bead", bead);
        let rod = JointSpec {
            kind: JointType::Distance,
            between: vec!["ground".to_owned(), "bead".to_owned()],
            ..JointSpec::default()
        };
        spec.joint.set("rod", rod);
        let push = ForceSpec {
            kind: ForceType::Force,
            at: Some("bead".to_owned()),
            force: Some(Components::Many(vec![0.0.into(), 3.0.into()])),
            ..ForceSpec::default()
        };
        spec.force.set("push", push);
        let sys = System::new(compile(&spec).unwrap()).unwrap();
        let views = sys.load_views();
        let names: Vec<(&str, bool, bool)> =
            views.iter().map(|v| (v.name, v.torque, v.reaction)).collect();
        assert_eq!(names, [("rod", false, true), ("rod", true, true), ("push", false, false)]);
        let mut ws = sys.workspace();
        sys.realize_position(0.0, &[1.0, 0.0], &[], &mut ws);
        sys.realize_velocity(&[0.0, 0.0], &[], &mut ws);
        let mut out = Vec::new();
        sys.loads(&ws, &[2.0], &mut out);
        assert_eq!(out.len(), 3 * views.len());
        // the rod pushes the bead outwards with its multiplier
        assert!((out[0].abs() - 2.0).abs() < 1e-14 && out[1] == 0.0, "{out:?}");
        assert_eq!(out[6..], [0.0, 3.0, 0.0]);
    }
}
