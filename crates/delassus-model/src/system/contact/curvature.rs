//! What compliant contact needs of shapes besides gaps: their curvature, for stiffness, and how rows of H change with
//! the position, for tangents; and their velocities.

use super::pairs::Sides;
use super::shape_point::axis_of;
use super::touch::{Side, touch};
use super::{Owner, owner};
use crate::system::body::FrameKin;
use crate::system::{System, Workspace};
use crate::{ContactLaw, ContactShape, Diagnostic, Form, ShapeId, Stiffness};
use delassus_dae::{ContactPoint, PointId};
use delassus_math::Vec3;

/// Curvature of a shape with constant curvature, 1/m: negative for a bearing.
fn curvature(form: &Form) -> Option<f64> {
    match form {
        Form::Circle { radius } | Form::Sphere { radius } => Some(1.0 / radius),
        Form::Arc { radius, hollow, .. } => {
            Some(if *hollow { -1.0 / radius } else { 1.0 / radius })
        }
        Form::Socket { radius } | Form::Bore { radius, .. } => Some(-1.0 / radius),
        Form::HalfPlane { .. } | Form::HalfSpace { .. } => Some(0.0),
        _ => None,
    }
}

/// Reports pairs whose stiffness does not follow from their material.
pub(crate) fn check(
    name: &str,
    law: &ContactLaw,
    shapes: &[ContactShape],
    sides: &Sides<'_>,
    faults: &mut Vec<Diagnostic>,
) {
    let Stiffness::Material { .. } = law.stiffness else { return };
    let path = || format!("contact.{name}.material");
    let mut all = sides.a.iter().chain(sides.b.unwrap_or_default());
    if let Some(k) = all.find(|k| curvature(&shapes[**k].form).is_none()) {
        let text = format!(
            "the shape `{}` is not a sphere, circle, arc, half-space or half-plane, so that no stiffness follows from the material",
            shapes[*k].name
        );
        faults.push(Diagnostic::error("E_MATERIAL", path(), text).help("give `stiffness` instead"));
        return;
    }
    // in the worst case each shape meets the flattest and the most hollow of the other side
    let of = |k: usize| curvature(&shapes[k].form).unwrap_or(0.0);
    let flattest = |list: &[usize]| list.iter().copied().min_by(|x, y| of(*x).total_cmp(&of(*y)));
    let (a, b) = match sides.b {
        Some(b) => (flattest(sides.a), flattest(b)),
        None => {
            let mut list = sides.a.to_vec();
            list.sort_by(|x, y| of(*x).total_cmp(&of(*y)));
            (list.first().copied(), list.get(1).copied())
        }
    };
    if let (Some(a), Some(b)) = (a, b)
        && !(of(a) + of(b) > 0.0)
    {
        let text = format!(
            "`{}` and `{}` do not touch in a point: a journal must be smaller than its bearing",
            shapes[a].name, shapes[b].name
        );
        let fault = Diagnostic::error("E_MATERIAL", path(), text);
        faults.push(fault.help("correct the radii, or give `stiffness`"));
    }
}

impl System {
    /// Velocity of the middle of a shape at the realised state, m/s.
    pub(crate) fn shape_velocity(&self, ws: &Workspace, shape: ShapeId) -> Vec3 {
        let shape = &self.contacts.shapes[shape.0];
        let on = &ws.kin.frames[shape.frame];
        on.v + on.w.cross(&(on.axes * shape.pose.p))
    }

    /// Law of a compliant point.
    pub(super) fn law_of(&self, point: PointId) -> Option<&ContactLaw> {
        let Owner::Shapes(a, b) = owner(point) else { return None };
        let pairs = &self.contacts.pairs;
        pairs.rules[pairs.rule(a, b)?].law.as_ref()
    }

    /// Name of the first contact with a compliant law.
    pub fn first_compliant(&self) -> Option<&str> {
        let rule = self.contacts.pairs.rules.iter().find(|r| r.law.is_some())?;
        Some(&self.contact(rule.contact).name)
    }

    /// Stiffness of a compliant point, N/mⁿ.
    pub(super) fn point_stiffness(&self, point: PointId) -> f64 {
        let (Owner::Shapes(a, b), Some(law)) = (owner(point), self.law_of(point)) else {
            return 0.0;
        };
        law.stiffness.of([a, b].map(|k| curvature(&self.model.shapes[k].form).unwrap_or(0.0)))
    }

    /// ∂H/∂ξ of row k of a point of two shapes. The wrench of a unit force along its direction n at each frame is (n,
    /// (c − p) × n). Along each coordinate the direction n and the place c move as with the unit velocity of that
    /// coordinate, which [`touch`] gives exactly, and the Jacobians of the frames turn under the fixed wrench.
    pub(super) fn shape_hessian(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        (slot, row_number): (u32, usize),
        at: &ContactPoint,
        out: &mut [f64],
    ) -> bool {
        let axis = axis_of(at.features);
        let shapes = [&self.contacts.shapes[a], &self.contacts.shapes[b]];
        let sides = shapes.map(|s| s.side(&ws.kin.frames));
        let before = Some(at.features);
        let Some((f, _)) =
            self.features((shapes[0], shapes[1]), (&sides[0], &sides[1]), slot, true, before)
        else {
            return false;
        };
        let n = at.cols.len();
        let jacs = shapes.map(|s| self.jac(&ws.kin, s.frame));
        let first = |k: usize| {
            let span = jacs[k].as_ref()?.span();
            at.cols.iter().position(|c| *c == span.start)
        };
        let firsts = [first(0), first(1)];
        let still: [FrameKin; 2] = sides.map(|s| {
            let mut frame = *s.on;
            (frame.v, frame.w) = (Vec3::zeros(), Vec3::zeros());
            frame
        });
        let signs = [-1.0, 1.0];
        for k in 0..2 {
            let (Some(jac), Some(first)) = (&jacs[k], firsts[k]) else { continue };
            for j in 0..jac.len() {
                let mut frames = still;
                [frames[k].v, frames[k].w] = jac.column(j);
                let moved = [0, 1].map(|i| Side { on: &frames[i], pose: sides[i].pose });
                let t = touch(&f[0], &moved[0], &f[1], &moved[1]);
                let normal = self.directions(a, b, &t, &moved[0], axis)[row_number];
                let c = t.c;
                for i in 0..2 {
                    let (Some(own), Some(at_row)) = (&jacs[i], firsts[i]) else { continue };
                    let arm = c.x - frames[i].p;
                    let turn = (c.d - frames[i].v).cross(&normal.x) + arm.cross(&normal.d);
                    let mut pulled = [0.0; 16];
                    let Some(pulled) = pulled.get_mut(..own.len()) else { return false };
                    own.transpose_mul(&(normal.d * signs[i]), &(turn * signs[i]), pulled);
                    for (row, p) in pulled.iter().enumerate() {
                        out[(at_row + row) * n + first + j] += p;
                    }
                }
            }
        }
        let t = touch(&f[0], &sides[0], &f[1], &sides[1]);
        let normal = self.directions(a, b, &t, &sides[0], axis)[row_number];
        let c = t.c;
        for k in 0..2 {
            let (Some(jac), Some(first)) = (&jacs[k], firsts[k]) else { continue };
            let lin = normal.x * signs[k];
            let moment = (c.x - sides[k].on.p).cross(&lin);
            jac.geometric(&lin, &moment, |i, j, x| out[(first + i) * n + first + j] += x);
        }
        true
    }
}
